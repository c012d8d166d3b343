import type { JsonObject } from '../../core/value/json';
import type { AdapterContext } from '../../core/adapter/context';
import type { Loader } from '../../core/adapter/loader';
import { loaders } from '../index';

const byCode = new Map<string, Loader>(loaders.map(loader => [loader.code, loader]));
const WATCHING = ['collectionUpsert', 'customerUpsert', 'productUpsert', 'variantUpsert'];

function keyOf(code: string, config: JsonObject, data: JsonObject): string | undefined {
    const loader = byCode.get(code)!;
    const cx = { platform: { ctx: { languageCode: 'de' } } } as unknown as AdapterContext;
    return loader.missing!.keyOf(loader.config.parse(config), data, cx);
}

describe('what a load takes for missing', () => {
    it.each<[code: string, config: JsonObject, data: JsonObject, key: string | undefined]>([
        ['productUpsert', {}, { slug: ' Desk Lamp ' }, 'desk-lamp'],
        ['productUpsert', {}, { name: 'Desk lamp', sku: 'L-1' }, '{"name":"desk lamp"}'],
        ['productUpsert', { slugField: 'url' }, { url: 'lamp', slug: 'other' }, 'lamp'],
        ['productUpsert', {}, { sku: 'L-1' }, undefined],
        ['productUpsert', { matchBy: 'sku' }, { sku: ' L-1 ', slug: 'lamp' }, 'L-1'],
        ['productUpsert', { matchBy: 'sku', skuField: 'art' }, { variants: [{ art: 'L-1' }, { art: 'L-2' }] }, 'L-1'],
        ['productUpsert', { matchBy: 'sku' }, { slug: 'lamp', variants: [] }, undefined],
        ['productUpsert', {}, { translations: { en: { slug: 'lamp' }, de: { slug: 'Leuchte' } } }, 'leuchte'],
        ['productUpsert', {}, { slug: 'lamp', translations: { de: { name: 'Leuchte' } } }, 'lamp'],
        ['collectionUpsert', {}, { name: 'Lamps', translations: { de: { name: 'Leuchten' } } }, '{"name":"leuchten"}'],
        ['productUpsert', {}, { translations: { en: { slug: 'lamp' } } }, undefined],
        ['variantUpsert', {}, { sku: 'L-1' }, 'L-1'],
        ['variantUpsert', {}, { sku: null }, undefined],
        ['collectionUpsert', {}, { name: 'Lamps' }, '{"name":"lamps"}'],
        ['collectionUpsert', {}, { name: 'Lamps', parent: 'Light' }, '{"name":"lamps","within":"light"}'],
        ['customerUpsert', {}, { emailAddress: ' Anna@Example.com ' }, 'anna@example.com'],
    ])('is known of %s %j by the key of its record: %j', (code, config, data, key) => {
        expect(keyOf(code, config, data)).toBe(key);
    });

    it('is an option where the loader can act on it, and rejected elsewhere', () => {
        const missing = { action: 'DELETE' };
        const taking = [...byCode.values()].filter(({ config }) => config.safeParse({ missing }).success);
        expect(taking.map(({ code }) => code).sort()).toEqual(WATCHING);
        expect([...byCode.values()].flatMap(({ code, missing: rule }) => (rule ? [code] : [])).sort()).toEqual(
            WATCHING,
        );
        const { config } = byCode.get('customerUpsert')!;
        expect(config.safeParse({ missing: { action: 'DISABLE' } }).success).toBe(false);
        expect(config.safeParse({ missing: { action: 'DELETE', maxShare: 10 } }).success).toBe(false);
        const filters = [{ field: 'groups', operator: 'eq', value: 'Trade' }];
        expect(config.safeParse({ missing: { action: 'DELETE', scope: 'FILTER', filters } }).success).toBe(true);
        for (const odd of [{ filters }, { scope: 'FILTER' }, { scope: 'FILTER', filters: [] }])
            expect(config.safeParse({ missing: { action: 'DELETE', ...odd } }).success).toBe(false);
    });

    it('needs the permission to delete where it is deleted, and those to read what its filters look at', () => {
        const needs = (code: string, missing: JsonObject): unknown => byCode.get(code)!.requiresFor?.({ missing });
        expect(needs('productUpsert', { action: 'DELETE' })).toEqual([['DeleteCatalog', 'DeleteProduct']]);
        expect(needs('customerUpsert', { action: 'DELETE' })).toEqual([['DeleteCustomer']]);
        expect(needs('productUpsert', { action: 'DISABLE' })).toEqual([]);
        const byStock = { scope: 'FILTER', filters: [{ field: 'stock', operator: 'gt', value: 0 }] };
        expect(needs('variantUpsert', { action: 'DISABLE', ...byStock })).toEqual([
            ['ReadCatalog', 'ReadProduct'],
            ['ReadCatalog', 'ReadProduct'],
        ]);
        const byGroup = { scope: 'FILTER', filters: [{ field: 'groups', operator: 'eq', value: 'Trade' }] };
        expect(needs('customerUpsert', { action: 'NONE', ...byGroup })).toEqual([
            ['ReadCustomer'],
            ['ReadCustomer', 'ReadCustomerGroup'],
        ]);
    });
});
