import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import { pages, type RunOptions, runPipeline, type Sketch, sketched } from '../../../test/kit/pipeline';
import { toyLoader, toyOutcomes, toyPages } from '../../../test/kit/toy-adapters';
import { defineLoader, type Loader } from '../adapter/loader';
import { missingWithFilters, textKey } from '../adapter/missing';
import { providedRecords } from '../adapter/provided-records';
import { flowError } from '../errors/flow-error';
import { phrase } from '../log/log-events';
import { deltaFilter } from '../operators/logic/delta-filter';
import type { JsonObject } from '../value/json';

/** The alternative keys of toys, in addition to their ids. */
const others = new Map<string, readonly string[]>();
afterEach(() => others.clear());

/** Writes toys, and knows what to do about missing ones. */
function watching(shop?: MemoryState['shop']): Loader {
    const toy = toyLoader();
    return defineLoader({
        ...toy,
        code: 'watching',
        config: z.strictObject({
            table: z.string().default('t'),
            missing: missingWithFilters(['DISABLE', 'DELETE'], z.array(z.string()).optional()),
        }),
        missing: {
            keyOf: (_, data) => textKey(data['id']),
            records: (_, action) =>
                Promise.resolve(keys =>
                    keys.map(id => ({ id, ...(action === 'DELETE' ? { gone: true } : { enabled: false }) })),
                ),
            found: () => keys => Promise.resolve(new Map(keys.map(key => [key, others.get(key) ?? []]))),
            // Two a page; what is hidden already is not listed.
            listed: (_, action) => async page => {
                const all = [...(shop ?? [])].filter(([, toy]) => action === 'DELETE' || toy['enabled'] !== false);
                const from = Number(page.from ?? 0);
                const entities = all.slice(from, from + 2).map(([key]) => [key.slice(2)] as const);
                return { entities, next: from + 2 < all.length ? from + 2 : undefined };
            },
        },
    });
}

const toys = (...names: string[]): JsonObject[] => names.map(id => ({ id }));
const ALL = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];

interface More {
    readonly missing?: JsonObject;
    readonly between?: Sketch['steps'];
    readonly edges?: readonly string[];
    readonly batchSize?: number;
}

/** One run after another on the same shop. */
class Runs {
    state = new MemoryState('1');
    private number = 1;

    constructor(private readonly more: More = {}) {}

    async load(records: readonly JsonObject[], options: RunOptions = {}, more = this.more) {
        const { missing = { action: 'DELETE' }, between = {}, batchSize = 3 } = more;
        const edges = more.edges ?? [`start > read > ${[...Object.keys(between), 'write'].join(' > ')}`];
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages([...records])],
                ...between,
                write: ['LOAD', { adapterCode: 'watching', missing }],
            },
            edges,
            throughput: { batchSize },
            errorHandling: { maxRetries: 0 },
        });
        const { end } = await runPipeline(definition, {
            state: this.state,
            adapters: [watching(this.state.shop)],
            ...options,
            input: { runId: this.state.runId as string, ...options.input },
        });
        return { end: end.end, counters: end.counters['write'], told: this.told() };
    }

    next(): this {
        return this.as(this.state.next(String(++this.number)));
    }

    as(state: MemoryState): this {
        this.state = state;
        return this;
    }

    get shop(): string {
        return [...this.state.shop].map(([key, { enabled }]) => key.slice(2) + (enabled === false ? '-' : '')).join('');
    }

    /** What the log says about missing entities. */
    told(): readonly unknown[] {
        return this.state.events.flatMap(event =>
            event.type === 'log' && event.level !== 'DEBUG' && event.code?.startsWith('MISSING_')
                ? [{ code: event.code, facts: event.facts }]
                : [],
        );
    }
}

