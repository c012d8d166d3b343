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

/** A run that ends after so many committed batches of three. */
const broken = (batches: number, state: MemoryState, more: Parameters<typeof run>[2] = {}) => {
    let commits = 0;
    return run(kept('file a'), state, {
        ...more,
        at: async point => {
            if (point === 'positions.commit.before' && ++commits > batches) throw flowError('LEASE_LOST', {});
        },
    });
};

describe('a position that outlives its run', () => {
    it('is gone when the run has completed: running it again reads all of it again', async () => {
        const first = await run(kept('file a'));
        expect(read(first.state)).toEqual(all);
        expect(first.state.memos.size).toBe(0);
        const second = await run(kept('file a'), nextRun(first.state));
        expect(second.end).toMatchObject({ end: 'completed', outcome: 'SUCCESS', counters: { read: { in: 12 } } });
        expect(second.state.events.filter(({ type }) => type === 'log')).toEqual([]);
    });

    it('is that of the last batch that was committed of a run that did not complete, wherever a page ends', async () => {
        for (let committed = 0; committed < 4; committed++) {
            const state = new MemoryState();
            expect((await broken(committed, state)).end.end).toBe('stopped');
            const done = read(state);
            const next = await run(kept('file a'), nextRun(state));
            expect(read(next.state)).toEqual(all.slice(committed * 3));
            expect(done.slice(0, committed * 3)).toEqual(all.slice(0, committed * 3));
            const lines = next.state.events.filter(event => event.type === 'log' && event.level === 'WARN');
            expect(lines).toMatchObject(
                committed === 0
                    ? []
                    : [{ message: expect.stringContaining(said('has-left-it-with-reset-checkpoint')) }],
            );
            // And that run has completed.
            expect(read((await run(kept('file a'), nextRun(next.state))).state)).toEqual(all);
        }
    });

    it('belongs to one content and one revision, and is left alone where a run is to start over', async () => {
        const state = new MemoryState();
        await broken(2, state, { input: { revision: '1' } });
        const of = (adapter: Extractor, revision: string) => run(adapter, nextRun(state), { input: { revision } });
        expect(read((await of(kept('file a'), '1')).state)).toEqual(all.slice(6));
        expect(read((await of(kept('file a'), '2')).state)).toEqual(all);
        expect(read((await of(kept('file b'), '1')).state)).toEqual(all);
        expect(read((await of(kept('file a', true), '1')).state)).toEqual(all);
        expect(read((await of(kept(undefined), '1')).state)).toEqual(all);
    });

    it('is none of a dry run, which looks at all records and leaves none', async () => {
        const state = new MemoryState();
        await broken(2, state);
        const before = [...state.memos];
        const dry = await run(kept('file a'), nextRun(state), { input: { mode: 'dryRun' } });
        expect(dry.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 } }, saved: [] });
        expect([...dry.state.memos]).toEqual(before);
        const fresh = new MemoryState();
        await broken(2, fresh, { input: { mode: 'dryRun' } });
        expect(fresh.memos.size).toBe(0);
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
