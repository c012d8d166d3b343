import { type MigrationInterface, type QueryRunner, TableColumn, TableIndex } from 'typeorm';
import { columnTypes } from './column-types';

const RUNS = 'flow_pipeline_run';
const OCCURRENCE = 'IDX_flow_pipeline_run_occurrence';

/** What a run was started for, which may start one alone, and the runs that led to it. */
export class AddOccurrences1764288060000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddOccurrences1764288060000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { key, longText } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        for (const column of [key('occurrence_key', 255, orNull), longText('causes', orNull)]) {
            if (!(await queryRunner.hasColumn(RUNS, column.name)))
                await queryRunner.addColumn(RUNS, new TableColumn(column));
        }
        if (!(await hasIndex(queryRunner))) {
            const columnNames = ['pipeline_id', 'occurrence_key'];
            await queryRunner.createIndex(RUNS, new TableIndex({ name: OCCURRENCE, columnNames, isUnique: true }));
        }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await hasIndex(queryRunner)) await queryRunner.dropIndex(RUNS, OCCURRENCE);
        for (const column of ['causes', 'occurrence_key'])
            if (await queryRunner.hasColumn(RUNS, column)) await queryRunner.dropColumn(RUNS, column);
    }
}

async function hasIndex(queryRunner: QueryRunner): Promise<boolean> {
    const table = await queryRunner.getTable(RUNS);
    return table?.indices.some(({ name }) => name === OCCURRENCE) ?? false;
}