async function afterAll11(more: More = {}): Promise<Runs> {
    const runs = new Runs(more);
    await runs.load(toys(...ALL));
    return runs.next();
}
type Count = { readonly missing: number; readonly known: number };
const LOADED = { event: 'LOADED_BY_STEP' };
const NAMED = { event: 'NAMED_BY_FILTERS' };
const done = (count: Count, action: string, scope = LOADED) => ({
    code: 'MISSING_DONE',
    facts: { ...count, action, scope },
});
const tooMany = (count: Count & { readonly allowed: number }, scope = LOADED) => ({
    code: 'MISSING_TOO_MANY',
    facts: { ...count, scope },
});
const alone = (event: string, facts = {}) => ({ code: 'MISSING_LEFT_ALONE', facts: { why: { event, facts } } });

describe('an entity that is missing from its source', () => {
    it('is deleted if it was loaded before, and nothing else is', async () => {
        const runs = await afterAll11();
        runs.state.shop.set('t/z', { id: 'z' });
        expect(await runs.load(toys(...ALL.slice(1), 'y'))).toMatchObject({
            end: 'completed',
            counters: { deleted: 1, created: 1, unchanged: 10 },
            told: [done({ missing: 1, known: 12 }, 'DELETE')],
        });
        expect(runs.shop).toBe('bcdefghijkzy');
    });

    it('is hidden once, and is restored with its record', async () => {
        const runs = await afterAll11({ missing: { action: 'DISABLE' } });
        expect((await runs.load(toys(...ALL.slice(1)))).counters).toMatchObject({ updated: 1 });
        expect(runs.shop).toBe('a-bcdefghijk');
        expect((await runs.next().load(toys(...ALL.slice(1)))).told).toEqual([]);
        await runs.next().load(toys(...ALL));
        expect(runs.shop).toBe('abcdefghijk');
        expect((await runs.next().load(toys(...ALL.slice(1)))).counters).toMatchObject({ updated: 1 });
    });

    it('is restored in spite of deltaFilter, which remembers it unchanged', async () => {
        const between: Sketch['steps'] = {
            take: ['TRANSFORM', { operators: [{ op: 'deltaFilter', args: { idPath: 'id' } }] }],
        };
        const adapters = [watching(), deltaFilter];
        const runs = new Runs({ between, missing: { action: 'DISABLE' } });
        await runs.load(toys(...ALL), { adapters });
        await runs.next().load(toys(...ALL.slice(1)), { adapters });
        expect(runs.shop).toBe('a-bcdefghijk');
        await runs.next().load(toys(...ALL), { adapters });
        expect(runs.shop).toBe('abcdefghijk');
        // Once it is there, nothing of it comes as far as the load.
        expect((await runs.next().load(toys(...ALL), { adapters })).counters).toBeUndefined();
    });

    it('stays where it is more than the share that is allowed, and the log says how much', async () => {
        const runs = await afterAll11();
        const { counters, told } = await runs.load(toys(...ALL.slice(2)));
        expect(counters).toMatchObject({ deleted: 0, unchanged: 9 });
        expect(told).toMatchObject([tooMany({ missing: 2, known: 11, allowed: 1 })]);
        const all = { missing: { action: 'DELETE', maxShare: 1 } };
        expect((await runs.next().load([], {}, all)).counters).toMatchObject({ deleted: 11 });
        expect(runs.shop).toBe('');
    });

    it('a share is compared as it is written: 29 of 100 are no more than 0.29, although 0.29 * 100 is less than 29', async () => {
        const all = Array.from({ length: 100 }, (_, i) => String(i));
        const runs = new Runs({ missing: { action: 'DELETE', maxShare: 0.29 } });
        await runs.load(toys(...all));
        const { counters, told } = await runs.next().load(toys(...all.slice(30)));
        expect(counters).toMatchObject({ deleted: 0 });
        expect(told).toMatchObject([tooMany({ missing: 30, known: 100, allowed: 29 })]);
        expect((await runs.next().load(toys(...all.slice(29)))).counters).toMatchObject({ deleted: 29 });
    });

    it('is shown by a dry run, which leaves it', async () => {
        const runs = await afterAll11();
        const { counters } = await runs.load(toys(...ALL.slice(1)), { input: { mode: 'dryRun' } });
        expect(counters).toMatchObject({ deleted: 1 });
        expect(runs.state.events.filter(({ type }) => type === 'change.planned')).toMatchObject([
            { change: { action: 'delete', key: 't/a' } },
        ]);
        expect(runs.shop).toBe(ALL.join(''));
    });

    const taken: ReadonlyArray<
        readonly [what: string, between: Sketch['steps'], edges: readonly string[] | undefined]
    > = [
        ['a filter', { take: ['TRANSFORM', { operators: [{ op: 'toyDrop', args: { field: 'drop' } }] }] }, undefined],
        [
            'a filter among other operators',
            {
                take: [
                    'TRANSFORM',
                    {
                        operators: [
                            { op: 'toySet', args: { field: 'x', value: 1 } },
                            { op: 'toyDrop', args: { field: 'drop' } },
                            { op: 'deltaFilter', args: { idPath: 'id' } },
                        ],
                    },
                ],
            },
            undefined,
        ],
        [
            'a branch that leads elsewhere',
            {
                take: ['ROUTE', { branches: [{ name: 'out', when: [{ field: 'drop', value: true }] }] }],
                elsewhere: ['LOAD', { adapterCode: 'toyUpsert', table: 'e' }],
            },
            ['start > read > take', 'take [default] > write', 'take [out] > elsewhere'],
        ],
    ];
    it.each(taken)('is not an entity that %s has dropped', async (_, between, edges) => {
        const adapters = [watching(), deltaFilter];
        const drop = (names: string): JsonObject[] => ALL.map(id => ({ id, drop: names.includes(id) }));
        const runs = new Runs({ between, ...(edges && { edges }) });
        await runs.load(drop(''), { adapters });
        // All that comes the second time is taken out, by one or the other.
        const { told } = await runs.next().load(drop('bc').slice(1), { adapters });
        expect(told).toMatchObject([done({ missing: 1, known: 11 }, 'DELETE')]);
        expect(runs.shop.replace(/[^a-k]/g, '').slice(0, 10)).toBe('bcdefghijk');
        // What was never loaded does not become known by being taken out.
        await runs.next().load([...drop('').slice(1), { id: 'z', drop: true }], { adapters });
        const { told: later } = await runs.next().load(drop('').slice(1), { adapters });
        expect(later).toEqual([]);
    });

    it('is not known if records are dropped before they have their keys', async () => {
        const between: Sketch['steps'] = {
            take: ['TRANSFORM', { operators: [{ op: 'toyDrop', args: { field: 'drop' } }] }],
        };
        const runs = await afterAll11({ between });
        const { told } = await runs.load([...toys(...ALL.slice(1)), { number: 'a', drop: true }]);
        expect(told).toMatchObject([alone('KEYS_UNKNOWN')]);
        expect(runs.shop).toBe(ALL.join(''));
    });

    const BUT_A = toys(...ALL.slice(1));

    it('is unknown if a source has reported that it is incomplete, also to a worker that resumes after that source was read', async () => {
        const runs = await afterAll11({
            between: { more: ['EXTRACT', pages(toys('y'), toys('z'))] },
            edges: ['start > read > write', 'start > more > write'],
        });
        const slice = new AbortController();
        const toy = toyPages(async (point, { stepKey }) => {
            if (stepKey === 'more' && point === 'page 1') slice.abort();
        });
        const cut = {
            ...toy,
            async *extract(...[config, cx]: Parameters<typeof toy.extract>) {
                for await (const page of toy.extract(config, cx))
                    yield { ...page, ...(cx.stepKey === 'read' && { isPart: 'was cut short' }) };
            },
        };
        const adapters = [watching(runs.state.shop), cut];
        expect(await runs.load(BUT_A, { adapters, yieldSignal: slice.signal })).toMatchObject({ end: 'yielded' });
        expect(await runs.load(BUT_A, { adapters })).toMatchObject({
            end: 'completed',
            told: [alone('SOURCE_IN_PART', { source: 'read', why: 'was cut short' })],
        });
        expect(runs.shop).toBe('abcdefghijkyz');
    });
    it('is not one that was seen with another of its keys', async () => {
        const runs = await afterAll11();
        others.set('a', ['a', 'y']);
        expect(await runs.load(toys(...ALL.slice(2), 'y'))).toMatchObject({
            counters: { deleted: 1, created: 1 },
            told: [done({ missing: 1, known: 12 }, 'DELETE')],
        });
        expect(runs.shop).toBe('acdefghijky');
        // What was met by it at some other time says nothing.
        expect(await runs.next().load(toys(...ALL.slice(2)))).toMatchObject({
            told: [tooMany({ missing: 2, known: 11, allowed: 1 })],
        });
    });

    it('stays if the run has rejected a record', async () => {
        const runs = await afterAll11();
        const { told } = await runs.load([...BUT_A.slice(1), { id: 'b', bad: true }]);
        expect(told).toMatchObject([alone('RUN_HAS_REJECTED')]);
        expect(runs.shop).toBe(ALL.join(''));
    });

    it('stays if the run was given its records', async () => {
        const runs = await afterAll11();
        const definition = sketched({
            steps: {
                start: ['EXTRACT', { adapterCode: providedRecords.code, records: BUT_A }],
                write: ['LOAD', { adapterCode: 'watching', missing: { action: 'DELETE' } }],
                before: ['TRIGGER', {}],
            },
            edges: ['before > start > write'],
        });
        await runPipeline(definition, {
            state: runs.state,
            adapters: [watching(), providedRecords],
            input: { runId: '2', triggerKey: 'before' },
        });
        expect([runs.told(), runs.shop]).toMatchObject([[alone('RECORDS_PROVIDED')], ALL.join('')]);
    });

    it('stays if another source of the step was not read', async () => {
        const runs = await afterAll11();
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                other: ['TRIGGER', {}],
                read: ['EXTRACT', pages(BUT_A)],
                more: ['EXTRACT', pages(toys('a'))],
                write: ['LOAD', { adapterCode: 'watching', missing: { action: 'DELETE' } }],
            },
            edges: ['start > read > write', 'other > more > write'],
        });
        await runPipeline(definition, { state: runs.state, adapters: [watching()], input: { runId: '2' } });
        expect([runs.told(), runs.shop]).toMatchObject([[alone('SOURCE_NOT_READ', { source: 'more' })], ALL.join('')]);
    });

    it('stays if a source reads only changes, in a dry run as in a live one', async () => {
        const runs = await afterAll11();
        const part = { ...toyPages(), readsPart: () => true };
        const why = alone('SOURCE_IN_PART', { source: 'read', why: phrase('HAS_CHANGES_ONLY') });
        expect((await runs.load(BUT_A, { adapters: [watching(), part] })).told).toMatchObject([why]);
        const dry: RunOptions = { adapters: [watching(), part], input: { mode: 'dryRun' } };
        expect((await runs.next().load(BUT_A, dry)).told).toMatchObject([why]);
        const byCompleted = toyOutcomes({ by: 'completed' });
        expect((await runs.next().load(BUT_A, { adapters: [watching(), byCompleted] })).told).toMatchObject([why]);
        expect(runs.shop).toBe(ALL.join(''));
    });

    it('is not one that a later run has loaded while this one waited', async () => {
        const missing = { action: 'DELETE', maxShare: 1 };
        const more: More = { missing, between: { gate: ['TRANSFORM', { operators: [] }] } };
        const runs = await afterAll11(more);
        const before = runs.state;
        const waits: RunOptions = { holding: ['gate'], input: { startedAt: 1_000 } };
        // Its file has neither "a" nor what the later one brings.
        expect((await runs.load(BUT_A, waits)).end).toBe('paused');
        const later = before.next('later');
        await runs.as(later).load(toys(...ALL, 'z'), { input: { startedAt: 2_000 } });
        before.shop = later.shop;
        for (const [key, value] of later.memos) before.memos.set(key, value);
        before.release('gate');
        const { end, told } = await runs.as(before).load(BUT_A, waits);
        expect([end, told, runs.shop]).toEqual(['completed', [], `${ALL.join('')}z`]);
    });

    it('stays if the run fails', async () => {
        const runs = await afterAll11();
        const at = async (point: string): Promise<void> => {
            if (point === 'page 0') throw flowError('DATABASE_REFUSED', { problem: 'full' });
        };
        const { end, told } = await runs.load(BUT_A, { adapters: [watching(), toyPages(at)] });
        expect([end, told, runs.shop]).toEqual(['stopped', [], ALL.join('')]);
    });

    it.each(['loads.commit.before', 'loads.commit.after', 'positions.commit.before', 'positions.commit.after'])(
        'is deleted once if a worker dies at %s in the middle of it',
        async point => {
            const missing = { action: 'DELETE', maxShare: 1 };
            const runs = await afterAll11({ missing, batchSize: 3 });
            const few = toys('j', 'k');
            // One batch is loaded before.
            let left = 3;
            const at = async (reached: string): Promise<void> => {
                if (reached === point && --left === 0) throw flowError('DATABASE_LOST', { problem: 'gone' });
            };
            expect((await runs.load(few, { at })).end).toBe('stopped');
            const { counters } = await runs.load(few);
            expect(runs.shop).toBe('jk');
            expect(counters!.deleted).toBe(9);
            const warnings = runs.state.events.filter(event => event.type === 'log' && event.level === 'WARN');
            expect(warnings).toEqual([]);
            expect((await runs.next().load(few)).told).toEqual([]);
        },
    );

    describe('with the scope FILTER', () => {
        const named = { action: 'DISABLE', scope: 'FILTER', filters: ['all'], maxShare: 0.2 };

        it('is what the shop has, independent of its creator, from the first run on', async () => {
            const runs = new Runs({ missing: named });
            for (const id of ALL) runs.state.shop.set(`t/${id}`, { id });
            expect(await runs.load(BUT_A)).toMatchObject({
                counters: { updated: 1, unchanged: 10 },
                told: [done({ missing: 1, known: 11 }, 'DISABLE', NAMED)],
            });
            expect(runs.shop).toBe('a-bcdefghijk');
            // A hidden toy no longer counts, and counts again after a user has shown it.
            expect((await runs.next().load(BUT_A.slice(2))).told).toMatchObject([
                done({ missing: 2, known: 10 }, 'DISABLE', NAMED),
            ]);
            runs.state.shop.set('t/a', { id: 'a' });
            expect((await runs.next().load(BUT_A.slice(2))).counters).toMatchObject({ updated: 1 });
            expect((await runs.next().load(toys(...ALL.slice(6)))).told).toMatchObject([
                tooMany({ missing: 3, known: 8, allowed: 1 }, NAMED),
            ]);
        });

        it('is not one that was dropped, although the step has never loaded it', async () => {
            const between: Sketch['steps'] = {
                take: ['TRANSFORM', { operators: [{ op: 'toyDrop', args: { field: 'drop' } }] }],
            };
            const runs = new Runs({ between, missing: named });
            for (const id of ALL) runs.state.shop.set(`t/${id}`, { id });
            const records = BUT_A.map((toy, i) => ({ ...toy, drop: i < 5 }));
            expect((await runs.load(records)).told).toMatchObject([done({ missing: 1, known: 11 }, 'DISABLE', NAMED)]);
            // What did not come as far as the step, this step has not loaded.
            const loaded = { action: 'DELETE', maxShare: 1 };
            expect((await runs.next().load([], {}, { between, missing: loaded })).told).toMatchObject([
                done({ missing: 5, known: 5 }, 'DELETE'),
            ]);
        });
    });
});
