import { ProductVariant } from '@vendure/core';
import type { Change, Loader } from '../../src/core/adapter/loader';
import type { FlowError } from '../../src/core/errors/flow-error';
import type { JsonObject } from '../../src/core/value/json';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { variantUpsert } from '../../src/platform/loaders/variant-upsert';
import type { FlowServer } from '../config/flow-server';
import { type LoadOptions, runLoad } from '../fixtures/run-load';

const fieldOf = ({ details }: FlowError): string => String((details as JsonObject | undefined)?.['field']);

/** The result of each record: its action, and the field for which it was rejected. */
const outcomes = (changes: readonly Change[]) =>
    changes.map(change => (change.action === 'reject' ? `reject ${fieldOf(change.error)}` : change.action));

const notes = (changes: readonly Change[]) =>
    changes.flatMap(change => ('note' in change && change.note ? [[change.note.code, change.note.example]] : []));

/** New variants without a price, in a shop whose channel has the currencies USD and EUR. */
export function missingPrices(open: () => FlowServer): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = open();
        await load(productUpsert, [{ slug: 'price-host', name: 'Host', optionGroups: ['Size'] }]);
    });

    /** Loads records in a dry run first, then live; both must have the same result. */
    const load = async (loader: Loader, records: readonly JsonObject[], config: JsonObject = {}) => {
        const run = (options: LoadOptions) => runLoad(shop.app, loader, { records, config, ...options });
        const dry = await run({ mode: 'dryRun' });
        const { changes } = await run({});
        expect(dry.changes.map(withoutError)).toEqual(changes.map(withoutError));
        return changes;
    };
    const withoutError = (change: Change) =>
        change.action === 'reject' ? [change.key, change.error.code, fieldOf(change.error)] : change;
    const stored = async (sku: string) => {
        const { enabled, productVariantPrices } = await shop.dataSource
            .getRepository(ProductVariant)
            .findOneByOrFail({ sku });
        return {
            enabled,
            prices: productVariantPrices.map(({ currencyCode, price }) => `${price} ${currencyCode}`).sort(),
        };
    };
    const exists = (sku: string) => shop.dataSource.getRepository(ProductVariant).existsBy({ sku });

    // src/platform/catalogue/missing-price.spec.ts has the ways in which a record can be without a price.
    const ofVariant = (sku: string, more: JsonObject): JsonObject => ({
        sku,
        productSlug: 'price-host',
        options: { Size: sku },
        ...more,
    });

    it('reject a new variant, of a product and alone', async () => {
        const variants: JsonObject[] = [
            { sku: 'REJECT-1', price: 1, options: { Size: 'S' } },
            { sku: 'REJECT-2', options: { Size: 'M' }, prices: { EUR: 900 } },
        ];
        const made = [
            ...(await load(productUpsert, [{ name: 'Reject', sku: 'REJECT' }])),
            ...(await load(productUpsert, [{ name: 'Reject', optionGroups: ['Size'], variants }])),
            ...(await load(variantUpsert, [ofVariant('REJECT', { price: null })])),
        ];
        expect(outcomes(made)).toEqual(['reject price', 'reject variants.1.prices.USD', 'reject price']);
        expect([await exists('REJECT'), await exists('REJECT-1')]).toEqual([false, false]);
    });

    it('create it disabled if the step is configured so, and count it', async () => {
        const config = { missingPrice: 'DISABLE' };
        const inProduct = { name: 'Disabled', enabled: true, sku: 'DISABLED', price: '' };
        const alone = ofVariant('DISABLED-V', { prices: { EUR: 900 }, enabled: true });
        const hidden = { enabled: false, prices: expect.arrayContaining(['0 USD']) as unknown };
        for (const [action, noted] of [
            ['create', ['DISABLED', 'DISABLED-V']],
            // The record of the variant would enable it again.
            ['unchanged', ['DISABLED-V']],
        ] as const) {
            const made = [
                ...(await load(productUpsert, [inProduct], config)),
                ...(await load(variantUpsert, [alone], config)),
            ];
            expect(outcomes(made)).toEqual([action, action]);
            expect(notes(made)).toEqual(noted.map(sku => ['VARIANTS_WITHOUT_PRICE', sku]));
            expect([await stored('DISABLED'), await stored('DISABLED-V')]).toEqual([hidden, hidden]);
        }
    });

    it('enable a variant with a price by a record without one', async () => {
        const config = { missingPrice: 'DISABLE' };
        await load(productUpsert, [{ name: 'Paused', sku: 'PAUSED', price: 500 }]);
        await load(variantUpsert, [{ sku: 'PAUSED', enabled: false }]);
        // The second record enables what the first one disables in the same batch.
        const records = [
            { sku: 'PAUSED', enabled: true },
            { sku: 'PAUSED', enabled: false },
            { sku: 'PAUSED', enabled: true },
        ];
        expect(outcomes(await load(variantUpsert, records, config))).toEqual(['update', 'update', 'update']);
        expect(await stored('PAUSED')).toEqual({ enabled: true, prices: ['500 USD'] });
    });

    it('create it at 0 if the step is configured so, and count it', async () => {
        const records: readonly JsonObject[] = [
            { name: 'Free', sku: 'FREE', price: 0 },
            { name: 'Zero', sku: 'ZERO', prices: { USD: null, EUR: 900 } },
        ];
        const made = await load(productUpsert, records, { missingPrice: 'ZERO' });
        expect([outcomes(made), notes(made)]).toEqual([['create', 'create'], [['VARIANTS_WITHOUT_PRICE', 'ZERO']]]);
        expect(await stored('ZERO')).toEqual({ enabled: true, prices: ['0 USD', '900 EUR'] });
    });

    it('do not change an existing variant whose record has no price', async () => {
        await load(productUpsert, [{ name: 'Kept', sku: 'KEPT', price: 700 }]);
        for (const missingPrice of ['REJECT', 'DISABLE', 'ZERO']) {
            const record = { name: 'Kept', sku: 'KEPT', stock: 3 };
            const [change] = await load(productUpsert, [record], { missingPrice });
            expect([missingPrice, change!.action]).not.toContain('reject');
            const nothing = { sku: 'KEPT', price: null };
            const expected = missingPrice === 'REJECT' ? ['reject price'] : ['unchanged'];
            expect(outcomes(await load(variantUpsert, [nothing], { missingPrice }))).toEqual(expected);
            expect(await stored('KEPT')).toEqual({ enabled: true, prices: ['700 USD'] });
        }
    });
}
