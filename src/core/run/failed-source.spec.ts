import fc from 'fast-check';
import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, pages, type RunOptions, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { toyOutcomes } from '../../../test/kit/toy-adapters';
import type { Extractor } from '../adapter/extractor';
import { flowError } from '../errors/flow-error';

/** Why a source may end: of each kind that an extractor throws. */
const ERRORS = {
    PAGE_LIMIT: () => flowError('PAGE_LIMIT', { pages: 2, field: 'pagination.maxPages' }),
    SOURCE_MALFORMED: () => flowError('SOURCE_MALFORMED', { where: 'line 2', problem: 'x' }),
    REMOTE_REFUSED: () => flowError('REMOTE_REFUSED', { host: 'h', problem: 'x' }),
    SECRET_UNREADABLE: () => flowError('SECRET_UNREADABLE', { code: 'x', problem: 'x' }),
    DATABASE_REFUSED: () => flowError('DATABASE_REFUSED', { problem: 'x' }),
    DATABASE_BUSY: () => flowError('DATABASE_BUSY', { problem: 'x' }),
    BUG: () => new TypeError('x is undefined'),
};
type Code = keyof typeof ERRORS;
const codes = Object.keys(ERRORS) as Code[];

/** Yields its pages, and fails before the page with this number; by the number of the try, since it may fail earlier when it is opened again. */
function failing(code: Code, before: (times: number) => number): Extractor {
    let times = 0;
    return toyOutcomes({
        by: 'unfinished',
        at: async point => {
            if (point === 'page 0') times++;
            if (point === `page ${before(times)}` || (point === 'end' && before(times) < 0)) throw ERRORS[code]();
        },
    });
}

interface Case {
    readonly sizes: readonly number[];
    readonly batchSize: number;
    readonly concurrency: number;
}
const definitionOf = ({ sizes, batchSize, concurrency }: Case) => {
    let from = 0;
    const all = sizes.map(size => ids(size, (from += size) - size));
    return sketched(
        straight(pages(...all), {
            throughput: { batchSize, concurrency },
            errorHandling: { maxRetries: 2, retryDelayMs: 10 },
        }),
    );
};
const run = (shape: Case, source?: Extractor, options: RunOptions = {}) =>
    runPipeline(definitionOf(shape), {
        adapters: [source ?? toyOutcomes({ by: 'unfinished' })],
        ...options,
    });
