import { Logger } from '@vendure/core';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { In } from 'typeorm';
import { flowError } from '../../src/core/errors/flow-error';
import { tableOf } from '../../src/database/table';
import { insertRows } from '../../src/database/write';
import {
    OutboxRelay,
    EVENT_ATTEMPTS,
    NOTIFICATION_ATTEMPTS,
    type PendingPublication,
} from '../../src/plugin/runs/outbox-relay';
import { FlowLease } from '../../src/plugin/entities/lease';
import { DatabaseLeases } from '../../src/plugin/leases/database-leases';
import { ExclusiveJob } from '../../src/plugin/leases/exclusive-job';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { PendingEffects } from '../../src/plugin/stores/effects';
import { insertFlowRows } from '../../src/plugin/stores/insert';
import { Loads } from '../../src/plugin/stores/loads';
import type { ClaimedRun } from '../../src/plugin/stores/leases';
import { RunPauses } from '../../src/plugin/stores/pauses';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import {
    endEvent,
    gateEvent,
    pauseEvent,
    RUN_EVENTS,
    type RunEvent,
    PUBLISHED_WITHIN_MS,
} from '../../src/plugin/stores/run-events';
import { RunGates } from '../../src/plugin/stores/gates';
import { type StoreEnv, targetOf } from '../../src/plugin/stores/store-env';
import type { Database } from './databases';
import type { OpenStores, StoreBench } from './store-bench';

const LEASE_MS = 400;

