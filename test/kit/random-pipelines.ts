import fc from 'fast-check';
import { z } from 'zod';
import type { AdapterDefinition } from '../../src/core/adapter/definition';
import { batchOperator } from '../../src/core/adapter/operator';
import type { ScriptFunction, ScriptRecord } from '../../src/core/adapter/script';
import type { JsonObject } from '../../src/core/value/json';
import { flowError } from '../../src/core/errors/flow-error';
import { deltaFilter } from '../../src/core/operators/logic/delta-filter';
import type { StepKind } from '../../src/core/steps/kinds';
import type { Hooks } from '../../src/core/pipeline/hook-definition';
import type { Sketch } from './pipeline';

/* Random pipelines of toy adapters, for properties that all of them must have. */

const rowArbitrary = fc
    .record(
        {
            bad: fc.boolean(),
            poison: fc.boolean(),
            drop: fc.boolean(),
            throws: fc.boolean(),
            copies: fc.option(fc.integer({ min: 0, max: 3 })),
            fault: fc.boolean(),
        },
        { requiredKeys: [] },
    )
    .map(flags => Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== false && value !== null)));

/** Most records are valid. */
const rows = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rowArbitrary }), {
    maxLength: 12,
});
const pageList = fc.array(fc.record({ rows, marked: fc.boolean() }), { maxLength: 4 });
const OPERATORS = [
    'toyDrop drop',
    'toyThrow throws',
    'toyCopies copies',
    'toySet x',
    'toyMark id',
    'toyPair throws',
    'deltaFilter k',
] as const;
const operatorList = fc.array(fc.constantFrom(...OPERATORS), { maxLength: 3 });
const KINDS = ['LOAD', 'LOAD', 'TRANSFORM', 'TRANSFORM', 'VALIDATE', 'ROUTE'] as const;
const RULES: readonly JsonObject[] = [
    { type: 'unique', spec: { field: 'id' } },
    { type: 'unique', spec: { field: 'u' } },
    { type: 'required', spec: { field: 'x', severity: 'WARNING' } },
    { type: 'enum', spec: { field: 'drop', enum: [false] } },
    { type: 'range', spec: { field: 'copies', max: 2 } },
];
const ruleList = fc.array(fc.constantFrom(...RULES), { minLength: 1, maxLength: 3 });

const sized = ({ id }: ScriptRecord): number => [...String(id)].reduce((sum, char) => sum + char.charCodeAt(0), 0);

/** Scripts of hooks: they remove, add, change, move, or fail. Each returns the same result when a batch is repeated. */
const SCRIPTS: Readonly<Record<string, (records: ScriptRecord[]) => JsonObject[] | undefined>> = {
    fewer: records => records.filter(record => sized(record) % 3 > 0),
    more: records =>
        records.flatMap(record =>
            sized(record) % 2 > 0 ? [record] : [record, { ...record, id: `${String(record['id'])}+` }],
        ),
    // New records instead of the given copies, and more or fewer of them.
    anew: records =>
        records.flatMap(record =>
            Array.from({ length: sized(record) % 3 }, (_, i) => ({ ...record, id: `${String(record['id'])}#${i}` })),
        ),
    none: records => (records.length % 4 === 3 ? [] : undefined),
    other: records => records.map(record => ({ ...record, touched: records.length })),
    moved: records => records.reverse(),
    fails: () => {
        throw new Error('it fails each time');
    },
};

/** The scripts of a worker that may die at any await. */
export function scriptsWith(at: (point: string) => Promise<void>): Readonly<Record<string, ScriptFunction>> {
    return Object.fromEntries(
        Object.entries(SCRIPTS).map(([name, answer]) => [
            name,
            async (records): Promise<JsonObject[] | undefined> => {
                await at('script');
                return answer(records);
            },
        ]),
    );
}

/** The stages at which a hook may change records. */
export const DATA_STAGES = [
    'AFTER_EXTRACT',
    'BEFORE_TRANSFORM',
    'AFTER_TRANSFORM',
    'BEFORE_LOAD',
    'AFTER_LOAD',
    'BEFORE_VALIDATE',
    'AFTER_VALIDATE',
    'BEFORE_ROUTE',
    'AFTER_ROUTE',
] as const;
const STAGES = [
    ...DATA_STAGES,
    'BEFORE_EXTRACT',
    'RUN_STARTED',
    'RUN_COMPLETED',
    'RUN_CANCELLED',
    'ON_RECORD_ERROR',
    'ON_RETRY',
] as const;

/** Half of the pipelines have none. */
const hooksArbitrary: fc.Arbitrary<Hooks> = fc
    .oneof(
        fc.constant([]),
        fc.array(
            fc.record({
                stage: fc.oneof(fc.constantFrom(...DATA_STAGES), fc.constantFrom(...STAGES)),
                scriptName: fc.constantFrom(...Object.keys(SCRIPTS)),
            }),
            { minLength: 1, maxLength: 4 },
        ),
    )
    .map(list =>
        Object.fromEntries(
            STAGES.map(stage => [
                stage,
                list.filter(hook => hook.stage === stage).map(({ scriptName }) => ({ type: 'SCRIPT', scriptName })),
            ]),
        ),
    );

