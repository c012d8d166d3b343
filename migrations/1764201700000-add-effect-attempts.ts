import { type MigrationInterface, type QueryRunner, Table, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** How far it is with what is to be made known, and who is at it. */
export class AddEffectAttempts1764201700000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddEffectAttempts1764201700000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { bigint, count, key, varchar } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        await queryRunner.createTable(
            new Table({
                name: 'flow_lease',
                columns: [key('name', 128, { isPrimary: true }), varchar('token', 36), bigint('expires_at')],
            }),
            true,
        );
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        for (const column of [count('attempts'), bigint('next_try_at', orNull), varchar('done', 16, orNull)])
            if (!(await queryRunner.hasColumn('flow_pending_effect', column.name)))
                await queryRunner.addColumn('flow_pending_effect', new TableColumn(column));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable('flow_lease', true);
        for (const column of ['attempts', 'next_try_at', 'done'])
            if (await queryRunner.hasColumn('flow_pending_effect', column))
                await queryRunner.dropColumn('flow_pending_effect', column);
    }
}
