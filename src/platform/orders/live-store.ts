import {
    type Channel,
    ConfigService,
    type CustomFieldConfig,
    type ID,
    idsAreEqual,
    Order,
    OrderLine,
    type RequestContext,
    type Surcharge,
    TransactionalConnection,
} from '@vendure/core';
import type { OrderAddress } from '@vendure/common/lib/generated-types';
import type { JsonObject } from '../../core/value/json';
import { tableOf } from '../../database/table';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { CustomFields } from '../entities/custom-fields';
import { ServiceCustomFields } from '../services/service-custom-fields';
import { ADDRESS_FIELDS } from './order-address';

/** An order that is there, or that a dry run has planned; then it has no id. */
export interface LiveOrder {
    readonly id: ID | undefined;
    readonly customerId: ID | undefined;
    /** As records speak of it, with names in the place of ids. */
    readonly values: Columns;
}

/** The custom fields of orders and of their lines. */
export interface LiveCustom {
    readonly order: ServiceCustomFields;
    readonly line: ServiceCustomFields;
}

/** The custom fields of the shop. */
export function liveCustomOf({ ctx, injector, dataSource }: VendurePlatform): LiveCustom {
    const { customFields } = injector.get(ConfigService);
    const isMySql = dataSource.options.type === 'mysql';
    const served = (
        type: typeof Order | typeof OrderLine,
        configs: readonly CustomFieldConfig[],
    ): ServiceCustomFields => {
        const table = tableOf(dataSource, type);
        const place = { ctx, injector, isMySql, base: table, translation: table };
        return new ServiceCustomFields(configs, new CustomFields(configs, place));
    };
    return { order: served(Order, customFields.Order), line: served(OrderLine, customFields.OrderLine) };
}

/** The property of the custom fields of a line. */
export const lineField = (sku: string): string => `line:${sku}`;

/** Reads orders as records speak of them, through the repositories of Vendure's own transaction. */
export class LiveOrderStore {
    private readonly connection: TransactionalConnection;

    private readonly custom: LiveCustom;

    constructor(platform: VendurePlatform) {
        this.connection = platform.injector.get(TransactionalConnection);
        this.custom = liveCustomOf(platform);
    }

    /** The order with a code; `isElsewhere` if it is only in other channels. */
    async find(
        ctx: RequestContext,
        code: string,
    ): Promise<{ readonly order: LiveOrder; readonly isElsewhere: boolean } | undefined> {
        const orders = await this.connection.getRepository(ctx, Order).find({
            where: { code },
            relations: {
                channels: true,
                customer: true,
                lines: { productVariant: true, ...relationsOf(this.custom.line) },
                shippingLines: { shippingMethod: true },
                surcharges: true,
                payments: true,
                ...relationsOf(this.custom.order),
            },
            order: {
                lines: { id: 'ASC' },
                surcharges: { id: 'ASC' },
                payments: { id: 'ASC' },
                shippingLines: { id: 'ASC' },
            },
        });
        // The database may compare the code of another order as equal.
        const order = orders.find(one => one.code === code);
        if (!order) return undefined;
        return {
            order: { id: order.id, customerId: order.customer?.id, values: new Columns(valuesOf(order, this.custom)) },
            isElsewhere: !order.channels.some(({ id }: Channel) => idsAreEqual(id, ctx.channelId)),
        };
    }
}

function relationsOf(fields: ServiceCustomFields): { readonly customFields?: object } {
    if (fields.relations.length === 0) return {};
    return { customFields: Object.fromEntries(fields.relations.map(name => [name, true])) };
}

function valuesOf(querySort: Order, custom: LiveCustom): JsonObject {
    const skus = querySort.lines.flatMap(({ productVariant: { sku }, quantity }) => (quantity > 0 ? [sku] : []));
    return {
        code: querySort.code,
        state: querySort.state,
        active: querySort.active,
        isPlaced: querySort.orderPlacedAt !== null && querySort.orderPlacedAt !== undefined,
        currencyCode: querySort.currencyCode,
        totalWithTax: querySort.totalWithTax,
        couponCodes: [...querySort.couponCodes],
        customer: querySort.customer?.emailAddress ?? null,
        lines: linesOf(querySort),
        /** SKUs on several lines, which differ in something else. */
        split: [...new Set(skus.filter((sku, i) => skus.indexOf(sku) < i))],
        shippingAddress: addressOf(querySort.shippingAddress),
        billingAddress: addressOf(querySort.billingAddress),
        shippingLines: querySort.shippingLines.flatMap(({ shippingMethod }) =>
            shippingMethod ? [{ method: shippingMethod.code }] : [],
        ),
        surcharges: querySort.surcharges.map(surchargeValue),
        payments: querySort.payments.flatMap(({ method, amount, state }) =>
            state === 'Settled' || state === 'Authorized' ? [{ method, amount }] : [],
        ),
        ...customOf(querySort, custom),
    };
}

function customOf(querySort: Order, custom: LiveCustom): JsonObject {
    const own = Object.entries(custom.order.valuesOf(querySort.customFields));
    const ofLines = querySort.lines
        .toReversed()
        .flatMap(({ productVariant: { sku }, quantity, customFields }) =>
            quantity > 0 ? [[lineField(sku), custom.line.valuesOf(customFields)] as const] : [],
        );
    return {
        ...Object.fromEntries(own.map(([name, value]) => [`customFields.${name}`, value])),
        ...Object.fromEntries(ofLines),
    };
}

/** A surcharge as records speak of it. */
export function surchargeValue({
    description,
    sku,
    listPrice: price,
    listPriceIncludesTax: priceIncludesTax,
    taxLines,
}: Pick<Surcharge, 'description' | 'sku' | 'listPrice' | 'listPriceIncludesTax' | 'taxLines'>): JsonObject {
    const taxes = taxLines.map(line => ({ description: line.description, taxRate: line.taxRate }));
    return { description, sku, price, priceIncludesTax, taxLines: taxes };
}

/** How many of each variant an order has: one line a variant, as people ask for it. */
function linesOf({ lines }: Order): JsonObject[] {
    const quantities = new Map<string, number>();
    for (const { productVariant, quantity } of lines)
        quantities.set(productVariant.sku, (quantities.get(productVariant.sku) ?? 0) + quantity);
    return [...quantities].flatMap(([sku, quantity]) => (quantity > 0 ? [{ sku, quantity }] : []));
}

/** The name of the country follows from its code. */
function addressOf(address: OrderAddress | undefined): JsonObject | null {
    const filled = ADDRESS_FIELDS.flatMap(field => {
        const value = address?.[field];
        return value === undefined || value === null || value === '' || field === 'country'
            ? []
            : [[field, value] as const];
    });
    return filled.length === 0 ? null : Object.fromEntries(filled);
}
