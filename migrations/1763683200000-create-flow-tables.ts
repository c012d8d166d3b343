import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { columnTypes } from './column-types';

/** The tables of Flow's first version. */
export class CreateFlowTables1763683200000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateFlowTables1763683200000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, count, initial, bigint, flag, varchar, key, longText, moment, createdAt, updatedAt } =
            columnTypes(queryRunner);
        const orNull = { isNullable: true };
        const one = { default: initial(1) };

        const create = async (
            name: string,
            columns: TableColumnOptions[],
            indices: Readonly<Record<string, readonly string[]>> = {},
        ) => {
            // A kill between two tables leaves the first ones on a database whose DDL is no part of transactions: they are passed over.
            await queryRunner.createTable(
                new Table({
                    name,
                    columns,
                    indices: Object.entries(indices).map(([index, columnNames]) => ({
                        name: `IDX_${name}_${index.replace('unique ', '')}`,
                        columnNames: [...columnNames],
                        isUnique: index.startsWith('unique '),
                    })),
                }),
                true,
            );
        };

        await create(
            'flow_pipeline',
            [
                id,
                createdAt,
                updatedAt,
                key('code', 64),
                varchar('name', 255),
                longText('description', orNull),
                flag('enabled', true),
                flag('archived', false),
                flag('code_first', false),
                idOf('channel_id'),
                varchar('status', 16, { default: "'DRAFT'" }),
                int('version', one),
                flag('has_changes', false),
                idOf('submitted_by', orNull),
                moment('submitted_at', orNull),
                longText('review_comment', orNull),
                idOf('reviewed_by', orNull),
                idOf('selected_revision_id', orNull),
            ],
            {
                'unique code': ['code'],
                channel: ['channel_id'],
            },
        );

        await create('flow_working_copy', [
            idOf('pipeline_id', { isPrimary: true }),
            longText('definition'),
            idOf('updated_by', orNull),
            createdAt,
            updatedAt,
        ]);

        await create(
            'flow_pipeline_revision',
            [
                id,
                createdAt,
                updatedAt,
                idOf('pipeline_id'),
                int('number'),
                longText('definition'),
                varchar('digest', 64),
                longText('message', orNull),
                idOf('submitted_by', orNull),
                idOf('published_by', orNull),
            ],
            {
                'unique number': ['pipeline_id', 'number'],
            },
        );

        await create(
            'flow_pipeline_event',
            [
                id,
                createdAt,
                updatedAt,
                idOf('pipeline_id'),
                varchar('action', 32),
                idOf('actor_id', orNull),
                idOf('revision_id', orNull),
                longText('comment', orNull),
            ],
            {
                pipeline: ['pipeline_id', 'id'],
            },
        );

        await create(
            'flow_connection',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                key('code', 64),
                varchar('name', 255),
                varchar('type', 32),
                longText('settings'),
                flag('enabled', true),
                flag('code_first', false),
                int('version', one),
            ],
            {
                'unique code': ['channel_id', 'code'],
            },
        );

        await create(
            'flow_secret',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                key('code', 64),
                varchar('provider', 8),
                longText('value', orNull),
                varchar('key_id', 16, orNull),
                flag('enabled', true),
                flag('code_first', false),
                int('version', one),
            ],
            {
                'unique code': ['channel_id', 'code'],
            },
        );

        await create(
            'flow_pipeline_run',
            [
                id,
                createdAt,
                updatedAt,
                idOf('pipeline_id'),
                idOf('revision_id'),
                idOf('channel_id'),
                varchar('status', 16, { default: "'PENDING'" }),
                varchar('outcome', 16, orNull),
                varchar('trigger_key', 64),
                varchar('trigger_type', 16),
                idOf('started_by_user_id', orNull),
                flag('dry_run', false),
                moment('started_at', orNull),
                moment('finished_at', orNull),
                count('records_read'),
                count('records_processed'),
                count('records_loaded'),
                count('records_unchanged'),
                count('records_filtered'),
                count('records_rejected'),
                longText('counters', orNull),
                longText('report', orNull),
                count('attempt'),
                count('takeovers'),
                varchar('error_code', 64, orNull),
                longText('error_message', orNull),
                varchar('error_step_key', 64, orNull),
                moment('cancel_requested_at', orNull),
                varchar('lease_token', 36, orNull),
                bigint('lease_expires_at', orNull),
                varchar('gate_step_key', 64, orNull),
                moment('gate_timeout_at', orNull),
                varchar('gate_timeout_lease_token', 36, orNull),
                bigint('gate_timeout_lease_expires_at', orNull),
            ],
            {
                pipeline: ['pipeline_id', 'status', 'created_at'],
                newest: ['pipeline_id', 'channel_id', 'created_at', 'id'],
                channel: ['channel_id', 'created_at', 'id'],
                channel_status: ['channel_id', 'status', 'created_at', 'id'],
                status: ['status', 'lease_expires_at'],
                created: ['created_at'],
            },
        );

        await create('flow_run_fence', [idOf('run_id', { isPrimary: true }), varchar('token', 36)]);

        await create('flow_load_marker', [
            idOf('run_id', { isPrimary: true }),
            key('source_key', 64, { isPrimary: true }),
            int('batch_no', { isPrimary: true }),
            key('step_key', 64, { isPrimary: true }),
            int('visit', { isPrimary: true }),
            varchar('digest', 64),
            longText('verdicts'),
            createdAt,
        ]);

        await create(
            'flow_pending_effect',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                varchar('step_key', 64),
                varchar('kind', 64),
                longText('payload'),
            ],
            {
                run: ['run_id', 'id'],
            },
        );

        await create(
            'flow_record_error',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                idOf('pipeline_id'),
                idOf('channel_id'),
                key('step_key', 64),
                key('source_key', 64),
                int('seq'),
                int('ordinal'),
                varchar('code', 64),
                longText('message'),
                longText('path', orNull),
                longText('payload'),
            ],
            {
                'unique once': ['run_id', 'step_key', 'source_key', 'seq', 'ordinal'],
                run: ['run_id', 'channel_id', 'id'],
                channel: ['channel_id', 'id'],
                created: ['created_at'],
            },
        );

        await create('flow_checkpoint', [
            idOf('pipeline_id', { isPrimary: true }),
            key('scope', 64, { isPrimary: true }),
            key('step_key', 64, { isPrimary: true }),
            key('key', 255, { isPrimary: true }),
            longText('value'),
            createdAt,
            updatedAt,
        ]);

        await create(
            'flow_log',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                idOf('channel_id'),
                varchar('level', 8),
                longText('message'),
                varchar('step_key', 64, orNull),
                longText('facts', orNull),
            ],
            {
                run: ['run_id', 'channel_id', 'id'],
                channel: ['channel_id', 'id'],
                level: ['channel_id', 'level', 'id'],
                created: ['created_at'],
            },
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        const tables = [
            'flow_log',
            'flow_checkpoint',
            'flow_record_error',
            'flow_pending_effect',
            'flow_load_marker',
            'flow_run_fence',
            'flow_pipeline_run',
            'flow_secret',
            'flow_connection',
            'flow_pipeline_event',
            'flow_pipeline_revision',
            'flow_working_copy',
            'flow_pipeline',
        ];
        for (const table of tables) await queryRunner.dropTable(table, true);
    }
}
