import { type MigrationInterface, type QueryRunner, Table, TableColumn } from 'typeorm';
import { columnTypes } from './column-types';

/** What has rows of single runs, beside their checkpoints. */
const OF_RUNS = ['flow_log', 'flow_record_error', 'flow_load_marker', 'flow_pending_effect', 'flow_run_fence'];

/** All that dry runs would change, those of working copies included, and how much an error of a record matters. */
export class AddDifferences1763856000000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddDifferences1763856000000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { id, idOf, int, varchar, key, longText, createdAt, updatedAt } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        // A kill in between leaves the first of these on a database whose DDL is no part of transactions: what is there is passed over.
        if (!(await queryRunner.hasColumn('flow_record_error', 'severity'))) {
            await queryRunner.addColumn(
                'flow_record_error',
                new TableColumn(varchar('severity', 16, { default: "'ERROR'" })),
            );
        }
        if (!(await queryRunner.hasColumn('flow_pipeline_run', 'definition'))) {
            await queryRunner.addColumn('flow_pipeline_run', new TableColumn(longText('definition', orNull)));
        }
        await queryRunner.changeColumn(
            'flow_pipeline_run',
            'revision_id',
            new TableColumn(idOf('revision_id', orNull)),
        );
        await queryRunner.createTable(
            new Table({
                name: 'flow_difference',
                columns: [
                    id,
                    createdAt,
                    updatedAt,
                    idOf('run_id'),
                    idOf('channel_id'),
                    key('step_key', 64),
                    key('source_key', 64),
                    int('batch_no'),
                    int('visit'),
                    int('place'),
                    int('seq'),
                    varchar('action', 16),
                    longText('key'),
                    longText('before', orNull),
                    longText('after', orNull),
                ],
                indices: [
                    {
                        name: 'IDX_flow_difference_once',
                        columnNames: ['run_id', 'step_key', 'source_key', 'batch_no', 'visit', 'place'],
                        isUnique: true,
                    },
                    { name: 'IDX_flow_difference_run', columnNames: ['run_id', 'channel_id', 'id'] },
                    { name: 'IDX_flow_difference_created', columnNames: ['created_at'] },
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        const { idOf } = columnTypes(queryRunner);
        await queryRunner.dropTable('flow_difference', true);
        // Dry runs of working copies, which have no place there any more, after all that belongs to them.
        const ofTrials = (what: string): string => `(SELECT ${what} FROM flow_pipeline_run WHERE revision_id IS NULL)`;
        for (const table of OF_RUNS) await queryRunner.query(`DELETE FROM ${table} WHERE run_id IN ${ofTrials('id')}`);
        const { type } = queryRunner.connection.options;
        const scope = type === 'mysql' || type === 'mariadb' ? "CONCAT('run:', id)" : "'run:' || id";
        await queryRunner.query(`DELETE FROM flow_checkpoint WHERE scope IN ${ofTrials(scope)}`);
        await queryRunner.query('DELETE FROM flow_pipeline_run WHERE revision_id IS NULL');
        await queryRunner.changeColumn('flow_pipeline_run', 'revision_id', new TableColumn(idOf('revision_id')));
        if (await queryRunner.hasColumn('flow_pipeline_run', 'definition'))
            await queryRunner.dropColumn('flow_pipeline_run', 'definition');
        if (await queryRunner.hasColumn('flow_record_error', 'severity')) {
            // Without the column they would be taken for rejected records.
            await queryRunner.query("DELETE FROM flow_record_error WHERE severity = 'WARNING'");
            await queryRunner.dropColumn('flow_record_error', 'severity');
        }
    }
}
