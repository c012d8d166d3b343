import type { DataSource } from 'typeorm';
import { flowMigrations } from '../../migrations';
import { AddDifferences1763856000000 } from '../../migrations/1763856000000-add-differences';
import { UniteLeases1764374400000 } from '../../migrations/1764374400000-unite-leases';
import { FlowCheckpoint } from '../../src/plugin/entities/checkpoint';
import { FlowLease } from '../../src/plugin/entities/lease';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { type BareDatabase, type Ids, bareDatabase } from './bare-database';
import type { Database } from './databases';

/** What Flow's migrations have to do on each database and with each kind of ids. */
export function migrationRoundTrip(database: Database, ids: Ids): void {
    const anyId = ids === 'uuids' ? '018c7d6e-0000-7000-8000-000000000001' : 1;
    let scratch: BareDatabase;
    let dataSource: DataSource;

    beforeAll(async () => {
        scratch = await bareDatabase(database, ids);
        const shop = await scratch.connect('shop');
        await shop.synchronize();
        await shop.destroy();
        dataSource = await scratch.connect('shop and flow');
    });
    afterAll(async () => {
        await dataSource?.destroy();
        await scratch?.drop();
    });

    /** What TypeORM would change to make the tables what the entities say. */
    const drift = async (): Promise<string[]> =>
        (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

    const ALL = [
        'flow_checkpoint',
        'flow_connection',
        'flow_difference',
        'flow_entity_history',
        'flow_event_trigger_outbox',
        'flow_export_part',
        'flow_feed',
        'flow_file_watch',
        'flow_gate_decision',
        'flow_held_batch',
        'flow_lease',
        'flow_load_marker',
        'flow_log',
        'flow_managed_file',
        'flow_message_trigger',
        'flow_pending_effect',
        'flow_picture',
        'flow_picture_address',
        'flow_pipeline',
        'flow_pipeline_event',
        'flow_pipeline_revision',
        'flow_pipeline_run',
        'flow_received_message',
        'flow_record_error',
        'flow_remote_action',
        'flow_run_fence',
        'flow_secret',
        'flow_watched_file',
        'flow_webhook_key',
        'flow_working_copy',
    ];

    const flowTables = async (): Promise<string[]> => {
        const runner = dataSource.createQueryRunner();
        try {
            const found: string[] = [];
            for (const name of ALL) if (await runner.hasTable(name)) found.push(name);
            return found;
        } finally {
            await runner.release();
        }
    };

    it('makes all tables beside those of the shop, just as the entities describe them', async () => {
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await flowTables()).toEqual(ALL);
        expect(await drift()).toEqual([]);
    });

    it('leaves nothing to run the second time', async () => {
        expect(await dataSource.runMigrations({ transaction: 'each' })).toEqual([]);
    });

    it('makes tables that hold what the entities hold', async () => {
        const saved = await dataSource.getRepository(FlowPipeline).save(
            new FlowPipeline({
                code: 'prices',
                name: 'Prices 🏷',
                channelId: anyId,
                description: 'd'.repeat(70_000),
            }),
        );
        const found = await dataSource.getRepository(FlowPipeline).findOneByOrFail({ id: saved.id });
        expect(found).toMatchObject({
            code: 'prices',
            name: 'Prices 🏷',
            enabled: true,
            archived: false,
            codeFirst: false,
            selectedRevisionId: null,
        });
        expect(found.description).toHaveLength(70_000);
        expect(typeof found.id).toBe(ids === 'uuids' ? 'string' : 'number');
        expect(found.createdAt).toBeInstanceOf(Date);
    });

    it('takes warnings and dry runs of working copies away with the columns that tell them apart, and nothing else', async () => {
        const theirs = { pipelineId: anyId, channelId: anyId };
        const at = { ...theirs, stepKey: 'shape', message: 'No.' };
        for (const [what, revisionId] of [
            ['published', anyId],
            ['tried', null],
        ] as const) {
            const run = { ...theirs, revisionId, triggerKey: 'start', triggerType: 'MANUAL', dryRun: true };
            const { id: runId } = await dataSource.getRepository(FlowPipelineRun).save(new FlowPipelineRun(run));
            await dataSource.getRepository(FlowLog).insert({ ...at, runId, level: 'INFO', message: what });
            const error = { ...at, runId, sourceKey: 'in', seq: 0, ordinal: 0, code: what, payload: {} };
            const warned = { ...error, ordinal: 1, code: 'warned', severity: 'WARNING' };
            for (const row of [error, warned])
                await dataSource.getRepository(FlowRecordError).save(Object.assign(new FlowRecordError(), row));
            const position = { pipelineId: anyId, stepKey: what, key: '', value: 1 };
            await dataSource.getRepository(FlowCheckpoint).insert({ ...position, scope: `run:${runId}` });
        }
        const undone = flowMigrations.slice(flowMigrations.indexOf(AddDifferences1763856000000));
        for (const _ of undone) await dataSource.undoLastMigration({ transaction: 'each' });
        const left = async (column: string, table: string): Promise<unknown[]> =>
            (await dataSource.query(`SELECT ${column} AS ${column} FROM ${table}`)).map(
                (row: Record<string, unknown>) => row[column],
            );
        expect(await left('trigger_key', 'flow_pipeline_run')).toEqual(['start']);
        expect(await left('message', 'flow_log')).toEqual(['published']);
        expect(await left('code', 'flow_record_error')).toEqual(['published']);
        expect(await left('step_key', 'flow_checkpoint')).toEqual(['published']);
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await drift()).toEqual([]);
    });

    it('lets leaders keep their terms where their leases move to another table, back and forth', async () => {
        const moved = flowMigrations.slice(flowMigrations.indexOf(UniteLeases1764374400000));
        const undo = async (): Promise<void> => {
            for (const _ of moved) await dataSource.undoLastMigration({ transaction: 'each' });
        };
        const leases = dataSource.getRepository(FlowLease);
        const purge = { name: 'purge', holder: 'a', term: 7, expiresAt: 4_102_444_800_000, asked: 0 };
        await leases.insert(['purge', 'effects:1', 'collections'].map(name => ({ ...purge, name })));
        await undo();
        const leaders: unknown[] = await dataSource.query('SELECT name, holder, term FROM flow_leader_lease');
        expect(leaders).toEqual([{ name: 'purge', holder: 'a', term: 7 }]);
        await dataSource.query("INSERT INTO flow_lease (name, token, expires_at) VALUES ('effects:2', 'b', 1)");
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await leases.find()).toEqual([purge]);
        expect(await drift()).toEqual([]);
        await leases.clear();
    });

    it('goes back to the shop without Flow, and forth again', async () => {
        for (const _ of flowMigrations) await dataSource.undoLastMigration({ transaction: 'each' });
        expect(await flowTables()).toEqual([]);
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await flowTables()).toEqual(ALL);
        expect(await drift()).toEqual([]);
    });
}
