import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const OUTBOX = 'flow_event_trigger_outbox';

/** Events of the shop for which runs are to be started. */
export class CreateEventTriggerOutbox1764460920000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateEventTriggerOutbox1764460920000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, count, bigint, varchar, key, longText, createdAt, updatedAt } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        await queryRunner.createTable(
            new Table({
                name: OUTBOX,
                columns: [
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
                indices: [
                    { name: `IDX_${OUTBOX}_due`, columnNames: ['due_at', 'id'] },
                    { name: `IDX_${OUTBOX}_channel`, columnNames: ['channel_id', 'created_at', 'id'] },
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(OUTBOX, true);
    }
}
