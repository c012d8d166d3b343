import { type MigrationInterface, type QueryRunner, Table, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** Uploaded files, and where a rejected record came from. */
export class CreateFlowFiles1763769600000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateFlowFiles1763769600000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, bigint, varchar, key, longText, moment, createdAt, updatedAt } =
            columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        for (const column of ['source', 'faults']) {
            if (!(await queryRunner.hasColumn('flow_record_error', column))) {
                await queryRunner.addColumn('flow_record_error', new TableColumn(longText(column, orNull)));
            }
        }
        await queryRunner.createTable(
            new Table({
                name: 'flow_managed_file',
                columns: [
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
                ],
                indices: [
                    { name: 'IDX_flow_managed_file_channel', columnNames: ['channel_id', 'created_at', 'id'] },
                    { name: 'IDX_flow_managed_file_expiry', columnNames: ['expires_at', 'id'] },
                    { name: 'IDX_flow_managed_file_blob', columnNames: ['blob_key'], isUnique: true },
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable('flow_managed_file', true);
        for (const column of ['faults', 'source']) {
            if (await queryRunner.hasColumn('flow_record_error', column))
                await queryRunner.dropColumn('flow_record_error', column);
        }
    }
}
