import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { columnTypes } from './column-types';

/** The tables of Flow. */
const TABLES = [
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
] as const;

/** Creates Flow's tables. */
export class CreateFlowTables1763683200000 implements MigrationInterface {
    // Written out, because a minifier or compiler must not change the name that the shop's list of migrations stores.
    readonly name = 'CreateFlowTables1763683200000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, count, initial, bigint, flag, varchar, key, longText, moment, createdAt, updatedAt } =
            columnTypes(queryRunner);
        const orNull = { isNullable: true };

        const create = async (
            name: (typeof TABLES)[number],
            columns: TableColumnOptions[],
            indices: Readonly<Record<string, readonly string[]>> = {},
        ) => {
            // On a database whose DDL is not part of transactions, a kill leaves the tables created so far: the next attempt skips them.
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
                int('version', { default: initial(1) }),
            ],
            {
                'unique code': ['channel_id', 'code'],
            },
        );

        await create(
            'flow_difference',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                idOf('channel_id'),
                key('step_key', 64),
                key('source_key', 64),
                int('batch_no'),
                int('visit'),
                int('place'),
                int('seq'),
                varchar('action', 16),
                longText('key'),
                longText('before', orNull),
                longText('after', orNull),
            ],
            {
                'unique once': ['run_id', 'step_key', 'source_key', 'batch_no', 'visit', 'place'],
                run: ['run_id', 'channel_id', 'id'],
                created: ['created_at'],
            },
        );

        await create(
            'flow_entity_history',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                idOf('pipeline_id'),
                idOf('channel_id'),
                key('step_key', 64),
                key('entity', 32),
                idOf('entity_id'),
                varchar('action', 16),
            ],
            {
                'unique once': ['run_id', 'step_key', 'entity', 'entity_id'],
                entity: ['entity_id', 'entity', 'channel_id'],
                created: ['created_at'],
            },
        );

        await create(
            'flow_event_trigger_outbox',
            [
                id,
                createdAt,
                updatedAt,
                idOf('pipeline_id'),
                idOf('revision_id'),
                varchar('trigger_key', 64),
                idOf('channel_id'),
                varchar('event', 255),
                key('occurrence_key', 64),
                longText('seed'),
                longText('causes', orNull),
                count('attempts'),
                longText('last_error', orNull),
                varchar('lease_token', 36, orNull),
                bigint('due_at', orNull),
            ],
            {
                due: ['due_at', 'id'],
                channel: ['channel_id', 'created_at', 'id'],
            },
        );

        await create(
            'flow_export_part',
            [
                idOf('run_id', { isPrimary: true }),
                key('step_key', 64, { isPrimary: true }),
                key('part_key', 64, { isPrimary: true }),
                int('number'),
                int('records'),
                longText('columns'),
                key('blob_key', 64),
                createdAt,
            ],
            {
                blob: ['blob_key'],
            },
        );

        await create(
            'flow_feed',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                key('export_code', 160),
                varchar('name', 255),
                key('token_hash', 64),
                moment('expires_at', orNull),
                idOf('created_by', orNull),
                moment('revoked_at', orNull),
                idOf('revoked_by', orNull),
            ],
            {
                channel: ['channel_id', 'created_at', 'id'],
                'unique token': ['token_hash'],
            },
        );

        await create('flow_file_watch', [
            idOf('pipeline_id', { isPrimary: true }),
            key('step_key', 64, { isPrimary: true }),
            idOf('revision_id'),
            bigint('polled_at'),
            longText('remarks'),
            longText('first_listings', orNull),
        ]);

        await create(
            'flow_gate_decision',
            [
                id,
                createdAt,
                updatedAt,
                idOf('run_id'),
                key('step_key', 64),
                varchar('verdict', 16),
                varchar('decider', 16),
                idOf('actor_id', orNull),
                longText('comment', orNull),
                int('records'),
            ],
            {
                run: ['run_id', 'id'],
            },
        );

        await create('flow_held_batch', [
            idOf('run_id', { isPrimary: true }),
            key('source_key', 64, { isPrimary: true }),
            int('batch_no', { isPrimary: true }),
            key('step_key', 64, { isPrimary: true }),
            int('visit', { isPrimary: true }),
            int('piece', { isPrimary: true }),
            flag('released', false),
            int('records'),
            longText('content'),
            createdAt,
        ]);

        await create(
            'flow_import_draft',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                idOf('user_id'),
                int('version', { default: initial(1) }),
                varchar('step', 16),
                idOf('file_id'),
                varchar('filename', 255),
                longText('plan'),
                idOf('repeated_id', orNull),
                idOf('pipeline_id', orNull),
                idOf('run_id', orNull),
                key('checked_digest', 64, orNull),
            ],
            {
                user: ['channel_id', 'user_id', 'updated_at'],
                updated: ['updated_at'],
            },
        );

        await create(
            'flow_import_mapping',
            [id, createdAt, updatedAt, idOf('channel_id'), key('header', 255), varchar('field', 255)],
            {
                'unique header': ['channel_id', 'header'],
            },
        );

        await create(
            'flow_import_origin',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                idOf('pipeline_id'),
                longText('plan'),
                longText('columns'),
                int('rows'),
                key('digest', 64),
            ],
            {
                'unique pipeline': ['pipeline_id'],
                channel: ['channel_id', 'updated_at'],
            },
        );

        await create('flow_lease', [
            key('name', 128, { isPrimary: true }),
            varchar('holder', 36, orNull),
            count('term'),
            bigint('expires_at'),
            count('asked'),
        ]);

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
                varchar('code', 64, orNull),
            ],
            {
                run: ['run_id', 'channel_id', 'id'],
                channel: ['channel_id', 'id'],
                level: ['channel_id', 'level', 'id'],
                created: ['created_at'],
            },
        );

        await create(
            'flow_managed_file',
            [
                id,
                createdAt,
                updatedAt,
                idOf('channel_id'),
                varchar('filename', 255),
                varchar('mime_type', 128),
                varchar('format', 16),
                varchar('encoding', 16, orNull),
                bigint('size'),
                varchar('sha256', 64),
                int('rows', orNull),
                idOf('uploaded_by', orNull),
                moment('expires_at', orNull),
                moment('removed_at', orNull),
                key('blob_key', 64),
                key('export_code', 160, orNull),
            ],
            {
                channel: ['channel_id', 'created_at', 'id'],
                expiry: ['expires_at', 'id'],
                'unique blob': ['blob_key'],
                export: ['channel_id', 'export_code', 'id'],
            },
        );

        await create('flow_message_trigger', [
            key('trigger_name', 128, { isPrimary: true }),
            longText('problem', orNull),
            count('refused'),
            bigint('refused_at', orNull),
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
                count('attempts'),
                bigint('next_try_at', orNull),
                varchar('done', 16, orNull),
            ],
            {
                run: ['run_id', 'id'],
            },
        );

        await create(
            'flow_picture',
            [
                idOf('channel_id', { isPrimary: true }),
                key('digest', 64, { isPrimary: true }),
                idOf('asset_id', orNull),
                longText('source'),
                longText('preview'),
                varchar('mime_type', 255),
                int('width'),
                int('height'),
                bigint('file_size'),
                createdAt,
            ],
            {
                asset: ['asset_id'],
                file_size: ['file_size'],
            },
        );

        await create('flow_picture_address', [
            idOf('channel_id', { isPrimary: true }),
            key('address', 64, { isPrimary: true }),
            key('digest', 64),
            longText('etag', orNull),
            longText('last_modified', orNull),
            updatedAt,
        ]);

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
                flag('hidden', false),
                idOf('channel_id'),
                varchar('status', 16, { default: "'DRAFT'" }),
                int('version', { default: initial(1) }),
                flag('has_changes', false),
                idOf('submitted_by', orNull),
                moment('submitted_at', orNull),
                longText('review_comment', orNull),
                idOf('reviewed_by', orNull),
                idOf('selected_revision_id', orNull),
                varchar('held_digest', 64, orNull),
            ],
            {
                'unique code': ['code'],
                channel: ['channel_id'],
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
            'flow_pipeline_run',
            [
                id,
                createdAt,
                updatedAt,
                idOf('pipeline_id'),
                idOf('revision_id', orNull),
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
                longText('error_facts', orNull),
                varchar('error_step_key', 64, orNull),
                moment('cancel_requested_at', orNull),
                varchar('lease_token', 36, orNull),
                bigint('lease_expires_at', orNull),
                varchar('gate_step_key', 64, orNull),
                moment('gate_timeout_at', orNull),
                varchar('gate_timeout_lease_token', 36, orNull),
                bigint('gate_timeout_lease_expires_at', orNull),
                longText('definition', orNull),
                flag('holds_back', false),
                key('occurrence_key', 255, orNull),
                longText('causes', orNull),
                longText('seed', orNull),
                longText('source_reference', orNull),
                longText('replay', orNull),
                int('replays', orNull),
                longText('signs', orNull),
            ],
            {
                pipeline: ['pipeline_id', 'status', 'created_at'],
                newest: ['pipeline_id', 'channel_id', 'created_at', 'id'],
                channel: ['channel_id', 'created_at', 'id'],
                channel_status: ['channel_id', 'status', 'created_at', 'id'],
                status: ['status', 'lease_expires_at'],
                created: ['created_at'],
                'unique occurrence': ['pipeline_id', 'occurrence_key'],
                gate_timeout: ['gate_timeout_at'],
            },
        );

        await create(
            'flow_received_message',
            [key('scope', 64, { isPrimary: true }), idOf('run_id'), bigint('expires_at')],
            {
                expires: ['expires_at'],
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
                longText('facts', orNull),
                longText('path', orNull),
                longText('payload'),
                longText('source', orNull),
                longText('faults', orNull),
                varchar('severity', 16, { default: "'ERROR'" }),
                longText('place', orNull),
                key('cause', 22, { default: "''" }),
                key('state', 16, orNull),
                longText('note', orNull),
                idOf('decided_by', orNull),
                moment('decided_at', orNull),
                idOf('replay_run_id', orNull),
                key('replay_source_key', 64, orNull),
                int('replay_seq', orNull),
                longText('correction', orNull),
            ],
            {
                'unique once': ['run_id', 'step_key', 'source_key', 'seq', 'ordinal'],
                run: ['run_id', 'channel_id', 'id'],
                channel: ['channel_id', 'id'],
                created: ['created_at'],
                cause: ['channel_id', 'state', 'cause', 'created_at', 'pipeline_id'],
                pipeline: ['pipeline_id', 'state'],
                replay: ['replay_run_id', 'state'],
            },
        );

        await create(
            'flow_remote_action',
            [
                id,
                idOf('pipeline_id'),
                idOf('channel_id'),
                idOf('run_id'),
                idOf('revision_id'),
                varchar('step_key', 64),
                longText('action'),
                count('attempts'),
                longText('last_error', orNull),
                bigint('due_at'),
                bigint('dispatched_until', orNull),
                createdAt,
                updatedAt,
            ],
            {
                due: ['due_at', 'pipeline_id'],
                pipeline: ['pipeline_id', 'step_key'],
                channel: ['channel_id', 'created_at', 'id'],
            },
        );

        await create('flow_run_fence', [idOf('run_id', { isPrimary: true }), varchar('token', 36)]);

        await create(
            'flow_run_statistics',
            [
                idOf('pipeline_id', { isPrimary: true }),
                int('hour', { isPrimary: true }),
                key('result', 16, { isPrimary: true }),
                int('duration', { isPrimary: true }),
                idOf('channel_id'),
                int('runs'),
                bigint('records_read'),
                bigint('records_loaded'),
                bigint('records_rejected'),
            ],
            {
                hour: ['hour'],
                figures: [
                    'channel_id',
                    'hour',
                    'result',
                    'duration',
                    'pipeline_id',
                    'runs',
                    'records_read',
                    'records_loaded',
                    'records_rejected',
                ],
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
                int('version', { default: initial(1) }),
                longText('allowed_hosts', orNull),
            ],
            {
                'unique code': ['channel_id', 'code'],
            },
        );

        await create('flow_watched_file', [
            idOf('pipeline_id', { isPrimary: true }),
            key('step_key', 64, { isPrimary: true }),
            key('identity', 64, { isPrimary: true }),
            idOf('run_id'),
            varchar('state', 16),
            int('attempts', { default: initial(1) }),
            bigint('due_at'),
            bigint('seen_at'),
        ]);

        await create(
            'flow_webhook_key',
            [
                key('scope', 64, { isPrimary: true }),
                varchar('body_digest', 64),
                idOf('run_id'),
                int('record_count'),
                bigint('expires_at'),
            ],
            {
                expires: ['expires_at'],
            },
        );

        await create('flow_working_copy', [
            idOf('pipeline_id', { isPrimary: true }),
            longText('definition'),
            idOf('updated_by', orNull),
            createdAt,
            updatedAt,
            longText('checked', orNull),
            varchar('checked_with', 64, orNull),
        ]);
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        for (const table of [...TABLES].reverse()) await queryRunner.dropTable(table, true);
    }
}
