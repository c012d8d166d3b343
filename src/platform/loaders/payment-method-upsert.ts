import { PaymentMethod, PaymentMethodService, Permission } from '@vendure/core';
import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import type { CreatePaymentMethodInput, UpdatePaymentMethodInput } from '@vendure/common/lib/generated-types';
import type { LoaderFixture } from '../../core/adapter/loader';
import {
    assignedChannels,
    inLanguages,
    operationOf,
    translatedText,
    unpaddedText,
    booleanValue,
} from '../services/service-field';
import { serviceLoader } from '../services/service-loader';

const invoice = {
    code: 'invoice',
    name: 'Invoice',
    handler: { code: 'dummy-payment-handler', args: { automaticSettle: false } },
};
const keys = ['invoice'];

/** What the examples begin with. */
const given: readonly LoaderFixture[] = [{ loader: 'paymentMethodUpsert', records: [invoice] }];

/** Ways to pay, by PaymentMethodService. */
export const paymentMethodUpsert = serviceLoader({
    code: 'paymentMethodUpsert',
    title: 'Payment methods',
    category: 'Settings',
    entity: {
        name: 'PaymentMethod',
        called: ['payment method', 'payment methods'],
        type: PaymentMethod,
        key: 'code',
        customFields: 'PaymentMethod',
        permissions: {
            create: [Permission.CreateSettings, Permission.CreatePaymentMethod],
            update: [Permission.UpdateSettings, Permission.UpdatePaymentMethod],
            delete: [Permission.DeleteSettings, Permission.DeletePaymentMethod],
        },
        fields: {
            code: unpaddedText('code'),
            name: translatedText('name', { isNeeded: true }),
            description: translatedText('description', { initially: '' }),
            translations: inLanguages,
            enabled: booleanValue('whether it is enabled', { initially: true }),
            checker: operationOf(
                'eligibility checker, {code, args}',
                ({ paymentOptions }) => paymentOptions.paymentMethodEligibilityCheckers ?? [],
                { mayBeNone: true },
            ),
            handler: operationOf(
                'payment handler, {code, args}',
                ({ paymentOptions }) => paymentOptions.paymentMethodHandlers,
                { isNeeded: true },
            ),
            channels: assignedChannels({
                toAssign: [Permission.UpdatePaymentMethod, Permission.UpdateSettings],
                toRemove: [Permission.DeletePaymentMethod, Permission.DeleteSettings],
            }),
        },
        open({ injector }) {
            const methods = injector.get(PaymentMethodService);
            return {
                create: (ctx, input) => methods.create(ctx, input as unknown as CreatePaymentMethodInput),
                update: (ctx, input) => methods.update(ctx, input as unknown as UpdatePaymentMethodInput),
                remove: (ctx, id) => methods.delete(ctx, id),
                assign: (ctx, { id, channelId }) =>
                    methods.assignPaymentMethodsToChannel(ctx, { paymentMethodIds: [id], channelId }),
                take: (ctx, { id, channelId }) =>
                    methods.removePaymentMethodsFromChannel(ctx, { paymentMethodIds: [id], channelId }),
                // A dry run would not detect it otherwise.
                async check({ ctx, isDelete, values, faults: issues }) {
                    const others = (values.get('channels') as readonly string[]).filter(
                        token => token !== ctx.channel.token,
                    );
                    if (isDelete && ctx.channel.code === DEFAULT_CHANNEL_CODE && others.length > 0)
                        issues.add(
                            '__operation',
                            `is "DELETE", but it is in other channels as well: ${others.join(', ')}`,
                            'DELETE',
                        );
                },
            };
        },
    },
    notes: [
        "A record is {code, name, description, translations, enabled, checker, handler, channels, customFields}. A payment method is matched by its code in the run's channel. A new one needs code, name and handler. Default: enabled.",
        'The handler and the checker are {code, args: {name: value}}, as the shop defines them; a missing argument has its default. Each replaces the existing one with all its arguments; `checker: null` removes the checker. Differences do not show keys and passwords among the arguments.',
        "It belongs to the run's channel, the default channel, and the channels in `channels` (by token). It is removed from others if the run's user may do that.",
        'As in the Admin API, DELETE removes it from the channel of the run. In the default channel it deletes it, and is rejected while other channels have it.',
    ],
    examples: [
        {
            in: [
                invoice,
                { ...invoice, code: 'card', translations: { de: { name: 'Karte' } }, name: 'Card', enabled: false },
            ],
            keys: [...keys, 'card'],
            does: ['create', 'create'],
            after: [
                invoice,
                {
                    code: 'card',
                    name: 'Card',
                    'translations.de.name': 'Karte',
                    enabled: false,
                    handler: invoice.handler,
                },
            ],
        },
        {
            note: 'Only differences are written.',
            given,
            in: [
                { ...invoice, handler: { code: 'dummy-payment-handler', args: { automaticSettle: true } } },
                { code: 'invoice', enabled: true },
            ],
            keys,
            does: ['update', 'unchanged'],
            after: [{ handler: { code: 'dummy-payment-handler', args: { automaticSettle: true } } }],
        },
        { given, in: [{ code: 'invoice', __operation: 'DELETE' }], keys, does: ['delete'] },
        {
            given,
            in: [
                { code: 'voucher', name: 'Voucher' },
                { code: 'invoice', handler: { code: 'barter' } },
                { code: 'invoice', handler: null },
                { code: 'invoice', enabled: 'yes' },
                { code: 'invoice', checker: null, description: 'Within 14 days' },
            ],
            keys: [...keys, 'voucher'],
            does: ['reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['handler', 'handler.code', 'handler', 'enabled'],
            after: [{ description: 'Within 14 days' }],
        },
    ],
});
