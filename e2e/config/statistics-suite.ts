import type { ID, RequestContext, TransactionalConnection } from '@vendure/core';
import { flowError } from '../../src/core/errors/flow-error';
import type { StatementProgram } from '../../src/core/adapter/loader';
import { durationBucket } from '../../src/core/progress/durations';
import { NO_COUNTS } from '../../src/core/progress/counters';
import type { Id } from '../../src/database/write';
import { Analytics, type RunAnalytics } from '../../src/plugin/analytics/analytics';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowRunStatistics } from '../../src/plugin/entities/run-statistics';
import { RunLeases } from '../../src/plugin/stores/leases';
import { CleanupQueries } from '../../src/plugin/stores/cleanup-queries';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import type { OpenStores, StoreBench } from './store-bench';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOBODY = { runs: 0, success: 0, partial: 0, empty: 0, failed: 0, cancelled: 0, recordsRead: 0 };

/** The source of analytics: runs are counted once each when they end, and queried here. */
export function statisticsSuite(open: OpenStores): void {
    let bench: StoreBench;
    let transitions: RunTransitions;
    let analytics: Analytics;
    beforeAll(async () => {
        bench = await open();
        transitions = new RunTransitions(bench.env);
        const connection = { rawConnection: bench.dataSource } as TransactionalConnection;
        analytics = new Analytics(connection, bench.env.database);
    });

    const ctxOf = (channelId: ID): RequestContext => ({ channelId }) as RequestContext;
    const ask = (pipelineId: Id, more: object = {}): Promise<RunAnalytics> =>
        analytics.of(ctxOf(bench.id(1)), { from: new Date(Date.now() - HOUR_MS), pipelineId, ...more });
    const change = (id: Id, set: object): Promise<unknown> =>
        bench.dataSource.getRepository(FlowPipelineRun).update({ id }, set);

    const totals = (read: number, loaded: number, rejected: number) => ({
        counters: { in: NO_COUNTS },
        totals: {
            recordsRead: read,
            recordsProcessed: read,
            recordsLoaded: loaded,
            recordsUnchanged: 0,
            recordsFiltered: 0,
            recordsRejected: rejected,
        },
    });

    it('count each run once, by its status and what it has done', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(6);
        const [good, mixed, empty, broken, cancelled, taken] = runs as [Id, Id, Id, Id, Id, Id];
        for (const [runId, ending] of [
            [good, { status: 'COMPLETED', outcome: 'SUCCESS', progress: totals(10, 8, 0) }],
            [mixed, { status: 'COMPLETED', outcome: 'PARTIAL', progress: totals(5, 3, 2) }],
            [empty, { status: 'COMPLETED', outcome: 'EMPTY', progress: totals(0, 0, 0) }],
            [broken, { status: 'FAILED', error: flowError('ACTOR_GONE', { who: 'x' }), progress: totals(7, 1, 1) }],
        ] as const) {
            const run = await bench.claim(runId);
            await transitions.finish(run, ending);
            // A worker that retries, or that has lost the run, ends nothing.
            await expect(transitions.finish(run, ending)).rejects.toMatchObject({ code: 'LEASE_LOST' });
            await expect(transitions.cancel(runId)).rejects.toMatchObject({ code: 'RUN_STATE_CONFLICT' });
        }
        expect(await transitions.cancel(cancelled)).toBe('CANCELLED');
        // A third worker that dies without progress pauses the run; then a user cancels it.
        await bench.claim(taken);
        await change(taken, { takeovers: 2, leaseExpiresAt: 1 });
        expect(await new RunLeases(bench.env, 30_000).claim(taken)).toEqual({ run: undefined, because: 'gaveUp' });
        expect(await transitions.cancel(taken)).toBe('CANCELLED');
        const { total, pipelines, periods } = await ask(pipelineId, { period: 'HOUR' });
        expect(total).toMatchObject({
            runs: 6,
            success: 1,
            partial: 1,
            empty: 1,
            failed: 1,
            cancelled: 2,
            recordsRead: 22,
            recordsLoaded: 12,
            recordsRejected: 3,
        });
        expect(pipelines.map(({ pipeline, figures }) => [pipeline.id, figures])).toEqual([[pipelineId, total]]);
        expect(periods.reduce((sum, { figures }) => sum + figures.runs, 0)).toBe(6);
    });

    it('include exactly the runs that have ended, even if a worker dies after any statement of an end', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(1);
        const run = await bench.claim(runs[0]!);
        const { database: real } = bench.env;
        const ending = { status: 'COMPLETED', outcome: 'SUCCESS', progress: totals(3, 2, 1) } as const;
        let deaths = 0;
        for (let isEnded = false; !isEnded; deaths++) {
            let left = deaths;
            // The session never commits, so what it sent is lost.
            const dying = function* (statementProgram: StatementProgram<unknown>): StatementProgram<unknown> {
                for (let step = statementProgram.next(); !step.done; step = statementProgram.next(yield step.value))
                    if (left-- === 0) throw flowError('WORKER_STOPPED', {});
                return true;
            };
            const database = {
                ...real,
                transaction: (script: () => StatementProgram<unknown>, options: object) =>
                    real.transaction(() => dying(script()), options),
            } as typeof real;
            isEnded = await new RunTransitions({ ...bench.env, database }).finish(run, ending).then(
                () => true,
                () => false,
            );
            const { status } = await bench.run(run.runId);
            const counted = status === 'COMPLETED' ? { runs: 1, recordsRead: 3, recordsLoaded: 2 } : NOBODY;
            expect((await ask(pipelineId)).total).toMatchObject(counted);
            expect(status).toBe(isEnded ? 'COMPLETED' : 'RUNNING');
        }
        expect(deaths).toBeGreaterThan(5);
    });

    it('count no dry run', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(1);
        await change(runs[0]!, { dryRun: true });
        await transitions.finish(await bench.claim(runs[0]!), { status: 'COMPLETED', outcome: 'SUCCESS' });
        expect((await ask(pipelineId)).total).toMatchObject(NOBODY);
    });

    it('count runs that end at the same time', async () => {
        const made = await Promise.all(Array.from({ length: 8 }, () => bench.waitingRuns(3)));
        await Promise.all(made.flatMap(({ runs }) => runs.map(runId => transitions.cancel(runId))));
        for (const { pipelineId } of made)
            expect((await ask(pipelineId)).total).toMatchObject({ cancelled: 3, runs: 3 });
    });

    it('show how long runs took, by the time between their first start and their end', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(11);
        for (const [i, runId] of runs.entries()) {
            const run = await bench.claim(runId);
            await change(runId, { startedAt: new Date(Date.now() - (i + 1) * DAY_MS) });
            await transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS' });
        }
        const { medianMs, p95Ms, p99Ms } = (await ask(pipelineId)).total;
        expect([medianMs, p95Ms, p99Ms].map(told => durationBucket(told!))).toEqual(
            [6, 11, 11].map(days => durationBucket(days * DAY_MS)),
        );
    });

    it('show nothing of another channel, and nothing from outside the window', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(1);
        await transitions.cancel(runs[0]!);
        const from = new Date(Date.now() - HOUR_MS);
        expect((await analytics.of(ctxOf(bench.id(2)), { from })).total).toMatchObject(NOBODY);
        for (const [channel, id] of [
            [2, pipelineId],
            [1, bench.id(99_999)],
        ] as const)
            await expect(analytics.of(ctxOf(bench.id(channel)), { from, pipelineId: id })).rejects.toMatchObject({
                code: 'PIPELINE_NOT_FOUND',
            });
        const before = { from: new Date('2020-01-01T10:20Z'), to: new Date('2020-01-01T12:10Z') };
        expect(await ask(pipelineId, before)).toMatchObject({
            from: new Date('2020-01-01T10:00Z'),
            to: new Date('2020-01-01T13:00Z'),
            total: { ...NOBODY, medianMs: null },
            pipelines: [],
            periods: [],
        });
    });

    it('are grouped by days and by hours', async () => {
        const { pipelineId } = await bench.waitingRuns(0);
        const day = 20_000;
        const row = { pipelineId, channelId: bench.id(1), result: 'SUCCESS', duration: 40, recordsRead: 3e9 } as const;
        const counts = { runs: 2, recordsLoaded: 1, recordsRejected: 0 };
        const hours = [0, 1, 23, 24].map(hour => ({ ...row, ...counts, hour: day * 24 + hour }));
        await bench.dataSource.getRepository(FlowRunStatistics).insert(hours);
        const window = { from: new Date(day * 24 * HOUR_MS), to: new Date((day + 2) * 24 * HOUR_MS) };
        const told = async (period: 'DAY' | 'HOUR') =>
            (await ask(pipelineId, { ...window, period })).periods.map(({ start, figures }) => [
                start.getTime() / HOUR_MS - day * 24,
                figures.runs,
                figures.recordsRead,
            ]);
        expect(await told('DAY')).toEqual([
            [0, 6, 9e9],
            [24, 2, 3e9],
        ]);
        expect(await told('HOUR')).toEqual([0, 1, 23, 24].map(hour => [hour, 2, 3e9]));
    });

    it.each([
        ['that ends before it begins', { from: new Date(2e12), to: new Date(1e12) }],
        ['of too many hours', { from: new Date(1e12), to: new Date(1e12 + 40 * 24 * HOUR_MS), period: 'HOUR' }],
        ['of too many days', { from: new Date(0), to: new Date(1e12), period: 'DAY' }],
    ])('are rejected for a window %s', async (_, window) => {
        await expect(ask(bench.id(1), window)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    });

    it('are deleted after their retention, except for the latest of them', async () => {
        const { pipelineId, runs } = await bench.waitingRuns(1);
        await transitions.cancel(runs[0]!);
        const statistics = bench.dataSource.getRepository(FlowRunStatistics);
        const { hour, duration, result, channelId } = await statistics.findOneByOrFail({ pipelineId });
        const counts = { runs: 1, recordsRead: 0, recordsLoaded: 0, recordsRejected: 0 };
        for (const days of [9, 40, 41, 400])
            await statistics.insert({ pipelineId, duration, result, channelId, ...counts, hour: hour - days * 24 });
        for await (const gone of new CleanupQueries(bench.env).statistics(30)) expect(gone).toBeGreaterThan(0);
        const left = await statistics.find({ where: { pipelineId }, order: { hour: 'ASC' } });
        expect(left.map(row => row.hour)).toEqual([hour - 9 * 24, hour]);
    });
}
