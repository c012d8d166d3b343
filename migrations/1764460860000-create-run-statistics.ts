import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { columnTypes } from './column-types';

/** What flowAnalytics is answered from. It counts the runs that end from now on. */
export class CreateRunStatistics1764460860000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateRunStatistics1764460860000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, key, bigint } = columnTypes(queryRunner);
        const primary = { isPrimary: true };
        await queryRunner.createTable(
            new Table({
                name: 'flow_run_statistics',
                columns: [
                    idOf('pipeline_id', primary),
                    int('hour', primary),
                    key('result', 16, primary),
                    int('duration', primary),
                    idOf('channel_id'),
                    int('runs'),
                    bigint('records_read'),
                    bigint('records_loaded'),
                    bigint('records_rejected'),
                ],
                indices: [
                    new TableIndex({ name: 'IDX_flow_run_statistics_channel', columnNames: ['channel_id', 'hour'] }),
                    new TableIndex({ name: 'IDX_flow_run_statistics_hour', columnNames: ['hour'] }),
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable('flow_run_statistics', true);
    }
}
