import { setTimeout as sleep } from 'node:timers/promises';
import { NO_COUNTS } from '../../src/core/progress/counters';
import type { LoadUnit } from '../../src/core/ports/ports';
import { flowError } from '../../src/core/errors/flow-error';
import { raw, select, sql } from '../../src/database/statement';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowDifference } from '../../src/plugin/entities/difference';
import { FlowLoadMarker } from '../../src/plugin/entities/load-marker';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import type { Id } from '../../src/database/write';
import { FlowRunFence } from '../../src/plugin/entities/run-fence';
import { RunJournal } from '../../src/plugin/stores/journal';
import { type Claim, type ClaimedRun, RunLeases } from '../../src/plugin/stores/leases';
import { Loads } from '../../src/plugin/stores/loads';
import { RunPauses } from '../../src/plugin/stores/pauses';
import { Offsets } from '../../src/plugin/stores/offsets';
import { Rejects } from '../../src/plugin/stores/rejects';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import type { Database } from './databases';
import { commit, LOST, type OpenStores, reject, type StoreBench } from './store-bench';

const NOTHING_READ = {
    recordsRead: 0,
    recordsProcessed: 0,
    recordsLoaded: 0,
    recordsUnchanged: 0,
    recordsFiltered: 0,
    recordsRejected: 0,
};

