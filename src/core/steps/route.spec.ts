import fc from 'fast-check';
import { LOAD, pages, runPipeline, sketched, type Sketch } from '../../../test/kit/pipeline';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import type { JsonObject } from '../value/json';
import { totalsOf } from '../progress/outcome';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import type { HookContext, ScriptRecord } from '../adapter/script';
import { hookScripts } from '../adapter/script';
import { compiled } from '../../../test/kit/pipeline';

const load = (table: string): readonly ['LOAD', JsonObject] => ['LOAD', { ...LOAD, table }];
const BRANCHES: JsonObject = {
    branches: [
        { name: 'large', when: [{ field: 'n', cmp: 'gte', value: 10 }] },
        {
            name: 'even',
            when: [
                {
                    any: [
                        { field: 'n', cmp: 'in', value: [2, 4, 10, 12] },
                        { field: 'even', value: true },
                    ],
                },
            ],
        },
    ],
};
const numbers = (...list: readonly number[]): JsonObject[] => list.map(n => ({ id: n, n }));

function routing(
    edges: readonly string[],
    more: { readonly mode?: string; readonly records?: readonly JsonObject[]; readonly sketch?: Partial<Sketch> } = {},
): Sketch {
    const { mode = 'FIRST', records = numbers(1, 2, 10, 11, 12), sketch = {} } = more;
    return {
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', pages([...records])],
            split: ['ROUTE', { mode, ...BRANCHES }],
            big: load('big'),
            some: load('some'),
            rest: load('rest'),
        },
        edges: ['start > read > split', ...edges],
        ...sketch,
    };
}

const ALL_WAYS = ['split [large] > big', 'split [even] > some', 'split [default] > rest'];

async function run(sketch: Sketch, adapters: Parameters<typeof runPipeline>[1] = {}) {
    const definition = sketched(sketch);
    const { end, state } = await runPipeline(definition, adapters);
    return {
        end,
        state,
        shop: [...state.shop.keys()].sort(),
        split: state.counters['split'],
        totals: totalsOf(state.counters, compiled(definition, adapters).shape),
    };
}