/** The effects of runs that must be published: each is kept until it is published, and published no more often than promised. */
export function effectSuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    let transitions: RunTransitions;
    let pending: PendingEffects;
    beforeAll(async () => {
        bench = await open();
        transitions = new RunTransitions(bench.env);
        pending = new PendingEffects(bench.env);
    });
    afterEach(() => jest.restoreAllMocks());

    const leasesOf = (env: StoreEnv = bench.env) => new DatabaseLeases(bench.dataSource, env.database);
    const exclusiveOf = (env: StoreEnv = bench.env) => new ExclusiveJob(leasesOf(env), LEASE_MS);
    const toldOf = ({ kind, stepKey }: RunEvent) => ({ kinds: [kind], stepKey });
    const drainOf = (env: StoreEnv = bench.env, retryMs = 1): OutboxRelay =>
        new OutboxRelay({ effects: new PendingEffects(env), exclusive: exclusiveOf(env), retryMs });
    const publication = (over: Partial<PendingPublication> = {}): PendingPublication => ({
        again: () => undefined,
        notifyHooks: () => Promise.resolve(true),
        notify: () => Promise.resolve(),
        tell: () => Promise.resolve(),
        together: effects => effects.map(effect => [effect]),
        announce: () => Promise.resolve(),
        changesCollections: () => false,
        collections: () => Promise.resolve(false),
        index: () => Promise.resolve(),
        ...over,
    });
    const left = async (effects: number): Promise<ClaimedRun> => {
        const run = await bench.claimed();
        await new Loads(bench.env, run, bench).commit(bench.unit([`effects-${run.runId}`], { effects }));
        return run;
    };
    /** Its event is published at once, as long as no process dies. */
    const end = async (run: ClaimedRun): Promise<void> => {
        await transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
        await pending.told([run.runId], toldOf(endEvent('COMPLETED')!));
    };
    const ended = async (effects: number): Promise<ClaimedRun> => {
        const run = await left(effects);
        await end(run);
        return run;
    };
    /** Counts how often each effect is announced; `announce` may throw for its number. */
    const counting = (announce: (i: number) => Promise<void> | void = () => undefined) => {
        const announced = new Map<number, number>();
        return {
            announced,
            announce: async ([effect]: Parameters<PendingPublication['announce']>[0]): Promise<void> => {
                const i = effect!.payload['i'] as number;
                announced.set(i, (announced.get(i) ?? 0) + 1);
                await announce(i);
            },
        };
    };
    /** The tables as a process sees them that is killed at some moment: after that it reaches nothing. */
    const mortal = () => {
        let isDead = false;
        const gone = () => Promise.reject(flowError('WORKER_STOPPED', {}));
        const { database: real } = bench.env;
        const env: StoreEnv = {
            ...bench.env,
            database: {
                dialect: real.dialect,
                managed: (work, options) => (isDead ? gone() : real.managed(work, options)),
                within: (manager, script) => (isDead ? gone() : real.within(manager, script)),
                run: script => (isDead ? gone() : real.run(script)),
                transaction: (script, options) => (isDead ? gone() : real.transaction(script, options)),
            },
        };
        const kill = (): never => {
            isDead = true;
            throw flowError('WORKER_STOPPED', {});
        };
        return { env, kill };
    };
    /** Makes the lease expire, as if its holder had died long ago. */
    const leaseRanOut = ({ runId }: ClaimedRun) =>
        bench.dataSource.getRepository(FlowLease).update({ name: `effects:${runId}` }, { expiresAt: 1 });
    /** Drains until nothing is left, as sweeps do; the lease of a dead process expires meanwhile. */
    const swept = async ({ runId }: ClaimedRun, over: Partial<PendingPublication>): Promise<void> => {
        for (let sweeps = 0; (await bench.rowsOf(FlowPendingEffect, runId)) > 0; sweeps++) {
            if (sweeps > 1_000) throw new Error('it never comes to an end');
            await drainOf().drain([runId], publication(over));
            await sleep(10);
        }
    };

    it('are published in their order, in batches of a bounded size, and the index is updated after them', async () => {
        const run = await ended(250);
        expect(await pending.waiting(1_000)).toContain(run.runId);
        expect(await pending.waiting(1_000, run.runId)).not.toContain(run.runId);
        const order: number[] = [];
        const lots: number[] = [];
        const count = await drainOf().drain(
            [run.runId],
            publication({
                announce: async ([effect]) => void order.push(effect!.payload['i'] as number),
                index: async effects => void lots.push(effects.length),
            }),
        );
        expect(count).toBe(250);
        expect(order).toEqual(Array.from({ length: 250 }, (_, i) => i));
        expect(lots).toEqual([100, 100, 50]);
        expect(await pending.waiting(1_000)).not.toContain(run.runId);
        expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        expect(await drainOf().drain([run.runId], publication())).toBe(0);
    });

    // The driver of SQLite does not report its statements.
    if (database !== 'sqlite') {
        it('are published with few statements, which do not increase with the number of runs of one record', async () => {
            const statementsOf = async (...runs: readonly ClaimedRun[]): Promise<number> => {
                const ids = runs.map(({ runId }) => runId);
                const over = { notifyHooks: () => Promise.resolve(false) };
                const all = await bench.statementsOf(() => drainOf().drain(ids, publication(over)));
                // A lease may be renewed meanwhile.
                return all.filter(text => text.includes('flow_pending_effect')).length;
            };
            expect(await statementsOf(await ended(0))).toBe(3);
            expect(await statementsOf(await ended(1))).toBe(9);
            expect(await statementsOf(await ended(99))).toBe(9);
            expect(await statementsOf(await ended(3), await ended(1), await ended(95))).toBe(9);
        });
    }

    it('are published while their run is active, between two slices', async () => {
        const run = await left(3);
        expect(await pending.waiting(1_000)).not.toContain(run.runId);
        expect(await drainOf().drain([run.runId], publication())).toBe(3);
        expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
    });

    it('of several runs are published together, and announced run by run', async () => {
        const ids = [await ended(2), await ended(1), await ended(1)].map(({ runId }) => runId);
        const announced: unknown[] = [];
        const indexed: unknown[] = [];
        const count = await drainOf().drain(
            ids,
            publication({
                notifyHooks: () => Promise.resolve(false),
                together: effects => [effects],
                announce: async effects => void announced.push(effects.map(({ runId }) => runId)),
                index: async effects => void indexed.push(effects.map(({ runId }) => runId)),
            }),
        );
        expect(count).toBe(4);
        const [first, second, third] = ids;
        expect(announced).toEqual([[first, first], [second], [third]]);
        expect(indexed).toEqual([[first, first, second, third]]);
        for (const runId of ids) expect(await bench.rowsOf(FlowPendingEffect, runId)).toBe(0);
    });

    it('of several runs mark collections as stale once for each run, so that all of them are known as causes', async () => {
        const ids = [await ended(2), await ended(1)].map(({ runId }) => runId);
        await drainOf().drain(ids, publication({ changesCollections: effects => effects.length > 0 }));
        const marks = (await pending.marks()).map(({ runId }) => runId).filter(runId => ids.includes(runId));
        expect(marks.sort()).toEqual([...ids].sort());
    });

    it('of several runs are delayed with a run whose index fails, and for no longer than that attempt', async () => {
        jest.spyOn(Logger, 'error').mockReturnValue();
        const [good, bad] = [await ended(1), await ended(1)];
        const indexed: unknown[] = [];
        const over = {
            index: async (effects: Parameters<PendingPublication['index']>[0]) => {
                if (effects.some(({ runId }) => runId === bad.runId)) throw new Error('no such index');
                indexed.push(...effects.map(({ runId }) => runId));
            },
        };
        await drainOf().drain([good.runId, bad.runId], publication(over));
        expect(indexed).toEqual([]);
        await sleep(10);
        await drainOf().drain([good.runId, bad.runId], publication(over));
        expect(indexed).toEqual([good.runId]);
        expect(await bench.rowsOf(FlowPendingEffect, good.runId)).toBe(0);
        expect(await bench.rowsOf(FlowPendingEffect, bad.runId)).toBe(1);
    });

    it('begin with the end of the run; hooks are notified of it once, and again only if that failed', async () => {
        const run = await ended(3);
        const told: string[] = [];
        const telling = (isAway: boolean): PendingPublication =>
            publication({
                notifyHooks: async ({ kind }) => {
                    told.push(kind);
                    if (isAway) throw new Error('away');
                    return true;
                },
                announce: async effects => void told.push(`${effects.length} change`),
            });
        await expect(drainOf().drain([run.runId], telling(true))).rejects.toThrow('away');
        expect(await pending.waiting(1_000)).toContain(run.runId);
        expect(await drainOf().drain([run.runId], telling(false))).toBe(3);
        expect(await drainOf().drain([run.runId], telling(false))).toBe(0);
        expect(told).toEqual(['RUN_ENDED', 'RUN_ENDED', '1 change', '1 change', '1 change']);
    });

    describe('a notification that records wait at a gate', () => {
        const pausedRun = async (): Promise<ClaimedRun> => {
            const run = await bench.claimed();
            await new RunPauses(bench.env).pause(run, { stepKey: 'gate', notifies: true });
            await pending.told([run.runId], toldOf(pauseEvent('gate')));
            return run;
        };
        const due = ({ runId }: ClaimedRun) =>
            bench.dataSource.getRepository(FlowPendingEffect).update({ runId }, { nextTryAt: null });

        it('is sent once, after the hooks of the pause', async () => {
            const run = await pausedRun();
            const told: string[] = [];
            const telling = publication({
                notifyHooks: async ({ kind }) => told.push(kind) > 0,
                notify: async ({ stepKey }) => void told.push(stepKey),
            });
            expect(await pending.waiting(1_000)).toContain(run.runId);
            await drainOf().drain([run.runId], telling);
            await drainOf().drain([run.runId], telling);
            expect(told).toEqual(['RUN_PAUSED', 'gate']);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });

        it('that fails is sent again later, five times in all, and delays nothing else', async () => {
            const warned = jest.spyOn(Logger, 'warn').mockReturnValue();
            const run = await pausedRun();
            let times = 0;
            const notify = async (): Promise<void> => {
                times++;
                throw new Error('no answer');
            };
            for (let sweep = 1; sweep <= NOTIFICATION_ATTEMPTS + 1; sweep++) {
                await drainOf(bench.env, 3_600_000).drain([run.runId], publication({ notify }));
                await drainOf(bench.env, 3_600_000).drain([run.runId], publication({ notify }));
                expect(times).toBe(Math.min(sweep, NOTIFICATION_ATTEMPTS));
                expect(await pending.waiting(1_000)).not.toContain(run.runId);
                await due(run);
            }
            expect(warned).toHaveBeenCalledTimes(NOTIFICATION_ATTEMPTS);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });

        it('is sent again if the process that sent it has died, and no more than five times', async () => {
            jest.spyOn(Logger, 'warn').mockReturnValue();
            const run = await pausedRun();
            let times = 0;
            for (let lives = 0; lives < NOTIFICATION_ATTEMPTS + 2; lives++) {
                const { env, kill } = mortal();
                const notify = async (): Promise<void> => {
                    times++;
                    kill();
                };
                await drainOf(env)
                    .drain([run.runId], publication({ notify }))
                    .catch(() => undefined); // It was killed.
                await leaseRanOut(run);
            }
            expect(times).toBe(NOTIFICATION_ATTEMPTS);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });
    });

    describe('an event of a run itself', () => {
        /** As if the process that committed it had died before publishing it, and a minute had passed. */
        const aMinuteLater = async ({ runId }: ClaimedRun): Promise<void> => {
            const rows = bench.dataSource.getRepository(FlowPendingEffect);
            for (const { id, nextTryAt } of await rows.findBy({ runId, kind: In([...RUN_EVENTS]) }))
                await rows.update({ id }, { nextTryAt: nextTryAt! - PUBLISHED_WITHIN_MS });
        };
        const telling = (told: string[]): PendingPublication =>
            publication({
                tell: async ({ kind, stepKey, payload }) =>
                    void told.push([kind, stepKey, payload['decidedBy']].filter(Boolean).join(' ')),
            });

        it('is left to the process that has committed it for a minute, and is published once by another one after that', async () => {
            const run = await bench.claimed();
            await transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
            const told: string[] = [];
            await drainOf().drain([run.runId], telling(told));
            expect([told, await pending.waiting(1_000)]).toEqual([[], expect.not.arrayContaining([run.runId])]);
            await aMinuteLater(run);
            expect(await pending.waiting(1_000)).toContain(run.runId);
            for (let sweep = 0; sweep < 2; sweep++) await drainOf().drain([run.runId], telling(told));
            expect(told).toEqual(['FlowRunCompleted']);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });

        it('is stored for each pause, decision and end, in this order, and deleted when it is published', async () => {
            const run = await bench.claimed();
            const gates = new RunGates(bench.env, LEASE_MS);
            const pauses = new RunPauses(bench.env);
            await pauses.passOn(run, { stepKey: 'share' });
            const again = await bench.claim(run.runId);
            await pauses.pause(again, { stepKey: 'gate' });
            const answer = { runId: run.runId, stepKey: 'gate', decider: 'PERSON', actorId: bench.id(7) } as const;
            expect(await gates.approve(answer)).toBe(true);
            await pauses.pause(await bench.claim(run.runId), { stepKey: 'last' });
            expect(await gates.reject({ ...answer, stepKey: 'last' })).toBe(true);
            await pending.told([run.runId], toldOf(gateEvent('APPROVED', { stepKey: 'share' })));
            await aMinuteLater(run);
            const told: string[] = [];
            await drainOf().drain([run.runId], telling(told));
            expect(told).toEqual([
                'FlowRunPaused gate',
                `FlowGateApproved gate ${bench.id(7)}`,
                'FlowRunPaused last',
                `FlowGateRejected last ${bench.id(7)}`,
                'FlowRunCancelled',
            ]);
            expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        });

        it('is published again if the process that published it has died, and no more than five times', async () => {
            jest.spyOn(Logger, 'warn').mockReturnValue();
            const run = await bench.claimed();
            await transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
            await aMinuteLater(run);
            let times = 0;
            for (let lives = 0; lives < NOTIFICATION_ATTEMPTS + 2; lives++) {
                const { env, kill } = mortal();
                const tell = async (): Promise<void> => {
                    times++;
                    kill();
                };
                await drainOf(env)
                    .drain([run.runId], publication({ tell }))
                    .catch(() => undefined); // It was killed.
                await leaseRanOut(run);
            }
            expect([times, await bench.rowsOf(FlowPendingEffect, run.runId)]).toEqual([NOTIFICATION_ATTEMPTS, 0]);
        });
    });

    it('are also left by a run that was cancelled before it began', async () => {
        const { runs } = await bench.waitingRuns(1);
        const runId = runs[0]!;
        expect(await transitions.cancel(runId)).toBe('CANCELLED');
        await pending.told([runId], toldOf(endEvent('CANCELLED')!));
        expect(await pending.waiting(1_000)).toContain(runId);
        let told = 0;
        await drainOf().drain([runId], publication({ notifyHooks: async () => ++told > 0 }));
        expect([told, await bench.rowsOf(FlowPendingEffect, runId)]).toEqual([1, 0]);
    });

    it('are published by one process at a time, even for longer than a lease', async () => {
        const run = await ended(3);
        let published = 0;
        const announce = async (effects: readonly unknown[]): Promise<void> => {
            published += effects.length;
            await sleep(LEASE_MS);
        };
        const counts = await Promise.all([1, 2, 3].map(() => drainOf().drain([run.runId], publication({ announce }))));
        expect(published).toBe(3);
        expect(counts.filter(count => count === 3)).toHaveLength(1);
    });

    it('continue after a subscriber that always throws, which receives its event five times and delays no index', async () => {
        const told = jest.spyOn(Logger, 'error').mockReturnValue();
        jest.spyOn(Logger, 'warn').mockReturnValue();
        const run = await ended(250);
        const { announced, announce } = counting(i => {
            if (i === 7) throw new Error('no bus');
        });
        const indexed: number[] = [];
        const index = async (effects: ReadonlyArray<{ readonly payload: object }>): Promise<void> =>
            void indexed.push(...effects.map(({ payload }) => (payload as { i: number }).i));
        await drainOf(bench.env, 3_600_000).drain([run.runId], publication({ announce, index }));
        expect(announced.get(7)).toBe(1);
        expect([...indexed].sort((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, i) => i));
        expect(await pending.waiting(1_000)).not.toContain(run.runId);
        await bench.dataSource.getRepository(FlowPendingEffect).update({ runId: run.runId }, { nextTryAt: null });
        await swept(run, { announce, index });
        expect(announced.get(7)).toBe(EVENT_ATTEMPTS);
        expect([...announced.values()].filter(times => times > 1)).toEqual([EVENT_ATTEMPTS]);
        expect(indexed).toHaveLength(250);
        expect(told).toHaveBeenCalledWith(expect.stringContaining('no bus'), expect.anything(), expect.anything());
    });

    it('are announced at most twice if a worker is killed among 10,000, and at most five times if one of them kills it each time', async () => {
        jest.spyOn(Logger, 'error').mockReturnValue();
        jest.spyOn(Logger, 'warn').mockReturnValue();
        const run = await ended(10_000);
        const { env, kill } = mortal();
        const { announced, announce } = counting(i => {
            if (i === 5_050 && announced.get(i) === 1) kill();
        });
        await expect(drainOf(env).drain([run.runId], publication({ announce }))).rejects.toMatchObject({
            code: 'WORKER_STOPPED',
        });
        expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBeGreaterThan(4_900);
        await swept(run, { announce });
        expect(announced.size).toBe(10_000);
        expect(Math.max(...announced.values())).toBe(2);
        // Only the batch that the killed worker was publishing is announced again.
        expect([...announced.values()].filter(times => times > 1).length).toBeLessThanOrEqual(100);

        const deadly = await ended(20);
        const deaths = counting();
        for (let deadlyTries = 0; deadlyTries < EVENT_ATTEMPTS + 3; deadlyTries++) {
            const process = mortal();
            const announcing = async (effects: Parameters<PendingPublication['announce']>[0]): Promise<void> => {
                await deaths.announce(effects);
                if (effects[0]!.payload['i'] === 3) process.kill();
            };
            await drainOf(process.env)
                .drain([deadly.runId], publication({ announce: announcing }))
                .catch(() => undefined);
            await leaseRanOut(deadly);
        }
        expect(await bench.rowsOf(FlowPendingEffect, deadly.runId)).toBe(0);
        expect(deaths.announced.get(3)).toBe(EVENT_ATTEMPTS);
        const others = [...deaths.announced].filter(([i]) => i !== 3).map(([, times]) => times);
        expect([others.length, Math.max(...others)]).toEqual([19, 2]);
    });

    it('of an unknown kind are kept for a version that knows it, are reported, and delay nothing', async () => {
        const warned = jest.spyOn(Logger, 'warn').mockReturnValue();
        const run = await left(3);
        await bench.env.database.run(() =>
            insertFlowRows(targetOf(bench.env, 'effects'), [
                { runId: run.runId, stepKey: '', kind: 'of.tomorrow', payload: {} },
            ]),
        );
        await new Loads(bench.env, run, bench).commit(bench.unit([`later-${run.runId}`], { batchNo: 1, effects: 2 }));
        await end(run);
        expect(await drainOf().drain([run.runId], publication())).toBe(5);
        const rest = await bench.dataSource.getRepository(FlowPendingEffect).findBy({ runId: run.runId });
        expect(rest).toMatchObject([{ kind: 'of.tomorrow', attempts: 0 }]);
        expect(await pending.waiting(1_000)).not.toContain(run.runId);
        expect(warned).toHaveBeenCalledWith(expect.stringContaining('of.tomorrow'), expect.anything());
    });

    it('reach an index that was unavailable for a while, and no event is repeated because of that', async () => {
        jest.spyOn(Logger, 'error').mockReturnValue();
        const run = await ended(150);
        const { announced, announce } = counting();
        let tries = 0;
        let indexed = 0;
        const index = async (effects: readonly unknown[]): Promise<void> => {
            if (++tries <= 4) throw new Error('no index');
            indexed += effects.length;
        };
        await swept(run, { announce, index });
        expect(indexed).toBe(150);
        expect([...announced.values()].every(times => times === 1)).toBe(true);
    });

    it('mark collections as stale once for each run, until they are up to date', async () => {
        const run = await ended(250);
        await drainOf().drain([run.runId], publication({ changesCollections: () => true }));
        const marks = (await pending.marks()).filter(mark => mark.runId === run.runId);
        expect(marks).toHaveLength(1);
        expect(await pending.waiting(1_000)).toContain(run.runId);
        await pending.remove(marks);
        expect(await pending.waiting(1_000)).not.toContain(run.runId);
    });

    it('include the changes of collections, in the same pass', async () => {
        const run = await ended(1);
        const { announced, announce } = counting();
        const indexed: number[] = [];
        await drainOf().drain(
            [run.runId],
            publication({
                announce,
                collections: async () => {
                    await bench.env.database.run(() =>
                        pending.keep(run.runId, [{ kind: 'entities.changed', payload: { i: 99 } }]),
                    );
                    return true;
                },
                index: async effects => void indexed.push(effects.length),
            }),
        );
        expect([[...announced.keys()], indexed]).toEqual([[0, 99], [2]]);
    });

    it('that are added while another process publishes those of the run are published by it, without a sweep', async () => {
        const run = await left(3);
        let statements = 0;
        const { database: real } = bench.env;
        const counted: StoreEnv = {
            ...bench.env,
            database: {
                dialect: real.dialect,
                managed: (work, options) => real.managed(work, options),
                within: (manager, script) => real.within(manager, script),
                run: script => (statements++, real.run(script)),
                transaction: (script, options) => (statements++, real.transaction(script, options)),
            },
        };
        const known: string[] = [];
        const telling = (who: string, announce: () => Promise<void> = () => Promise.resolve()): PendingPublication =>
            publication({
                notifyHooks: async ({ kind }) => known.push(`${who}: ${kind}`) > 0,
                announce: async effects => {
                    known.push(`${who}: ${effects.length} change`);
                    await announce();
                },
            });
        const others: Array<number | undefined> = [];
        let isFirst = true;
        const first = telling('first', async () => {
            if (!isFirst) return;
            isFirst = false;
            // Another process ends the run meanwhile, and a third one comes for its effects as well.
            await end(run);
            for (const who of ['second', 'third']) others.push(await drainOf(counted).drain([run.runId], telling(who)));
        });
        expect(await drainOf().drain([run.runId], first)).toBe(3);
        expect(others).toEqual([undefined, undefined]);
        // Each of them has tried once to take the lease, and has once requested another pass from its holder.
        expect(statements).toBe(4);
        expect(known).toEqual(['first: 1 change', 'first: 1 change', 'first: 1 change', 'first: RUN_ENDED']);
        expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        expect(await bench.dataSource.getRepository(FlowLease).countBy({ name: `effects:${run.runId}` })).toBe(0);
    });

    it('of a process that has died after another one requested a pass are published by the next one', async () => {
        jest.spyOn(Logger, 'warn').mockReturnValue();
        const run = await ended(2);
        const dying = mortal();
        const announce = async (): Promise<void> => {
            expect(await drainOf().drain([run.runId], publication())).toBeUndefined();
            dying.kill();
        };
        await expect(drainOf(dying.env).drain([run.runId], publication({ announce }))).rejects.toMatchObject({
            code: 'WORKER_STOPPED',
        });
        let told = 0;
        await swept(run, { notifyHooks: async () => ++told > 0, announce: async () => void told++ });
        expect(await bench.rowsOf(FlowPendingEffect, run.runId)).toBe(0);
        // The dead process has notified the hooks; its events are published again.
        expect(told).toBe(2);
    });

    it('are published by no process while a lease rests', async () => {
        const exclusive = exclusiveOf();
        const lease = await exclusive.hold('resting');
        expect(await exclusive.hold('resting')).toBeUndefined();
        await lease!.rest(3_600_000);
        expect(await exclusive.hold('resting')).toBeUndefined();
        await bench.dataSource.getRepository(FlowLease).update({ name: 'resting' }, { expiresAt: 1 });
        const next = await exclusive.hold('resting');
        expect(await next!.end()).toBe(false);
        const last = await exclusive.hold('resting');
        expect(last).toBeDefined();
        await last!.end();
    });

    it('leave no leases of dead processes that never return, and keep the terms of leaders', async () => {
        const held = await exclusiveOf().hold('effects:held');
        const target = { table: tableOf(bench.dataSource, FlowLease), dialect: bench.env.database.dialect };
        const old = { holder: randomUUID(), term: 7, expiresAt: 1 };
        const rows = ['effects:gone', 'purge'].map(name => ({ name, ...old }));
        await bench.env.database.run(() => insertRows(target, rows));
        await leasesOf().removeForgotten('effects:');
        const names = (await bench.dataSource.getRepository(FlowLease).find()).map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(['effects:held', 'purge']));
        expect(names).not.toContain('effects:gone');
        await held!.end();
        expect(await leasesOf().take({ name: 'purge', holder: 'next', leaseMs: 1 })).toBe(8);
    });
}
