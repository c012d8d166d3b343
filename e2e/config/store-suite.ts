import type { StoreEnv } from '../../src/plugin/stores/store-env';
import { flowError } from '../../src/core/errors/flow-error';
import { countsOf, NO_COUNTS } from '../../src/core/progress/counters';
import { totalsOf } from '../../src/core/progress/outcome';
import type { LoadUnit } from '../../src/core/ports/ports';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowLoadMarker } from '../../src/plugin/entities/load-marker';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowRunFence } from '../../src/plugin/entities/run-fence';
import { RunLeases } from '../../src/plugin/stores/leases';
import { Loads } from '../../src/plugin/stores/loads';
import { Offsets } from '../../src/plugin/stores/offsets';
import { Rejects } from '../../src/plugin/stores/rejects';
import { reserveForReplay } from '../../src/plugin/stores/replays';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import type { Database } from './databases';
import { commit, type OpenStores, reject, type StoreBench } from './store-bench';

/** What a run writes: positions, loads, rejects, pending effects, its end. */
export function storeSuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    let leases: RunLeases;
    let transitions: RunTransitions;
    beforeAll(async () => {
        bench = await open();
        leases = new RunLeases(bench.env, 30_000);
        transitions = new RunTransitions(bench.env);
    });
    beforeEach(() => {
        bench.events.length = 0;
    });

    describe('the end of a run', () => {
        it('stores its result and deletes what was needed only while it was active', async () => {
            const run = await bench.claimed();
            await new Offsets(bench.env, run).commit(commit(1, 10));
            await new Loads(bench.env, run, bench).commit(bench.unit([`end-${run.runId}`]));
            await transitions.finish(run, {
                status: 'FAILED',
                error: flowError('RECORD_INVALID', { path: 'a', problem: 'is \0 bad' }),
                stepKey: 'load',
            });
            expect(await bench.run(run.runId)).toMatchObject({
                status: 'FAILED',
                outcome: null,
                errorCode: 'RECORD_INVALID',
                errorMessage: 'Field "a": is \uFFFD bad.',
                errorStepKey: 'load',
                finishedAt: expect.any(Date) as Date,
                leaseToken: null,
                leaseExpiresAt: null,
            });
            for (const entity of [FlowRunFence, FlowLoadMarker]) expect(await bench.rowsOf(entity, run.runId)).toBe(0);
            expect(await bench.dataSource.getRepository(FlowCheckpoint).countBy({ scope: `run:${run.runId}` })).toBe(0);
            // The effects of the load, and the end of the run for subscribers and for hooks.
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(3);
        });
    });

    describe('a run that ends before it has completed', () => {
        const counted = (records: number) => ({ ...NO_COUNTS, in: records, out: records });

        it.each(['CANCELLED', 'FAILED'] as const)(
            'has counted what the worker before it had loaded, and what was loaded while it ended: %s',
            async status => {
                const runId = await bench.runThatLoads();
                const dead = await bench.claim(runId);
                const of = (codes: readonly string[], batchNo: number, outcomes: string): LoadUnit => {
                    const unit = bench.unit(codes, { batchNo });
                    return {
                        ...unit,
                        locks: [],
                        *work(tx) {
                            return { ...(yield* unit.work(tx)), verdicts: outcomes };
                        },
                    };
                };
                const mark = `counted-${status.toLowerCase()}`;
                await new Loads(bench.env, dead, bench).commit(of([`${mark}-a`, `${mark}-b`], 0, 'CC 0-1'));
                await bench.dataSource.getRepository(FlowPipelineRun).update({ id: runId }, { leaseExpiresAt: 1 });
                const run = await bench.claim(runId);
                const late = of([`${mark}-c`], 1, 'C 2');
                let loading: Promise<unknown> | undefined;
                // On SQLite transactions run one after the other.
                if (database === 'sqlite') await new Loads(bench.env, run, bench).commit(late);
                else
                    await new Promise<void>(done => {
                        loading = new Loads(bench.slowEnv(done), run, bench).commit(late);
                    });
                const counters = { extract: counted(1), load: { ...NO_COUNTS, in: 1 } };
                const shape = { sources: ['extract'], loads: ['load'], leaves: ['load'] };
                const progress = { counters, totals: totalsOf(counters, shape), shape };
                const error = flowError('RECORD_INVALID', { path: 'a', problem: 'is bad' });
                await transitions.finish(run, {
                    progress,
                    ...(status === 'FAILED' ? { status, error } : { status }),
                });
                await loading;
                expect(await bench.loaded(mark)).toEqual([`${mark}-a`, `${mark}-b`, `${mark}-c`]);
                expect(await bench.run(runId)).toMatchObject({
                    status,
                    recordsRead: 3,
                    recordsLoaded: 3,
                    recordsRejected: 0,
                    counters: { extract: counted(3), load: { in: 3, out: 3, created: 3 } },
                });
            },
        );
    });

    describe('rejected records', () => {
        it('are given to one run, or to none if one of them is not open any more', async () => {
            const [refusing, replaying] = [await bench.claimed(), await bench.claimed()];
            await new Rejects(bench.env, refusing, bench.journal).addAll([reject(1), reject(2)]);
            const rows = await bench.dataSource
                .getRepository(FlowRecordError)
                .find({ where: { runId: refusing.runId }, order: { seq: 'ASC' } });
            const given = rows.map(({ id }, replaySeq) => ({
                ...{ id: id as string, replaySourceKey: 'replay-1', replaySeq, correction: null },
            }));
            const { database } = bench.env;
            const order = { runId: replaying.runId, actor: null };
            await database.transaction(() => reserveForReplay(bench.env, order, given.slice(1)));
            await expect(database.transaction(() => reserveForReplay(bench.env, order, given))).rejects.toMatchObject({
                code: 'RECORD_ERROR_NOT_OPEN',
            });
            const states = await bench.dataSource
                .getRepository(FlowRecordError)
                .find({ where: { runId: refusing.runId }, order: { seq: 'ASC' } });
            expect(states.map(({ state }) => state)).toEqual(['OPEN', 'REPLAYED']);
        });
    });

    describe('positions', () => {
        it('are returned as they were committed, with the counters of all commits', async () => {
            const run = await bench.claimed();
            const offsets = new Offsets(bench.env, run);
            expect(await offsets.load()).toEqual({ positions: {}, counters: {}, rejectedBefore: 0 });
            await offsets.commit(commit(1, 10));
            await offsets.commit(commit(2, 7));
            await offsets.commit({ ...commit(3, 5), sourceKey: 'Extract' });
            const first = { position: { ...commit(1, 0).position, token: undefined }, counters: {} };
            await offsets.commit({ ...commit(4, 1), sourceKey: 'untokened', position: first.position });
            const found = await new Offsets(bench.env, run).load();
            expect(found.positions).toEqual({
                extract: commit(2, 7).position,
                Extract: commit(3, 5).position,
                untokened: first.position,
            });
            expect(found.counters['extract']).toMatchObject({ in: 23, out: 23 });
        });

        it.each(['__proto__', 'constructor'])(
            'belong to their source even if it is called %s, like a property of every object',
            async name => {
                const run = await bench.claimed();
                const {
                    position,
                    counters: { extract },
                } = commit(1, 10);
                await new Offsets(bench.env, run).commit({
                    ...commit(1, 10),
                    sourceKey: name,
                    counters: { [name]: extract! },
                });
                const found = await new Offsets(bench.env, run).load();
                expect(Object.entries(found.positions)).toEqual([[name, position]]);
                expect(countsOf(found.counters, name)).toEqual(extract);
            },
        );

        it('count a batch once if its commit failed and is tried again', async () => {
            const run = await bench.claimed();
            const { database } = bench.env;
            const away = () => Promise.reject(flowError('DATABASE_BUSY', { problem: 'it is away' }));
            let isAway = true;
            const env: StoreEnv = {
                ...bench.env,
                database: {
                    dialect: database.dialect,
                    managed: (work, options) => database.managed(work, options),
                    within: (manager, script) => database.within(manager, script),
                    run: script => (isAway ? away() : database.run(script)),
                    transaction: (script, options) => (isAway ? away() : database.transaction(script, options)),
                },
            };
            const offsets = new Offsets(env, run);
            await expect(offsets.commit(commit(1, 10))).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
            isAway = false;
            await offsets.commit(commit(1, 10));
            expect((await offsets.load()).counters['extract']).toMatchObject({ in: 10 });
        });

        it('count nothing twice when a worker continues after another one has stopped', async () => {
            const run = await bench.claimed();
            await new Offsets(bench.env, run).commit(commit(1, 10));
            await leases.release(run);
            const next = new Offsets(bench.env, await bench.claim(run.runId));
            await next.load();
            await next.commit(commit(2, 10));
            expect((await next.load()).counters['extract']).toMatchObject({ in: 20 });
        });
    });

    describe('a load', () => {
        it('stores records, effects and marker together and returns a repeated batch from the marker', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            expect(await loads.commit(bench.unit(['twice-a', 'twice-b']))).toEqual({ verdicts: 'CC', replayed: false });
            expect(await loads.commit(bench.unit(['twice-a', 'twice-b']))).toEqual({ verdicts: 'CC', replayed: true });
            expect(await bench.loaded('twice')).toEqual(['twice-a', 'twice-b']);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(1);
            expect(bench.events).toEqual([]);
        });

        it('distinguishes batches, visits, steps and sources', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            const keys = [{}, { visit: 1 }, { batchNo: 1 }, { stepKey: 'Load' }, { sourceKey: 'other' }];
            for (const [i, key] of keys.entries()) {
                expect(await loads.commit(bench.unit([`apart-${i}`], key))).toEqual({ verdicts: 'C', replayed: false });
            }
            expect(await bench.rowsOf(FlowLoadMarker, run.runId)).toBe(keys.length);
        });

        it('uses the marker if a batch is repeated with other content, and warns', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            await loads.commit(bench.unit(['first']));
            expect(await loads.commit(bench.unit(['second'], { digest: 'd2' }))).toEqual({
                verdicts: 'C',
                replayed: true,
            });
            expect(await bench.loaded('second')).toEqual([]);
            expect(bench.events).toEqual([
                expect.objectContaining({
                    level: 'WARN',
                    message: expect.stringContaining('different content') as string,
                }),
            ]);
        });

        it('finds the record that the database rejects; its neighbours are loaded', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            await loads.commit(bench.unit(['poison-2']));
            const codes = Array.from({ length: 5 }, (_, i) => `poison-${i}`);
            expect(await loads.commit(bench.unit(codes, { batchNo: 1 }))).toEqual({
                verdicts: 'CCXCC',
                replayed: false,
            });
            expect(await bench.loaded('poison')).toEqual(codes);
            const errors = await bench.dataSource.getRepository(FlowRecordError).findBy({ runId: run.runId });
            expect(errors).toEqual([
                expect.objectContaining({
                    seq: 2,
                    code: 'RECORD_INVALID',
                    payload: { name: 'record 2' },
                    pipelineId: run.pipelineId,
                }),
            ]);
            expect(await loads.commit(bench.unit(codes, { batchNo: 1 }))).toEqual({
                verdicts: 'CCXCC',
                replayed: true,
            });
            expect(await bench.rowsOf(FlowRecordError, run.runId)).toBe(1);
        });

        it('leaves nothing when it fails for another reason', async () => {
            const run = await bench.claimed();
            const unit = bench.unit(['nothing-1']);
            const failing: LoadUnit = {
                ...unit,
                *work(tx) {
                    yield* unit.work(tx);
                    throw flowError('DATABASE_BUSY', { problem: 'test' });
                },
            };
            await expect(new Loads(bench.env, run, bench).commit(failing)).rejects.toMatchObject({
                code: 'DATABASE_BUSY',
            });
            expect(await bench.loaded('nothing')).toEqual([]);
            expect(await bench.rowsOf(FlowLoadMarker, run.runId)).toBe(0);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });

        it('happens once when it is requested many times at once', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            const answers = await Promise.all(
                Array.from({ length: 4 }, () => loads.commit(bench.unit(['once-1', 'once-2']))),
            );
            expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(1);
        });
    });

    describe('rejects', () => {
        it('are stored once, however often they are reported', async () => {
            const run = await bench.claimed();
            const rejects = new Rejects(bench.env, run, bench.journal);
            const some = [
                reject(1, { message: 'nul \0', path: undefined }),
                reject(1, { ordinal: 1 }),
                reject(2, { stepKey: 'Load' }),
            ];
            await rejects.addAll(some);
            await rejects.addAll([...some, reject(2)]);
            await rejects.addAll([]);
            expect(await bench.rowsOf(FlowRecordError, run.runId)).toBe(4);
        });

        it('name the place of their records at the source, if it is known', async () => {
            const run = await bench.claimed();
            const place = `'${'Größen 👕'.repeat(100)}'!A17`;
            await new Rejects(bench.env, run, bench.journal).addAll([reject(1, { place }), reject(2)]);
            const errors = await bench.dataSource
                .getRepository(FlowRecordError)
                .find({ where: { runId: run.runId }, order: { seq: 'ASC' } });
            expect(errors.map(error => error.place)).toEqual([place, null]);
        });

        it('of many and large records are stored in pieces that the server accepts', async () => {
            const run = await bench.claimed();
            const payload = { text: 'x'.repeat(100_000) };
            await new Rejects(bench.env, run, bench.journal).addAll(
                Array.from({ length: 300 }, (_, seq) => reject(seq, { payload })),
            );
            expect(await bench.rowsOf(FlowRecordError, run.runId)).toBe(300);
        });
    });

    if (database !== 'sqlite') {
        it('costs four statements for a loaded batch on PostgreSQL, seven on MariaDB, and one for a committed position; transaction and locks included', async () => {
            const run = await bench.claimed();
            const loads = new Loads(bench.env, run, bench);
            const offsets = new Offsets(bench.env, run);
            await offsets.load();
            const loaded = await bench.statementsOf(() => loads.commit(bench.unit(['counted'])));
            // The load's own work is one INSERT.
            expect(loaded.length - 1).toBe(database === 'postgres' ? 4 : 7);
            expect(await bench.statementsOf(() => offsets.commit(commit(1, 10)))).toHaveLength(1);
        });
    }
}
