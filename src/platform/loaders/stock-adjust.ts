import { z } from 'zod';
import { defineLoader, type LoaderFixture } from '../../core/adapter/loader';
import { namedFields } from '../catalogue/known-fields';
import { loadArguments } from '../entities/load-arguments';
import { fieldArguments, fieldNames } from '../catalogue/load-config';
import { openStock } from '../catalogue/stock-session';

const FIELDS = ['sku', 'stock'] as const;

/** What the examples begin with. */
const lamp: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 5 }] },
];

/** Stock of existing variants, in bulk: the nightly feed. */
export const stockAdjust = defineLoader({
    code: 'stockAdjust',
    title: 'Adjust stock',
    category: 'Catalogue',
    summary: 'Sets or changes the stock on hand of existing variants, matched by SKU.',
    notes: [
        'A record is {sku, stock}; stock is a whole number, or an object with a number for each stock location: {"Main": 5, "Outlet": 0}.',
        'null instead of a number removes the stock level at that location. The last level of a variant stays, and so does one with stock allocated to orders.',
        'Mode ADD is not repeatable: loading a file again after a completed run adds its numbers again. A batch that is repeated after a crash is added once, and so is a file whose run was cancelled or failed and which the next run finishes (except with resetCheckpoint or after another revision was published: then the log of the run names the incomplete run and the difference).',
        'The strategy CREATE only sets levels at locations where a variant has none, UPDATE only those where it has one. A record for a variant that does not exist is always rejected.',
        'Blanks around SKUs are removed.',
        'Stock allocated to orders is never changed. Each change is stored with a stock movement, as in Vendure.',
        "As in the Admin API, a plain number other than 0 must not be less than the variant's out-of-stock threshold.",
    ],
    requires: ['UpdateCatalog'],
    config: z.strictObject({
        mode: z.enum(['SET', 'ADD']).default('SET').meta({
            title: 'Mode',
            description:
                'SET: the number is the new stock on hand. ADD: the number, which may be negative, is added to the stock on hand.',
        }),
        stockLocation: z.string().min(1).max(255).optional().meta({
            title: 'Stock location',
            description: 'The name of the location for plain numbers. Default: the first location of the channel.',
        }),
        ...fieldArguments(FIELDS),
        strategy: loadArguments.strategy,
        sideEffects: loadArguments.sideEffects,
        history: loadArguments.history,
    }),
    examples: [
        {
            given: lamp,
            in: [{ sku: 'LAMP-1', stock: 12 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update'],
            after: [{ stock: 12 }],
        },
        {
            note: 'One number for each location. Levels that do not change are not written.',
            given: lamp,
            in: [
                { sku: 'LAMP-1', stock: { Main: 5 } },
                { sku: 'LAMP-1', stock: { Main: 5, Outlet: 3 } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['unchanged', 'update'],
            after: [{ stock: { Outlet: 3 } }],
        },
        {
            note: 'null removes the stock level at a location.',
            given: [...lamp, { loader: 'stockAdjust', records: [{ sku: 'LAMP-1', stock: { Outlet: 3 } }] }],
            in: [
                { sku: 'LAMP-1', stock: { Main: null, Outlet: null } },
                { sku: 'LAMP-1', stock: { Outlet: null } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject', 'update'],
            rejects: ['stock'],
            after: [{ stock: { Outlet: null } }],
        },
        {
            note: 'The number is added to the current stock; loading it again adds it again.',
            given: lamp,
            config: { mode: 'ADD' },
            in: [
                { sku: 'LAMP-1', stock: 3 },
                { sku: 'LAMP-1', stock: 0 },
                { sku: 'LAMP-1 ', stock: -2 },
            ],
            keys: ['Desk lamp', 'LAMP-1', 'LAMP-1 '],
            does: ['update', 'unchanged', 'update'],
            after: [{ stock: 8 }, { stock: 6 }],
            again: ['update', 'unchanged', 'update'],
        },
        {
            given: lamp,
            config: { strategy: 'CREATE' },
            in: [{ sku: 'LAMP-1', stock: { Main: 7 } }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject'],
            rejects: ['stock'],
        },
        {
            given: lamp,
            in: [
                { sku: 'LAMP-2', stock: 1 },
                { sku: 'LAMP-1', stock: 'five' },
                { sku: 'LAMP-1', stock: 1.5 },
                { sku: 'LAMP-1', stock: -1 },
                { sku: 'LAMP-1', stock: { Attic: 1 } },
                { sku: 'LAMP-1', stock: 1, __operation: 'DELETE' },
                { sku: 'LAMP-1', stock: 4 },
            ],
            keys: ['Desk lamp', 'LAMP-1', 'LAMP-2'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['sku', 'stock', 'stock', 'stock', 'stock.Attic', '__operation'],
        },
        {
            note: 'A plain number is the stock at the location of the step.',
            given: lamp,
            config: { stockLocation: 'Outlet', skuField: 'article', stockField: 'quantity' },
            in: [
                { article: 'LAMP-1', quantity: 4 },
                { article: 'LAMP-1', quantity: { Main: 5, Outlet: 4 } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update', 'unchanged'],
            after: [{ stock: 4 }],
        },
    ],
    adds: ({ mode }) => mode === 'ADD',
    fields: config => namedFields(fieldNames(config), FIELDS),
    open: openStock,
});
