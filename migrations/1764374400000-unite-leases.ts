import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const LEADERS = 'flow_leader_lease';
const LEASES = 'flow_lease';

/** One table for whatever one process of many does at a time, where leaders had one and the effects of runs another one (ADR 14). */
export class UniteLeases1764374400000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'UniteLeases1764374400000';

    /**
     * Leaders keep their terms, by which what an earlier one writes is told from what the present one does. The leases of effects are left out: they last
     * for seconds, and where two processes are at the effects of one run, each of them is still made known, and none more often than is promised.
     */
    async up(queryRunner: QueryRunner): Promise<void> {
        const { count, bigint, varchar, key } = columnTypes(queryRunner);
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is done is passed over.
        if (!(await queryRunner.hasColumn(LEASES, 'term'))) await queryRunner.dropTable(LEASES, true);
        await queryRunner.createTable(
            new Table({
                name: LEASES,
                columns: [
                    key('name', 128, { isPrimary: true }),
                    varchar('holder', 36, { isNullable: true }),
                    count('term'),
                    bigint('expires_at'),
                    count('asked'),
                ],
            }),
            true,
        );
        if (!(await queryRunner.hasTable(LEADERS))) return;
        await copy(queryRunner, { from: LEADERS, to: LEASES });
        await queryRunner.dropTable(LEADERS);
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        const { count, bigint, varchar, key } = columnTypes(queryRunner);
        await queryRunner.createTable(
            new Table({
                name: LEADERS,
                columns: [
                    key('name', 64, { isPrimary: true }),
                    varchar('holder', 36, { isNullable: true }),
                    count('term'),
                    bigint('expires_at'),
                ],
            }),
            true,
        );
        if (await queryRunner.hasColumn(LEASES, 'term')) {
            await copy(queryRunner, { from: LEASES, to: LEADERS });
            await queryRunner.dropTable(LEASES);
        }
        await queryRunner.createTable(
            new Table({
                name: LEASES,
                columns: [key('name', 128, { isPrimary: true }), varchar('token', 36), bigint('expires_at')],
            }),
            true,
        );
    }
}

/** The leases of leaders; those that are there already were copied before a kill. */
async function copy(
    queryRunner: QueryRunner,
    { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
    await queryRunner.query(
        `INSERT INTO ${to} (name, holder, term, expires_at) SELECT name, holder, term, expires_at FROM ${from}
         WHERE name <> 'collections' AND name NOT LIKE 'effects:%' AND name NOT IN (SELECT name FROM ${to})`,
    );
}
