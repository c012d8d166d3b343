import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const HISTORY = 'flow_entity_history';

/** Which runs have written an entity of the shop. */
export class CreateEntityHistory1764547320000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateEntityHistory1764547320000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, varchar, key, createdAt, updatedAt } = columnTypes(queryRunner);
        await queryRunner.createTable(
            new Table({
                name: HISTORY,
                columns: [
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
                indices: [
                    {
                        name: `IDX_${HISTORY}_once`,
                        columnNames: ['run_id', 'step_key', 'entity', 'entity_id'],
                        isUnique: true,
                    },
                    { name: `IDX_${HISTORY}_entity`, columnNames: ['entity_id', 'entity', 'channel_id'] },
                    { name: `IDX_${HISTORY}_created`, columnNames: ['created_at'] },
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(HISTORY, true);
    }
}
