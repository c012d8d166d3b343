import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader, toyPages } from '../../../test/kit/toy-adapters';
import type { JsonObject } from '../value/json';
import type { Extractor } from '../adapter/extractor';
import { flowError } from '../errors/flow-error';

/** A source whose position is saved under the content's name. */
function kept(key: string | undefined, startOver = false): Extractor {
    const of = { content: key ?? '' };
    return { ...toyPages(), saved: async () => (key === undefined ? undefined : { key, startOver, of }) };
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

/** Another run of the same pipeline, of a shop that has lost what was loaded: what it loads itself shows. */
function nextRun(before: MemoryState): MemoryState {
    const state = before.next('another run');
    state.shop = new Map();
    return state;
}

const loaded = ({ shop }: MemoryState): readonly unknown[] =>
    [...shop.values()].map((record: JsonObject) => record['id']);
const all = Array.from({ length: 12 }, (_, i) => i);
const run = (adapter: Extractor, state = new MemoryState(), more: Parameters<typeof runPipeline>[1] = {}) =>
    runPipeline(definition, { adapters: [adapter], state, ...more });
const warnings = ({ events }: MemoryState) => events.filter(event => event.type === 'log' && event.level === 'WARN');

/** A run whose commit fails after this number of batches of three; one more batch has been loaded by then. */
const broken = async (batches: number, state: MemoryState, more: Parameters<typeof run>[2] = {}): Promise<void> => {
    let commits = 0;
    const { end } = await run(kept('file a'), state, {
        ...more,
        at: async point => {
            if (point === 'positions.commit.before' && ++commits > batches)
                throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
        },
    });
    expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_REFUSED' } });
};

describe('a position that outlives its run', () => {
    it('is deleted when the run has completed: running it again reads all of it again', async () => {
        const first = await run(kept('file a'));
        expect(loaded(first.state)).toEqual(all);
        const second = await run(kept('file a'), nextRun(first.state));
        expect(second.end).toMatchObject({
            end: 'completed',
            outcome: 'SUCCESS',
            counters: { read: { in: 12 }, write: { created: 12 } },
        });
        expect(second.state.events.filter(({ type }) => type === 'log')).toEqual([]);
    });

    it('is reported by a dry run, which reads all of the source and leaves the position where it is', async () => {
        const state = new MemoryState();
        await broken(1, state);
        const dry = await run(kept('file a'), state.next('a dry run'), { input: { mode: 'dryRun' } });
        expect(dry.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 } } });
        expect(warnings(dry.state)).toMatchObject([{ code: 'SOURCE_READ_ON_LATER' }]);
        const again = await run(kept('file a', true), state.next('a dry run'), { input: { mode: 'dryRun' } });
        expect(warnings(again.state)).toEqual([]);
        const next = await run(kept('file a'), nextRun(dry.state));
        expect(next.end).toMatchObject({ end: 'completed', counters: { read: { in: 9 } } });
    });

    it('is that of the last committed batch of a run that did not complete, wherever a page ends; what is loaded after it is not loaded again', async () => {
        for (let committed = 0; committed < 4; committed++) {
            const state = new MemoryState();
            await broken(committed, state);
            expect(loaded(state)).toEqual(all.slice(0, committed * 3 + 3));
            const next = await run(kept('file a'), nextRun(state));
            expect(loaded(next.state)).toEqual(all.slice(committed * 3 + 3));
            expect(next.end).toMatchObject({
                end: 'completed',
                counters: {
                    read: { in: 12 - committed * 3 },
                    write: { in: 12 - committed * 3, unchanged: 3, created: 9 - committed * 3 },
                },
            });
            expect(warnings(next.state)).toMatchObject([{ code: 'SOURCE_READ_ON' }]);
            // And that run has completed.
            expect(loaded((await run(kept('file a'), nextRun(next.state))).state)).toEqual(all);
        }
    });

    it('is not stored if nothing was loaded', async () => {
        const state = new MemoryState();
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.commit.before') throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
        };
        await run(kept('file a'), state, { at });
        const next = await run(kept('file a'), nextRun(state));
        expect(loaded(next.state)).toEqual(all);
        expect(warnings(next.state)).toEqual([]);
    });

    it('belongs to one content and one revision, and is ignored if a run starts over', async () => {
        const state = new MemoryState();
        await broken(2, state, { input: { revision: '1' } });
        const of = (adapter: Extractor, revision: string) => run(adapter, nextRun(state), { input: { revision } });
        expect(loaded((await of(kept('file a'), '1')).state)).toEqual(all.slice(9));
        expect(loaded((await of(kept('file a'), '2')).state)).toEqual(all);
        expect(loaded((await of(kept('file b'), '1')).state)).toEqual(all);
        expect(loaded((await of(kept('file a', true), '1')).state)).toEqual(all);
        expect(loaded((await of(kept(undefined), '1')).state)).toEqual(all);
    });

    const otherKey = (...what: readonly string[]) => ({ event: 'OTHER_KEY', facts: { what } });
    it.each<[what: string, adapter: Extractor, revision: string, why: object]>([
        ['another content', kept('file b'), '1', otherKey('content')],
        ['another revision', kept('file a'), '2', otherKey('revision')],
        ['both', kept('file b'), '2', otherKey('content', 'revision')],
        ['a checkpoint that is reset', kept('file a', true), '1', { event: 'CHECKPOINT_RESET' }],
    ])(
        'is reported if it is not used and a source whose amounts are added begins again: %s',
        async (_, adapter, revision, why) => {
            const state = new MemoryState('first');
            await broken(2, state, { input: { revision: '1' } });
            const of = (adding: boolean) => {
                const loader = { ...toyLoader(), adds: () => adding };
                return runPipeline(definition, {
                    adapters: [adapter, loader],
                    state: nextRun(state),
                    input: { revision },
                });
            };
            const run = await of(true);
            expect(loaded(run.state)).toEqual(all);
            expect(warnings(run.state)).toMatchObject([
                {
                    stepKey: 'read',
                    code: 'SOURCE_READ_AGAIN',
                    facts: { run: 'first', why, steps: '"write"', count: 1 },
                },
            ]);
            expect(warnings((await of(false)).state)).toEqual([]);
        },
    );

    it('is not reported if it is used, or nothing is left', async () => {
        const loader = { ...toyLoader(), adds: () => true };
        const first = await runPipeline(definition, { adapters: [kept('file a'), loader] });
        const next = await runPipeline(definition, { adapters: [kept('file b'), loader], state: nextRun(first.state) });
        expect(warnings(next.state)).toEqual([]);
        const state = new MemoryState();
        await broken(2, state);
        const again = await runPipeline(definition, { adapters: [kept('file a'), loader], state: nextRun(state) });
        expect(warnings(again.state)).toMatchObject([{ code: 'SOURCE_READ_ON' }]);
    });

    it('is that of a run that starts over as soon as that one has made progress, and deleted when it has completed', async () => {
        const state = new MemoryState();
        await broken(2, state);
        const idle = await run(kept('file a', true), nextRun(state), {
            at: async point => {
                if (point === 'loads.commit.before') throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
            },
        });
        expect([...idle.state.left]).toEqual([...state.left]);
        const anew = await run(kept('file a', true), nextRun(state), {
            at: async point => {
                if (point === 'positions.commit.before') throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
            },
        });
        expect(loaded(anew.state)).toEqual(all.slice(0, 3));
        expect(loaded((await run(kept('file a'), nextRun(anew.state))).state)).toEqual(all.slice(3));
        const whole = await run(kept('file a', true), nextRun(state));
        expect(loaded((await run(kept('file a'), nextRun(whole.state))).state)).toEqual(all);
    });

    it('outlives runs of other content in between', async () => {
        const state = new MemoryState();
        await broken(2, state);
        const between = await run(kept('file b'), nextRun(state));
        expect(loaded((await run(kept('file a'), nextRun(between.state))).state)).toEqual(all.slice(9));
    });

    it('is not stored by a dry run, which reads all records, and leaves what is stored as it is', async () => {
        const state = new MemoryState();
        await broken(2, state);
        const dry = await run(kept('file a'), nextRun(state), { input: { mode: 'dryRun' } });
        expect(dry.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 }, write: { created: 12 } } });
        expect([...dry.state.left]).toEqual([...state.left]);
        const fresh = new MemoryState();
        await broken(2, fresh, { input: { mode: 'dryRun' } });
        expect(fresh.left.size).toBe(0);
    });

    it('does not keep a run that is taken over from continuing at its own', async () => {
        const state = new MemoryState();
        let commits = 0;
        await run(kept('file a'), state, {
            at: async point => {
                if (point === 'positions.commit.before' && ++commits === 2) throw flowError('LEASE_LOST', {});
            },
        });
        const resumed = await run(kept('file a', true), state);
        expect(resumed.end).toMatchObject({ end: 'completed', counters: { read: { in: 12 } } });
        expect(loaded(state)).toEqual(all);
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

    it('passes on the records that are loaded already, and loads those that the batch did not have before', async () => {
        const records: JsonObject[] = [{ id: 0, drop: true }, { id: 1, bad: true }, { id: 2 }, { id: 3 }];
        const through = (operators: JsonObject[]) =>
            sketched({
                steps: {
                    start: ['TRIGGER', { type: 'MANUAL' }],
                    read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records }] }],
                    shape: ['TRANSFORM', { operators }],
                    write: ['LOAD', LOAD],
                    again: ['LOAD', { ...LOAD, table: 'again' }],
                },
                edges: ['start > read > shape > write > again'],
            });
        let loads = 0;
        const state = new MemoryState();
        const first = await runPipeline(through([{ op: 'toyDrop', args: { field: 'drop' } }]), {
            adapters: [kept('file a')],
            state,
            at: async point => {
                if (point === 'loads.commit.before' && ++loads === 2)
                    throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
            },
        });
        expect(first.end).toMatchObject({ end: 'stopped', counters: { write: { created: 2, rejected: 1 } } });
        const { end, state: next } = await runPipeline(through([{ op: 'toySet', args: { field: 'a', value: 1 } }]), {
            adapters: [kept('file a')],
            state: nextRun(state),
        });
        expect([...next.shop.keys()]).toEqual(['t/0', 'again/0', 'again/2', 'again/3']);
        expect(end).toMatchObject({
            end: 'completed',
            outcome: 'PARTIAL',
            counters: {
                write: { in: 4, out: 3, unchanged: 2, rejected: 1, filtered: 0, created: 1 },
                again: { created: 3 },
            },
        });
        expect([...next.rejects.values()]).toMatchObject([{ stepKey: 'write', seq: 1, payload: { id: 1 } }]);
    });

    it('calls hooks before the source is read, even if that is not its beginning, and gives records their numbers in it', async () => {
        const state = new MemoryState();
        await broken(2, state);
        const hooked = {
            ...definition,
            hooks: { BEFORE_EXTRACT: [{ type: 'LOG' as const, message: 'tick' }] },
        };
        const next = nextRun(state);
        await runPipeline(hooked, { adapters: [kept('file a')], state: next });
        expect(next.events).toContainEqual(expect.objectContaining({ type: 'log', message: 'tick' }));
        expect(next.commits[0]!.position).toMatchObject({ seq: 9, batchNo: 3 });
    });
});
