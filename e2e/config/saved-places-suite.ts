import { setTimeout as sleep } from 'node:timers/promises';
import { memoryPorts } from '../../test/kit/memory-ports';
import { compiled, ids as records, sketched } from '../../test/kit/pipeline';
import { toyOutcomes, type ToyOutcomes } from '../../test/kit/toy-adapters';
import { checkpointRejected, type NextRun } from '../../src/core/adapter/extractor';
import { flowError } from '../../src/core/errors/flow-error';
import type { Commit, RunPorts, RestoredOffset } from '../../src/core/ports/ports';
import type { ResumableSource } from '../../src/core/ports/resumable-source';
import { executeRun, type RunEnd } from '../../src/core/run/execute';
import { START } from '../../src/core/steps/extract';
import type { JsonObject } from '../../src/core/value/json';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import type { ClaimedRun } from '../../src/plugin/stores/leases';
import { StateEntries } from '../../src/plugin/stores/state-entries';
import { Offsets } from '../../src/plugin/stores/offsets';
import { Rejects } from '../../src/plugin/stores/rejects';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import { SourceActions } from '../../src/plugin/stores/source-actions';
import { Spool } from '../../src/plugin/stores/spool';
import { commit, LOST, type OpenStores, type StoreBench } from './store-bench';

const ROWS: ResumableSource = { stepKey: 'extract', key: 'position:rows', byCompleted: { key: 'completed:rows' } };
const FILE: ResumableSource = { stepKey: 'extract', key: 'position:the file' };

