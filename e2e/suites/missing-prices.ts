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

    /** The ways in which a record of a new variant can be without a price in USD, the currency of the channel. */
    const WITHOUT: ReadonlyArray<[string, JsonObject, string]> = [
        ['absent', {}, 'price'],
        ['null', { price: null }, 'price'],
        ['empty text', { price: '' }, 'price'],
        ['blank text', { price: ' ' }, 'price'],
        ['in another currency', { prices: { EUR: 900 } }, 'prices.USD'],
        ['null among several currencies', { prices: { USD: null, EUR: 900 } }, 'prices.USD'],
    ];
    const ofVariant = (mark: string, without: JsonObject, size: string): JsonObject => ({
        sku: mark,
        productSlug: 'price-host',
        options: { Size: size },
        ...without,
    });

    it.each(WITHOUT)('reject a new variant whose price is %s', async (_, without, path) => {
        const mark = `REJECT-${WITHOUT.findIndex(([, one]) => one === without)}`;
        expect(outcomes(await load(productUpsert, [{ name: mark, sku: mark, ...without }]))).toEqual([
            `reject ${path}`,
        ]);
        expect(
            outcomes(
                await load(productUpsert, [
                    {
                        name: mark,
                        optionGroups: ['Size'],
                        variants: [
                            { sku: `${mark}-1`, price: 1, options: { Size: 'S' } },
                            { sku: `${mark}-2`, options: { Size: 'M' }, ...without },
                        ],
                    },
                ]),
            ),
        ).toEqual([`reject variants.1.${path}`]);
        expect(outcomes(await load(variantUpsert, [ofVariant(mark, without, mark)]))).toEqual([`reject ${path}`]);
        expect([await exists(mark), await exists(`${mark}-1`)]).toEqual([false, false]);
    });

    it.each(WITHOUT)('create it disabled if the step is configured so: %s', async (_, without) => {
        const mark = `DISABLE-${WITHOUT.findIndex(([, one]) => one === without)}`;
        const config = { missingPrice: 'DISABLE' };
        const inProduct = { name: mark, enabled: true, sku: mark, ...without };
        const ofItsOwn = { ...ofVariant(`${mark}-V`, without, mark), enabled: true };
        const made = [
            ...(await load(productUpsert, [inProduct], config)),
            ...(await load(variantUpsert, [ofItsOwn], config)),
        ];
        expect(outcomes(made)).toEqual(['create', 'create']);
        expect(notes(made)).toEqual([mark, `${mark}-V`].map(sku => ['VARIANTS_WITHOUT_PRICE', sku]));
        const hidden = { enabled: false, prices: expect.arrayContaining(['0 USD']) as unknown };
        expect([await stored(mark), await stored(`${mark}-V`)]).toEqual([hidden, hidden]);
        const again = [
            ...(await load(productUpsert, [inProduct], config)),
            ...(await load(variantUpsert, [ofItsOwn], config)),
        ];
        expect(outcomes(again)).toEqual(['unchanged', 'unchanged']);
        expect(await stored(`${mark}-V`)).toEqual(hidden);
    });

    it('put it on sale as soon as a record enables it with a price', async () => {
        const config = { missingPrice: 'DISABLE' };
        const record = { name: 'Later', slug: 'later', variants: [{ sku: 'LATER', enabled: true }] };
        await load(productUpsert, [record], config);
        const priced = { ...record, variants: [{ sku: 'LATER', enabled: true, price: 1999 }] };
        expect(outcomes(await load(productUpsert, [record, priced, record], config))).toEqual([
            'unchanged',
            'update',
            'unchanged',
        ]);
        expect(await stored('LATER')).toEqual({ enabled: true, prices: ['1999 USD'] });
    });

    it('put it on sale as soon as a record has a price and does not mention whether the variant is enabled', async () => {
        const config = { missingPrice: 'DISABLE' };
        const flat = { name: 'Flat', slug: 'flat', enabled: true, sku: 'FLAT' };
        await load(productUpsert, [flat], config);
        expect(outcomes(await load(productUpsert, [{ ...flat, price: 1999 }], config))).toEqual(['update']);
        expect(await stored('FLAT')).toEqual({ enabled: true, prices: ['1999 USD'] });
    });

    it('put it on sale as soon as a record of the variant has nothing but a price', async () => {
        const config = { missingPrice: 'DISABLE' };
        await load(productUpsert, [{ name: 'Bare', slug: 'bare', sku: 'BARE' }], config);
        expect(outcomes(await load(variantUpsert, [{ sku: 'BARE', price: 1999 }], config))).toEqual(['update']);
        expect(await stored('BARE')).toEqual({ enabled: true, prices: ['1999 USD'] });
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

    it.each(WITHOUT)('create it at 0 if the step is configured so, and count it: %s', async (_, without) => {
        const mark = `ZERO-${WITHOUT.findIndex(([, one]) => one === without)}`;
        const made = await load(
            productUpsert,
            [
                { name: `${mark} free`, sku: `${mark}-FREE`, price: 0 },
                { name: mark, sku: mark, ...without },
            ],
            { missingPrice: 'ZERO' },
        );
        expect([outcomes(made), notes(made)]).toEqual([['create', 'create'], [['VARIANTS_WITHOUT_PRICE', mark]]]);
        expect(await stored(mark)).toEqual({ enabled: true, prices: expect.arrayContaining(['0 USD']) as unknown });
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
