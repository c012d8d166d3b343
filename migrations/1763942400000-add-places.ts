import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** Where a rejected record stands at its source. */
export class AddPlaces1763942400000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddPlaces1763942400000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText } = columnTypes(queryRunner);
        // A kill behind it leaves it on a database whose DDL is no part of transactions: it is passed over.
        if (!(await queryRunner.hasColumn('flow_record_error', 'place')))
            await queryRunner.addColumn('flow_record_error', new TableColumn(longText('place', { isNullable: true })));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn('flow_record_error', 'place'))
            await queryRunner.dropColumn('flow_record_error', 'place');
    }
}
