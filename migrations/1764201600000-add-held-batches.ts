import { type MigrationInterface, type QueryRunner, Table, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** What steps of a run hold until it is let go on. */
export class AddHeldBatches1764201600000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddHeldBatches1764201600000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, flag, key, longText, createdAt } = columnTypes(queryRunner);
        const primary = { isPrimary: true };
        await queryRunner.createTable(
            new Table({
                name: 'flow_held_batch',
                columns: [
                    idOf('run_id', primary),
                    key('source_key', 64, primary),
                    int('batch_no', primary),
                    key('step_key', 64, primary),
                    int('visit', primary),
                    int('piece', primary),
                    flag('released', false),
                    int('records'),
                    longText('content'),
                    createdAt,
                ],
            }),
            true,
        );
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        if (!(await queryRunner.hasColumn('flow_pipeline_run', 'holds_back')))
            await queryRunner.addColumn('flow_pipeline_run', new TableColumn(flag('holds_back', false)));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable('flow_held_batch', true);
        if (await queryRunner.hasColumn('flow_pipeline_run', 'holds_back'))
            await queryRunner.dropColumn('flow_pipeline_run', 'holds_back');
    }
}
