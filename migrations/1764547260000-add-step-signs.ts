import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

const RUNS = 'flow_pipeline_run';

/** What is known of the steps of a run at work beyond what is counted. */
export class AddStepSigns1764547260000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddStepSigns1764547260000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText } = columnTypes(queryRunner);
        if (!(await queryRunner.hasColumn(RUNS, 'signs')))
            await queryRunner.addColumn(RUNS, new TableColumn(longText('signs', { isNullable: true })));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn(RUNS, 'signs')) await queryRunner.dropColumn(RUNS, 'signs');
    }
}
