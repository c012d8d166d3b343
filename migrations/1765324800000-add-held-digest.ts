import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

const PIPELINES = 'flow_pipeline';
const COLUMN = 'held_digest';

/** The definition of a code-first pipeline that is not published yet, so that only processes with the same code publish it. */
export class AddHeldDigest1765324800000 implements MigrationInterface {
    // Written out: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddHeldDigest1765324800000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { varchar } = columnTypes(queryRunner);
        if (!(await queryRunner.hasColumn(PIPELINES, COLUMN)))
            await queryRunner.addColumn(PIPELINES, new TableColumn(varchar(COLUMN, 64, { isNullable: true })));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn(PIPELINES, COLUMN)) await queryRunner.dropColumn(PIPELINES, COLUMN);
    }
}