/** Edges lead only from earlier steps to later ones, so the graph has no cycle. A step without an incoming edge gets one from a source. */
export const sketchArbitrary = fc
    .record({
        sources: fc.array(pageList, { minLength: 1, maxLength: 3 }),
        steps: fc.array(
            fc.record({
                kind: fc.constantFrom(...KINDS),
                operators: operatorList,
                rules: ruleList,
                isFirst: fc.boolean(),
                disabled: fc.integer({ max: 9, min: 0 }),
                from: fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }),
            }),
            { minLength: 1, maxLength: 5 },
        ),
        batchSize: fc.integer({ min: 1, max: 9 }),
        concurrency: fc.integer({ min: 1, max: 8 }),
        hooks: hooksArbitrary,
    })
    .map(({ sources, steps, batchSize, concurrency, hooks }): Sketch => {
        const definition: Record<string, [StepKind, JsonObject]> = { start: ['TRIGGER', {}] };
        const keys: string[] = [];
        const edges: string[] = [];
        sources.forEach((pages, i) => {
            definition[`e${i}`] = [
                'EXTRACT',
                { adapterCode: 'toyPages', pages: pages.map((page, p) => pageOf(page, `${i}.${p}`)) },
            ];
            keys.push(`e${i}`);
            edges.push(`start > e${i}`);
        });
        steps.forEach(({ kind, operators, rules, isFirst, disabled, from }, i) => {
            const key = `${kind[0]!.toLowerCase()}${i}`;
            // A disabled ROUTE step has a single branch, which these may not have.
            const isDisabled = disabled === 0 && kind !== 'ROUTE';
            definition[isDisabled ? `!${key}` : key] = [kind, configOf({ kind, key, operators, rules, isFirst })];
            for (const parent of new Set(from.map(n => keys[n % keys.length]!)))
                edges.push(`${parent}${parent.startsWith('r') ? ` [${BRANCHES[i % 3]}]` : ''} > ${key}`);
            keys.push(key);
        });
        return {
            steps: definition,
            edges,
            hooks,
            throughput: { batchSize, concurrency },
            errorHandling: { maxRetries: 10, retryDelayMs: 10 },
        };
    });

interface RandomStep {
    readonly kind: (typeof KINDS)[number];
    readonly key: string;
    readonly operators: readonly string[];
    readonly rules: readonly JsonObject[];
    readonly isFirst: boolean;
}

/** The branches of a ROUTE step; two of them share records. */
const BRANCHES = ['zero', 'some', 'default'] as const;

function configOf({ kind, key, operators, rules, isFirst }: RandomStep): JsonObject {
    switch (kind) {
        case 'LOAD':
            return { adapterCode: 'toyUpsert', table: key };
        case 'TRANSFORM':
            return { operators: operators.map(name => operatorOf(name)) };
        case 'VALIDATE':
            return { rules, errorHandlingMode: isFirst ? 'FAIL_FAST' : 'ACCUMULATE' };
        case 'ROUTE':
            return {
                mode: isFirst ? 'FIRST' : 'ALL',
                branches: [
                    { name: 'zero', when: [{ field: 'k', value: 0 }] },
                    { name: 'some', when: [{ field: 'k', cmp: 'in', value: [0, 1] }] },
                ],
            };
    }
}

function pageOf(
    { rows, marked }: { readonly rows: readonly JsonObject[]; readonly marked: boolean },
    name: string,
): JsonObject {
    // Few kinds, so that batches and sources share them.
    const all: JsonObject[] = rows.map((row, i) => ({
        ...row,
        id: `${name}.${i}`,
        k: i % 3,
        u: i % 7,
        v: (i + name.length) % 2,
    }));
    const records = all.filter(row => row['fault'] !== true);
    const issues = all.flatMap((data, i) => {
        const index = all.slice(0, i).filter(row => row['fault'] !== true).length;
        return data['fault'] === true ? [{ index, data, path: 'row', problem: 'ragged' }] : [];
    });
    return { records, faults: issues, marked };
}

function operatorOf(name: string): JsonObject {
    const [op, field] = name.split(' ') as [string, string];
    if (op === 'deltaFilter') return { op, args: { idPath: field, includePaths: ['v', 'x'] } };
    return { op, args: op === 'toySet' ? { field, value: 1 } : { field } };
}

const toyMeta = {
    category: 'Toy',
    title: 'Toy',
    summary: 'A toy.',
    examples: [],
    config: z.strictObject({ field: z.string() }),
};

/** Operators that work on batches, with awaits at which a worker may die. They add everything that is to be remembered to `marked`. */
export function batchOperators(
    at: (point: string) => Promise<void>,
    marked: Set<string>,
): readonly AdapterDefinition[] {
    return [
        deltaFilter,
        // Remembers the origin of each record.
        batchOperator({
            ...toyMeta,
            code: 'toyMark',
            open:
                ({ field }) =>
                async (batch, cx) => {
                    await at('mark');
                    await cx.recall(batch.map(({ data }) => String(data[field])));
                    for (const record of batch) {
                        const place = `${cx.place.sourceKey} ${record.origin.seq}`;
                        marked.add(`${cx.place.stepKey} ${String(record.data[field])} ${place}`);
                        cx.remember(record, String(record.data[field]), place);
                    }
                    return batch;
                },
        }),
        // Combines two records into one, and rejects some.
        batchOperator({
            ...toyMeta,
            code: 'toyPair',
            open:
                ({ field }) =>
                async (batch, cx) => {
                    await at('pair');
                    const good = batch.filter(record => {
                        if (record.data[field] === true)
                            cx.reject(
                                record,
                                flowError('RECORD_INVALID', { path: field, problem: 'it makes no pair' }),
                            );
                        return record.data[field] !== true;
                    });
                    return good.flatMap((record, i) => {
                        const other = good[i + 1];
                        if (i % 2 > 0) return [];
                        return other
                            ? [
                                  cx.derive(
                                      {
                                          ...other.data,
                                          ...record.data,
                                          id: `${String(record.data['id'])}&${String(other.data['id'])}`,
                                      },
                                      [record, other],
                                  ),
                              ]
                            : [record];
                    });
                },
        }),
    ];
}
