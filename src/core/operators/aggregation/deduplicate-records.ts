import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { batchOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import type { FlowRecord } from '../../data/record';
import { valueInvalid } from '../../errors/record-invalid';
import { path, withRules } from '../../schema/fields';
import { strictKey } from './strict-key';

/** Strategies that compare records instead of using their order. */
function isOrdered(keep: string): boolean {
    return keep === 'LOWEST' || keep === 'HIGHEST';
}

/** Keeps one record of a batch for each key. */
export const deduplicateRecords = batchOperator({
    code: 'deduplicateRecords',
    category: 'Aggregation',
    title: 'Remove duplicate records',
    summary: 'Keeps one of the records of the batch that have the same key.',
    config: withRules(
        z.strictObject({
            key: path('Key', 'The field that must be unique: text, a number, true or false.'),
            keep: z.enum(['FIRST', 'LAST', 'LOWEST', 'HIGHEST']).default('FIRST').meta({
                title: 'Keep',
                description:
                    'Which record to keep: the first, the last, or the one with the lowest or highest priority (the first of those).',
                aliases: {},
            }),
            priority: path('Priority', 'The field with the number that LOWEST and HIGHEST compare.').optional(),
        }),
        ({ keep = 'FIRST', priority }, issue) => {
            if (isOrdered(keep) && priority === undefined)
                issue('priority', clause`priority is missing; keep "${keep}" needs the field to compare`);
        },
    ),
    notes: [
        'Works on one batch (throughput.batchSize), not on the whole source.',
        'The kept record takes the position of the first one with its key. Keys are type-strict: "7" is not 7.',
        'Records without the key, or with null, a list or an object there, are all kept.',
        'LOWEST and HIGHEST reject a record whose priority is missing or not a number; use toNumber to convert numeric text.',
    ],
    examples: [
        {
            args: { key: 'sku' },
            in: [{ sku: 'Ä', n: 1 }, { sku: 'B' }, { sku: 'Ä', n: 2 }],
            out: [{ sku: 'Ä', n: 1 }, { sku: 'B' }],
        },
        {
            args: { key: 'sku', keep: 'LAST' },
            in: [{ sku: 'A', n: 1 }, { sku: 'B' }, { sku: 'A', n: 2 }],
            out: [{ sku: 'A', n: 2 }, { sku: 'B' }],
            note: 'The last record, at the position of the first.',
        },
        {
            args: { key: 'id' },
            in: [{ id: 7 }, { id: '7' }, { id: null }, { id: null }, {}, {}],
            out: [{ id: 7 }, { id: '7' }, { id: null }, { id: null }, {}, {}],
        },
        {
            args: { key: 'sku', keep: 'LOWEST', priority: 'price' },
            in: [{ sku: 'A', price: 3 }, { sku: 'A', price: '1' }, { sku: 'A', price: 2 }, {}],
            out: [{ sku: 'A', price: 2 }, {}],
            errors: ['Field "price": "1" is not a number'],
        },
        {
            args: { key: 'sku', priority: 'p' },
            in: [
                { sku: 'A', n: 1 },
                { sku: 'A', p: 2 },
            ],
            out: [{ sku: 'A', n: 1 }],
            note: 'The first record is kept, whatever its priority.',
        },
        {
            args: { key: 'sku', keep: 'HIGHEST', priority: 'p' },
            in: [
                { sku: 'A', p: 1, n: 1 },
                { sku: 'A', p: 1, n: 2 },
            ],
            out: [{ sku: 'A', p: 1, n: 1 }],
        },
    ],
    advise: ({ keep, priority }) =>
        priority === undefined || isOrdered(keep) ? [] : [withoutEffect('priority', clause`with keep ${keep}`)],
    reads: ({ key }) => [key],
    open({ key, keep, priority }) {
        const at = compilePath(key);
        const by = priority === undefined || !isOrdered(keep) ? undefined : compilePath(priority);
        /** Whether the second record replaces the first. */
        const wins = {
            FIRST: () => false,
            LAST: () => true,
            LOWEST: (first: number, second: number) => second < first,
            HIGHEST: (first: number, second: number) => second > first,
        }[keep];
        return async (batch, cx) => {
            const out: FlowRecord[] = [];
            const places = new Map<string, { readonly index: number; priority: number }>();
            for (const record of batch) {
                await cx.turn();
                const text = strictKey(at.get(record.data));
                if (text === undefined) {
                    out.push(record);
                    continue;
                }
                const own = by ? by.get(record.data) : 0;
                if (typeof own !== 'number' || !Number.isFinite(own)) {
                    cx.reject(record, valueInvalid(by!.text, own, 'is not a number'));
                    continue;
                }
                const place = places.get(text);
                if (!place) {
                    places.set(text, { index: out.length, priority: own });
                    out.push(record);
                } else if (wins(place.priority, own)) {
                    place.priority = own;
                    out[place.index] = record;
                }
            }
            return out;
        };
    },
});
