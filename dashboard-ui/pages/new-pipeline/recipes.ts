import type { Definition } from '../editor/model/definition';

/** A pipeline to begin with: it has sample data, and can be tried at once. */
export interface Recipe {
    readonly id: 'price-list' | 'prices-and-stock' | 'two-ways';
    readonly definition: Definition;
    /** The records that it comes with, as a table. */
    readonly sample: readonly Readonly<Record<string, string>>[];
}

const PRICE_LIST = [
    { sku: 'LA-1', name: 'Desk lamp', price: '49.00', stock: '12' },
    { sku: 'LA-2', name: 'Floor lamp', price: '129.90', stock: '3' },
    { sku: 'LA-3', name: 'Lampshade', price: '19.50', stock: '40' },
];
const PRICES = [
    { sku: 'LA-1', price: '45.00', stock: '10' },
    { sku: 'LA-2', price: '119.90', stock: '5' },
];

/** What pipelines can be begun with. They are data: what they name is checked by the server as in any other pipeline. */
export const RECIPES: readonly Recipe[] = [
    {
        id: 'price-list',
        sample: PRICE_LIST,
        definition: {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'price-list', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: csv(PRICE_LIST) } },
                {
                    key: 'to-product',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'trim', args: { path: 'name' } },
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                            { op: 'toNumber', args: { source: 'stock' } },
                            { op: 'slugify', args: { source: 'name', target: 'slug' } },
                        ],
                    },
                },
                {
                    key: 'check',
                    kind: 'VALIDATE',
                    config: {
                        rules: ['sku', 'name', 'price'].map(field => ({ type: 'required', spec: { field } })),
                    },
                },
                { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
            ],
            edges: chain('start', 'price-list', 'to-product', 'check', 'products'),
        },
    },
    {
        id: 'prices-and-stock',
        sample: PRICES,
        definition: {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                {
                    key: 'every-night',
                    kind: 'TRIGGER',
                    config: { type: 'SCHEDULE', enabled: false, cron: '0 3 * * *' },
                },
                { key: 'evening-file', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: csv(PRICES) } },
                {
                    key: 'numbers',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                            { op: 'toNumber', args: { source: 'stock' } },
                        ],
                    },
                },
                { key: 'prices', kind: 'LOAD', config: { adapterCode: 'priceUpdate' } },
                { key: 'levels', kind: 'LOAD', config: { adapterCode: 'stockAdjust' } },
            ],
            edges: [
                { from: 'every-night', to: 'evening-file' },
                ...chain('start', 'evening-file', 'numbers', 'prices', 'levels'),
            ],
        },
    },
    {
        id: 'two-ways',
        sample: PRICE_LIST,
        definition: {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'articles', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: csv(PRICE_LIST) } },
                {
                    key: 'numbers',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                            { op: 'toNumber', args: { source: 'stock' } },
                            { op: 'slugify', args: { source: 'name', target: 'slug' } },
                        ],
                    },
                },
                {
                    key: 'how-much',
                    kind: 'ROUTE',
                    config: { branches: [{ name: 'costly', when: [{ field: 'price', cmp: 'gte', value: 10_000 }] }] },
                },
                {
                    key: 'approval',
                    kind: 'GATE',
                    config: { approvalType: 'MANUAL' },
                },
                { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
            ],
            edges: [
                ...chain('start', 'articles', 'numbers', 'how-much'),
                { from: 'how-much', to: 'approval', branch: 'costly' },
                { from: 'how-much', to: 'products', branch: 'default' },
                { from: 'approval', to: 'products' },
            ],
        },
    },
];

function csv(rows: ReadonlyArray<Readonly<Record<string, string>>>): string {
    const names = Object.keys(rows[0]!);
    return [names, ...rows.map(row => names.map(name => row[name]!))].map(cells => `${cells.join(',')}\n`).join('');
}

function chain(...keys: readonly string[]): ReadonlyArray<{ readonly from: string; readonly to: string }> {
    return keys.slice(1).map((to, i) => ({ from: keys[i]!, to }));
}
