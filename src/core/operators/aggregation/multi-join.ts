import { z } from 'zod';
import { batchOperator } from '../../adapter/operator';
import type { JsonObject } from '../../value/json';
import { compilePath } from '../../data/path';
import type { FlowRecord } from '../../data/record';
import { flowError, isFlowError } from '../../errors/flow-error';
import { jsonObject, path, paths, wholeNumber } from '../../schema/fields';
import { JoinBounds } from './join-bounds';
import { strictKey } from './strict-key';

const MAX_RIGHT = 10_000;
const MAX_OUTPUT = 100_000;

/** Joins each record with records of the configuration. */
export const multiJoin = batchOperator({
    code: 'multiJoin',
    category: 'Aggregation',
    title: 'Join with a list',
    summary: 'Joins the records of the batch with those of a list in the definition.',
    config: z.strictObject({
        leftKey: path('Left key', 'The field of the record that is compared.'),
        rightKey: path('Right key', "The field of the list's records that it is compared with."),
        rightData: z
            .array(jsonObject())
            .max(MAX_RIGHT)
            .meta({ title: 'Right records', description: `The list: up to ${MAX_RIGHT} objects.`, widget: 'json' }),
        type: z.enum(['INNER', 'LEFT', 'RIGHT', 'FULL']).default('LEFT').meta({
            title: 'Type',
            aliases: {},
            description:
                'INNER: matching pairs alone. LEFT: records without a match as well, as they are. RIGHT: pairs, and those of the list without a match. FULL: all.',
        }),
        prefix: z
            .string()
            .max(64)
            .optional()
            .meta({ title: 'Prefix', description: 'Stands before the name of each field that comes from the list.' }),
        select: paths(
            'Fields',
            "Which fields of the list's records are taken; all of them where absent or empty.",
            0,
        ).optional(),
        maxOutputRecords: wholeNumber(
            { min: 1, max: MAX_OUTPUT },
            { title: 'Most records', description: 'A batch that would become more fails the run.' },
        ).default(10_000),
    }),
    notes: [
        'Text, numbers and booleans match, and only within their type: "7" is not 7. Null, missing values, lists and objects match nothing.',
        'A record with several matches becomes several records, in the order of the list. A field from the list replaces one of the same name.',
        'Sees one batch at a time: RIGHT and FULL add what had no match in the batch to each batch, behind its records and in the order of the list.',
        'Where a batch would become more than maxOutputRecords, the run fails; nothing is cut off.',
        'A record that would take a text longer than records.maxValueChars from the list, or become larger than records.maxRecordChars, is rejected whole; so is the batch where RIGHT or FULL would add such a record by itself.',
    ],
    examples: [
        {
            args: {
                leftKey: 'brand',
                rightKey: 'code',
                rightData: [
                    { code: 'N', name: 'Nordfjell' },
                    { code: 'Ö', name: 'Östgård' },
                ],
                select: ['name'],
                prefix: 'brand_',
            },
            in: [{ sku: 'A', brand: 'N' }, { sku: 'B', brand: 'Ö' }, { sku: 'C' }],
            out: [
                { sku: 'A', brand: 'N', brand_name: 'Nordfjell' },
                { sku: 'B', brand: 'Ö', brand_name: 'Östgård' },
                { sku: 'C' },
            ],
        },
        {
            args: {
                leftKey: 'id',
                rightKey: 'id',
                rightData: [
                    { id: 7, n: 1 },
                    { id: 7, n: 2 },
                    { id: '7', n: 3 },
                ],
                type: 'INNER',
            },
            in: [{ id: 7 }, { id: 8 }],
            out: [
                { id: 7, n: 1 },
                { id: 7, n: 2 },
            ],
        },
        {
            args: {
                leftKey: 'id',
                rightKey: 'id',
                rightData: [{ id: 2 }, { id: 1, n: 1 }, { n: 3 }, { id: null }],
                type: 'FULL',
            },
            in: [{ id: 1 }, { id: null }, { id: [1] }],
            out: [{ id: 1, n: 1 }, { id: null }, { id: [1] }, { id: 2 }, { n: 3 }, { id: null }],
        },
        {
            args: { leftKey: 'id', rightKey: 'id', rightData: [{ id: 1 }, { id: 2 }], type: 'RIGHT', prefix: 'r.' },
            in: [{ id: 2 }, { id: 3 }],
            out: [{ id: 2, 'r.id': 2 }, { 'r.id': 1 }],
        },
        { args: { leftKey: 'id', rightKey: 'id', rightData: [] }, in: [{ id: 1 }], out: [{ id: 1 }] },
    ],
    reads: ({ leftKey }) => [leftKey],
    open({ leftKey, rightKey, rightData, type, prefix = '', select = [], maxOutputRecords }) {
        const left = compilePath(leftKey);
        const right = rightSide({ rightKey, rightData, prefix, select });
        const keepsLeft = type === 'LEFT' || type === 'FULL';
        const keepsRight = type === 'RIGHT' || type === 'FULL';
        return async (batch, cx) => {
            const bounds = new JoinBounds(leftKey, right.fields, cx.limits);
            const matches = batch.map(({ data }) => {
                const key = strictKey(left.get(data));
                return key === undefined ? NONE : (right.byKey.get(key) ?? NONE);
            });
            const met = new Set(keepsRight ? matches.flat() : []);
            const unmatched = keepsRight ? right.fields.filter((_, index) => !met.has(index)) : [];
            // Counted before anything is made: what is too much must not fill the memory first.
            const count = matches.reduce(
                (sum, { length }) => sum + (length === 0 && keepsLeft ? 1 : length),
                unmatched.length,
            );
            if (count > maxOutputRecords) {
                throw flowError('OUTPUT_TOO_LARGE', {
                    op: 'multiJoin',
                    batch: batch.length,
                    count,
                    field: 'maxOutputRecords',
                    allowed: maxOutputRecords,
                });
            }
            const out: FlowRecord[] = [];
            for (const [index, record] of batch.entries()) {
                await cx.turn();
                if (matches[index]!.length === 0 && keepsLeft) out.push(record);
                try {
                    const joined = bounds.joined(record.data, matches[index]!);
                    for (const data of joined) out.push(cx.derive(data, [record]));
                } catch (error) {
                    if (!isFlowError(error)) throw error;
                    cx.reject(record, error);
                }
            }
            for (const fields of unmatched) out.push(cx.derive(bounds.alone(fields), []));
            return out;
        };
    },
});

const NONE: readonly number[] = [];

interface RightArgs {
    readonly rightKey: string;
    readonly rightData: readonly JsonObject[];
    readonly prefix: string;
    readonly select: readonly string[];
}

/** What each record of the list adds to one that it matches, and which of them have a key. */
function rightSide({ rightKey, rightData, prefix, select }: RightArgs): {
    readonly fields: readonly JsonObject[];
    readonly byKey: ReadonlyMap<string, readonly number[]>;
} {
    const key = compilePath(rightKey);
    const picked = select.map(compilePath);
    const byKey = new Map<string, number[]>();
    const fields = rightData.map((data, index) => {
        const text = strictKey(key.get(data));
        const known = text === undefined ? undefined : byKey.get(text);
        if (known) known.push(index);
        else if (text !== undefined) byKey.set(text, [index]);
        let own: JsonObject = picked.length === 0 ? data : {};
        for (const path of picked) {
            const value = path.get(data);
            if (value !== undefined) own = path.set(own, value);
        }
        // Not by assignment, which would take a field called "__proto__" for something else.
        return prefix === ''
            ? own
            : Object.fromEntries(Object.entries(own).map(([name, value]) => [prefix + name, value]));
    });
    return { fields, byKey };
}
