import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const KEYS = 'flow_webhook_key';

/** The idempotency keys that webhooks remember. */
export class CreateWebhookKeys1764460800000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreateWebhookKeys1764460800000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, bigint, varchar, key } = columnTypes(queryRunner);
        // A kill in between leaves it on a database whose DDL is no part of transactions: it is passed over then.
        await queryRunner.createTable(
            new Table({
                name: KEYS,
                columns: [
                    key('scope', 64, { isPrimary: true }),
                    varchar('body_digest', 64),
                    idOf('run_id'),
                    int('record_count'),
                    bigint('expires_at'),
                ],
                indices: [{ name: 'IDX_flow_webhook_key_expires', columnNames: ['expires_at'] }],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(KEYS, true);
    }
}
