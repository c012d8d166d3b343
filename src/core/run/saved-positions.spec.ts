import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, runPipeline, sketched } from '../../../test/kit/pipeline';
import { said } from '../../../test/kit/said';
import { toyPages } from '../../../test/kit/toy-adapters';
import type { JsonObject } from '../data/json';
import type { Extractor } from '../adapter/extractor';
import { flowError } from '../errors/flow-error';

/** A source whose position is saved under the content's name. */
function kept(key: string | undefined, startOver = false): Extractor {
    return { ...toyPages(), saved: async () => (key === undefined ? undefined : { key, startOver }) };
}

const definition = sketched({
    steps: {
        start: ['TRIGGER', { type: 'MANUAL' }],
        read: [
            'EXTRACT',
            {
                adapterCode: 'toyPages',
                pages: [{ records: ids(4) }, { records: ids(4, 4), marked: false }, { records: ids(4, 8) }],
            },
        ],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > write'],
    throughput: { batchSize: 3 },
});

/** Another run of the same pipeline: what it remembers is there, its positions are its own. */
function nextRun(before: MemoryState): MemoryState {
    const state = new MemoryState();
    for (const [key, value] of before.memos) state.memos.set(key, value);
    return state;
}

const read = ({ shop }: MemoryState): readonly unknown[] =>
    [...shop.values()].map((record: JsonObject) => record['id']);
const all = Array.from({ length: 12 }, (_, i) => i);
const run = (adapter: Extractor, state = new MemoryState(), more: Parameters<typeof runPipeline>[1] = {}) =>
    runPipeline(definition, { adapters: [adapter], state, ...more });

describe('a position that outlives its run', () => {
    it('lets the next run begin where the last one has ended, and find nothing when that was the end', async () => {
        const first = await run(kept('file a'));
        expect(read(first.state)).toEqual(all);
        const second = await run(kept('file a'), nextRun(first.state));
        expect(second.end).toMatchObject({ end: 'completed', outcome: 'EMPTY' });
        expect(second.state.events).toContainEqual(
            expect.objectContaining({
                type: 'log',
                level: 'WARN',
                message: expect.stringContaining(said('has-left-it-with-reset-checkpoint')),
            }),
        );
    });

    it('is that of the last batch that was committed, wherever a page ends', async () => {
        for (let failAt = 1; failAt <= 4; failAt++) {
            const state = new MemoryState();
            let commits = 0;
            const stopped = await run(kept('file a'), state, {
                at: async point => {
                    if (point === 'positions.commit.before' && ++commits === failAt) throw flowError('LEASE_LOST', {});
                },
            });
            expect(stopped.end.end).toBe('stopped');
            const done = read(state);
            const next = await run(kept('file a'), nextRun(state));
            const committed = (failAt - 1) * 3;
            expect(read(next.state)).toEqual(all.slice(committed));
            expect(done.slice(0, committed)).toEqual(all.slice(0, committed));
        }
    });

    it('belongs to one content, and is left alone where a run is to start over', async () => {
        const first = await run(kept('file a'));
        expect(read((await run(kept('file b'), nextRun(first.state))).state)).toEqual(all);
        const over = await run(kept('file a', true), nextRun(first.state));
        expect(read(over.state)).toEqual(all);
        expect((await run(kept('file a'), nextRun(over.state))).end).toMatchObject({ outcome: 'EMPTY' });
        expect(read((await run(kept(undefined), nextRun(first.state))).state)).toEqual(all);
    });

    it('does not keep a run that is taken over from going on at its own', async () => {
        const state = new MemoryState();
        let commits = 0;
        await run(kept('file a'), state, {
            at: async point => {
                if (point === 'positions.commit.before' && ++commits === 2) throw flowError('LEASE_LOST', {});
            },
        });
        const resumed = await run(kept('file a', true), state);
        expect(resumed.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 } } });
        expect(read(state)).toEqual(all);
    });

    it('that cannot be found out fails the run at its source', async () => {
        const failing: Extractor = {
            ...toyPages(),
            saved: () => Promise.reject(flowError('FILE_UNREADABLE', { filename: 'a', problem: 'no' })),
        };
        expect((await run(failing)).end).toMatchObject({
            end: 'stopped',
            stepKey: 'read',
            error: { code: 'FILE_UNREADABLE' },
        });
    });
});
