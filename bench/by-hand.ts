import { Readable } from 'node:stream';
import { type INestApplicationContext } from '@nestjs/common';
import {
    type Asset,
    AssetService,
    ChannelService,
    CustomerService,
    HistoryService,
    type ID,
    LanguageCode,
    OrderService,
    PaymentMethodService,
    ProductService,
    ProductVariant,
    ProductVariantService,
    PromotionService,
    type RequestContext,
    ShippingMethodService,
    TaxCategory,
    TaxRateService,
    TransactionalConnection,
    Zone,
} from '@vendure/core';
import { HistoryEntryType } from '@vendure/common/lib/generated-types';
import { sound } from '../e2e/fixtures/service-orders';
import { pictureOfText } from '../test/kit/pictures-outbound';

/** Does what a record requests with Vendure's services, as the Admin API would. */
export type ByHand = (ctx: RequestContext, record: Loose) => Promise<unknown>;

// What examples hold is known to their loaders alone.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** The functions by the code of the loader. */
export async function servicesOf(
    app: INestApplicationContext,
    outer: RequestContext,
): Promise<Readonly<Record<string, ByHand>>> {
    const { rawConnection } = app.get(TransactionalConnection);
    const idsOf = async (type: typeof Zone | typeof TaxCategory): Promise<ReadonlyMap<unknown, ID>> =>
        new Map((await rawConnection.getRepository(type).find()).map(({ name, id }) => [name, id]));
    const [zones, categories] = [await idsOf(Zone), await idsOf(TaxCategory)];
    const variants = app.get(ProductVariantService);
    const variantId = async (sku: string): Promise<ID> =>
        (await rawConnection.getRepository(ProductVariant).findOneByOrFail({ sku })).id;
    const orders = app.get(OrderService);
    const assets = app.get(AssetService);
    const customer = sound(
        await app
            .get(CustomerService)
            .create(outer, { emailAddress: 'bench@example.com', firstName: 'Anna', lastName: 'Lund' }),
    );
    const stored = async (ctx: RequestContext, { url, name, tags }: Loose): Promise<Asset> => {
        const made = sound(await assets.createFromFileStream(Readable.from([pictureOfText(url)]), url, ctx));
        return name || tags ? assets.update(ctx, { id: made.id, ...(name && { name }), ...(tags && { tags }) }) : made;
    };
    return {
        productUpsert: async (ctx, { name, sku, price, stock }) => {
            const { id: productId } = await app.get(ProductService).create(ctx, {
                translations: [{ languageCode: LanguageCode.en, name, slug: name, description: '' }],
            });
            return variants.create(ctx, [
                { productId, sku, price, stockOnHand: stock, translations: [{ languageCode: LanguageCode.en, name }] },
            ]);
        },
        assetImport: (ctx, record) => stored(ctx, record),
        assetAttach: async (ctx, { slug, assets }) => {
            const ids: ID[] = [];
            for (const url of assets) ids.push((await stored(ctx, { url })).id);
            const product = await app.get(ProductService).findOneBySlug(ctx, slug);
            return app.get(ProductService).update(ctx, { id: product!.id, assetIds: ids, featuredAssetId: ids[0]! });
        },
        entityDelete: async (ctx, { article }) => variants.softDelete(ctx, await variantId(article)),
        // Services can create a paid order only from a draft with a customer, a shipping method and a payment.
        orderUpsert: async (ctx, { lines, payments }) => {
            const { id } = await orders.createDraft(ctx);
            await orders.addCustomerToOrder(ctx, id, customer);
            for (const { sku, quantity } of lines)
                sound(await orders.addItemToOrder(ctx, id, await variantId(sku), quantity));
            await orders.setShippingAddress(ctx, id, { streetLine1: 'Quay 1', countryCode: 'DE' });
            const [method] = await orders.getEligibleShippingMethods(ctx, id);
            sound(await orders.setShippingMethod(ctx, id, [method!.id]));
            sound(await orders.transitionToState(ctx, id, 'ArrangingPayment'));
            for (const { method: paidBy, transactionId } of payments) {
                const payment = { orderId: id, method: paidBy, transactionId, metadata: {} };
                sound(await orders.addManualPaymentToOrder(ctx, payment));
            }
        },
        orderNote: async (ctx, { code, note }) => {
            const { id } = (await orders.findOneByCode(ctx, code))!;
            const { items } = await app.get(HistoryService).getHistoryForOrder(ctx, id, false);
            const stored = items.find(({ type }) => type === HistoryEntryType.ORDER_NOTE)!;
            return orders.updateOrderNote(ctx, { noteId: stored.id, note });
        },
        stockAdjust: async (ctx, { sku, stock }) =>
            variants.update(ctx, [{ id: await variantId(sku), stockOnHand: stock }]),
        priceUpdate: async (ctx, { sku, price }) => variants.update(ctx, [{ id: await variantId(sku), price }]),
        taxRateUpsert: (ctx, { category, zone, ...rate }) =>
            app.get(TaxRateService).create(ctx, {
                enabled: true,
                ...rate,
                categoryId: categories.get(category)!,
                zoneId: zones.get(zone)!,
            }),
        channelUpsert: (ctx, { defaultTaxZone, defaultShippingZone, ...channel }) =>
            app.get(ChannelService).create(ctx, {
                ...channel,
                defaultTaxZoneId: zones.get(defaultTaxZone)!,
                defaultShippingZoneId: zones.get(defaultShippingZone)!,
            }),
        promotionUpsert: (ctx, { name, description = '', translations, conditions = [], actions, ...promotion }) =>
            app.get(PromotionService).createPromotion(ctx, {
                enabled: true,
                ...promotion,
                translations: textsOf({ name, description, translations }),
                conditions: conditions.map(operation),
                actions: actions.map(operation),
            }),
        shippingMethodUpsert: (ctx, { name, description = '', translations, checker, calculator, ...method }) =>
            app.get(ShippingMethodService).create(ctx, {
                ...method,
                translations: textsOf({ name, description, translations }),
                checker: operation(checker),
                calculator: operation(calculator),
            }),
        paymentMethodUpsert: (ctx, { name, description = '', translations, handler, ...method }) =>
            app.get(PaymentMethodService).create(ctx, {
                enabled: true,
                ...method,
                translations: textsOf({ name, description, translations }),
                handler: operation(handler),
            }),
    };
}

export function textsOf({ name, description, translations = {} }: Loose): Loose {
    return [
        { languageCode: LanguageCode.en, name, description },
        ...Object.entries<object>(translations).map(([languageCode, text]) => ({
            languageCode,
            description: '',
            ...text,
        })),
    ];
}

export function operation({ code, args = {} }: Loose): {
    code: string;
    arguments: Array<{ name: string; value: string }>;
} {
    return { code, arguments: Object.entries(args).map(([name, value]) => ({ name, value: String(value) })) };
}
