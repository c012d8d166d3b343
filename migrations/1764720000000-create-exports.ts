import { type MigrationInterface, type QueryRunner, Table, TableColumn, TableIndex } from 'typeorm';
import { columnTypes } from './column-types';

const FILES = 'flow_managed_file';
const PARTS = 'flow_export_part';
const FEEDS = 'flow_feed';
const OF_EXPORT = 'IDX_flow_managed_file_export';

/** Exports: their parts, the files that they end as, and the addresses at which these are served. */
export class CreateExports1764720000000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateExports1764720000000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, varchar, key, longText, moment, createdAt, updatedAt } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        if (!(await queryRunner.hasColumn(FILES, 'export_code')))
            await queryRunner.addColumn(FILES, new TableColumn(key('export_code', 160, orNull)));
        const files = await queryRunner.getTable(FILES);
        if (!files?.indices.some(({ name }) => name === OF_EXPORT))
            await queryRunner.createIndex(
                FILES,
                new TableIndex({ name: OF_EXPORT, columnNames: ['channel_id', 'export_code', 'id'] }),
            );
        await queryRunner.createTable(
            new Table({
                name: PARTS,
                columns: [
                    idOf('run_id', { isPrimary: true }),
                    key('step_key', 64, { isPrimary: true }),
                    key('part_key', 64, { isPrimary: true }),
                    int('number'),
                    int('records'),
                    longText('columns'),
                    key('blob_key', 64),
                    createdAt,
                ],
                indices: [{ name: 'IDX_flow_export_part_blob', columnNames: ['blob_key'] }],
            }),
            true,
        );
        await queryRunner.createTable(
            new Table({
                name: FEEDS,
                columns: [
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
                indices: [
                    { name: 'IDX_flow_feed_channel', columnNames: ['channel_id', 'created_at', 'id'] },
                    { name: 'IDX_flow_feed_token', columnNames: ['token_hash'], isUnique: true },
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(FEEDS, true);
        await queryRunner.dropTable(PARTS, true);
        const files = await queryRunner.getTable(FILES);
        if (files?.indices.some(({ name }) => name === OF_EXPORT)) await queryRunner.dropIndex(FILES, OF_EXPORT);
        if (await queryRunner.hasColumn(FILES, 'export_code')) await queryRunner.dropColumn(FILES, 'export_code');
    }
}
