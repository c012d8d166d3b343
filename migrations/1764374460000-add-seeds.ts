import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

const RUNS = 'flow_pipeline_run';

/** What runs are given in the place of what their sources would read. */
export class AddSeeds1764374460000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddSeeds1764374460000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        for (const column of [longText('seed', orNull), longText('source_reference', orNull)]) {
            if (!(await queryRunner.hasColumn(RUNS, column.name)))
                await queryRunner.addColumn(RUNS, new TableColumn(column));
        }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        for (const column of ['source_reference', 'seed'])
            if (await queryRunner.hasColumn(RUNS, column)) await queryRunner.dropColumn(RUNS, column);
    }
}
