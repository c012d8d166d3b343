import { z } from 'zod';
import { batchOperator } from '../../adapter/operator';
import { canonicalJson, type JsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import type { FlowRecord } from '../../data/record';
import { valueInvalid } from '../../errors/record-invalid';
import { path, paths } from '../../schema/fields';

/** Passes only records that have changed since they were last loaded. */
export const deltaFilter = batchOperator({
    code: 'deltaFilter',
    category: 'Logic',
    title: 'Only changed records',
    summary: 'Filters out records that are unchanged since they last completed the pipeline.',
    config: z.strictObject({
        idPath: path('Id', 'The field that identifies a record: text, a number, true or false.'),
        includePaths: paths('Compared fields', 'Only these fields are compared. Default: the whole record.').optional(),
        excludePaths: paths('Ignored fields', 'These fields are not compared.').optional(),
    }),
    notes: [
        "For each ID, a 32-bit hash of the record is stored in the pipeline's checkpoint. Two contents can have the same hash, so a change can go unnoticed: do not rely on this operator for correctness or security.",
        'The hash is stored once the record has completed the pipeline, so a record that is rejected here or in a later step passes again in the next run.',
        'IDs are type-strict: "7" and 7 are two records. If an ID is repeated in a run, the second record is compared with the first.',
        'After you rename the step or change the compared fields of the operator, every record passes once. A dry run does not change the stored hashes.',
        'A record that a load with `missing` has hidden or deleted passes when it is back, even if it is unchanged.',
        'Batches are compared one after another, in the order of the source, with any throughput.concurrency.',
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
            note: 'The second record equals the first.',
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
            errors: ['Field "id": is missing', 'Field "id": null is not an ID', 'Field "id": a list of 1 is not an ID'],
        },
    ],
    open({ idPath, includePaths, excludePaths = [] }) {
        const id = compilePath(idPath);
        const ignored = excludePaths.map(compilePath);
        const compared = includePaths?.map(compilePath);
        const textOf = (data: JsonObject): string => {
            const rest = ignored.reduce((left, path) => path.unset(left), data);
            // A missing field is not null.
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
                        valueInvalid(idPath, value, 'is not an ID; allowed: text, a number, true or false'),
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
            // A record that a load has hidden because it was missing is unchanged when it is back.
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
