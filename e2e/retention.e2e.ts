import gql from 'graphql-tag';
import { countStatements, watchStatements } from '../bench/meter';
import { FlowPlugin, pipeline } from '../src';
import type { RunStatus } from '../src/core/progress/state';
import { insertNumbered, type Id } from '../src/database/write';
import { PeriodicJobs } from '../src/plugin/periodic-jobs/periodic-jobs';
import { RunStores } from '../src/plugin/runs/run-stores';
import type { FlowSetup } from '../src/plugin/setup';
import { insertFlowRows } from '../src/plugin/stores/insert';
import { CLEANUP_BATCH } from '../src/plugin/stores/cleanup-queries';
import { targetOf } from '../src/plugin/stores/store-env';
import { FLOW_SETUP } from '../src/plugin/tokens';
import { RetentionCleaner } from '../src/plugin/runs/retention-cleaner';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { onEachDatabase } from './config/matrix';

countStatements();

const DAY_MS = 24 * 60 * 60 * 1000;
const KEEP_ALL = { runsDays: 0, recordErrorsDays: 0, logsDays: 0, analyticsDays: 0 };
const USUAL = { runsDays: 30, recordErrorsDays: 90, logsDays: 30, analyticsDays: 365 };

// The shop's own cleaner and sweeper do nothing, so that only the tests change the runs.
const plugin = FlowPlugin.init({
    retention: KEEP_ALL,
    runtime: { sweepMs: 600_000 },
    pipelines: [
        pipeline('kept')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'inMemory', data: [{ value: 'a' }, { value: '' }] })
            .transform('check', [{ op: 'validateRequired', args: { fields: ['value'] } }])
            .build(),
    ],
});

interface Made {
    readonly status: RunStatus;
    readonly createdDays: number;
    readonly endedDays?: number;
    readonly logs?: number;
}

