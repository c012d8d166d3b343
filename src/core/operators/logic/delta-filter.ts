import { z } from 'zod';
import { batchOperator } from '../../adapter/operator';
import { canonicalJson, type JsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import type { FlowRecord } from '../../data/record';
import { valueInvalid } from '../../errors/record-invalid';
import { path, paths } from '../../schema/fields';

/** Lets only records through that have changed since they were last loaded. */
export const deltaFilter = batchOperator({
    code: 'deltaFilter',
    category: 'Logic',
    title: 'Only what has changed',
    summary: 'Filters out the records that are the same as when they last settled well.',
    config: z.strictObject({
        idPath: path('Id', 'The field by which a record is known again: text, a number, true or false.'),
        includePaths: paths(
            'Compared fields',
            'Only these fields are compared; the whole record where absent.',
        ).optional(),
        excludePaths: paths('Ignored fields', 'These fields are not compared.').optional(),
    }),
    notes: [
        "Of each id a 32-bit hash of the record is kept in the pipeline's checkpoint. Two contents can have the same hash, so a change can go unnoticed: no boundary of correctness or security.",
        'The hash is kept when the record has settled well, so a record that was rejected here or in a later step comes through again in the next run.',
        'Ids are type-strict: "7" and 7 are two records. Of an id that comes twice in a run, the second record is compared with the first.',
        'A step that is renamed, and an operator whose compared fields are changed, let everything through once. A dry run changes nothing of what is kept.',
        'What a load with `missing` has hidden or deleted comes through again when it is back, however it looks.',
        'Batches are compared one after another, in the order of the source, at any throughput.concurrency.',
    ],
    examples: [
        {
            args: { idPath: 'sku' },
            in: [
                { sku: 'Ä', price: 1 },
                { sku: 'Ä', price: 1 },
                { price: 2, sku: 'Ä' },
            ],
            out: [
                { sku: 'Ä', price: 1 },
                { price: 2, sku: 'Ä' },
            ],
            note: 'The second is the same as the first.',
        },
        {
            args: { idPath: 'sku', excludePaths: ['readAt'] },
            in: [
                { sku: 7, readAt: 1 },
                { sku: 7, readAt: 2 },
                { sku: '7', readAt: 2 },
            ],
            out: [
                { sku: 7, readAt: 1 },
                { sku: '7', readAt: 2 },
            ],
        },
        {
            args: { idPath: 'sku', includePaths: ['price', 'stock.main'] },
            in: [
                { sku: 'A', price: 1 },
                { sku: 'A', price: 1, name: 'x' },
                { sku: 'A', price: null },
            ],
            out: [
                { sku: 'A', price: 1 },
                { sku: 'A', price: null },
            ],
        },
        {
            args: { idPath: 'id' },
            in: [{}, { id: null }, { id: ['A'] }, { id: 'A' }],
            out: [{ id: 'A' }],
            errors: [
                'Field "id": is missing, which is no id',
                'Field "id": is null, which is no id',
                'Field "id": is a list of 1, which is no id',
            ],
        },
    ],
    open({ idPath, includePaths, excludePaths = [] }) {
        const id = compilePath(idPath);
        const ignored = excludePaths.map(compilePath);
        const compared = includePaths?.map(compilePath);
        const textOf = (data: JsonObject): string => {
            const rest = ignored.reduce((left, path) => path.unset(left), data);
            // What is missing is not null.
            return compared ? compared.map(path => textOfValue(path.get(rest))).join('\n') : canonicalJson(rest);
        };
        return async (batch, cx) => {
            const keys = new Map<FlowRecord, string>();
            for (const record of batch) {
                const value = id.get(record.data);
                if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
                    keys.set(record, JSON.stringify(value));
                else
                    cx.reject(
                        record,
                        valueInvalid(idPath, value, 'which is no id; allowed: text, a number, true or false'),
                    );
            }
            const known = new Map(await cx.recall([...new Set(keys.values())]));
            const same: FlowRecord[] = [];
            const hashes = new Map<FlowRecord, number>();
            for (const [record, key] of keys) {
                await cx.turn();
                const hash = hashOf(textOf(record.data));
                hashes.set(record, hash);
                if (known.get(key) === hash) same.push(record);
                known.set(key, hash);
            }
            // What a load has hidden since it was missing looks as before when it comes back.
            const gone = same.length > 0 ? await cx.gone(same) : new Set<FlowRecord>();
            const passed = new Set(same.filter(record => !gone.has(record)));
            const out = [...keys.keys()].filter(record => !passed.has(record));
            for (const record of out) cx.remember(record, keys.get(record)!, hashes.get(record)!);
            return out;
        };
    },
});

function textOfValue(value: JsonValue | undefined): string {
    return value === undefined ? '' : canonicalJson(value);
}

/** FNV-1a of 32 bits over the two bytes of each character. */
function hashOf(text: string): number {
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
        hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
    }
    return hash >>> 0;
}