/** The places that completed runs store for their sources, how runs move them, and the actions that sources request after a load. */
export function savedPlacesSuite(open: OpenStores): void {
    let bench: StoreBench;
    let transitions: RunTransitions;
    beforeAll(async () => {
        bench = await open();
        transitions = new RunTransitions(bench.env);
    });

    const begun = async (run: ClaimedRun, source = ROWS): Promise<RestoredOffset & { readonly positions: Offsets }> => {
        const offsets = new Offsets(bench.env, run);
        await offsets.load();
        return { positions: offsets, ...(await offsets.restoreCheckpoint(source)) };
    };
    const read = (batchNo: number, nextRun?: NextRun, actions?: readonly JsonObject[]): Commit => {
        const one = commit(batchNo, 10);
        return {
            ...one,
            position: { ...one.position, ...(nextRun && { nextRun }) },
            ...(actions && { actions }),
        };
    };
    const complete = (run: ClaimedRun): Promise<unknown> =>
        transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
    const fail = (run: ClaimedRun): Promise<unknown> =>
        transitions.finish(run, { status: 'FAILED', error: flowError('RECORD_INVALID', { path: 'a', problem: 'x' }) });
    const nextOf = async ({ pipelineId }: ClaimedRun, leaseMs?: number): Promise<ClaimedRun> =>
        bench.claim(await bench.addRun(pipelineId, 0), leaseMs);
    const placesOf = async ({ pipelineId }: ClaimedRun): Promise<readonly unknown[]> => {
        const rows = await bench.dataSource.getRepository(FlowCheckpoint).findBy({ pipelineId, scope: '' });
        return rows.map(({ value }) => value);
    };
    const linesOf = async ({ runId }: ClaimedRun): Promise<readonly unknown[]> => {
        const lines = await bench.dataSource.getRepository(FlowLog).findBy({ runId });
        return lines.map(({ level, stepKey, code, facts }) => ({ level, stepKey, code, facts }));
    };
    /** Another active run of the pipeline, as there may be one while a run waits at a gate. */
    const beside = async (run: ClaimedRun): Promise<ClaimedRun> => {
        const runs = bench.dataSource.getRepository(FlowPipelineRun);
        await runs.update({ id: run.runId }, { status: 'PAUSED', holdsBack: false });
        const other = await nextOf(run);
        await runs.update({ id: run.runId }, { status: 'RUNNING' });
        return other;
    };
    const told = (by: ClaimedRun) => ({
        level: 'WARN',
        stepKey: 'extract',
        code: 'POSITION_MOVED',
        facts: { who: expect.objectContaining({ event: 'RUN', facts: { run: String(by.runId) } }) as unknown },
    });

    /** A first run that has completed and stored its place. */
    const completed = async (nextRun: NextRun = { from: { row: 1 } }): Promise<ClaimedRun> => {
        const run = await bench.claimed();
        const { positions } = await begun(run);
        await positions.commit(read(1, nextRun));
        await complete(run);
        return run;
    };

    describe('where the next run begins', () => {
        it('is the place of the last completed run, stored when that run ends and not before', async () => {
            const first = await bench.claimed();
            const { positions, position } = await begun(first);
            expect(position).toEqual(START);
            await positions.commit(read(1, { from: { row: 1 } }));
            expect(await placesOf(first)).toEqual([]);
            await positions.commit(read(2, { from: { row: 2 } }));
            await complete(first);
            expect(await placesOf(first)).toEqual([{ from: { row: 2 }, run: first.runId }]);

            const second = await nextOf(first);
            const next = await begun(second);
            expect(next).toMatchObject({ position: { ...START, token: { row: 2 } }, isLeft: false, rejectedBefore: 0 });
            await next.positions.commit(read(3, { from: { row: 3 } }));
            await fail(second);
            const third = await nextOf(first);
            expect((await begun(third)).position).toEqual({ ...START, token: { row: 2 } });
            // A run that stores nothing for the next one does not change the place.
            await complete(third);
            expect((await begun(await nextOf(first))).position).toEqual({ ...START, token: { row: 2 } });
        });

        it('is the beginning if that run has stored so; a run that starts over begins there too, and its place then counts', async () => {
            const first = await completed('beginning');
            expect((await begun(await nextOf(first))).position).toEqual(START);
            const other = await completed({ from: 7 });
            const anew = await nextOf(other);
            const { positions, position } = await begun(anew, { ...ROWS, startOver: true });
            expect(position).toEqual(START);
            await positions.commit(read(1, { from: 9 }));
            await complete(anew);
            expect((await begun(await nextOf(other))).position).toEqual({ ...START, token: 9 });
        });

        it('is not found under another key, nor by another step', async () => {
            const first = await completed();
            const next = await nextOf(first);
            const other = { ...ROWS, key: 'position:others', byCompleted: { key: 'completed:others' } };
            expect((await begun(next, other)).position).toEqual(START);
            expect((await begun(next, { ...ROWS, stepKey: 'Extract' })).position).toEqual(START);
        });

        it('is found unchanged by a worker that resumes the run, whatever another run has stored', async () => {
            const first = await completed({ from: 1 });
            const one = await nextOf(first);
            await begun(one);
            const other = await beside(one);
            const { positions } = await begun(other);
            await positions.commit(read(1, { from: 2 }));
            await complete(other);
            expect((await begun(one)).position).toEqual({ ...START, token: 1 });
        });
    });

    describe('a place that another run has moved meanwhile', () => {
        it.each([
            ['was somewhere', true],
            ['was nowhere', false],
        ])('keeps the value of that run if it %s, and a warning in the later run names that one', async (_, was) => {
            const first = was ? await completed({ from: 1 }) : await bench.claimed();
            const late = was ? await nextOf(first) : first;
            const lates = await begun(late);
            const early = await beside(late);
            const earlies = await begun(early);
            await earlies.positions.commit(read(5, { from: 5 }));
            await lates.positions.commit(read(4, { from: 4 }));
            await complete(early);
            await complete(late);
            expect(await placesOf(late)).toEqual([{ from: 5, run: early.runId }]);
            expect(await linesOf(late)).toEqual([told(early)]);
            expect(await linesOf(early)).toEqual([]);
            // The later run has still completed.
            expect(await bench.run(late.runId)).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
            expect((await begun(await nextOf(late))).position).toEqual({ ...START, token: 5 });
        });

        it('is moved by one of the runs that end at the same moment, and the others get a warning', async () => {
            for (const was of [true, false]) {
                for (let round = 0; round < 5; round++) {
                    const first = was ? await completed({ from: 'old' }) : await bench.claimed();
                    const one = was ? await nextOf(first) : first;
                    const all = [one, await beside(one)];
                    for (const run of all) {
                        const { positions } = await begun(run);
                        await positions.commit(read(1, { from: String(run.runId) }));
                    }
                    await Promise.all(all.map(complete));
                    const [place, ...more] = (await placesOf(one)) as Array<{ readonly from: string }>;
                    expect(more).toEqual([]);
                    const winner = all.find(({ runId }) => String(runId) === place!.from)!;
                    for (const run of all) expect(await linesOf(run)).toEqual(run === winner ? [] : [told(winner)]);
                }
            }
        });

        it('is not moved by a worker that was frozen and lost its run', async () => {
            const first = await completed({ from: 1 });
            const frozen = await nextOf(first, 1);
            const { positions } = await begun(frozen);
            await positions.commit(read(2, { from: 2 }));
            await sleep(20);
            const now = await bench.claim(frozen.runId);
            const goingOn = await begun(now);
            await goingOn.positions.commit(read(3, { from: 3 }));
            await expect(positions.commit(read(9, { from: 9 }))).rejects.toEqual(LOST);
            await expect(complete(frozen)).rejects.toEqual(LOST);
            await complete(now);
            await expect(complete(frozen)).rejects.toEqual(LOST);
            expect(await placesOf(first)).toEqual([{ from: 3, run: now.runId }]);
            expect(await linesOf(now)).toEqual([]);
        });

        it('is not moved back by a run that did not complete, nor removed by one that did', async () => {
            const late = await bench.claimed();
            const lates = await begun(late, FILE);
            await lates.positions.commit(read(1));
            const early = await beside(late);
            const earlies = await begun(early, FILE);
            await earlies.positions.commit(read(5));
            await fail(early);
            await fail(late);
            const [left, ...more] = await placesOf(late);
            expect(more).toEqual([]);
            expect(left).toMatchObject({ run: early.runId, batchNo: 5 });
            expect(await linesOf(late)).toEqual([told(early)]);

            const another = await nextOf(late);
            await begun(another, { ...FILE, startOver: true });
            const between = await beside(another);
            await (await begun(between, FILE)).positions.commit(read(6));
            await fail(between);
            await complete(another);
            expect(await placesOf(late)).toMatchObject([{ run: between.runId, batchNo: 6 }]);
        });
    });

    describe('an action that a source requests', () => {
        const pages = (from: number, count: number): readonly JsonObject[] =>
            Array.from({ length: count }, (_, i) => ({ page: from + i }));
        const allOf = async (run: ClaimedRun, of: 'run' | 'earlier'): Promise<readonly unknown[]> => {
            const actions = new SourceActions(bench.env, run);
            const found: unknown[] = [];
            for (let after: string | undefined; ;) {
                const some = await actions.actions('extract', of, after);
                if (some.length === 0) return found;
                for (const one of some) found.push(...one.actions.map(({ page }) => page));
                after = some.at(-1)!.key;
            }
        };

        it('is stored with the position, however much it is, and is returned in its order until it is done', async () => {
            const run = await bench.claimed();
            const { positions } = await begun(run);
            for (let batchNo = 1; batchNo <= 130; batchNo++)
                await positions.commit(read(batchNo, undefined, pages(batchNo, 1)));
            const end = read(130, undefined, pages(131, 2));
            await positions.commit({ ...end, batches: 0, counters: {}, position: { ...end.position, done: true } });
            await positions.commit(read(131));
            expect(await allOf(run, 'run')).toEqual(pages(1, 132).map(({ page }) => page));
            expect(await allOf(run, 'earlier')).toEqual([]);
            const actions = new SourceActions(bench.env, run);
            const [first] = await actions.actions('extract', 'run');
            await actions.done('extract', 'run', first!.key);
            await actions.done('extract', 'run', first!.key);
            expect((await allOf(run, 'run'))[0]).toBe(2);
        });

        it('is neither stored nor removed by a worker that has lost its run', async () => {
            const old = await bench.claimed(1);
            const { positions } = await begun(old);
            await positions.commit(read(1, undefined, pages(1, 1)));
            const [first] = await new SourceActions(bench.env, old).actions('extract', 'run');
            await sleep(20);
            const now = await bench.claim(old.runId);
            await expect(positions.commit(read(2, undefined, pages(2, 1)))).rejects.toEqual(LOST);
            const done = new SourceActions(bench.env, old).done('extract', 'run', first!.key);
            await expect(done).rejects.toEqual(LOST);
            expect(await allOf(now, 'run')).toEqual([1]);
        });

        it('is left to the next run if it was not done, and is dropped if the run has not completed', async () => {
            const first = await bench.claimed();
            await (await begun(first)).positions.commit(read(1, undefined, pages(1, 2)));
            await complete(first);
            const second = await nextOf(first);
            expect(await allOf(second, 'earlier')).toEqual([1, 2]);
            const { positions } = await begun(second);
            await positions.commit(read(1, undefined, pages(3, 1)));
            await fail(second);
            const third = await nextOf(first);
            await begun(third);
            expect(await allOf(third, 'run')).toEqual([]);
            const actions = new SourceActions(bench.env, third);
            for (const { key } of await actions.actions('extract', 'earlier'))
                await actions.done('extract', 'earlier', key);
            expect(await allOf(third, 'earlier')).toEqual([]);
        });

        it('is kept with the place of a run that has not completed', async () => {
            const first = await bench.claimed();
            await (await begun(first, FILE)).positions.commit(read(1, undefined, pages(1, 2)));
            await fail(first);
            const second = await nextOf(first);
            const { positions } = await begun(second, FILE);
            await positions.commit(read(2, undefined, pages(3, 1)));
            expect(await allOf(second, 'run')).toEqual([1, 2, 3]);
            expect(await allOf(second, 'earlier')).toEqual([]);
        });
    });

    describe('an execution', () => {
        const definition = sketched({
            steps: {
                start: ['TRIGGER', { type: 'MANUAL' }],
                extract: [
                    'EXTRACT',
                    { adapterCode: 'toyPages', pages: [0, 3, 6].map(from => ({ records: records(3, from) })) },
                ],
                shape: ['TRANSFORM', { operators: [{ op: 'toySet', args: { field: 'a', value: 1 } }] }],
            },
            edges: ['start > extract > shape'],
            throughput: { batchSize: 2 },
        });
        /** Works until the worker has called its stores this number of times; after that it stops without a trace, like a dead process. */
        const worked = async (run: ClaimedRun, source: ToyOutcomes, dies = Infinity): Promise<RunEnd | 'gone'> => {
            let awaits = 0;
            let die = (): void => undefined;
            const gone = new Promise<'gone'>(resolve => {
                die = () => resolve('gone');
            });
            const at = async (): Promise<void> => {
                if (++awaits < dies) return;
                die();
                await new Promise(() => undefined);
            };
            const ports = {
                ...memoryPorts(),
                positions: watched(new Offsets(bench.env, run), at),
                actions: watched(new SourceActions(bench.env, run), at),
                memory: new StateEntries(bench.env, run),
                spool: new Spool(bench.env, run),
                rejects: new Rejects(bench.env, run, bench.journal),
                journal: bench.journal,
            } satisfies RunPorts;
            const pipeline = compiled(definition, { adapters: [toyOutcomes(source)] });
            // A dead worker does not stop to listen to its signal.
            const signal = AbortSignal.any([bench.signal]);
            return Promise.race([executeRun(pipeline, ports, { signal }), gone]);
        };

        it('begins where the last one has ended, starts over if that place is rejected, and performs each action at least once, wherever its worker dies', async () => {
            let deaths = 0;
            for (let dies = 1; ; dies += 2) {
                bench.events.length = 0;
                const done: unknown[] = [];
                let requested = 0;
                const source: ToyOutcomes = {
                    by: 'completed',
                    act: async actions => void done.push(...actions.map(({ page }) => page)),
                };
                const first = await bench.claimed();
                expect(await worked(first, source)).toMatchObject({
                    end: 'completed',
                    counters: { shape: { out: 9 } },
                });
                await complete(first);
                const second = await nextOf(first, 1);
                const strict: ToyOutcomes = {
                    ...source,
                    accepts: checkpoint => {
                        if (checkpoint === 3 && ++requested > 0) throw checkpointRejected('410 Gone');
                    },
                };
                done.length = 0;
                const end = await worked(second, strict, dies);
                if (end !== 'gone') break;
                deaths++;
                await sleep(5);
                const taken = await bench.claim(second.runId);
                expect(await worked(taken, strict)).toMatchObject({
                    end: 'completed',
                    counters: { extract: { in: 9 }, shape: { out: 9 } },
                });
                await complete(taken);
                expect([...new Set(done)]).toEqual([1, 2, 3]);
                expect(requested).toBeGreaterThan(0);
                const third = await nextOf(first);
                expect(await worked(third, source)).toMatchObject({ end: 'completed', counters: {} });
            }
            expect(deaths).toBeGreaterThan(5);
        });
    });
}

/** Calls `at` before and after each call of the store. */
function watched<T extends object>(store: T, at: () => Promise<void>): T {
    return new Proxy(store, {
        get(target, property) {
            const value: unknown = Reflect.get(target, property);
            if (typeof value !== 'function') return value;
            return async (...given: readonly unknown[]): Promise<unknown> => {
                await at();
                const answer: unknown = await (value as (...all: readonly unknown[]) => unknown).apply(target, [
                    ...given,
                ]);
                await at();
                return answer;
            };
        },
    });
}