describe('a ROUTE step', () => {
    it('sends each record to the first branch that it matches, else to the default', async () => {
        const { shop, split, totals } = await run(routing(ALL_WAYS));
        expect(shop).toEqual(['big/10', 'big/11', 'big/12', 'rest/1', 'some/2']);
        expect(split).toMatchObject({ in: 5, out: 5, expanded: 0, filtered: 0, rejected: 0 });
        expect(totals).toMatchObject({ recordsRead: 5, recordsProcessed: 5, recordsLoaded: 5 });
    });

    it('sends a record to every branch that it matches if configured', async () => {
        const { shop, split, totals } = await run(routing(ALL_WAYS, { mode: 'ALL' }));
        expect(shop).toEqual(['big/10', 'big/11', 'big/12', 'rest/1', 'some/10', 'some/12', 'some/2']);
        expect(split).toMatchObject({ in: 5, out: 7, expanded: 2, filtered: 0 });
        expect(totals).toMatchObject({ recordsRead: 5, recordsProcessed: 7, recordsLoaded: 7 });
    });

    it('ends records of a branch that leads nowhere: they are filtered', async () => {
        const { shop, split, totals } = await run(
            routing(['split [even] > some'], { sketch: { steps: { ...routing([]).steps } } }),
        );
        expect(shop).toEqual(['some/2']);
        expect(split).toMatchObject({ in: 5, out: 1, filtered: 4 });
        expect(totals).toMatchObject({ recordsProcessed: 5, recordsFiltered: 4 });
        expect((await run(routing(['split [even] > some'], { mode: 'ALL' }))).split).toMatchObject({
            in: 5,
            out: 3,
            filtered: 2,
            expanded: 0,
        });
    });

    it('filters everything if none of its branches leads anywhere', async () => {
        const { split, totals } = await run(routing([]));
        expect(split).toMatchObject({ in: 5, out: 0, filtered: 5 });
        expect(totals).toMatchObject({ recordsProcessed: 5 });
    });

    it('takes all edges of a branch, and may lead several branches to one step', async () => {
        const { shop, split, state } = await run(
            routing(['split [large] > big', 'split [large] > rest', 'split [even] > rest']),
        );
        expect(shop).toEqual(['big/10', 'big/11', 'big/12', 'rest/10', 'rest/11', 'rest/12', 'rest/2']);
        expect(split).toMatchObject({ in: 5, out: 4, filtered: 1 });
        expect(state.counters['rest']).toMatchObject({ in: 4 });
    });

    it('loads in the order of the edges, whatever the order of the branches', async () => {
        const { state } = await run(routing(['split [default] > rest', 'split [large] > big', 'split [even] > some']));
        expect(state.history.filter(line => line.startsWith('load'))).toEqual([
            'load rest read 0 0',
            'load big read 0 0',
            'load some read 0 0',
        ]);
    });

    it('rejects a record whose text is too much for a pattern, and lets the others continue', async () => {
        const sketch = routing(['split [x] > big', 'split [default] > rest'], {
            records: [
                { id: 0, t: 'a'.repeat(3_000_000) },
                { id: 1, t: 'a!' },
            ],
        });
        const split = [
            'ROUTE',
            { branches: [{ name: 'x', when: [{ field: 't', cmp: 'regex', value: '^(a+)+\\b$' }] }] },
        ] as const;
        const { state, shop } = await run({ ...sketch, steps: { ...sketch.steps, split } });
        expect([...state.rejects.values()]).toMatchObject([
            { stepKey: 'split', seq: 0, path: 't', code: 'RECORD_INVALID' },
        ]);
        expect(shop).toEqual(['rest/1']);
    });

    it('passes everything on if it is disabled', async () => {
        const { steps, edges } = routing(['split [even] > some']);
        const { split, ...others } = steps;
        expect((await run({ steps: { ...others, '!split': split! }, edges })).shop).toHaveLength(5);
    });

    it('lets the hooks after it see each branch separately, and change it', async () => {
        const seen: unknown[] = [];
        const look = (records: ScriptRecord[], { stage, branch, stepKey }: HookContext): ScriptRecord[] | undefined => {
            seen.push([stage, stepKey, branch, records.map(({ id }) => id)]);
            return branch === 'large' ? [...records, { id: 99 }] : branch === 'even' ? [] : undefined;
        };
        const hooks = {
            BEFORE_ROUTE: [{ type: 'SCRIPT', scriptName: 'look' }],
            AFTER_ROUTE: [{ type: 'SCRIPT', scriptName: 'look' }],
        } as const;
        const { shop, split } = await run(routing(ALL_WAYS, { sketch: { hooks } }), {
            adapters: hookScripts({ look }),
        });
        expect(seen).toEqual([
            ['BEFORE_ROUTE', 'split', undefined, [1, 2, 10, 11, 12]],
            ['AFTER_ROUTE', 'split', 'large', [10, 11, 12]],
            ['AFTER_ROUTE', 'split', 'even', [2]],
            ['AFTER_ROUTE', 'split', 'default', [1]],
        ]);
        expect(shop).toEqual(['big/10', 'big/11', 'big/12', 'big/99', 'rest/1']);
        expect(split!.in + split!.expanded).toBe(split!.out + split!.filtered);
    });

    const hostile = (index: number): JsonObject => ({ field: 's', cmp: 'regex', value: `(a+)+${index}$` });
    const fifty = <T>(make: (index: number) => T): readonly T[] =>
        Array.from({ length: 50 }, (_, index) => make(index));

    it.each<readonly [what: string, branches: readonly JsonObject[], records: number, looks: number]>([
        ['one record and many branches', fifty(index => ({ name: `b${index}`, when: [hostile(index)] })), 1, 50],
        [
            'one record and a branch of many conditions',
            [
                {
                    name: 'b',
                    when: [
                        {
                            any: [
                                { all: [...fifty(index => ({ not: hostile(index) })), { field: 's', value: 'no' }] },
                                ...fifty(hostile),
                            ],
                        },
                    ],
                },
            ],
            1,
            101,
        ],
        ['many records', [{ name: 'b', when: [hostile(0)] }], 48, 48],
    ])('lets the event loop turn between patterns that take long: %s', async (_, branches, count, looks) => {
        const sketch = routing(['split [default] > rest']);
        const definition = sketched({
            ...sketch,
            steps: { ...sketch.steps, split: ['ROUTE', { branches: [...branches] }] },
        });
        const { step } = compiled(definition).nodes.find(({ kind }) => kind === 'ROUTE')!;
        const work = new WorkBetweenTurns(10);
        const fn = await step.open({ pace: new EventLoopYield({ clock: work.clock }), adapter: {} } as never);
        const batch = Array.from({ length: count }, (__, seq) => ({
            data: {
                get s() {
                    work.did();
                    return `${'a'.repeat(5_000)}!`;
                },
            },
            origin: { seq },
        }));
        const { value, total, most } = await work.during(() =>
            fn(batch, { sourceKey: 'read', batchNo: 0, number: 0, earlier: [] }),
        );
        expect(value.out).toHaveLength(count);
        // Each look at the field takes 10 ms, and 20 may pass without a turn.
        expect([total, most]).toEqual([looks, Math.min(looks, 2)]);
    });

    it('counts so that nothing is lost, and sends every record to its branches', async () => {
        const ways = fc.subarray(ALL_WAYS);
        const rows = fc.array(fc.record({ n: fc.integer({ min: 0, max: 14 }), even: fc.boolean() }), { maxLength: 20 });
        await fc.assert(
            fc.asyncProperty(ways, rows, fc.constantFrom('FIRST', 'ALL'), async (edges, list, mode) => {
                const records = list.map((row, id) => ({ ...row, id }));
                const { split = { in: 0, out: 0, expanded: 0, filtered: 0, rejected: 0, held: 0 }, shop } = await run(
                    routing(edges, { mode, records, sketch: { throughput: { batchSize: 3 } } }),
                );
                const expected = records.flatMap(({ n, even, id }) => {
                    const names = [
                        ...(n >= 10 ? ['large'] : []),
                        ...([2, 4, 10, 12].includes(n) || even ? ['even'] : []),
                    ];
                    const chosen = names.length === 0 ? ['default'] : mode === 'FIRST' ? names.slice(0, 1) : names;
                    return chosen.flatMap(name =>
                        edges.filter(edge => edge.includes(`[${name}]`)).map(edge => `${edge.split(' > ')[1]}/${id}`),
                    );
                });
                expect(shop).toEqual(expected.sort());
                expect(split.out).toBe(expected.length);
                expect(split.in + split.expanded).toBe(split.out + split.filtered + split.rejected + split.held);
                expect(split.in).toBe(records.length);
            }),
            { numRuns: 60 },
        );
    });
});
