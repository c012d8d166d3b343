import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const FILES = 'flow_watched_file';
const WATCHES = 'flow_file_watch';

/** The files elsewhere that FILE triggers have found, and what they have to say of their folders. */
export class CreateFileWatches1764806400000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateFileWatches1764806400000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, initial, bigint, varchar, key, longText } = columnTypes(queryRunner);
        const primary = { isPrimary: true };
        // A kill in between leaves one on a database whose DDL is no part of transactions: it is passed over then.
        await queryRunner.createTable(
            new Table({
                name: FILES,
                columns: [
                    idOf('pipeline_id', primary),
                    key('step_key', 64, primary),
                    key('identity', 64, primary),
                    idOf('run_id'),
                    varchar('state', 16),
                    int('attempts', { default: initial(1) }),
                    bigint('due_at'),
                    bigint('seen_at'),
                ],
            }),
            true,
        );
        await queryRunner.createTable(
            new Table({
                name: WATCHES,
                columns: [
                    idOf('pipeline_id', primary),
                    key('step_key', 64, primary),
                    idOf('revision_id'),
                    bigint('polled_at'),
                    longText('remarks'),
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(WATCHES, true);
        await queryRunner.dropTable(FILES, true);
    }
}
