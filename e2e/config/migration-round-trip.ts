import type { DataSource } from 'typeorm';
import { flowMigrations } from '../../migrations';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { type BareDatabase, type Ids, bareDatabase } from './bare-database';
import type { Database } from './databases';

/** What Flow's migrations must do on each database and with each kind of ids. */
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

    /** What TypeORM would change so that the tables match the entities. */
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
        'flow_import_draft',
        'flow_import_mapping',
        'flow_import_origin',
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
        'flow_run_statistics',
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

    it('creates all tables next to those of the shop, exactly as the entities describe them', async () => {
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await flowTables()).toEqual(ALL);
        expect(await drift()).toEqual([]);
    });

    it('has nothing left to run the second time', async () => {
        expect(await dataSource.runMigrations({ transaction: 'each' })).toEqual([]);
    });

    it('creates tables that store what the entities contain', async () => {
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

    it('returns to the shop without Flow, and back again', async () => {
        for (const _ of flowMigrations) await dataSource.undoLastMigration({ transaction: 'each' });
        expect(await flowTables()).toEqual([]);
        await dataSource.runMigrations({ transaction: 'each' });
        expect(await flowTables()).toEqual(ALL);
        expect(await drift()).toEqual([]);
    });
}
