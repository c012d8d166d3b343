import type { Change } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { rules } from '../../../test/kit/record-rules';
import { facet } from '../entity-descriptions/facet';
import { facetValue } from '../entity-descriptions/facet-value';
import { product as products } from '../entity-descriptions/product';
import { variant as variants } from '../entity-descriptions/variant';
import { Columns } from '../entities/columns';
import { EntityState } from '../entities/entity-state';
import { RecordIssues } from '../entities/record-issues';
import { UnitOfWork } from '../entities/unit-of-work';
import type { CatalogueContext } from './catalogue';
import { resolveFacetValues } from './facet-values';
import { fieldNames, listModesIn } from './load-config';
import { planPlainProduct } from './plan-plain';
import type { ProductRules } from './match-products';
import { planProduct } from './plan-product';
import { readProduct } from './read-product';

const NAMES = fieldNames({});
const noCustom = { base: [], localised: [], relations: [], find: () => undefined };

/** A shop with the facet values colour:red and colour:blue, which records of this batch have named before. */
function shop(
    of: Partial<ProductRules> & { readonly threshold?: number; readonly isSynced?: boolean } = {},
): ProductRules {
    const { threshold = 0, isSynced = false, ...own } = of;
    const work = new UnitOfWork();
    const colour = new EntityState(1, new Columns({ code: 'colour' }), 'colour');
    work.of(facet).addRead(colour, 'colour');
    ['red', 'blue'].forEach((code, i) => {
        const value = new EntityState(i + 1, new Columns({ code }), code);
        value.setRef('facet', colour);
        work.of(facetValue).addRead(value, `${colour.token} ${code}`);
    });
    const known = readProduct({ facetValues: ['colour:red', 'colour:blue'] }, rules, {
        names: NAMES,
        faults: new RecordIssues(),
    })!;
    const requested = { createsMissing: false, channelCode: 'own', language: 'en', faults: new RecordIssues() };
    resolveFacetValues(work, known.facetValues!, requested);
    const platform = { ctx: { languageCode: 'en' } };
    const store = { custom: noCustom, platform };
    const catalogue = {
        reference: { ...rules.reference, outOfStockThreshold: threshold },
        products: { ...store, entity: products },
        variants: { ...store, entity: variants },
        priceSync: { readsAllPrices: isSynced, waits: false, follow: () => [].values() },
    } as unknown as CatalogueContext;
    return {
        ...{ catalogue, work, answers: new Map(), isLive: true, createsFacetValues: false, matchBy: 'slug' },
        ...{ strategy: 'UPSERT', modes: listModesIn({}, 'UPSERT'), pictures: new Map(), missingPrice: 'ZERO', ...own },
    };
}

const desiredOf = (data: JsonObject) => readProduct(data, rules, { names: NAMES, faults: new RecordIssues() })!;

const plain = (data: JsonObject, of: ProductRules): Change | undefined => planPlainProduct(of, desiredOf(data));

/** Plans the record like all others; the script yields no statements here. */
const planned = (data: JsonObject, of: ProductRules): Change =>
    planProduct(of, desiredOf(data), new RecordIssues()).next().value as Change;

/** What would be written. */
function made({ work }: ProductRules) {
    const rows = ({ columns, texts, channels, members }: EntityState) => ({
        own: columns.values,
        texts: [...texts].map(([language, text]) => [language, text.columns.values]),
        channels: channels?.added,
        facetValues: members.get('facetValues')?.added.map(({ key }) => key),
    });
    return {
        products: work.of(products).created.map(state => ({
            ...rows(state),
            ...{ key: state.key, groups: state.groups, combinations: [...state.combinations!] },
        })),
        variants: work.of(variants).created.map(state => ({
            ...rows(state),
            ...{ key: state.key, of: state.madeFor?.key, options: state.options },
            ...{ prices: state.prices, stock: state.stock },
        })),
    };
}

const LAMP = { slug: 'lamp', name: 'Lamp' };

