import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

const SECRETS = 'flow_secret';
const COLUMN = 'allowed_hosts';

/** The hosts that a secret may be sent to. */
export class AddAllowedHosts1765238400000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddAllowedHosts1765238400000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { longText } = columnTypes(queryRunner);
        if (!(await queryRunner.hasColumn(SECRETS, COLUMN)))
            await queryRunner.addColumn(SECRETS, new TableColumn(longText(COLUMN, { isNullable: true })));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await queryRunner.hasColumn(SECRETS, COLUMN)) await queryRunner.dropColumn(SECRETS, COLUMN);
    }
}