/** Which worker may execute a run and write for it: claims, takeovers, the fence, cancels. */
export function leaseSuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    let leases: RunLeases;
    let transitions: RunTransitions;
    beforeAll(async () => {
        bench = await open();
        leases = new RunLeases(bench.env, 30_000);
        transitions = new RunTransitions(bench.env);
    });

    describe('a claim', () => {
        it('goes to one of many workers', async () => {
            const { runs } = await bench.waitingRuns(1);
            const claims = await Promise.all(Array.from({ length: 6 }, () => leases.claim(runs[0]!)));
            expect(claims.filter(({ run }) => run)).toHaveLength(1);
            expect(claims.filter(claim => !claim.run && claim.because === 'taken')).toHaveLength(5);
            expect(await bench.run(runs[0]!)).toMatchObject({ status: 'RUNNING', attempt: 1, takeovers: 0 });
        });

        it('whose COMMIT was done and whose response was lost returns the run: the next claim does not count as a takeover', async () => {
            const { runs } = await bench.waitingRuns(1);
            const { database } = bench.env;
            const transaction = async (...call: Parameters<typeof database.transaction>): Promise<never> => {
                await database.transaction(...call);
                throw flowError('DATABASE_LOST', { problem: 'Connection terminated' });
            };
            const lossy = Object.create(database, { transaction: { value: transaction } }) as typeof database;
            const lost = new RunLeases({ ...bench.env, database: lossy }, 30_000).claim(runs[0]!);
            await expect(lost).rejects.toMatchObject({ code: 'DATABASE_LOST' });
            expect((await leases.claim(runs[0]!)).run).toMatchObject({ isTakeover: false });
            expect(await bench.run(runs[0]!)).toMatchObject({ status: 'RUNNING', attempt: 1, takeovers: 0 });
        });

        it('lets one run of a pipeline work at a time, first come, first served', async () => {
            const {
                pipelineId,
                runs: [first, second, third],
            } = await bench.waitingRuns(3);
            expect(await leases.claim(second!)).toEqual({ run: undefined, because: 'waits' });
            const claims = await Promise.all([first, second, third].map(id => leases.claim(id!)));
            expect(claims.map(({ run }) => run?.runId)).toEqual([first, undefined, undefined]);
            expect(await leases.next(pipelineId)).toBeUndefined();
            await transitions.finish(claims[0]!.run!, { status: 'COMPLETED', outcome: 'SUCCESS' });
            expect(await leases.next(pipelineId)).toBe(second);
            expect(await leases.claim(third!)).toEqual({ run: undefined, because: 'waits' });
            expect((await leases.claim(second!)).run).toBeDefined();
        });

        it('gives a worker that has ended a run the next one of its pipeline, with fewer statements than a search for one', async () => {
            const {
                pipelineId,
                runs: [first, second, third],
            } = await bench.waitingRuns(3);
            const end = (run: ClaimedRun) => transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
            const claims = await Promise.all([1, 2, 3].map(() => leases.claimNext(pipelineId)));
            const mine = claims.flatMap(({ run }) => run ?? []);
            expect(mine.map(({ runId }) => runId)).toEqual([first]);
            await end(mine[0]!);
            const taken: Claim[] = [];
            const atOnce = await bench.statementsOf(async () => taken.push(await leases.claimNext(pipelineId)));
            expect(taken[0]!.run).toMatchObject({ runId: second, isFirstStart: true });
            await end(taken[0]!.run!);
            const found = await bench.statementsOf(async () =>
                taken.push(await leases.claim((await leases.next(pipelineId))!)),
            );
            expect(taken[1]!.run).toMatchObject({ runId: third, isFirstStart: true });
            // The driver of SQLite does not report its statements.
            if (database !== 'sqlite') expect(atOnce.length).toBeLessThan(found.length);
            await end(taken[1]!.run!);
            expect(await leases.claimNext(pipelineId)).toEqual({ run: undefined, because: 'waits' });
        });

        it('needs no more statements if thousands of runs wait than if a few do, and reads only the first of them', async () => {
            const few = await bench.waitingRuns(3);
            const { pipelineId } = await bench.waitingRuns(0);
            const [first, ...waiting] = await bench.addRuns(pipelineId, 10_000);
            const last = waiting.at(-1)!;
            const statements = async (runId: Id): Promise<number> =>
                (await bench.statementsOf(() => leases.claim(runId))).length;
            expect(await statements(last)).toBe(await statements(few.runs[2]!));
            expect(await leases.next(pipelineId)).toBe(first);
            const due = await leases.due(1_000);
            expect(due.filter(id => id === first || waiting.includes(id))).toEqual([first]);
            await transitions.finish(await bench.claim(first!), { status: 'COMPLETED', outcome: 'SUCCESS' });
            expect(await leases.next(pipelineId)).toBe(waiting[0]);
            // The sweepers of other tests do not see these runs.
            await bench.dataSource.getRepository(FlowPipelineRun).delete({ pipelineId });
        });

        if (database !== 'sqlite') {
            it('waits for the claim of another run of the pipeline, so that two cannot be active at the same time', async () => {
                const {
                    pipelineId,
                    runs: [younger],
                } = await bench.waitingRuns(1);
                let first: Promise<unknown> | undefined;
                await new Promise<void>(done => {
                    first = new RunLeases(bench.slowEnv(done), 30_000).claim(younger!);
                });
                const older = await bench.addRun(pipelineId, -120_000);
                expect(await leases.claim(older)).toEqual({ run: undefined, because: 'waits' });
                expect(await first).toMatchObject({ run: expect.anything() });
            });
        }

        it('returns what a worker must know of the run', async () => {
            const run = await bench.claimed();
            expect(run).toMatchObject({
                triggerKey: 'start',
                triggerType: 'MANUAL',
                dryRun: false,
                startedByUserId: null,
                attempt: 1,
                takeovers: 0,
                isCancelRequested: false,
            });
            expect(run.startedAt).toEqual((await bench.run(run.runId)).startedAt);
        });

        it("measures leases by the database's clock, whatever the worker's clock shows", async () => {
            const run = await bench.claimed();
            const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
            try {
                expect(await leases.claim(run.runId)).toEqual({ run: undefined, because: 'taken' });
                expect(await leases.due(1_000)).not.toContain(run.runId);
            } finally {
                clock.mockRestore();
            }
        });

        it('returns a reason for runs that were deleted or have ended', async () => {
            const run = await bench.claimed();
            await transitions.finish(run, { status: 'COMPLETED', outcome: 'EMPTY' });
            expect(await leases.claim(run.runId)).toEqual({ run: undefined, because: 'ended' });
            expect(await leases.claim(bench.id(999_999))).toEqual({ run: undefined, because: 'gone' });
        });
    });

    describe('a worker that is considered dead', () => {
        it('has all its writes rejected once another one has the run', async () => {
            const old = await bench.claimed(1);
            await sleep(20);
            expect(await leases.due(1_000)).toContain(old.runId);
            const run = await bench.claim(old.runId);
            expect(run).toMatchObject({ attempt: 2, takeovers: 1, startedAt: old.startedAt });

            await expect(new Offsets(bench.env, old).commit(commit(1, 10))).rejects.toEqual(LOST);
            await expect(new Rejects(bench.env, old, bench.journal).addAll([reject(1)])).rejects.toEqual(LOST);
            await expect(new Loads(bench.env, old, bench).commit(bench.unit(['zombie-1']))).rejects.toEqual(LOST);
            await expect(transitions.finish(old, { status: 'COMPLETED', outcome: 'SUCCESS' })).rejects.toEqual(LOST);
            expect(await leases.renew(old)).toBe('lost');
            expect(await leases.release(old)).toBe(false);

            expect(await bench.loaded('zombie')).toEqual([]);
            expect(await bench.rowsOf(FlowRecordError, run.runId)).toBe(0);
            expect(await bench.rowsOf(FlowLoadMarker, run.runId)).toBe(0);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
            expect((await new Offsets(bench.env, run).load()).positions).toEqual({});
            expect(await bench.run(run.runId)).toMatchObject({ status: 'RUNNING', leaseToken: run.token });
        });

        it('has its writes rejected when the run has ended without it', async () => {
            const old = await bench.claimed(1);
            await sleep(20);
            expect(await transitions.cancel(old.runId)).toBe('CANCELLED');
            await expect(new Offsets(bench.env, old).commit(commit(1, 10))).rejects.toEqual(LOST);
            await expect(new Loads(bench.env, old, bench).commit(bench.unit(['zombie-2']))).rejects.toEqual(LOST);
            expect(await bench.loaded('zombie')).toEqual([]);
        });

        it('cannot return a batch from its marker any more', async () => {
            const old = await bench.claimed(1);
            await new Loads(bench.env, old, bench).commit(bench.unit(['zombie-kept']));
            await sleep(20);
            await bench.claim(old.runId);
            await expect(new Loads(bench.env, old, bench).commit(bench.unit(['zombie-kept']))).rejects.toEqual(LOST);
        });

        if (database !== 'sqlite') {
            it('has a batch rejected that was half done when another one took the run', async () => {
                const old = await bench.claimed(1);
                const unit = bench.unit(['half-done']);
                let isTaken = false;
                let halfDone = (): void => undefined;
                const isHalfDone = new Promise<void>(resolve => (halfDone = resolve));
                const slow: LoadUnit = {
                    ...unit,
                    *work(tx) {
                        const result = yield* unit.work(tx);
                        halfDone();
                        while (!isTaken)
                            yield* select(
                                sql`SELECT ${raw(database === 'postgres' ? 'pg_sleep(0.02)' : 'SLEEP(0.02)')}`,
                            );
                        return result;
                    },
                };
                const half = new Loads(bench.env, old, bench).commit(slow);
                await isHalfDone;
                const run = await bench.claim(old.runId);
                isTaken = true;
                await expect(half).rejects.toEqual(LOST);
                expect(await bench.loaded('half-done')).toEqual([]);
                expect(await new Loads(bench.env, run, bench).commit(unit)).toEqual({
                    verdicts: 'C',
                    replayed: false,
                });
            });

            it('may finish a batch that it is just committing; the takeover waits for it and finds it done', async () => {
                const old = await bench.claimed(1);
                const unit = { ...bench.unit(['just-done']), locks: [] };
                let last: Promise<unknown> | undefined;
                await new Promise<void>(done => {
                    last = new Loads(bench.slowEnv(done), old, bench).commit(unit);
                });
                const run = await bench.claim(old.runId);
                // Each of the two responses uses a separate connection, so their order is random. What the takeover finds is not.
                expect(await bench.loaded('just-done')).toEqual(['just-done']);
                await last;
                expect(await new Loads(bench.env, run, bench).commit(unit)).toEqual({
                    verdicts: 'C',
                    replayed: true,
                });
            });
        }

        /** Each of these workers dies without progress. */
        const died = async (runId: ClaimedRun['runId'], workers: number): Promise<ClaimedRun> => {
            let run!: ClaimedRun;
            for (let worker = 1; worker <= workers; worker++) {
                run = await bench.claim(runId, 1);
                expect(run.takeovers).toBe(worker - 1);
                await sleep(10);
            }
            return run;
        };

        it('pauses the run when three workers in a row have died without progress, and a user resumes it', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            const last = await died(runId!, 3);
            expect(last.attempt).toBe(3);
            expect(await leases.claim(runId!)).toEqual({ run: undefined, because: 'gaveUp' });
            const paused = await bench.run(runId!);
            expect(paused).toMatchObject({
                status: 'PAUSED',
                errorCode: 'NO_PROGRESS',
                leaseToken: null,
                gateStepKey: null,
            });
            expect(await bench.rowsOf(FlowRunFence, last.runId)).toBe(0);
            expect(await leases.claim(runId!)).toEqual({ run: undefined, because: 'paused' });
            await expect(new Offsets(bench.env, last).commit(commit(1, 10))).rejects.toEqual(LOST);

            const pauses = new RunPauses(bench.env);
            expect(await pauses.resume(runId!)).toBe(true);
            expect(await pauses.resume(runId!)).toBe(false);
            expect(await bench.run(runId!)).toMatchObject({ status: 'PENDING', errorCode: null, takeovers: 0 });
            expect(await bench.claim(runId!, 1)).toMatchObject({ isResumed: true, takeovers: 0, attempt: 4 });
        });

        it('has the records that its workers loaded counted when the run pauses or is cancelled without a worker', async () => {
            const runId = await bench.runThatLoads();
            const run = await bench.claim(runId, 1);
            const { key, digest } = bench.unit(['counted'], { batchNo: 0 });
            const result = { verdicts: 'CC=X? 0-4', rejects: [], effects: [] };
            await new Loads(bench.env, run, bench).settle({ key, digest }, result);
            await sleep(10);
            await died(runId, 3);
            expect(await leases.claim(runId)).toEqual({ run: undefined, because: 'gaveUp' });
            const counted = {
                counters: {
                    extract: { in: 4, out: 4 },
                    load: { in: 4, out: 3, created: 2, unchanged: 1, rejected: 1 },
                },
                recordsRead: 4,
                recordsLoaded: 2,
                recordsUnchanged: 1,
                recordsRejected: 1,
            };
            expect(await bench.run(runId)).toMatchObject({ status: 'PAUSED', ...counted });
            await bench.dataSource.getRepository(FlowPipelineRun).update({ id: runId }, { recordsLoaded: 0 });
            expect(await transitions.cancel(runId)).toBe('CANCELLED');
            expect(await bench.run(runId)).toMatchObject({ status: 'CANCELLED', ...counted });
        });

        it('cancels a run whose cancel was requested instead of pausing it', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            await bench.claim(runId!, 60_000);
            expect(await transitions.cancel(runId!)).toBe('REQUESTED');
            await bench.dataSource
                .getRepository(FlowPipelineRun)
                .update({ id: runId! }, { leaseExpiresAt: 1, takeovers: 2 });
            expect(await leases.claim(runId!)).toEqual({ run: undefined, because: 'gaveUp' });
            expect(await bench.run(runId!)).toMatchObject({ status: 'CANCELLED', errorCode: null });
        });

        it('is not counted when its worker had loaded a batch, even if it was the first worker', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            const run = await bench.claim(runId!, 1);
            await new Loads(bench.env, run, bench).commit(bench.unit(['first'], { batchNo: 0 }));
            await sleep(10);
            await died(runId!, 3);
        });

        it('is not counted when a delivery of a batch was acknowledged', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            const { key, digest } = bench.unit(['delivered'], { batchNo: 0 });
            for (const outcomes of ['U?? 0-2', 'UU? 0-2', 'UUU 0-2']) {
                const run = await bench.claim(runId!, 1);
                expect(run.takeovers).toBe(0);
                await new Loads(bench.env, run, bench).settle(
                    { key, digest },
                    { verdicts: outcomes, rejects: [], effects: [] },
                );
                await sleep(10);
            }
        });

        it('does not count when a batch was committed in between', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            await bench.claim(runId!, 1);
            for (let batchNo = 1; batchNo <= 5; batchNo++) {
                await sleep(10);
                const run = await bench.claim(runId!, 1);
                // The first worker died before it had done anything.
                expect(run.takeovers).toBe(batchNo === 1 ? 1 : 0);
                const offsets = new Offsets(bench.env, run);
                await offsets.load();
                await offsets.commit(commit(batchNo, 10));
            }
        });
    });

    describe('takeovers of a run that commits no position', () => {
        /**
         * Takes the run over once for each number, with a worker that loads that batch; returns how many takeovers were counted each time.
         */
        const takenOver = async (runId: ClaimedRun['runId'], loads: readonly number[]): Promise<readonly number[]> => {
            const counted: number[] = [];
            for (const batchNo of loads) {
                const run = await bench.claim(runId, 1);
                counted.push(run.takeovers);
                await new Loads(bench.env, run, bench).commit(bench.unit([`got-on-${batchNo}`], { batchNo }));
                await sleep(10);
            }
            return counted;
        };

        it('do not count when each worker has loaded a batch that none before it had', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            expect(await takenOver(runId!, [0, 1, 2, 3, 4, 5])).toEqual([0, 0, 0, 0, 0, 0]);
            expect(await bench.loaded('got-on')).toHaveLength(6);
        });

        it('pause it when each of them finds only batches that are loaded already', async () => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            expect(await takenOver(runId!, [10, 10, 10, 10])).toEqual([0, 0, 1, 2]);
            expect(await leases.claim(runId!)).toEqual({ run: undefined, because: 'gaveUp' });
        });
    });

    describe('a dry run that another worker has begun', () => {
        /** Has stored everything that a dry run stores before its end. */
        const begun = async (leaseMs: number): Promise<ClaimedRun> => {
            const {
                runs: [runId],
            } = await bench.waitingRuns(1);
            await bench.dataSource.getRepository(FlowPipelineRun).update({ id: runId! }, { dryRun: true });
            const run = await bench.claim(runId!, leaseMs);
            expect(run).toMatchObject({ dryRun: true, isFirstStart: true, isRestart: false });
            const journal = new RunJournal(bench.env, run, { level: 'INFO', logSteps: true });
            journal.emit({ type: 'log', level: 'INFO', stepKey: undefined, message: 'first try' });
            journal.emit({
                type: 'change.planned',
                stepKey: 'load',
                seq: 1,
                at: { sourceKey: 'in', batchNo: 0, visit: 0, place: 0 },
                change: { action: 'create', key: 'sku-1', after: { price: 1 } },
            });
            await journal.close();
            await new Rejects(bench.env, run, bench.journal).addAll([reject(2)]);
            const offsets = new Offsets(bench.env, run);
            await offsets.load();
            const stateEntry = { stepKey: 'load', key: 'seen', value: 1 } as const;
            await offsets.commit({ ...commit(1, 10), memos: [stateEntry] });
            return run;
        };
        const traces = async ({ runId }: ClaimedRun) => ({
            differences: await bench.dataSource.getRepository(FlowDifference).countBy({ runId }),
            rejects: await bench.dataSource.getRepository(FlowRecordError).countBy({ runId }),
            checkpoints: await bench.dataSource.getRepository(FlowCheckpoint).countBy({ scope: `run:${runId}` }),
            logs: await bench.dataSource.getRepository(FlowLog).countBy({ runId }),
        });
        const NOTHING_BUT_ITS_LOG = { differences: 0, rejects: 0, checkpoints: 0, logs: 1 };

        it('starts again when that worker has died, and counts as taken over however many batches it commits', async () => {
            const old = await begun(1);
            expect(await traces(old)).toEqual({ differences: 1, rejects: 1, checkpoints: 2, logs: 1 });
            await sleep(10);
            const run = await bench.claim(old.runId, 1);
            expect(run).toMatchObject({ isRestart: true, isTakeover: true, attempt: 2, takeovers: 1 });
            expect(run.startedAt).toEqual(old.startedAt);
            expect(await traces(old)).toEqual(NOTHING_BUT_ITS_LOG);
            expect(await bench.run(old.runId)).toMatchObject({ report: null, counters: null, recordsRead: 0 });
            const offsets = new Offsets(bench.env, run);
            expect(await offsets.load()).toEqual({ positions: {}, counters: {}, rejectedBefore: 0 });
            await offsets.commit(commit(1, 10));
            await sleep(10);
            expect(await bench.claim(old.runId, 1)).toMatchObject({ takeovers: 2 });
            await sleep(10);
            expect(await leases.claim(old.runId)).toEqual({ run: undefined, because: 'gaveUp' });
        });

        it('starts again when that worker has given it back, without counting an attempt', async () => {
            const old = await begun(30_000);
            const totals = { ...NOTHING_READ, recordsRead: 5 };
            expect(await leases.release(old, { counters: { load: { ...NO_COUNTS, created: 3 } }, totals })).toBe(true);
            const run = await bench.claim(old.runId);
            expect(run).toMatchObject({ isRestart: true, isTakeover: false, attempt: 1, takeovers: 0 });
            expect(await traces(old)).toEqual(NOTHING_BUT_ITS_LOG);
            expect(await bench.run(old.runId)).toMatchObject({ report: null, counters: null, recordsRead: 0 });
        });

        it('stores nothing more for that worker', async () => {
            const old = await begun(1);
            await sleep(10);
            await bench.claim(old.runId);
            await expect(new Offsets(bench.env, old).commit(commit(2, 10))).rejects.toEqual(LOST);
            expect(await traces(old)).toEqual(NOTHING_BUT_ITS_LOG);
        });
    });

    describe('a run that was given back', () => {
        it('is claimed at once, by any worker, without counting an attempt', async () => {
            const run = await bench.claimed();
            const totals = {
                recordsRead: 5,
                recordsProcessed: 4,
                recordsLoaded: 3,
                recordsUnchanged: 1,
                recordsFiltered: 0,
                recordsRejected: 0,
            };
            expect(await leases.release(run, { counters: { load: { ...NO_COUNTS, created: 3 } }, totals })).toBe(true);
            expect(await bench.run(run.runId)).toMatchObject({
                status: 'RUNNING',
                leaseToken: null,
                ...totals,
                counters: { load: { created: 3 } },
            });
            expect(await leases.due(1_000)).toContain(run.runId);
            const again = await bench.claim(run.runId);
            expect(again).toMatchObject({ attempt: 1, takeovers: 0, startedAt: run.startedAt });
            expect(again.token).not.toBe(run.token);
        });

        it('still holds back the later runs of its pipeline', async () => {
            const {
                pipelineId,
                runs: [first, second],
            } = await bench.waitingRuns(2);
            await leases.release(await bench.claim(first!));
            expect(await leases.claim(second!)).toEqual({ run: undefined, because: 'waits' });
            expect(await leases.next(pipelineId)).toBeUndefined();
        });
    });

    describe('a heartbeat', () => {
        it('keeps the run and shows its progress', async () => {
            const run = await bench.claimed(60);
            for (let i = 0; i < 4; i++) {
                await sleep(30);
                expect(await new RunLeases(bench.env, 60).renew(run)).toBe('continue');
            }
            const totals = {
                recordsRead: 7,
                recordsProcessed: 0,
                recordsLoaded: 0,
                recordsUnchanged: 0,
                recordsFiltered: 0,
                recordsRejected: 0,
            };
            await leases.renew(run, { counters: {}, totals });
            expect(await bench.run(run.runId)).toMatchObject(totals);
            expect(await leases.claim(run.runId)).toEqual({ run: undefined, because: 'taken' });
        });

        it('receives a cancel request and keeps the run until the worker has stopped', async () => {
            const run = await bench.claimed();
            expect(await transitions.cancel(run.runId)).toBe('REQUESTED');
            const { cancelRequestedAt } = await bench.run(run.runId);
            expect(cancelRequestedAt).toBeInstanceOf(Date);
            expect(await transitions.cancel(run.runId)).toBe('REQUESTED');
            expect((await bench.run(run.runId)).cancelRequestedAt).toEqual(cancelRequestedAt);
            expect(await leases.renew(run)).toBe('cancel');
            await transitions.finish(run, { status: 'CANCELLED' });
            expect(await bench.run(run.runId)).toMatchObject({ status: 'CANCELLED', outcome: null });
            await expect(transitions.cancel(run.runId)).rejects.toMatchObject({ code: 'RUN_STATE_CONFLICT' });
        });
    });

    describe('a cancel', () => {
        it('ends a run that waits, or that was given back, at once', async () => {
            const {
                runs: [waiting],
            } = await bench.waitingRuns(1);
            expect(await transitions.cancel(waiting!)).toBe('CANCELLED');
            const run = await bench.claimed();
            await leases.release(run);
            expect(await transitions.cancel(run.runId)).toBe('CANCELLED');
            expect((await bench.run(run.runId)).finishedAt).toBeInstanceOf(Date);
        });

        it('of an unknown run returns that', async () => {
            await expect(transitions.cancel(bench.id(999_999))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
        });
    });
}
