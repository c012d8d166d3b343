import { memoryPorts, MemoryState } from '../../../test/kit/memory-ports';
import {
    compiled,
    ids,
    LOAD,
    pages,
    type RunOptions,
    runPipeline,
    sketched,
    straight,
} from '../../../test/kit/pipeline';
import { toyOutcomes, toyPages } from '../../../test/kit/toy-adapters';
import type { Extractor, NextRun, Page } from '../adapter/extractor';
import { executeRun } from './execute';

const WHY = 'lost page-7';

/** A source whose last page says that it is not all. Its pages name the next run by their number. */
function cutShort({ evenIfPart }: { readonly evenIfPart?: true } = {}): Extractor {
    const source = toyOutcomes({ by: 'completed' });
    return {
        ...source,
        async *extract(...given) {
            for await (const page of source.extract(...given)) {
                const nextRun: NextRun = { from: page.checkpoint!, ...(evenIfPart && { evenIfPart }) };
                yield { ...page, nextRun };
            }
            yield { records: [], isPart: WHY };
        },
    };
}
const run = (source: Extractor, records = ids(4), options: RunOptions = {}) =>
    runPipeline(sketched(straight(pages(records), { throughput: { batchSize: 3 } })), {
        adapters: [source],
        ...options,
    });
const warnings = ({ events }: MemoryState) =>
    events.filter(event => event.type === 'log' && event.level === 'WARN' && event.code === 'SOURCE_PARTIAL');

describe('a reading that is known to be incomplete', () => {
    it('makes the outcome PARTIAL, and the reason is logged', async () => {
        const { end, state } = await run(cutShort());
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(state.shop.size).toBe(4);
        expect(warnings(state)).toMatchObject([{ stepKey: 'read', message: expect.stringContaining(WHY) }]);
    });

    it('is one however many slices the run takes', async () => {
        const state = new MemoryState();
        const slice = new AbortController();
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(ids(4))],
                more: ['EXTRACT', pages(ids(4, 4), ids(4, 8))],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > write', 'start > more > write'],
        });
        const toy = toyPages(async (point, { stepKey }) => {
            if (stepKey === 'more' && point === 'page 1') slice.abort();
        });
        const source: Extractor = {
            ...toy,
            async *extract(...[config, cx]: Parameters<typeof toy.extract>): AsyncGenerator<Page, void, void> {
                yield* toy.extract(config, cx);
                if (cx.stepKey === 'read') yield { records: [], isPart: 'is cut' };
            },
        };
        const pipeline = () => compiled(definition, { adapters: [source] });
        const control = { signal: new AbortController().signal, yieldSignal: slice.signal };
        expect(await executeRun(pipeline(), memoryPorts(state), control)).toMatchObject({ end: 'yielded' });
        const { end } = await runPipeline(definition, { adapters: [source], state });
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(warnings(state)).toHaveLength(1);
    });

    it('does not move the beginning of the next run', async () => {
        const { state } = await run(cutShort());
        expect(state.completed.size).toBe(0);
    });

    it('moves it if everything before the new beginning was read', async () => {
        const { state } = await run(cutShort({ evenIfPart: true }));
        expect([...state.completed.values()]).toEqual([{ from: 1, evenIfPart: true }]);
    });

    it('stays EMPTY, without a warning, if nothing was read', async () => {
        const { end, state } = await run(cutShort(), []);
        expect(end).toMatchObject({ end: 'completed', outcome: 'EMPTY' });
        expect(warnings(state)).toEqual([]);
    });

    it('of a source without a record does not affect a run that has records of another one', async () => {
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages(ids(4))],
                empty: ['EXTRACT', pages([])],
                write: ['LOAD', LOAD],
            },
            edges: ['start > read > write', 'start > empty > write'],
        });
        const toy = toyPages();
        const source: Extractor = {
            ...toy,
            async *extract(...[config, cx]: Parameters<typeof toy.extract>): AsyncGenerator<Page, void, void> {
                yield* toy.extract(config, cx);
                if (cx.stepKey === 'empty') yield { records: [], isPart: 'has no file to read' };
            },
        };
        const { end, state } = await runPipeline(definition, { adapters: [source] });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(warnings(state)).toEqual([]);
    });

    it('is not reported if the step requests changes only', async () => {
        const { end, state } = await run(toyOutcomes({ by: 'completed' }));
        expect(end).toMatchObject({ outcome: 'SUCCESS' });
        expect(warnings(state)).toEqual([]);
        expect(state.completed.size).toBe(1);
    });
});
