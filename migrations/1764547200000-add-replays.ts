import { createHash } from 'node:crypto';
import { type MigrationInterface, type QueryRunner, TableColumn, TableIndex } from 'typeorm';
import { columnTypes } from './column-types';

const ERRORS = 'flow_record_error';
const RUNS = 'flow_pipeline_run';
const INDICES: Readonly<Record<string, string[]>> = {
    cause: ['channel_id', 'state', 'cause', 'created_at', 'pipeline_id'],
    pipeline: ['pipeline_id', 'state'],
    replay: ['replay_run_id', 'state'],
};

/** What is done about rejected records, and the runs that replay them. */
export class AddReplays1764547200000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'AddReplays1764547200000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, key, longText, moment } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        const added = [
            key('cause', 22, { default: "''" }),
            key('state', 16, orNull),
            longText('note', orNull),
            idOf('decided_by', orNull),
            moment('decided_at', orNull),
            idOf('replay_run_id', orNull),
            key('replay_source_key', 64, orNull),
            int('replay_seq', orNull),
            longText('correction', orNull),
        ];
        for (const [table, columns] of [
            [ERRORS, added],
            [RUNS, [longText('replay', orNull), int('replays', orNull)]],
        ] as const) {
            // A kill in between leaves some of these on a database whose DDL is no part of transactions: what is there is passed over.
            for (const column of columns)
                if (!(await queryRunner.hasColumn(table, column.name)))
                    await queryRunner.addColumn(table, new TableColumn(column));
        }
        await fill(queryRunner);
        const { indices } = (await queryRunner.getTable(ERRORS))!;
        for (const [name, columnNames] of Object.entries(INDICES)) {
            const index = new TableIndex({ name: `IDX_${ERRORS}_${name}`, columnNames });
            if (!indices.some(known => known.name === index.name)) await queryRunner.createIndex(ERRORS, index);
        }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        const { indices = [] } = (await queryRunner.getTable(ERRORS)) ?? {};
        for (const name of Object.keys(INDICES).map(one => `IDX_${ERRORS}_${one}`))
            if (indices.some(index => index.name === name)) await queryRunner.dropIndex(ERRORS, name);
        for (const [table, columns] of [
            [RUNS, ['replays', 'replay']],
            [
                ERRORS,
                [
                    'correction',
                    'replay_seq',
                    'replay_source_key',
                    'replay_run_id',
                    'decided_at',
                    'decided_by',
                    'note',
                    'state',
                    'cause',
                ],
            ],
        ] as const)
            for (const column of columns)
                if (await queryRunner.hasColumn(table, column)) await queryRunner.dropColumn(table, column);
    }
}

/** What real runs have rejected before is open. */
async function fill(queryRunner: QueryRunner): Promise<void> {
    const { driver } = queryRunner.connection;
    const parameter = (place: number): string => (driver.options.type === 'postgres' ? `$${place}` : '?');
    const isDryRun = driver.options.type === 'postgres' ? 'dry_run' : 'dry_run = 1';
    await queryRunner.query(`
        UPDATE ${ERRORS} SET state = 'OPEN' WHERE state IS NULL AND severity = 'ERROR'
        AND run_id NOT IN (SELECT id FROM ${RUNS} WHERE ${isDryRun})`);
    const kinds: readonly Kind[] = await queryRunner.query(
        `SELECT DISTINCT step_key, code, path FROM ${ERRORS} WHERE cause = ''`,
    );
    for (const kind of kinds) {
        const { step_key: stepKey, code, path } = kind;
        const values = [causeOf(kind), stepKey, code, ...(path === null ? [] : [path])];
        const ofPath = path === null ? 'path IS NULL' : `path = ${parameter(4)}`;
        await queryRunner.query(
            `UPDATE ${ERRORS} SET cause = ${parameter(1)} WHERE cause = '' AND step_key = ${parameter(2)} AND code = ${parameter(3)} AND ${ofPath}`,
            values,
        );
    }
}

interface Kind {
    readonly step_key: string;
    readonly code: string;
    readonly path: string | null;
}

/** As what rejects records made it when this was written; whoever changes that writes another migration. */
function causeOf({ step_key: stepKey, code, path }: Kind): string {
    const named = [stepKey, code, path === null ? null : path.replace(/(^|\.)\d+(?=\.|$)/g, '$1*')];
    return createHash('sha256').update(JSON.stringify(named)).digest('base64url').slice(0, 22);
}
