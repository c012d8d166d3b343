import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { batchOperator } from '../../adapter/operator';
import { EXACT } from '../../data/arithmetic';
import { Decimal, decimalOf, NEAREST_ALLOWED } from '../../data/decimal';
import { canonicalJson, type JsonObject, type JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import type { FlowRecord } from '../../data/record';
import { isFlowError } from '../../errors/flow-error';
import { recordInvalid } from '../../errors/record-invalid';
import { path, paths, withRules } from '../../schema/fields';

const OPERATIONS = ['count', 'sum', 'avg', 'min', 'max'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Writes an aggregate of the batch, or of each group of its records, into each record. */
export const aggregate = batchOperator({
    code: 'aggregate',
    category: 'Aggregation',
    title: 'Aggregate',
    summary: 'Writes an aggregate of all records of the batch, or of a group of them, into each record.',
    config: withRules(
        z.strictObject({
            op: z.enum(OPERATIONS).meta({
                title: 'Operation',
                description: 'count (of the records), sum, avg, min or max (of a field).',
                aliases: {},
            }),
            source: path('From', 'The field with the numbers. Required for all operations except count.').optional(),
            target: path('To', 'The field for the result. Default: a field named like the operation.').optional(),
            groupBy: z
                .union([
                    path('Field', 'The field by whose value the records are grouped.'),
                    paths('Fields', 'The fields by whose values the records are grouped.'),
                ])
                .optional()
                .meta({
                    title: 'Group by',
                    description:
                        'A path or a list of paths: records with the same values there form a group with its own result. Default: all records form one group.',
                }),
        }),
        ({ op, source }, issue) => {
            if (op !== undefined && op !== 'count' && source === undefined)
                issue('source', clause`source is missing; "${op}" needs the field with the numbers`);
        },
    ),
    notes: [
        'Works on one batch (throughput.batchSize), not on the whole source: another batch size gives other results.',
        'Uses numbers and numeric text, computed in decimal, and ignores other values. A result with more digits than a number can represent is rounded to the nearest number; one above 9007199254740991 or below -9007199254740991 rejects the records. Without any numbers, sum is 0 and avg, min and max are null.',
        'Groups are type-strict ("7" is not 7); null and a missing value are one group.',
    ],
    examples: [
        {
            args: { op: 'sum', source: 'amount', target: 'total' },
            in: [{ amount: 0.1 }, { amount: '0.2' }, { amount: 'ä' }],
            out: [
                { amount: 0.1, total: 0.3 },
                { amount: '0.2', total: 0.3 },
                { amount: 'ä', total: 0.3 },
            ],
        },
        {
            args: { op: 'count', source: 'sku', target: 'n' },
            in: [{ sku: 'A' }, {}],
            out: [{ sku: 'A', n: 2 }, { n: 2 }],
            note: 'count counts records, not values.',
        },
        { args: { op: 'count' }, in: [{ sku: 'A' }, {}], out: [{ sku: 'A', count: 2 }, { count: 2 }] },
        {
            args: { op: 'max', source: 'price', target: 'stats.highest', groupBy: 'brand' },
            in: [
                { brand: 'Nord', price: 5 },
                { brand: 'Süd', price: 9 },
                { brand: 'Nord', price: '7.5' },
            ],
            out: [
                { brand: 'Nord', price: 5, stats: { highest: 7.5 } },
                { brand: 'Süd', price: 9, stats: { highest: 9 } },
                { brand: 'Nord', price: '7.5', stats: { highest: 7.5 } },
            ],
        },
        {
            args: { op: 'avg', source: 'n', groupBy: ['a', 'b'] },
            in: [
                { a: 1, n: 1 },
                { a: 1, b: null, n: 2 },
                { a: '1', n: 4 },
            ],
            out: [
                { a: 1, n: 1, avg: 1.5 },
                { a: 1, b: null, n: 2, avg: 1.5 },
                { a: '1', n: 4, avg: 4 },
            ],
        },
        {
            args: { op: 'min', source: 'n' },
            in: [{ n: null }, { n: [] }],
            out: [
                { n: null, min: null },
                { n: [], min: null },
            ],
        },
        {
            args: { op: 'sum', source: 'n' },
            in: [{ n: 9007199254740991 }, { n: 1 }],
            out: [],
            errors: ['Field "sum": the sum is out of range', 'Field "sum": the sum is out of range'],
        },
        {
            args: { op: 'count', target: 'sku.count' },
            in: [{ sku: 'A' }, {}],
            out: [{ sku: { count: 2 } }],
            errors: ['Field "sku.count"'],
            note: 'A record that cannot store the result is rejected, but is included in it.',
        },
    ],
    advise: ({ op, source }) =>
        op === 'count' && source !== undefined
            ? [withoutEffect('source', clause`with count, which counts records`)]
            : [],
    reads: ({ source, groupBy = [] }) => [...(source === undefined ? [] : [source]), ...[groupBy].flat()],
    open({ op, source, target = op, groupBy = [] }) {
        const from = source === undefined ? undefined : compilePath(source);
        const to = compilePath(target);
        const keys = [groupBy].flat().map(compilePath);
        const groupOf = (data: JsonObject): string => canonicalJson(keys.map(key => key.get(data) ?? null));
        return async (batch, cx) => {
            const groups = new Map<string, Figures>();
            const groupsOf: Figures[] = [];
            for (const { data } of batch) {
                const key = groupOf(data);
                let group = groups.get(key);
                if (!group) groups.set(key, (group = new Figures()));
                group.add(from?.get(data));
                groupsOf.push(group);
                await cx.turn();
            }
            return batch.flatMap((record, index): readonly FlowRecord[] => {
                try {
                    return [cx.derive(to.set(record.data, groupsOf[index]!.figure(op, target)), [record])];
                } catch (error) {
                    if (!isFlowError(error)) throw error;
                    cx.reject(record, error);
                    return [];
                }
            });
        };
    },
});

/** The state of a group. */
class Figures {
    private records = 0;
    private numbers = 0;
    private sum = new Decimal(0);
    private min: Decimal | undefined;
    private max: Decimal | undefined;

    add(value: JsonValue | undefined): void {
        this.records++;
        const number = decimalOf(value);
        if (!number) return;
        this.numbers++;
        this.sum = EXACT.add(this.sum, number);
        if (!this.min || number.lessThan(this.min)) this.min = number;
        if (!this.max || number.greaterThan(this.max)) this.max = number;
    }

    figure(op: Operation, target: string): number | null {
        if (op === 'count') return this.records;
        const value = {
            sum: this.sum,
            avg: this.numbers === 0 ? undefined : this.sum.dividedBy(this.numbers),
            min: this.min,
            max: this.max,
        }[op];
        if (value === undefined) return null;
        // Beyond it only some whole numbers are exact, and it would be chance whether a result is one of them.
        if (value.abs().greaterThan(Number.MAX_SAFE_INTEGER))
            throw recordInvalid(target, `the ${op} is out of range; ${NEAREST_ALLOWED}`);
        return value.toNumber() || 0;
    }
}
