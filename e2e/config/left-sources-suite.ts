import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../../src/core/value/json';
import { flowError } from '../../src/core/errors/flow-error';
import type { LoadUnit, RestoredOffset } from '../../src/core/ports/ports';
import type { ResumableSource } from '../../src/core/ports/resumable-source';
import { START } from '../../src/core/steps/extract';
import { insertRows, type Id } from '../../src/database/write';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowLoadMarker } from '../../src/plugin/entities/load-marker';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import type { ClaimedRun } from '../../src/plugin/stores/leases';
import { Loads } from '../../src/plugin/stores/loads';
import { Offsets } from '../../src/plugin/stores/offsets';
import { CleanupQueries } from '../../src/plugin/stores/cleanup-queries';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import { runScope, targetOf } from '../../src/plugin/stores/store-env';
import type { Database } from './databases';
import { commit, LOST, type OpenStores, reject, type StoreBench } from './store-bench';

const FILE = { stepKey: 'extract', key: 'position:the file' };

/** What an uncompleted run stores about its sources, and how the next run uses it. */
export function leftSourcesSuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    let transitions: RunTransitions;
    beforeAll(async () => {
        bench = await open();
        transitions = new RunTransitions(bench.env);
    });

    const loadsOf = (run: ClaimedRun) => new Loads(bench.env, run, bench);
    const positionsOf = async (run: ClaimedRun): Promise<Offsets> => {
        const offsets = new Offsets(bench.env, run);
        await offsets.load();
        return offsets;
    };
    const takenUp = async (run: ClaimedRun): Promise<RestoredOffset> =>
        (await positionsOf(run)).restoreCheckpoint(FILE);
    const fail = (run: ClaimedRun): Promise<unknown> =>
        transitions.finish(run, { status: 'FAILED', error: flowError('RECORD_INVALID', { path: 'a', problem: 'x' }) });
    const nextOf = async ({ pipelineId }: ClaimedRun, leaseMs?: number): Promise<ClaimedRun> =>
        bench.claim(await bench.addRun(pipelineId, 0), leaseMs);
    const leftOf = async ({ pipelineId }: ClaimedRun): Promise<readonly unknown[]> => {
        const rows = await bench.dataSource.getRepository(FlowCheckpoint).findBy({ pipelineId, scope: '' });
        return rows.map(({ value }) => value);
    };
    /** Loads one record of a batch of ten; the second record is rejected. */
    const refusing = (name: string, batchNo: number, stepKey = 'load'): LoadUnit => {
        const unit = bench.unit([name], { batchNo, stepKey });
        return {
            ...unit,
            *work(tx) {
                const result = yield* unit.work(tx);
                return { ...result, verdicts: 'CX', rejects: [reject(batchNo * 10 + 1, { stepKey })] };
            },
        };
    };
    const rejectsOf = async ({ runId }: ClaimedRun): Promise<readonly string[]> => {
        const rows = await bench.dataSource.getRepository(FlowRecordError).findBy({ runId });
        return rows.map(({ stepKey, seq, payload }) => `${stepKey} ${seq} ${String(payload['name'])}`).sort();
    };

    /** Loads three batches, and commits the first of them. */
    const failed = async (name: string): Promise<ClaimedRun> => {
        const run = await bench.claimed();
        const positions = await positionsOf(run);
        expect(await positions.restoreCheckpoint(FILE)).toEqual({ position: START, isLeft: false, rejectedBefore: 0 });
        for (const batchNo of [0, 1, 2]) await loadsOf(run).commit(refusing(`${name}-${batchNo}`, batchNo));
        await positions.commit(commit(1, 10));
        await fail(run);
        return run;
    };

    it('is continued where the last run stopped, and what was loaded after that is neither loaded nor counted again', async () => {
        const first = await failed('on');
        expect(await bench.rowsOf(FlowLoadMarker, first.runId)).toBe(0);
        expect(await bench.dataSource.getRepository(FlowCheckpoint).countBy({ scope: runScope(first.runId) })).toBe(0);
        expect(await leftOf(first)).toMatchObject([{ loads: [{ batchNo: 1 }, { batchNo: 2 }] }]);

        const next = await nextOf(first);
        const before = await positionsOf(next);
        expect(await before.isLeft(FILE)).toBe(true);
        expect(await before.isLeft({ ...FILE, key: 'position:another' })).toBe(false);
        expect(await takenUp(next)).toEqual({ position: commit(1, 10).position, isLeft: true, rejectedBefore: 2 });
        expect(await (await positionsOf(next)).isLeft(FILE)).toBe(false);
        expect((await (await positionsOf(next)).load()).rejectedBefore).toBe(2);
        expect(await leftOf(first)).toEqual([]);
        const loads = loadsOf(next);
        for (const batchNo of [1, 2])
            expect(await loads.commit(refusing(`on-${batchNo}`, batchNo))).toEqual({ verdicts: '=X', replayed: true });
        expect(await loads.commit(bench.unit(['on-3'], { batchNo: 3 }))).toEqual({ verdicts: 'C', replayed: false });
        expect(await bench.loaded('on-')).toEqual(['on-0', 'on-1', 'on-2', 'on-3']);
        // It reports the rejects that it counts, and nothing about records that it has not read.
        expect(await rejectsOf(next)).toEqual(['load 11 record 11', 'load 21 record 21']);

        await transitions.finish(next, { status: 'COMPLETED', outcome: 'PARTIAL' });
        expect(await leftOf(first)).toEqual([]);
        expect(await takenUp(await nextOf(first))).toEqual({ position: START, isLeft: false, rejectedBefore: 0 });
    });

    it('is passed from run to run, with what each of them has loaded', async () => {
        const first = await failed('chain');
        const second = await nextOf(first);
        await takenUp(second);
        await loadsOf(second).commit(refusing('chain-1-again', 1, 'again'));
        await fail(second);
        const third = await nextOf(first, 1);
        await takenUp(third);
        await sleep(20);
        // Its worker has died, and no other one has taken it over.
        expect(await transitions.cancel(third.runId)).toBe('CANCELLED');
        const fourth = await nextOf(first);
        expect(await takenUp(fourth)).toMatchObject({
            isLeft: true,
            rejectedBefore: 3,
            position: { batchNo: 1, seq: 10 },
        });
        for (const stepKey of ['load', 'again'])
            expect(await loadsOf(fourth).commit(refusing('chain-1', 1, stepKey))).toMatchObject({ replayed: true });
        expect(await rejectsOf(fourth)).toEqual(['again 11 record 11', 'load 11 record 11', 'load 21 record 21']);
    });

    it('is kept from its beginning if nothing was committed, and not at all if nothing was loaded', async () => {
        const idle = await bench.claimed();
        await takenUp(idle);
        await fail(idle);
        expect(await leftOf(idle)).toEqual([]);

        const first = await bench.claimed();
        await takenUp(first);
        await loadsOf(first).commit(bench.unit(['uncommitted']));
        await fail(first);
        const next = await nextOf(first);
        expect(await takenUp(next)).toEqual({ position: START, isLeft: true, rejectedBefore: 0 });
        expect(await loadsOf(next).commit(bench.unit(['uncommitted']))).toMatchObject({ replayed: true });
    });

    it('is taken up once, however often the response is lost', async () => {
        const first = await failed('lost');
        const next = await nextOf(first);
        for (let time = 0; time < 3; time++)
            expect(await takenUp(next)).toEqual({ position: commit(1, 10).position, isLeft: true, rejectedBefore: 2 });
        expect(await bench.rowsOf(FlowLoadMarker, next.runId)).toBe(2);
        expect(await new Offsets(bench.env, next).load()).toEqual({
            positions: { extract: commit(1, 10).position },
            counters: {},
            rejectedBefore: 2,
        });
    });

    it('does not change when a worker wants it that has lost its run', async () => {
        const first = await failed('zombie');
        const old = await nextOf(first, 1);
        await sleep(20);
        const now = await bench.claim(old.runId);
        await expect(takenUp(old)).rejects.toEqual(LOST);
        expect(await leftOf(first)).toHaveLength(1);
        expect(await takenUp(now)).toMatchObject({ isLeft: true });
    });

    it('belongs to one step and one key', async () => {
        const first = await failed('own');
        const next = await nextOf(first);
        const positions = await positionsOf(next);
        for (const other of [
            { ...FILE, key: 'position:another file' },
            { ...FILE, stepKey: 'Extract' },
        ])
            expect(await positions.restoreCheckpoint(other)).toEqual({
                position: START,
                isLeft: false,
                rejectedBefore: 0,
            });
        expect(await leftOf(first)).toHaveLength(1);
    });

    it('is not used by a run that starts over, until that run has made progress or has completed', async () => {
        const first = await failed('over');
        const anew = { ...FILE, startOver: true };
        for (const [end, left] of [
            ['FAILED', 1],
            ['COMPLETED', 0],
        ] as const) {
            const run = await nextOf(first);
            expect(await (await positionsOf(run)).restoreCheckpoint(anew)).toEqual({
                position: START,
                isLeft: false,
                rejectedBefore: 0,
            });
            expect(await bench.rowsOf(FlowLoadMarker, run.runId)).toBe(0);
            if (end === 'FAILED') await fail(run);
            else await transitions.finish(run, { status: end, outcome: 'SUCCESS' });
            expect(await leftOf(first)).toHaveLength(left);
        }
    });

    it('stays when the row of its run is deleted', async () => {
        const first = await failed('purged');
        await bench.dataSource.getRepository(FlowPendingEffect).delete({ runId: first.runId });
        const longAgo = new Date(Date.now() - 100 * 86_400_000);
        await bench.dataSource
            .getRepository(FlowPipelineRun)
            .update({ id: first.runId }, { createdAt: longAgo, finishedAt: longAgo });
        let gone = 0;
        for await (const count of new CleanupQueries(bench.env).olderThan('runs', 30)) gone += count;
        expect(gone).toBe(1);
        const next = await nextOf(first);
        expect(await takenUp(next)).toMatchObject({ isLeft: true, position: { batchNo: 1 } });
        expect(await loadsOf(next).commit(refusing('purged-1', 1))).toMatchObject({ replayed: true });
    });

    it('is found by a run that reads another source from the beginning, until a run of the pipeline has completed', async () => {
        const content = (name: string): ResumableSource => ({
            stepKey: FILE.stepKey,
            key: `position:${name}`,
            of: { content: name },
            seeksUnfinished: true,
        });
        const begun = async (run: ClaimedRun, source: ResumableSource): Promise<RestoredOffset> =>
            (await positionsOf(run)).restoreCheckpoint(source);
        const first = await bench.claimed();
        await begun(first, content('a'));
        await loadsOf(first).commit(bench.unit(['anew-0'], { batchNo: 0 }));
        await fail(first);

        const second = await nextOf(first);
        expect(await begun(second, { ...content('b'), seeksUnfinished: false })).not.toHaveProperty('unfinished');
        await fail(second);
        const third = await nextOf(first);
        const unfinished = { runId: first.runId, of: { content: 'a' } };
        expect(await begun(third, content('b'))).toMatchObject({ position: START, isLeft: false, unfinished });
        // A worker that resumes this run has begun it already.
        expect(await begun(third, content('b'))).not.toHaveProperty('unfinished');
        const runs = bench.dataSource.getRepository(FlowPipelineRun);
        await runs.update({ id: first.runId }, { createdAt: new Date(Date.now() - 60_000) });
        await transitions.finish(third, { status: 'COMPLETED', outcome: 'SUCCESS' });
        const fourth = await nextOf(first);
        expect(await begun(fourth, content('c'))).not.toHaveProperty('unfinished');
        await fail(fourth);
        // A run that reads the same source still finds it.
        expect(await begun(await nextOf(first), content('a'))).toMatchObject({ isLeft: true });
    });

    describe('that an earlier version has left', () => {
        const stored = (pipelineId: Id, rows: ReadonlyArray<{ scope: string; key: string; value: JsonValue }>) =>
            bench.env.database.transaction(() =>
                insertRows(
                    targetOf(bench.env, 'checkpoints'),
                    rows.map(row => ({ pipelineId, stepKey: FILE.stepKey, ...row })),
                ),
            );

        it('is continued there', async () => {
            const run = await bench.claimed();
            await stored(run.pipelineId, [{ scope: '', key: FILE.key, value: { token: { row: 7 }, skip: 2 } }]);
            expect(await takenUp(run)).toEqual({
                position: { ...START, token: { row: 7 }, skip: 2 },
                isLeft: true,
                rejectedBefore: 0,
            });
        });

        it('belongs to the run that is still active: the old place is deleted', async () => {
            const run = await bench.claimed();
            const { position, counters } = JSON.parse(JSON.stringify(commit(3, 30))) as { [key: string]: JsonValue };
            await stored(run.pipelineId, [
                { scope: runScope(run.runId), key: '', value: { position: position!, counters: counters! } },
                { scope: '', key: FILE.key, value: { token: 1, skip: 0 } },
            ]);
            const positions = await positionsOf(run);
            expect(await positions.restoreCheckpoint(FILE)).toEqual({
                position: commit(3, 30).position,
                isLeft: false,
                rejectedBefore: 0,
            });
            expect(await leftOf(run)).toEqual([]);
            await positions.commit(commit(4, 10));
            expect((await new Offsets(bench.env, run).load()).counters['extract']).toMatchObject({ in: 40 });
            await fail(run);
            expect(await takenUp(await nextOf(run))).toEqual({
                position: commit(4, 10).position,
                isLeft: true,
                rejectedBefore: 0,
            });
        });
    });

    if (database !== 'sqlite') {
        it('costs no statement in addition to the position', async () => {
            const run = await bench.claimed();
            const positions = await positionsOf(run);
            await positions.restoreCheckpoint(FILE);
            expect(await bench.statementsOf(() => positions.commit(commit(1, 10)))).toHaveLength(1);
        });
    }
}
