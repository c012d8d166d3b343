import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

const WATCHES = 'flow_file_watch';
const COLUMN = 'first_listings';

/** The files of a watched folder that one listing has shown, for the process that polls it next. */
export class AddFirstListings1765152000000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddFirstListings1765152000000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText } = columnTypes(queryRunner);
        if (!(await queryRunner.hasColumn(WATCHES, COLUMN)))
            await queryRunner.addColumn(WATCHES, new TableColumn(longText(COLUMN, { isNullable: true })));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn(WATCHES, COLUMN)) await queryRunner.dropColumn(WATCHES, COLUMN);
    }
}
