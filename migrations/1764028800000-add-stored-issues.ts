import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** What is wrong with a working copy by itself, as it was found when it was saved, and what that was found with. */
export class AddStoredIssues1764028800000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddStoredIssues1764028800000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText, varchar } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        if (!(await queryRunner.hasColumn('flow_working_copy', 'checked')))
            await queryRunner.addColumn('flow_working_copy', new TableColumn(longText('checked', orNull)));
        if (!(await queryRunner.hasColumn('flow_working_copy', 'checked_with')))
            await queryRunner.addColumn('flow_working_copy', new TableColumn(varchar('checked_with', 64, orNull)));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        for (const column of ['checked', 'checked_with']) {
            if (await queryRunner.hasColumn('flow_working_copy', column))
                await queryRunner.dropColumn('flow_working_copy', column);
        }
    }
}
