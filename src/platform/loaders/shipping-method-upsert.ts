import { ConfigService, Permission, ShippingMethod, ShippingMethodService } from '@vendure/core';
import type { CreateShippingMethodInput, UpdateShippingMethodInput } from '@vendure/common/lib/generated-types';
import type { LoaderFixture } from '../../core/adapter/loader';
import { known, quoted } from '../entities/record-issues';
import { assignedChannels, inLanguages, operationOf, translatedText, unpaddedText } from '../services/service-field';
import { serviceLoader } from '../services/service-loader';

const standard = {
    code: 'standard',
    name: 'Standard',
    checker: { code: 'default-shipping-eligibility-checker' },
    calculator: { code: 'default-shipping-calculator', args: { rate: 490, taxRate: 19 } },
    fulfillmentHandler: 'manual-fulfillment',
};
const anyOrder = { code: 'default-shipping-eligibility-checker', args: { orderMinimum: 0 } };
const at = (rate: number) => ({
    code: 'default-shipping-calculator',
    args: { rate, includesTax: 'auto', taxRate: 19 },
});
const keys = ['standard'];

/** What the examples begin with. */
const given: readonly LoaderFixture[] = [{ loader: 'shippingMethodUpsert', records: [standard] }];

/** Ways to ship, by ShippingMethodService. */
export const shippingMethodUpsert = serviceLoader({
    code: 'shippingMethodUpsert',
    title: 'Shipping methods',
    category: 'Settings',
    entity: {
        name: 'ShippingMethod',
        called: ['shipping method', 'shipping methods'],
        type: ShippingMethod,
        key: 'code',
        customFields: 'ShippingMethod',
        permissions: {
            create: [Permission.CreateSettings, Permission.CreateShippingMethod],
            update: [Permission.UpdateSettings, Permission.UpdateShippingMethod],
            delete: [Permission.DeleteSettings, Permission.DeleteShippingMethod],
        },
        fields: {
            code: unpaddedText('code'),
            name: translatedText('name', { isNeeded: true }),
            description: translatedText('description', { initially: '' }),
            translations: inLanguages,
            checker: operationOf(
                'eligibility checker, {code, args}',
                ({ shippingOptions }) => shippingOptions.shippingEligibilityCheckers ?? [],
                { isNeeded: true },
            ),
            calculator: operationOf(
                'price calculator, {code, args}',
                ({ shippingOptions }) => shippingOptions.shippingCalculators ?? [],
                { isNeeded: true },
            ),
            fulfillmentHandler: {
                ...unpaddedText('code of the fulfilment handler'),
                property: 'fulfillmentHandlerCode',
            },
            channels: assignedChannels({
                toAssign: [Permission.UpdateShippingMethod, Permission.UpdateSettings],
                toRemove: [Permission.DeleteShippingMethod, Permission.DeleteSettings],
            }),
        },
        open({ injector }) {
            const methods = injector.get(ShippingMethodService);
            const { fulfillmentHandlers = [] } = injector.get(ConfigService).shippingOptions;
            const handlers = fulfillmentHandlers.map(({ code }) => code).sort();
            return {
                create: (ctx, input) => methods.create(ctx, input as unknown as CreateShippingMethodInput),
                update: (ctx, input) => methods.update(ctx, input as unknown as UpdateShippingMethodInput),
                remove: (ctx, id) => methods.softDelete(ctx, id),
                assign: (ctx, { id, channelId }) =>
                    methods.assignShippingMethodsToChannel(ctx, { shippingMethodIds: [id], channelId }),
                take: (ctx, { id, channelId }) =>
                    methods.removeShippingMethodsFromChannel(ctx, { shippingMethodIds: [id], channelId }),
                // For an unknown one the service takes the first one, and reports that only in the shop's log.
                async check({ values, faults: issues, nameOf }) {
                    const handler = values.get('fulfillmentHandler') as string;
                    if (values.changed.has('fulfillmentHandler') && !handlers.includes(handler))
                        issues.add(nameOf('fulfillmentHandler'), `is ${quoted(handler)}; ${known(handlers)}`, handler);
                },
            };
        },
    },
    notes: [
        "A record is {code, name, description, translations, checker, calculator, fulfillmentHandler, channels, customFields}. A shipping method is matched by its code in the run's channel. A new one needs code, name, checker, calculator and fulfillmentHandler.",
        'The checker and the calculator are {code, args: {name: value}}, as the shop defines them; a missing argument has its default. Each replaces the existing one with all its arguments.',
        "It belongs to the run's channel, the default channel, and the channels in `channels` (by token). It is removed from others if the run's user may do that. A deleted shipping method is removed from all channels; existing orders keep it.",
    ],
    examples: [
        {
            in: [standard, { ...standard, code: 'express', translations: { de: { name: 'Eilig' } }, name: 'Express' }],
            keys: [...keys, 'express'],
            does: ['create', 'create'],
            after: [
                { ...standard, checker: anyOrder, calculator: at(490) },
                {
                    code: 'express',
                    name: 'Express',
                    'translations.de.name': 'Eilig',
                    checker: anyOrder,
                    calculator: at(490),
                    fulfillmentHandler: 'manual-fulfillment',
                },
            ],
        },
        {
            note: 'Only differences are written.',
            given,
            in: [
                { code: 'standard', calculator: at(590) },
                { ...standard, calculator: at(590) },
            ],
            keys,
            does: ['update', 'unchanged'],
            after: [{ calculator: at(590) }],
        },
        { given, in: [{ code: 'standard', __operation: 'DELETE' }], keys, does: ['delete'] },
        {
            given,
            in: [
                { ...standard, code: 'bicycle', fulfillmentHandler: 'bicycle' },
                { code: 'standard', calculator: { code: 'default-shipping-calculator', args: { price: 100 } } },
                { code: 'standard', checker: null },
                { code: 'standard', translations: { fr: { name: 'Normale' } } },
                { code: 'standard', description: 'Within three days' },
            ],
            keys: [...keys, 'bicycle'],
            does: ['reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['fulfillmentHandler', 'calculator.args.price', 'checker', 'translations.fr'],
            after: [{ description: 'Within three days' }],
        },
    ],
});
