import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** Which lines of a log are Flow's own. Of those that are there nobody knows it any more: they are masked as whole. */
export class AddOwnLines1764115200000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddOwnLines1764115200000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { flag } = columnTypes(queryRunner);
        // A kill behind it leaves it on a database whose DDL is no part of transactions: it is passed over.
        if (!(await queryRunner.hasColumn('flow_log', 'is_own')))
            await queryRunner.addColumn('flow_log', new TableColumn(flag('is_own', false)));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn('flow_log', 'is_own')) await queryRunner.dropColumn('flow_log', 'is_own');
    }
}