const loaded = ({ shop }: MemoryState): readonly unknown[] => [...shop.values()].map(({ id }) => id);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('a batch that was read before a source fails', () => {
    it.each(codes)('is loaded, the last batch unfilled, before the run fails with %s', async code => {
        const { end, state } = await run(
            { sizes: [40, 80], batchSize: 50, concurrency: 1 },
            failing(code, () => -1),
        );
        expect(end).toMatchObject({ end: 'stopped', error: { code }, stepKey: 'read' });
        expect(loaded(state)).toEqual(upTo(120));
        expect(state.counters).toMatchObject({ read: { in: 120 }, write: { in: 120, created: 120 } });
    });

    it('is loaded by any page, batch size and number of batches side by side, and never read again by the next run', async () => {
        const shapes = fc.record({
            sizes: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 5 }),
            batchSize: fc.integer({ min: 1, max: 6 }),
            concurrency: fc.integer({ min: 1, max: 4 }),
        });
        await fc.assert(
            fc.asyncProperty(shapes, fc.nat(4), fc.constantFrom(...codes), async (shape, at, code) => {
                const before = Math.min(at, shape.sizes.length - 1);
                const read = shape.sizes.slice(0, before).reduce((sum, size) => sum + size, 0);
                const total = shape.sizes.reduce((sum, size) => sum + size, 0);
                const { end, state } = await run(
                    shape,
                    failing(code, () => before),
                );
                expect(end).toMatchObject({ end: 'stopped', error: { code } });
                expect(loaded(state)).toEqual(upTo(read));
                const next = state.next('2');
                next.shop = new Map();
                expect((await run(shape, undefined, { state: next, input: { runId: '2' } })).end.end).toBe('completed');
                expect(loaded(next)).toEqual(upTo(total).slice(read));
            }),
            { numRuns: 80 },
        );
    });

    it('is loaded if the source fails earlier when it is opened again', async () => {
        const { end, state } = await run(
            { sizes: [4, 4], batchSize: 50, concurrency: 1 },
            failing('DATABASE_BUSY', times => (times === 1 ? -1 : 0)),
        );
        expect(end).toMatchObject({ error: { code: 'DATABASE_BUSY' } });
        expect(loaded(state)).toEqual(upTo(8));
    });

    it('is loaded once, together with later ones, wherever the worker dies', async () => {
        const shape: Case = { sizes: [4, 4], batchSize: 6, concurrency: 1 };
        for (let await_ = 1, isDone = false; !isDone; await_++) {
            const state = new MemoryState('1');
            let awaits = 0;
            isDone = true;
            const dying: RunOptions = {
                state,
                at: async () => {
                    if (++awaits < await_) return;
                    isDone = false;
                    throw flowError('LEASE_LOST', {});
                },
            };
            await run(
                shape,
                failing('REMOTE_REFUSED', () => 1),
                dying,
            );
            state.fence++;
            // The source is well again for the worker that takes over.
            const { end } = await run(shape, undefined, { state });
            expect(end).toMatchObject({ end: 'completed' });
            expect([await_, loaded(state)]).toEqual([await_, upTo(8)]);
            const loads = state.history.filter(line => line.startsWith('load '));
            expect(new Set(loads).size).toBe(loads.length);
        }
    });

    const warnings = ({ events }: MemoryState): readonly unknown[] =>
        events.flatMap(event =>
            event.type === 'log' && event.code?.startsWith('RECORDS_LEFT_')
                ? [
                      {
                          level: event.level,
                          stepKey: event.stepKey,
                          message: event.message,
                          records: event.facts!['records'],
                      },
                  ]
                : [],
        );
    const throughput = { batchSize: 3 };
    const errorHandling = { maxRetries: 0 };
    const steps = {
        start: ['TRIGGER', {}],
        read: ['EXTRACT', pages(ids(4), ids(4, 4))],
        gate: ['TRANSFORM', { operators: [] }],
        write: ['LOAD', LOAD],
    } as const;
    const holding = ['gate'];

    it('and a gate has not released is counted in a warning that names the gate', async () => {
        const definition = sketched({ steps, edges: ['start > read > gate > write'], throughput, errorHandling });
        const source = failing('REMOTE_REFUSED', () => -1);
        const { end, state } = await runPipeline(definition, { adapters: [source], holding });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
        expect(loaded(state)).toEqual([]);
        expect(warnings(state)).toEqual([
            { level: 'WARN', stepKey: 'read', records: 8, message: expect.stringMatching(/: 8\. .*"gate"/) },
        ]);
    });

    it('is loaded if the gate holds the records of another source', async () => {
        const other = {
            ...steps,
            other: ['EXTRACT', { adapterCode: 'still', pages: [] }],
            aside: ['LOAD', LOAD],
        } as const;
        const edges = ['start > other > gate > write', 'start > read > aside'];
        const definition = sketched({ steps: other, edges, throughput, errorHandling });
        const source = failing('REMOTE_REFUSED', () => -1);
        const adapters = [source, { ...toyOutcomes(), code: 'still' }];
        const { end, state } = await runPipeline(definition, { adapters, holding });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
        expect(loaded(state)).toEqual(upTo(8));
        expect(warnings(state)).toEqual([]);
    });

    it('is loaded by a dry run, in which gates hold nothing', async () => {
        const definition = sketched({ steps, edges: ['start > read > gate > write'], throughput, errorHandling });
        const { state } = await runPipeline(definition, {
            adapters: [failing('REMOTE_REFUSED', () => -1)],
            holding,
            input: { mode: 'dryRun' },
        });
        expect(state.counters).toMatchObject({ read: { in: 8 } });
        expect(warnings(state)).toEqual([]);
    });

    it('and a worker that died has loaded in part is counted in a warning', async () => {
        const shape: Case = { sizes: [4, 4], batchSize: 6, concurrency: 1 };
        const state = new MemoryState('1');
        const dying: RunOptions = {
            state,
            at: async point => {
                if (point === 'loads.commit.after') throw flowError('LEASE_LOST', {});
            },
        };
        await run(shape, undefined, dying);
        expect(loaded(state)).toEqual(upTo(6));
        state.fence++;
        await run(
            shape,
            failing('REMOTE_REFUSED', () => 1),
            { state },
        );
        expect(loaded(state)).toEqual(upTo(6));
        expect(warnings(state)).toEqual([
            { level: 'WARN', stepKey: 'read', records: 4, message: expect.stringContaining('worker') },
        ]);
    });

    it('is not loaded if the run continues elsewhere', async () => {
        const source = toyOutcomes({
            at: async point => {
                if (point === 'end') throw flowError('DATABASE_LOST', { problem: 'x' });
            },
        });
        const { state } = await run({ sizes: [4], batchSize: 50, concurrency: 1 }, source);
        expect(loaded(state)).toEqual([]);
    });
});
