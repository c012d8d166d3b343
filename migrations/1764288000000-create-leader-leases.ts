import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

/** Who leads in what one process of many does at a time. */
export class CreateLeaderLeases1764288000000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateLeaderLeases1764288000000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { count, bigint, varchar, key } = columnTypes(queryRunner);
        await queryRunner.createTable(
            new Table({
                name: 'flow_leader_lease',
                columns: [
                    key('name', 64, { isPrimary: true }),
                    varchar('holder', 36, { isNullable: true }),
                    count('term'),
                    bigint('expires_at'),
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable('flow_leader_lease', true);
    }
}