describe('a new product that is planned from a glance', () => {
    it.each<JsonObject>([
        LAMP,
        { name: 'Desk lamp, white' },
        { ...LAMP, description: '' },
        { ...LAMP, description: 'Bright', enabled: false },
        { ...LAMP, enabled: true, facetValues: ['colour:red', 'colour:blue', 'colour:red'] },
        { ...LAMP, facetValues: [] },
        { ...LAMP, sku: 'L-1' },
        { ...LAMP, sku: 'L-1', price: 0, stock: 0 },
        { ...LAMP, sku: 'L-1', price: 4900, stock: 12, taxCategory: 'Standard', trackInventory: 'TRUE' },
        { ...LAMP, sku: 'L-1', prices: { USD: 4900 }, stock: { Outlet: 3 } },
        { ...LAMP, sku: 'L-1', enabled: false, facetValues: ['colour:blue'], trackInventory: false },
    ])('is the one that it is where it is planned as any other (%j)', data => {
        const [one, other] = [shop(), shop()];
        const change = plain(data, one);
        expect(change).toEqual(planned(data, other));
        expect(change?.action).toBe('create');
        expect(made(one)).toEqual(made(other));
    });

    it.each<[string, JsonObject, Parameters<typeof shop>[0]]>([
        ['a dry run', LAMP, { isLive: false }],
        ['a load that creates nothing', LAMP, { strategy: 'UPDATE' }],
        ['a load that matches by SKU', { ...LAMP, sku: 'L-1' }, { matchBy: 'sku' }],
        ['a product without a name', { slug: 'lamp', sku: 'L-1' }, {}],
        ['what a record deletes', { slug: 'lamp', __operation: 'DELETE' }, {}],
        ['texts in another language', { ...LAMP, translations: { de: { name: 'Lampe' } } }, {}],
        ['channels', { ...LAMP, channels: ['own'] }, {}],
        ['option groups', { ...LAMP, optionGroups: ['Size'] }, {}],
        ['assets', { ...LAMP, assets: ['https://pictures.example.com/lamp.png'] }, {}],
        ['listed variants', { ...LAMP, variants: [{ sku: 'L-1' }] }, {}],
        ['an unknown facet value', { ...LAMP, facetValues: ['colour:green'] }, {}],
        ['another currency', { ...LAMP, sku: 'L-1', prices: { EUR: 4900 } }, {}],
        ['two levels', { ...LAMP, sku: 'L-1', stock: { Main: 1, Outlet: 2 } }, {}],
        ['a level that is taken away', { ...LAMP, sku: 'L-1', stock: { Main: null } }, {}],
        ['stock below the threshold', { ...LAMP, sku: 'L-1', stock: 3 }, { threshold: 5 }],
        ['a price that is missing', { ...LAMP, sku: 'L-1' }, { missingPrice: 'REJECT' }],
        ['a price that is missing, disabled', { ...LAMP, sku: 'L-1' }, { missingPrice: 'DISABLE' }],
        ['prices that others may follow', { ...LAMP, sku: 'L-1' }, { isSynced: true }],
    ])('is undefined if more must be read: %s', (_, data, of) => {
        const rules = shop(of);
        expect(plain(data, rules)).toBeUndefined();
        expect(made(rules)).toEqual({ products: [], variants: [] });
    });

    it.each(['base', 'localised'])('is undefined if products have a %s custom field that is required', kind => {
        const rules = shop();
        const custom = { ...noCustom, [kind]: [{ name: 'origin', isRequired: true }] };
        Object.assign(rules.catalogue.products, { custom });
        expect(plain(LAMP, rules)).toBeUndefined();
        expect(made(rules)).toEqual({ products: [], variants: [] });
    });

    it('is undefined if the batch has the slug or the SKU already', () => {
        const rules = shop();
        expect(plain({ ...LAMP, sku: 'L-1' }, rules)?.action).toBe('create');
        expect(plain({ ...LAMP, sku: 'L-2' }, rules)).toBeUndefined();
        expect(plain({ name: 'Other', sku: 'L-1' }, rules)).toBeUndefined();
    });
});
