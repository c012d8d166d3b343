import { type MigrationInterface, type QueryRunner, Table, TableIndex } from 'typeorm';
import { columnTypes } from './column-types';

const RUNS = 'flow_pipeline_run';
const TIMEOUT = 'IDX_flow_pipeline_run_gate_timeout';

/** What was decided about the gates of runs, and whose time is over. */
export class AddGateDecisions1764460980000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddGateDecisions1764460980000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, varchar, key, longText, createdAt, updatedAt } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        await queryRunner.createTable(
            new Table({
                name: 'flow_gate_decision',
                columns: [
                    id,
                    createdAt,
                    updatedAt,
                    idOf('run_id'),
                    key('step_key', 64),
                    varchar('verdict', 16),
                    varchar('decider', 16),
                    idOf('actor_id', orNull),
                    longText('comment', orNull),
                    int('records'),
                ],
                indices: [{ name: 'IDX_flow_gate_decision_run', columnNames: ['run_id', 'id'] }],
            }),
            true,
        );
        // A kill in between leaves the table on a database whose DDL is no part of transactions: what is there is passed over.
        if (!(await hasIndex(queryRunner)))
            await queryRunner.createIndex(RUNS, new TableIndex({ name: TIMEOUT, columnNames: ['gate_timeout_at'] }));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        if (await hasIndex(queryRunner)) await queryRunner.dropIndex(RUNS, TIMEOUT);
        await queryRunner.dropTable('flow_gate_decision', true);
    }
}

async function hasIndex(queryRunner: QueryRunner): Promise<boolean> {
    const table = await queryRunner.getTable(RUNS);
    return table?.indices.some(({ name }) => name === TIMEOUT) ?? false;
}
