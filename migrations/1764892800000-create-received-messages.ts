import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const RECEIVED = 'flow_received_message';
const TRIGGERS = 'flow_message_trigger';

/** Which messages have started runs, and how the triggers get on that take them. */
export class CreateReceivedMessages1764892800000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateReceivedMessages1764892800000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, count, bigint, key, longText } = columnTypes(queryRunner);
        // A kill in between leaves one on a database whose DDL is no part of transactions: it is passed over then.
        await queryRunner.createTable(
            new Table({
                name: RECEIVED,
                columns: [key('scope', 64, { isPrimary: true }), idOf('run_id'), bigint('expires_at')],
                indices: [{ name: `IDX_${RECEIVED}_expires`, columnNames: ['expires_at'] }],
            }),
            true,
        );
        await queryRunner.createTable(
            new Table({
                name: TRIGGERS,
                columns: [
                    key('trigger_name', 128, { isPrimary: true }),
                    longText('problem', { isNullable: true }),
                    count('refused'),
                    bigint('refused_at', { isNullable: true }),
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(TRIGGERS, true);
        await queryRunner.dropTable(RECEIVED, true);
    }
}
