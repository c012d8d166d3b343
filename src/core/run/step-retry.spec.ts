import type { ErrorCode } from '../errors/catalogue';
import { ids, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader, toyPages } from '../../../test/kit/toy-adapters';
import { flowError } from '../errors/flow-error';
import type { PipelineDefinition } from '../pipeline/definition';
import type { StepRetry } from '../schema/settings';

/** One retry, unless a step says otherwise. */
function pipeline(retry: Readonly<Record<string, StepRetry>>): PipelineDefinition {
    const load = { adapterCode: 'toyUpsert' };
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', pages(ids(2))],
            write: ['LOAD', load],
            again: ['LOAD', { ...load, table: 'again' }],
        },
        edges: ['start > read > write > again'],
        errorHandling: { maxRetries: 1, retryDelayMs: 1_000, backoffMultiplier: 2 },
    });
    const steps = definition.steps.map(step => {
        const own = retry[step.key];
        return own ? { ...step, retry: own } : step;
    });
    return { ...definition, steps };
}

/** Fails so often, and then no more. */
function failing(times: number): () => Promise<void> {
    let left = times;
    return async () => {
        if (left-- > 0) throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
    };
}

const BUSY: ErrorCode = 'DATABASE_BUSY';

describe("a step's own retry", () => {
    beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(1));
    afterEach(() => jest.restoreAllMocks());

    const waits = ({ state }: Awaited<ReturnType<typeof runPipeline>>): readonly unknown[] =>
        state.events.flatMap(event => (event.type === 'log' ? [[event.stepKey, event.facts?.['waitMs']]] : []));

    it('applies to its source, with the defaults of the pipeline', async () => {
        const source = (times: number) => ({ adapters: [toyPages(failing(times))] });
        const run = await runPipeline(pipeline({ read: { maxRetries: 3, retryDelayMs: 10 } }), source(3));
        expect(run.end).toMatchObject({ end: 'completed' });
        expect(waits(run)).toEqual([
            ['read', 10],
            ['read', 20],
            ['read', 40],
        ]);
        const { end } = await runPipeline(pipeline({ write: { maxRetries: 3 } }), source(2));
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'read', error: { code: BUSY } });
        const once = await runPipeline(pipeline({ read: { maxRetries: 0 } }), source(1));
        expect(once.end).toMatchObject({ end: 'stopped', stepKey: 'read', error: { code: BUSY } });
        expect(waits(once)).toEqual([]);
    });

    it('applies to its opening and its batches, and to no other step', async () => {
        const opened = (times: number) => ({ adapters: [toyLoader(failing(times))] });
        const three = { maxRetries: 3, backoffMultiplier: 1 };
        // The last step is opened first.
        const run = await runPipeline(pipeline({ again: three }), opened(3));
        expect(waits(run)).toEqual([
            ['again', 1_000],
            ['again', 1_000],
            ['again', 1_000],
        ]);
        expect(run.end).toMatchObject({ end: 'completed' });

        const loads = (times: number, point = 'loads.commit.before') => {
            const fail = failing(times);
            return { at: (now: string) => (now === point ? fail() : Promise.resolve()) };
        };
        const batches = await runPipeline(pipeline({ write: three }), loads(3));
        expect(batches.end).toMatchObject({ end: 'completed', counters: { write: { created: 2 } } });
        expect(waits(batches).map(wait => (wait as readonly unknown[])[0])).toEqual(['write', 'write', 'write']);
        const other = await runPipeline(pipeline({ again: three }), loads(2));
        expect(other.end).toMatchObject({ end: 'stopped', stepKey: 'write', error: { code: BUSY } });

        // What the engine stores is not part of the step's work.
        const commits = await runPipeline(pipeline({ read: three }), loads(2, 'positions.commit.before'));
        expect(commits.end).toMatchObject({ end: 'stopped', error: { code: BUSY } });
    });

    it('is reported while it is waited for, and not afterwards', async () => {
        const { state } = await runPipeline(pipeline({ read: { maxRetries: 3, retryDelayMs: 10 } }), {
            adapters: [toyPages(failing(2))],
        });
        const waits = state.signs.map(signs => signs['read']?.waits);
        expect(waits.filter(Boolean)).toMatchObject([
            { code: BUSY, retry: 1, of: 3 },
            { code: BUSY, retry: 2, of: 3 },
        ]);
        expect(waits.at(-1)).toBeUndefined();
        expect(waits[1]).toBeUndefined();
    });
});