function retention(database: Database): void {
    let shop: FlowServer;
    let stores: RunStores;

    beforeAll(async () => {
        shop = await flowServer(database, plugin, { jobs: 'sql' });
        stores = shop.app.get(RunStores);
    });
    afterAll(() => shop?.destroy());
    beforeEach(async () => {
        for (const table of [
            'flow_log',
            'flow_record_error',
            'flow_difference',
            'flow_entity_history',
            'flow_pending_effect',
            'flow_pipeline_run',
        ])
            await shop.dataSource.query(`DELETE FROM ${table}`);
    });

    const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

    /** Creates a run with log lines and a record error of the same age. */
    async function make({ status, createdDays, endedDays = createdDays, logs = 2 }: Made): Promise<Id> {
        const createdAt = ago(createdDays);
        const isEnded = ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status);
        const run = {
            pipelineId: 1,
            revisionId: 1,
            channelId: 1,
            status,
            triggerKey: 'start',
            triggerType: 'MANUAL',
            createdAt,
            finishedAt: isEnded ? ago(endedDays) : null,
        };
        const line = { channelId: 1, level: 'INFO', message: 'A line.', stepKey: null, facts: null, createdAt };
        const error = {
            pipelineId: 1,
            channelId: 1,
            stepKey: 'check',
            sourceKey: 'in',
            seq: 0,
            ordinal: 0,
            code: 'RECORD_INVALID',
            message: 'No.',
            path: null,
            payload: {},
            createdAt,
        };
        return stores.env.database.transaction(function* () {
            const [id] = yield* insertNumbered(targetOf(stores.env, 'runs'), [run]);
            yield* insertFlowRows(
                targetOf(stores.env, 'logs'),
                Array.from({ length: logs }, () => ({ runId: id, ...line })),
            );
            yield* insertFlowRows(targetOf(stores.env, 'errors'), [{ runId: id, ...error }]);
            return id!;
        });
    }

    /** Creates differences of a dry run that were found this number of days ago. */
    async function found(runId: Id, days: readonly number[]): Promise<void> {
        const difference = {
            channelId: 1,
            stepKey: 'load',
            sourceKey: 'in',
            visit: 0,
            place: 0,
            seq: 0,
            action: 'CREATE',
            key: 'A-1',
            before: null,
            after: { name: 'Shoe' },
        };
        await stores.env.database.run(() =>
            insertFlowRows(
                targetOf(stores.env, 'differences'),
                days.map((age, batchNo) => ({ runId, ...difference, batchNo, createdAt: ago(age) })),
            ),
        );
    }

    function retentionCleaner(days: Partial<typeof USUAL>): RetentionCleaner {
        const setup = shop.app.get<FlowSetup>(FLOW_SETUP);
        const own = { ...setup, options: { ...setup.options, retention: { ...KEEP_ALL, ...days } } };
        return new RetentionCleaner(stores, shop.app.get(PeriodicJobs), own);
    }

    const count = async (table: string, runId?: Id): Promise<number> => {
        const [{ n }] = await shop.dataSource.query(
            `SELECT COUNT(*) AS n FROM ${table}${runId === undefined ? '' : ` WHERE ${table === 'flow_pipeline_run' ? 'id' : 'run_id'} = ${runId}`}`,
        );
        return Number(n);
    };
    const left = async (runId: Id): Promise<Record<string, number>> => ({
        runs: await count('flow_pipeline_run', runId),
        logs: await count('flow_log', runId),
        errors: await count('flow_record_error', runId),
    });

    it('deletes runs and their log after their days; rejected records stay until their own retention ends', async () => {
        const recent = await make({ status: 'COMPLETED', createdDays: 29 });
        const old = await make({ status: 'COMPLETED', createdDays: 31 });
        const failed = await make({ status: 'FAILED', createdDays: 89 });
        const ancient = await make({ status: 'CANCELLED', createdDays: 91 });
        expect(await retentionCleaner(USUAL).purge()).toEqual({
            logs: 6,
            errors: 1,
            differences: 0,
            histories: 0,
            runs: 3,
        });
        expect(await left(recent)).toEqual({ runs: 1, logs: 2, errors: 1 });
        expect(await left(old)).toEqual({ runs: 0, logs: 0, errors: 1 });
        expect(await left(failed)).toEqual({ runs: 0, logs: 0, errors: 1 });
        expect(await left(ancient)).toEqual({ runs: 0, logs: 0, errors: 0 });
        expect(await retentionCleaner(USUAL).purge()).toEqual({
            logs: 0,
            errors: 0,
            differences: 0,
            histories: 0,
            runs: 0,
        });
    });

    it.each(['PENDING', 'RUNNING', 'PAUSED'] as const)(
        'keeps everything of a %s run, whatever its age',
        async status => {
            const id = await make({ status, createdDays: 400 });
            const ended = await make({ status: 'COMPLETED', createdDays: 400 });
            expect(await retentionCleaner(USUAL).purge()).toEqual({
                logs: 2,
                errors: 1,
                differences: 0,
                histories: 0,
                runs: 1,
            });
            expect(await left(id)).toEqual({ runs: 1, logs: 2, errors: 1 });
            expect(await left(ended)).toEqual({ runs: 0, logs: 0, errors: 0 });
        },
    );

    it('counts the age of a run from its end, and that of a line from its creation', async () => {
        const id = await make({ status: 'COMPLETED', createdDays: 60, endedDays: 2 });
        expect(await retentionCleaner(USUAL).purge()).toEqual({
            logs: 2,
            errors: 0,
            differences: 0,
            histories: 0,
            runs: 0,
        });
        expect(await left(id)).toEqual({ runs: 1, logs: 0, errors: 1 });
    });

    it('deletes what dry runs would have changed after the days of runs, unless the run may still continue', async () => {
        const open = await make({ status: 'RUNNING', createdDays: 60 });
        const recent = await make({ status: 'COMPLETED', createdDays: 60, endedDays: 2 });
        const old = await make({ status: 'COMPLETED', createdDays: 60 });
        for (const id of [open, recent, old]) await found(id, [40, 31, 29]);
        // Their run was deleted before them.
        await found('999999', [40, 29]);
        const differences = (ids: readonly Id[]): Promise<number[]> =>
            Promise.all(ids.map(id => count('flow_difference', id)));
        expect(await retentionCleaner({ runsDays: 0 }).purge()).toMatchObject({ differences: 0 });
        expect(await retentionCleaner({ runsDays: 30 }).purge()).toMatchObject({
            differences: 5,
            histories: 0,
            runs: 1,
        });
        expect(await differences([open, recent, old, '999999'])).toEqual([3, 1, 1, 1]);
        expect(await retentionCleaner({ runsDays: 1 }).purge()).toMatchObject({
            differences: 3,
            histories: 0,
            runs: 1,
        });
        expect(await differences([open, recent, old, '999999'])).toEqual([3, 0, 0, 0]);
    });

    it('deletes the history of entities with the runs that have written them, however many rows there are', async () => {
        const open = await make({ status: 'RUNNING', createdDays: 60 });
        const old = await make({ status: 'COMPLETED', createdDays: 60 });
        const row = { pipelineId: 1, channelId: 1, stepKey: 'load', entity: 'Product', action: 'UPDATE' };
        for (const [runId, count] of [
            [open, 2],
            [old, CLEANUP_BATCH + 2],
        ] as const)
            await stores.env.database.run(() =>
                insertFlowRows(
                    targetOf(stores.env, 'histories'),
                    Array.from({ length: count }, (_, i) => ({ runId, ...row, entityId: i + 1, createdAt: ago(40) })),
                ),
            );
        expect(await retentionCleaner({ runsDays: 30 }).purge()).toMatchObject({
            histories: CLEANUP_BATCH + 2,
            runs: 1,
        });
        expect([await count('flow_entity_history', open), await count('flow_entity_history', old)]).toEqual([2, 0]);
    });

    it('keeps forever what is kept 0 days', async () => {
        const id = await make({ status: 'COMPLETED', createdDays: 4000 });
        expect(await retentionCleaner(KEEP_ALL).purge()).toEqual({
            logs: 0,
            errors: 0,
            differences: 0,
            histories: 0,
            runs: 0,
        });
        expect(await retentionCleaner({ runsDays: 1 }).purge()).toEqual({
            logs: 0,
            errors: 0,
            differences: 0,
            histories: 0,
            runs: 1,
        });
        expect(await left(id)).toEqual({ runs: 0, logs: 2, errors: 1 });
    });

    it('keeps a run whose effects have not been published', async () => {
        const id = await make({ status: 'COMPLETED', createdDays: 100 });
        await stores.env.database.run(() =>
            insertFlowRows(targetOf(stores.env, 'effects'), [
                { runId: id, stepKey: 'load', kind: 'catalogue', payload: {} },
            ]),
        );
        expect(await retentionCleaner({ runsDays: 30 }).purge()).toMatchObject({ runs: 0 });
        await shop.dataSource.query('DELETE FROM flow_pending_effect');
        expect(await retentionCleaner({ runsDays: 30 }).purge()).toMatchObject({ runs: 1 });
    });

    it('deletes a bounded number of rows with each statement, and skips those that stay', async () => {
        const paused = await make({ status: 'PAUSED', createdDays: 200, logs: 2_300 });
        await make({ status: 'COMPLETED', createdDays: 100, logs: 2_300 });
        const statements: string[] = [];
        const stop = watchStatements(text => {
            if (text.includes('flow_log')) statements.push(text);
        });
        const batches: number[] = [];
        for await (const deleted of stores.purge.olderThan('logs', 30)) batches.push(deleted);
        stop();
        expect(Math.max(...batches)).toBeLessThanOrEqual(CLEANUP_BATCH);
        expect(batches.reduce((sum, deleted) => sum + deleted, 0)).toBe(2_300);
        expect(batches).toHaveLength(5);
        expect(await left(paused)).toMatchObject({ logs: 2_300 });
        // The driver of MariaDB is not watched.
        if (database !== 'mariadb')
            expect(statements.filter(text => /^\s*(DELETE|SELECT)/.test(text))).toHaveLength(11);
    });

    it('ends with the batch in progress when its process shuts down, and continues the next time', async () => {
        await make({ status: 'COMPLETED', createdDays: 100, logs: 2_500 });
        const stop = new AbortController();
        const going = retentionCleaner({ logsDays: 30, runsDays: 30 }).purge(stop.signal);
        stop.abort();
        expect(await going).toEqual({ logs: CLEANUP_BATCH, errors: 0, differences: 0, histories: 0, runs: 0 });
        expect(await retentionCleaner({ logsDays: 30, runsDays: 30 }).purge()).toEqual({
            logs: 2_500 - CLEANUP_BATCH,
            errors: 0,
            differences: 0,
            histories: 0,
            runs: 1,
        });
    });

    it('may be done by several processes at once', async () => {
        for (let i = 0; i < 20; i++) await make({ status: 'COMPLETED', createdDays: 100 + i, logs: 200 });
        const kept = await make({ status: 'PAUSED', createdDays: 105 });
        const purged = await Promise.all([
            retentionCleaner(USUAL).purge(),
            retentionCleaner(USUAL).purge(),
            retentionCleaner(USUAL).purge(),
        ]);
        // Rows that two of them tried to delete at once may be left by both. The next hour finds them.
        const rest = await retentionCleaner(USUAL).purge();
        const total = (what: keyof typeof rest): number => [...purged, rest].reduce((sum, each) => sum + each[what], 0);
        expect({ logs: total('logs'), errors: total('errors'), runs: total('runs') }).toEqual({
            logs: 4_000,
            errors: 20,
            runs: 20,
        });
        expect(await count('flow_pipeline_run')).toBe(1);
        expect(await left(kept)).toEqual({ runs: 1, logs: 2, errors: 1 });
    });

    it('is what a user sees: the run and its log are deleted, the rejected record is still listed', async () => {
        const { id } = await shop.perform('kept');
        for (const [table, column] of [
            ['flow_pipeline_run', 'created_at'],
            ['flow_pipeline_run', 'finished_at'],
            ['flow_log', 'created_at'],
            ['flow_record_error', 'created_at'],
        ] as const) {
            await shop.dataSource.query(`UPDATE ${table} SET ${column} = '2001-01-01 00:00:00'`);
        }
        await retentionCleaner({ runsDays: 30, logsDays: 30 }).purge();
        const answer = await shop.adminClient.query(
            gql`query Left($id: ID!) {
            flowPipelineRun(id: $id) { id } flowLogs(runId: $id) { totalItems } flowRecordErrors(runId: $id) { totalItems items { seq } }
            flowPipeline(code: "kept") { lastRun { id } revision { number } }
        }`,
            { id },
        );
        expect(answer).toEqual({
            flowPipelineRun: null,
            flowLogs: { totalItems: 0 },
            flowRecordErrors: { totalItems: 1, items: [{ seq: 1 }] },
            flowPipeline: { lastRun: null, revision: { number: 1 } },
        });
    });
}

onEachDatabase('retention', retention);
