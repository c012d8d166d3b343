import { ConfigService, Permission, Promotion, PromotionService, type PromotionAction } from '@vendure/core';
import type { CreatePromotionInput, UpdatePromotionInput } from '@vendure/common/lib/generated-types';
import type { LoaderFixture } from '../../core/adapter/loader';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { quoted } from '../entities/record-issues';
import type { RequestedInput } from '../services/service-entity';
import {
    assignedChannels,
    clearable,
    inLanguages,
    limitOfUses,
    pointInTime,
    operationsOf,
    translatedKey,
    translatedText,
    unpaddedText,
    booleanValue,
} from '../services/service-field';
import { serviceLoader } from '../services/service-loader';

const summer = {
    name: 'Summer sale',
    conditions: [{ code: 'minimum_order_amount', args: { amount: 5000 } }],
    actions: [{ code: 'order_percentage_discount', args: { discount: 10 } }],
};
const from5000 = [{ code: 'minimum_order_amount', args: { amount: 5000, taxInclusive: false } }];
const tenPercent = [{ code: 'order_percentage_discount', args: { discount: 10 } }];
const keys = ['Summer sale'];

/** What the examples begin with. */
const given: readonly LoaderFixture[] = [{ loader: 'promotionUpsert', records: [summer] }];

/** Promotions, by PromotionService. */
export const promotionUpsert = serviceLoader({
    code: 'promotionUpsert',
    title: 'Promotions',
    category: 'Settings',
    entity: {
        name: 'Promotion',
        called: ['promotion', 'promotions'],
        type: Promotion,
        key: 'name',
        // PromotionService reckons the order in which promotions are applied from what it is handed.
        handedAlways: ['conditions', 'actions'],
        customFields: 'Promotion',
        permissions: {
            create: [Permission.CreatePromotion],
            update: [Permission.UpdatePromotion],
            delete: [Permission.DeletePromotion],
        },
        fields: {
            name: translatedKey('name'),
            description: translatedText('description', { initially: '' }),
            translations: inLanguages,
            enabled: booleanValue('whether it is enabled', { initially: true }),
            startsAt: pointInTime('start time'),
            endsAt: pointInTime('end time'),
            couponCode: clearable(unpaddedText('coupon code that customers enter', {})),
            perCustomerUsageLimit: limitOfUses('number of times that a customer may use it'),
            usageLimit: limitOfUses('number of times that it may be used'),
            conditions: operationsOf(
                'list of conditions, each as {code, args}',
                ({ promotionOptions }) => promotionOptions.promotionConditions ?? [],
                { initially: [] },
            ),
            actions: operationsOf(
                'list of actions, each as {code, args}',
                ({ promotionOptions }) => promotionOptions.promotionActions ?? [],
                { isNeeded: true },
            ),
            channels: assignedChannels({
                toAssign: [Permission.UpdatePromotion],
                toRemove: [Permission.UpdatePromotion],
            }),
        },
        open({ injector }) {
            const promotions = injector.get(PromotionService);
            const { promotionActions = [] } = injector.get(ConfigService).promotionOptions;
            return {
                create: (ctx, input) => promotions.createPromotion(ctx, input as unknown as CreatePromotionInput),
                update: (ctx, input) => promotions.updatePromotion(ctx, input as UpdatePromotionInput),
                remove: (ctx, id) => promotions.softDeletePromotion(ctx, id),
                assign: (ctx, { id, channelId }) =>
                    promotions.assignPromotionsToChannel(ctx, { promotionIds: [id], channelId }),
                take: (ctx, { id, channelId }) =>
                    promotions.removePromotionsFromChannel(ctx, { promotionIds: [id], channelId }),
                check: async requested => {
                    if (requested.isDelete) return;
                    checkConditions(requested, promotionActions);
                    checkUse(requested);
                },
            };
        },
    },
    notes: [
        "A record is {name, description, translations, enabled, startsAt, endsAt, couponCode, perCustomerUsageLimit, usageLimit, conditions, actions, channels, customFields}. A promotion is matched by its name in the run's language among the promotions of the channel, so the name itself cannot be changed.",
        'Conditions and actions are {code, args: {name: value}}, as the shop defines them, with names instead of ids: facet values as "facet:value", variants by SKU, customer groups by name. A missing argument has its default. Each list replaces the existing one; with the strategy MERGE its entries are added.',
        'A new promotion needs a name, actions, and conditions or a coupon code. Several promotions may have the same coupon code, as in the Admin API; then all of them are applied.',
        "It belongs to the run's channel, the default channel, and the channels in `channels` (by token). It is removed from others if the run's user may do that. A deleted promotion is removed from all channels.",
        'Times have a precision of one second. A date without a time is midnight UTC.',
    ],
    examples: [
        {
            in: [
                summer,
                {
                    name: 'Welcome',
                    description: 'For those who are new',
                    translations: { de: { name: 'Willkommen' } },
                    couponCode: 'HELLO',
                    perCustomerUsageLimit: 1,
                    startsAt: '2026-07-01',
                    endsAt: '2026-08-31T23:59:59+02:00',
                    actions: [{ code: 'free_shipping' }],
                },
            ],
            keys: [...keys, 'Welcome'],
            does: ['create', 'create'],
            after: [
                { name: 'Summer sale', conditions: from5000, actions: tenPercent },
                {
                    name: 'Welcome',
                    description: 'For those who are new',
                    'translations.de.name': 'Willkommen',
                    couponCode: 'HELLO',
                    perCustomerUsageLimit: 1,
                    startsAt: '2026-07-01T00:00:00.000Z',
                    endsAt: '2026-08-31T21:59:59.000Z',
                    actions: [{ code: 'free_shipping', args: {} }],
                },
            ],
        },
        {
            note: 'Only differences are written.',
            given,
            in: [
                { ...summer, enabled: false, translations: { de: { name: 'Sommer' } } },
                { ...summer, conditions: from5000 },
            ],
            keys,
            does: ['update', 'unchanged'],
            after: [{ enabled: false, 'translations.de.name': 'Sommer' }],
        },
        {
            note: 'Facet values, variants, products and customer groups are named instead of using their ids.',
            given: [
                { loader: 'facetUpsert', records: [{ code: 'season', name: 'Season' }] },
                { loader: 'facetValueUpsert', records: [{ facet: 'season', code: 'winter', name: 'Winter' }] },
                { loader: 'customerGroupUpsert', records: [{ name: 'Regulars' }] },
            ],
            in: [
                {
                    name: 'Winter sale',
                    conditions: [
                        { code: 'customer_group', args: { customerGroupId: 'Regulars' } },
                        { code: 'at_least_n_with_facets', args: { minimum: 2, facets: ['season:winter'] } },
                    ],
                    actions: [{ code: 'order_fixed_discount', args: { discount: 500 } }],
                },
            ],
            keys: ['Winter sale', 'Regulars'],
            does: ['create'],
            after: [
                {
                    name: 'Winter sale',
                    conditions: [
                        { code: 'customer_group', args: { customerGroupId: 'Regulars' } },
                        { code: 'at_least_n_with_facets', args: { minimum: 2, facets: ['season:winter'] } },
                    ],
                    actions: [{ code: 'order_fixed_discount', args: { discount: 500 } }],
                },
            ],
        },
        { given, in: [{ name: 'Summer sale', __operation: 'DELETE' }], keys, does: ['delete'] },
        {
            given,
            in: [
                { name: 'Autumn sale', actions: [{ code: 'free_shipping' }] },
                { ...summer, actions: [{ code: 'order_percentage_discount', args: { discount: '10 %' } }] },
                { name: 'Summer sale', conditions: null },
                { name: 'Summer sale', channels: ['atlantis'] },
                { name: 'Summer sale', actions: [] },
                { name: 'Summer sale', startsAt: '2026-08-01', endsAt: '2026-07-01' },
                { name: 'Summer sale', usageLimit: 100 },
            ],
            keys: [...keys, 'Autumn sale'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['conditions', 'actions.0.args.discount', 'conditions', 'channels.0', 'actions', 'endsAt'],
            after: [{ usageLimit: 100 }],
        },
    ],
});

/** Reports a promotion without any effect, unless it stays unchanged. */
function checkUse({ id, values, faults: issues, nameOf }: RequestedInput): void {
    const isAsked = (...fields: readonly string[]): boolean =>
        id === undefined || fields.some(field => values.changed.has(field));
    if (isAsked('actions') && (values.get('actions') as readonly JsonObject[]).length === 0)
        issues.add(nameOf('actions'), 'is empty; a promotion without an action does nothing', []);
    const [startsAt, endsAt] = [values.get('startsAt'), values.get('endsAt')];
    if (!isAsked('startsAt', 'endsAt') || startsAt === null || endsAt === null) return;
    if (Date.parse(String(endsAt)) <= Date.parse(String(startsAt)))
        issues.add(nameOf('endsAt'), `is not after the start at ${quoted(String(startsAt))}`, endsAt);
}

/** Reports what PromotionService rejects, or what would only fail when a customer orders. */
function checkConditions(
    { values, faults: issues, nameOf }: RequestedInput,
    actions: readonly PromotionAction[],
): void {
    const codes = (field: string): readonly JsonValue[] =>
        ((values.get(field) ?? []) as readonly JsonObject[]).map(({ code }) => code!);
    const conditions = codes('conditions');
    if (conditions.length === 0 && values.get('couponCode') === null)
        issues.add(nameOf('conditions'), 'is empty; a promotion without a condition needs a coupon code', []);
    for (const code of codes('actions'))
        for (const needed of actions.find(action => action.code === code)?.conditions ?? [])
            if (!conditions.includes(needed.code))
                issues.add(
                    nameOf('conditions'),
                    `lacks ${quoted(needed.code)}, which the action ${quoted(code)} depends on`,
                    values.get('conditions'),
                );
}
