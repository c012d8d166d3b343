import { randomUUID } from 'node:crypto';
import type { SpooledBatch, SpooledRecord } from '../../src/core/ports/ports';
import { START } from '../../src/core/steps/extract';
import { FlowHeldBatch } from '../../src/plugin/entities/held-batch';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { type ClaimedRun, RunLeases } from '../../src/plugin/stores/leases';
import { FlowGateDecision } from '../../src/plugin/entities/gate-decision';
import { RunGates } from '../../src/plugin/stores/gates';
import { SpooledPages } from '../../src/plugin/stores/spooled-pages';
import { RunPauses } from '../../src/plugin/stores/pauses';
import { Offsets } from '../../src/plugin/stores/offsets';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import { Spool } from '../../src/plugin/stores/spool';
import { until } from './flow-server';
import { commit, LOST, type OpenStores, type StoreBench } from './store-bench';

/** What steps hold of a run, and runs that wait until they may continue. */
export function spoolSuite(open: OpenStores): void {
    let bench: StoreBench;
    let leases: RunLeases;
    let transitions: RunTransitions;
    let pauses: RunPauses;
    let gates: RunGates;
    beforeAll(async () => {
        bench = await open();
        leases = new RunLeases(bench.env, 30_000);
        transitions = new RunTransitions(bench.env);
        pauses = new RunPauses(bench.env);
        gates = new RunGates(bench.env, 30_000);
    });

    const record = (seq: number, over: Partial<SpooledRecord> = {}): SpooledRecord => ({
        data: { id: seq, text: 'Größe 👕 \0 "' },
        origin: seq,
        ...over,
    });
    const held = (batchNo: number, over: Partial<SpooledBatch> = {}): SpooledBatch => ({
        sourceKey: 'extract',
        batchNo,
        from: { token: { row: batchNo * 10 }, skip: 1, batchNo, seq: batchNo * 10, done: false },
        trip: {
            origins: [[0], [1], [2, 0, 1]],
            failed: [1],
            memos: [{ origin: 0, stepKey: 'delta', key: 'k', value: { hash: 'h' } }],
            visited: [['gate', [[0, 1], [2]]]],
        },
        parts: [{ stepKey: 'gate', visit: 0, records: [record(0), record(2, { source: { id: 9 }, place: 'line 3' })] }],
        ...over,
    });
    const holding = async (run: ClaimedRun, ...batches: readonly SpooledBatch[]): Promise<Offsets> => {
        const offsets = new Offsets(bench.env, run);
        await offsets.load();
        await offsets.commit({ ...commit(batches.length, 10), batches: batches.length, held: batches });
        return offsets;
    };
    const person = ({ runId }: ClaimedRun, stepKey = 'gate') =>
        ({ runId, stepKey, decider: 'PERSON', actorId: bench.id(7), comment: 'fine' }) as const;
    const decisionsOf = ({ runId }: ClaimedRun) => bench.dataSource.getRepository(FlowGateDecision).findBy({ runId });
    const resumed = async (run: ClaimedRun, stepKey = 'gate'): Promise<ClaimedRun> => {
        await pauses.pause(run, { stepKey });
        expect(await gates.approve(person(run, stepKey))).toBe(true);
        return bench.claim(run.runId);
    };

    it('at a gate that has decided before is described by the last decision, whatever kind of ids the shop has', async () => {
        const run = await bench.claimed();
        const decisions = bench.dataSource.getRepository(FlowGateDecision);
        for (let i = 0; i < 8; i++)
            await decisions.save(
                new FlowGateDecision({
                    ...{ runId: run.runId, stepKey: 'gate', verdict: 'APPROVED', comment: null, records: 1 },
                    ...{ decider: i === 7 ? 'THRESHOLD' : 'TIMEOUT', actorId: null },
                    createdAt: new Date(Date.UTC(2026, 0, 1, 0, i)),
                }),
            );
        expect(await gates.state({ runId: run.runId, stepKey: 'gate' })).toMatchObject({
            decision: { decider: 'THRESHOLD' },
        });
    });

    it('is returned unchanged, in the order of the source, and not before it is released', async () => {
        const run = await bench.claimed();
        const spool = new Spool(bench.env, run);
        await holding(run, held(3), held(7));
        expect(await spool.next('extract', -1)).toBeUndefined();
        expect(await spool.held()).toEqual(new Map([['gate', 4]]));
        await resumed(run);
        expect(await spool.held()).toEqual(new Map());
        expect(await spool.next('extract', -1)).toEqual({ ...held(3), isHeldElsewhere: false });
        expect(await spool.next('extract', 3)).toEqual({ ...held(7), isHeldElsewhere: false });
        expect(await spool.next('extract', 7)).toBeUndefined();
        expect(await spool.next('Extract', -1)).toBeUndefined();
    });

    it('is stored in pieces that the server accepts, however much it is', async () => {
        const run = await bench.claimed();
        const large = Array.from({ length: 40 }, (_, i) => record(i, { data: { text: 'x'.repeat(150_000) } }));
        const { trip: batchPass } = held(0);
        const stateEntries = Array.from({ length: 5_000 }, (_, i) => ({
            origin: 0,
            stepKey: 's',
            key: `${i}`,
            value: 'v'.repeat(200),
        }));
        const batch = held(0, {
            parts: [{ stepKey: 'gate', visit: 0, records: large }],
            trip: { ...batchPass!, memos: stateEntries },
        });
        await holding(run, batch);
        expect(await bench.rowsOf(FlowHeldBatch, run.runId)).toBeGreaterThan(10);
        await resumed(run);
        expect(await new Spool(bench.env, run).next('extract', -1)).toEqual({ ...batch, isHeldElsewhere: false });
    });

    it('is deleted when it has continued, keeps what other gates hold of the batch, and may be stored twice', async () => {
        const first = await bench.claimed();
        const parts = ['beside', 'gate'].map(stepKey => ({ stepKey, visit: 0, records: [record(0)] }));
        await holding(first, held(0, { parts }));
        const run = await resumed(first);
        const spool = new Spool(bench.env, run);
        expect(await spool.next('extract', -1)).toMatchObject({ isHeldElsewhere: true, parts: [{ stepKey: 'gate' }] });
        const after = held(0, { parts: [{ stepKey: 'gate', visit: 1, records: [record(1)] }] });
        await holding(run, after);
        await holding(run, after);
        expect(await spool.next('extract', -1)).toBeUndefined();
        expect(await spool.held()).toEqual(
            new Map([
                ['beside', 1],
                ['gate', 1],
            ]),
        );
        const again = await resumed(run);
        expect(await spool.next('extract', -1)).toMatchObject({ parts: [{ stepKey: 'gate', visit: 1 }] });
        await holding(again, held(0, { parts: [] }));
        const last = await resumed(again, 'beside');
        await holding(last, held(0, { trip: undefined, parts: [] }));
        expect(await bench.rowsOf(FlowHeldBatch, run.runId)).toBe(0);
    });

    it('is not written by a worker whose run belongs to another one', async () => {
        const run = await bench.claimed();
        await leases.release(run);
        await bench.claim(run.runId);
        await expect(holding(run, held(0))).rejects.toEqual(LOST);
        expect(await bench.rowsOf(FlowHeldBatch, run.runId)).toBe(0);
    });

    describe('a run that is paused', () => {
        it('needs no worker, accepts no writes, and shows where it waits', async () => {
            const run = await bench.claimed();
            const positions = await holding(run, held(0));
            await pauses.pause(run, { stepKey: 'gate' });
            expect(await bench.run(run.runId)).toMatchObject({
                status: 'PAUSED',
                gateStepKey: 'gate',
                leaseToken: null,
                finishedAt: null,
            });
            expect(await leases.claim(run.runId)).toMatchObject({ because: 'paused' });
            expect(await leases.due(1_000)).not.toContain(run.runId);
            await expect(positions.commit(commit(9, 1))).rejects.toEqual(LOST);
            await expect(pauses.pause(run, { stepKey: 'gate' })).rejects.toEqual(LOST);
            const effects = await bench.dataSource
                .getRepository(FlowPendingEffect)
                .find({ where: { runId: run.runId }, order: { kind: 'ASC' } });
            expect(effects).toMatchObject([
                { kind: 'FlowRunPaused', stepKey: 'gate' },
                { kind: 'RUN_PAUSED', stepKey: 'gate' },
            ]);
        });

        it('continues when the gate at which it waits is approved, and only then', async () => {
            const run = await bench.claimed();
            await holding(run, held(0));
            expect(await gates.approve(person(run))).toBe(false);
            await pauses.pause(run, { stepKey: 'gate' });
            expect(await gates.approve(person(run, 'other'))).toBe(false);
            expect(await gates.approve(person(run))).toBe(true);
            expect(await gates.approve(person(run))).toBe(false);
            expect(await gates.reject(person(run))).toBe(false);
            expect(await decisionsOf(run)).toMatchObject([
                {
                    stepKey: 'gate',
                    verdict: 'APPROVED',
                    decider: 'PERSON',
                    actorId: bench.id(7),
                    comment: 'fine',
                    records: 2,
                },
            ]);
            expect(await gates.state(person(run))).toMatchObject({
                status: 'PENDING',
                decision: { verdict: 'APPROVED', decider: 'PERSON' },
            });
            expect(await bench.run(run.runId)).toMatchObject({ status: 'PENDING', gateStepKey: null });
            expect(await leases.due(1_000)).toContain(run.runId);
            expect(await bench.claim(run.runId)).toMatchObject({
                isResumed: true,
                isFirstStart: false,
                isTakeover: false,
            });
        });

        it('is cancelled instead if that was requested, and leaves nothing held', async () => {
            const run = await bench.claimed();
            await holding(run, held(0));
            expect(await transitions.cancel(run.runId)).toBe('REQUESTED');
            await expect(pauses.pause(run, { stepKey: 'gate' })).rejects.toMatchObject({ code: 'RUN_CANCELLED' });
            expect(await bench.run(run.runId)).toMatchObject({ status: 'RUNNING' });
            const paused = await bench.claimed();
            await holding(paused, held(0));
            await pauses.pause(paused, { stepKey: 'gate' });
            expect(await transitions.cancel(paused.runId)).toBe('CANCELLED');
            expect(await bench.rowsOf(FlowHeldBatch, paused.runId)).toBe(0);
            expect(await bench.run(paused.runId)).toMatchObject({ status: 'CANCELLED', gateStepKey: null });
        });

        it('leaves the position of its source before everything that it held, whatever it has read since', async () => {
            const run = await bench.claimed();
            const source = { stepKey: 'extract', key: 'position:file' };
            const offsets = new Offsets(bench.env, run);
            await offsets.load();
            await offsets.restoreCheckpoint(source);
            await offsets.commit({ ...commit(4, 40), batches: 4, held: [held(1), held(3)] });
            await pauses.pause(run, { stepKey: 'gate' });
            await transitions.cancel(run.runId);
            const next = await bench.claim(await bench.addRun(run.pipelineId, 0));
            const taken = new Offsets(bench.env, next);
            await taken.load();
            expect(await taken.restoreCheckpoint(source)).toMatchObject({ isLeft: true, position: held(1).from });
        });

        it('has one decision for each gate, however many users decide at the same moment', async () => {
            const run = await bench.claimed();
            await holding(run, held(0));
            await pauses.pause(run, { stepKey: 'gate' });
            const answers = await Promise.all(
                [gates.approve(person(run)), gates.reject(person(run)), gates.approve(person(run))].map(answer =>
                    answer.catch((error: unknown) => error),
                ),
            );
            expect(answers.filter(answer => answer === true)).toHaveLength(1);
            expect(answers.filter(answer => answer === false)).toHaveLength(2);
            expect(await decisionsOf(run)).toHaveLength(1);
        });

        it('is cancelled if it is rejected: nothing stays held, and the next run reads all of it again', async () => {
            const run = await bench.claimed();
            const source = { stepKey: 'extract', key: 'position:file' };
            const offsets = new Offsets(bench.env, run);
            await offsets.load();
            await offsets.restoreCheckpoint(source);
            await offsets.commit({ ...commit(4, 40), batches: 4, held: [held(1), held(3)] });
            await pauses.pause(run, { stepKey: 'gate' });
            expect(await gates.reject(person(run))).toBe(true);
            expect(await bench.run(run.runId)).toMatchObject({ status: 'CANCELLED', gateStepKey: null });
            expect(await bench.rowsOf(FlowHeldBatch, run.runId)).toBe(0);
            expect(await decisionsOf(run)).toMatchObject([{ verdict: 'REJECTED', records: 4 }]);
            const effects = await bench.dataSource.getRepository(FlowPendingEffect).findBy({ runId: run.runId });
            expect(effects.map(({ kind }) => kind).sort()).toEqual([
                'FlowGateRejected',
                'FlowRunCancelled',
                'FlowRunPaused',
                'RUN_ENDED',
                'RUN_PAUSED',
            ]);
            const next = await bench.claim(await bench.addRun(run.pipelineId, 0));
            const taken = new Offsets(bench.env, next);
            await taken.load();
            expect(await taken.restoreCheckpoint(source)).toMatchObject({ isLeft: true, position: held(1).from });
        });

        it('is approved when its time is over, by one process, for as long as that has the lease', async () => {
            const timed = async (seconds: number): Promise<ClaimedRun> => {
                const run = await bench.claimed();
                await holding(run, held(0));
                await pauses.pause(run, { stepKey: 'gate', opening: { by: 'TIMEOUT', seconds } });
                return run;
            };
            const later = await timed(3_600);
            const run = await timed(0);
            expect((await bench.run(later.runId)).gateTimeoutAt!.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
            const taken = await gates.takeTimedOut(10);
            expect(taken.map(({ runId }) => runId)).toEqual([run.runId]);
            expect(await gates.takeTimedOut(10)).toEqual([]);
            const byTime = { runId: run.runId, stepKey: 'gate', decider: 'TIMEOUT' } as const;
            expect(await gates.approve({ ...byTime, leaseToken: randomUUID() })).toBe(false);
            expect(await gates.approve({ ...byTime, leaseToken: taken[0]!.leaseToken })).toBe(true);
            expect(await decisionsOf(run)).toMatchObject([{ decider: 'TIMEOUT', actorId: null, comment: null }]);
            expect(await bench.run(run.runId)).toMatchObject({
                status: 'PENDING',
                gateTimeoutAt: null,
                gateTimeoutLeaseToken: null,
                gateTimeoutLeaseExpiresAt: null,
            });
            expect(await gates.reject(person(later))).toBe(true);
        });

        it('is left to another process if the one that opened the gate has died', async () => {
            const run = await bench.claimed();
            await holding(run, held(0));
            await pauses.pause(run, { stepKey: 'gate', opening: { by: 'TIMEOUT', seconds: 0 } });
            const [dead] = await new RunGates(bench.env, 0).takeTimedOut(10);
            const [living] = await until(
                () => gates.takeTimedOut(10),
                due => due.length > 0,
            );
            const byTime = { runId: run.runId, stepKey: 'gate', decider: 'TIMEOUT' } as const;
            expect(await gates.approve({ ...byTime, leaseToken: dead!.leaseToken })).toBe(false);
            expect(await gates.approve({ ...byTime, leaseToken: living!.leaseToken })).toBe(true);
        });

        it('may continue at once: it stays RUNNING for the next worker, and the automatic approval is stored', async () => {
            const run = await bench.claimed();
            await holding(run, held(0));
            await pauses.passOn(run, { stepKey: 'gate' });
            expect(await bench.run(run.runId)).toMatchObject({
                status: 'RUNNING',
                leaseToken: null,
                gateStepKey: null,
            });
            expect(await decisionsOf(run)).toMatchObject([{ verdict: 'APPROVED', decider: 'THRESHOLD', records: 2 }]);
            const next = await bench.claim(run.runId);
            expect(await new Spool(bench.env, next).next('extract', -1)).toMatchObject({ batchNo: 0 });
            await expect(pauses.passOn(run, { stepKey: 'gate' })).rejects.toEqual(LOST);
            expect(await transitions.cancel(run.runId)).toBe('REQUESTED');
            await expect(pauses.passOn(next, { stepKey: 'gate' })).rejects.toMatchObject({ code: 'RUN_CANCELLED' });
        });

        it('shows what it holds, page by page, in the order of its batches and with the places at the source', async () => {
            const run = await bench.claimed();
            const records = (from: number, count: number) =>
                Array.from({ length: count }, (_, i) => record(0, { data: { id: from + i } }));
            const part = (...all: readonly SpooledRecord[]) => ({
                parts: [{ stepKey: 'gate', visit: 0, records: all }],
            });
            const placed = record(2, { data: { id: 4 }, place: 'line 3' });
            await holding(run, held(2, part(...records(5, 3))), held(1, part(...records(0, 4), placed)));
            const pages = new SpooledPages(bench.env);
            const gate = { runId: run.runId, stepKey: 'gate' };
            const idsOf = async (skip: number, take: number): Promise<unknown[]> =>
                (await pages.page(gate, { skip, take }, () => undefined)).map(({ data }) => data['id']);
            expect(await pages.count(gate)).toBe(8);
            expect(await idsOf(0, 100)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
            expect(await idsOf(3, 3)).toEqual([3, 4, 5]);
            expect(await idsOf(7, 5)).toEqual([7]);
            expect(await idsOf(8, 5)).toEqual([]);
            const [item] = await pages.page(gate, { skip: 4, take: 1 }, () => undefined);
            expect(item).toEqual({ sourceKey: 'extract', seq: 2, place: 'line 3', data: { id: 4 } });
            const tooMany = new Error('too many');
            let heard = 0;
            const refusing = pages.page(gate, { skip: 0, take: 8 }, () => {
                if (++heard === 3) throw tooMany;
            });
            await expect(refusing).rejects.toBe(tooMany);
            expect(await pages.count({ ...gate, stepKey: 'Gate' })).toBe(0);
        });

        it('holds back the pipeline’s later runs only if it keeps a position or a memory that they would read', async () => {
            const paused = async (batch: SpooledBatch, key?: string): Promise<ClaimedRun> => {
                const run = await bench.claimed();
                const offsets = new Offsets(bench.env, run);
                await offsets.load();
                if (key !== undefined) await offsets.restoreCheckpoint({ stepKey: 'extract', key });
                await offsets.commit({ ...commit(1, 10), position: START, held: [batch] });
                await pauses.pause(run, { stepKey: 'gate' });
                return run;
            };
            const laterOf = async ({ pipelineId }: ClaimedRun) => leases.claim(await bench.addRun(pipelineId, 0));
            const plain = held(0, { trip: { ...held(0).trip!, memos: [] } });
            expect((await laterOf(await paused(plain))).run).toBeDefined();
            const byMemo = await paused(held(0));
            expect(await laterOf(byMemo)).toMatchObject({ because: 'waits' });
            const byPosition = await paused(plain, 'position:file');
            expect(await laterOf(byPosition)).toMatchObject({ because: 'waits' });
            expect(await leases.next(byPosition.pipelineId)).toBeUndefined();
            await transitions.cancel(byPosition.runId);
            expect(await leases.next(byPosition.pipelineId)).toBeDefined();
        });
    });
}
