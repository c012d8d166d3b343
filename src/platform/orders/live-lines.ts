import { type ID, OrderService, type RequestContext } from '@vendure/core';
import type { SurchargeInput } from '@vendure/common/lib/generated-types';
import { canonicalJson, type JsonObject } from '../../core/value/json';
import type { VendurePlatform } from '../context';
import type { Columns } from '../entities/columns';
import type { Strategy } from '../entities/load-arguments';
import type { ServiceCustomFields } from '../services/service-custom-fields';
import type { LiveLine } from './live-record';
import { granted } from './live-session';
import type { NamedByOrder } from './live-shop';
import { lineField, surchargeValue } from './live-store';
import { without } from './live-surcharges';
import type { TaxLine } from './order-parts';

interface Changed {
    readonly ctx: RequestContext;
    readonly id: ID;
    readonly before: Columns;
    readonly after: Columns;
}

interface AskedOfLines extends Changed {
    readonly named: Pick<NamedByOrder, 'variants'>;
}

interface LineInput {
    readonly quantity: number;
    readonly customFields?: Readonly<Record<string, unknown>>;
}

interface StoredSurcharge {
    readonly description: string;
    readonly sku: string;
    readonly price: number;
    readonly priceIncludesTax: boolean;
    readonly taxLines: TaxLine[];
}

/** Lets OrderService change the lines and surcharges of orders that are not placed yet, and determines the calls for that. */
export class LiveLines {
    private readonly orders: OrderService;

    constructor(
        { injector }: VendurePlatform,
        private readonly fields: ServiceCustomFields,
    ) {
        this.orders = injector.get(OrderService);
    }

    /** Returns the shipping methods that have to be chosen again. */
    async change(requested: AskedOfLines): Promise<readonly ID[]> {
        const { ctx, id, named } = requested;
        const { adjusted, added, methods } = await this.of(requested);
        const removed = adjusted.flatMap(({ orderLineId, quantity }) => (quantity === 0 ? [orderLineId] : []));
        const items = added.map(({ sku, ...line }) => ({ productVariantId: named.variants.get(sku)!, ...line }));
        const kept = adjusted.filter(({ quantity }) => quantity > 0);
        const answers = [
            items.length > 0 && (await this.orders.addItemsToOrder(ctx, id, items)),
            kept.length > 0 && (await this.orders.adjustOrderLines(ctx, id, kept)),
            removed.length > 0 && (await this.orders.removeItemsFromOrder(ctx, id, removed)),
        ];
        for (const answer of answers) {
            if (answer === false) continue;
            const errors = 'errorResults' in answer ? answer.errorResults : [answer];
            for (const error of errors) granted(error);
        }
        return methods;
    }

    /** The calls for its lines: new quantities for stored lines, and new lines. */
    async of({ ctx, id, before, after }: Changed): Promise<{
        readonly adjusted: ReadonlyArray<LineInput & { readonly orderLineId: ID }>;
        readonly added: ReadonlyArray<LineInput & { readonly sku: string }>;
        readonly methods: readonly ID[];
    }> {
        const [had, has] = [quantitiesOf(before), quantitiesOf(after)];
        const { lines = [], shippingLines = [] } = (await this.orders.findOne(ctx, id)) ?? {};
        const line = (sku: string, quantity: number): LineInput => {
            const isChanged = after.changed.has(lineField(sku));
            const values = (isChanged ? after.get(lineField(sku)) : null) as JsonObject | null;
            return { quantity, ...(values && { customFields: this.fields.inputOf(values) }) };
        };
        const added = [...has].flatMap(([sku, quantity]) => (had.has(sku) ? [] : [{ sku, ...line(sku, quantity) }]));
        return {
            added,
            // A new line is sent by none until one is chosen, and one that sends no line any more is dropped.
            methods:
                added.length > 0 && had.size > 0
                    ? shippingLines.flatMap(({ shippingMethodId }) => shippingMethodId ?? [])
                    : [],
            adjusted: lines.flatMap(({ id: orderLineId, productVariant: { sku }, quantity }) =>
                quantity > 0 && (had.get(sku) !== (has.get(sku) ?? 0) || after.changed.has(lineField(sku)))
                    ? [{ orderLineId, ...line(sku, has.get(sku) ?? 0) }]
                    : [],
            ),
        };
    }

    async changeSurcharges({ ctx, id, before, after }: Changed): Promise<void> {
        const { orders } = this;
        const [had, has] = [surchargesOf(before), surchargesOf(after)];
        const stored = (await orders.findOne(ctx, id, ['surcharges']))?.surcharges ?? [];
        for (const gone of without(had, has)) {
            const at = stored.findIndex(one => canonicalJson(surchargeValue(one)) === canonicalJson(gone));
            for (const { id: surchargeId } of at < 0 ? [] : stored.splice(at, 1))
                await orders.removeSurchargeFromOrder(ctx, id, surchargeId);
        }
        for (const { price, priceIncludesTax, ...rest } of without(has, had) as ReadonlyArray<
            JsonObject & StoredSurcharge
        >)
            await orders.addSurchargeToOrder(ctx, id, {
                ...rest,
                listPrice: price,
                listPriceIncludesTax: priceIncludesTax,
            });
    }
}

/** The additional surcharges of an order, in the input form of a modification. */
export function furtherSurcharges({ before, after }: Pick<Changed, 'before' | 'after'>): SurchargeInput[] {
    const added = without(surchargesOf(after), surchargesOf(before)) as ReadonlyArray<JsonObject & StoredSurcharge>;
    return added.map(({ taxLines: [tax], ...surcharge }) => ({
        ...surcharge,
        ...(tax && { taxRate: tax.taxRate, taxDescription: tax.description }),
    }));
}

const surchargesOf = (order: Columns): readonly JsonObject[] => order.get('surcharges') as readonly JsonObject[];

/** Other lines, other quantities, or other custom fields of them. */
export const hasOtherLines = ({ changed }: Columns): boolean =>
    changed.has('lines') || [...changed].some(property => property.startsWith(lineField('')));

/** How many of each SKU an order has. */
export function quantitiesOf(order: Columns): ReadonlyMap<string, number> {
    const lines = order.get('lines') as ReadonlyArray<{ readonly sku: string; readonly quantity: number }>;
    return new Map(lines.map(({ sku, quantity }) => [sku, quantity]));
}

/** The resulting lines of an order: the existing ones in their order, followed by the new ones. */
export function requestedLines(before: Columns, said: readonly LiveLine[], strategy: Strategy): JsonObject[] {
    const desired = new Map(said.map(({ sku, quantity }) => [sku, quantity]));
    const has = quantitiesOf(before);
    const kept = [...has].flatMap(([sku, quantity]) => {
        const now = desired.get(sku) ?? (strategy === 'MERGE' ? quantity : undefined);
        return now === undefined ? [] : [{ sku, quantity: now }];
    });
    return [...kept, ...said.flatMap(({ sku, quantity }) => (has.has(sku) ? [] : [{ sku, quantity }]))];
}
