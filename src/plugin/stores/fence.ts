import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { Dialect } from '../../database/dialect';
import { EMPTY, type Sql, type SqlPart, join, post, raw, select, send, sql } from '../../database/statement';
import type { Row, WriteTarget } from '../../database/write';
import type { RunIdentity, StoreEnv } from './store-env';

/** No takeover may come between the check and the commit. SQLite's transactions exclude each other anyway. */
function shareLock({ kind }: Dialect): Sql {
    return { postgres: raw(' FOR SHARE'), mysql: raw(' LOCK IN SHARE MODE'), sqlite: EMPTY }[kind];
}

/** Finds one row while the run is this worker's, none afterwards; a takeover waits until this transaction has ended. */
function fence({ database, tables }: StoreEnv, { runId, token }: RunIdentity): Sql {
    const { fences } = tables;
    return sql`FROM ${fences.name} WHERE ${fences.column('runId')} = ${runId} AND ${fences.column('token')} = ${token}${shareLock(database.dialect)}`;
}

/** Throws LEASE_LOST when the run is another worker's. For transactions that write several rows. */
export function* checkFence(env: StoreEnv, identity: RunIdentity): StatementProgram<void> {
    const rows = yield* select(sql`SELECT ${env.tables.fences.column('token')} ${fence(env, identity)}`);
    if (rows.length === 0) throw flowError('LEASE_LOST', {});
}

/** A row and the place it goes to. */
interface FencedRow {
    readonly target: WriteTarget;
    readonly row: Row;
    readonly suffix?: Sql;
}

/** Inserts one row and checks the fence in the same statement; throws LEASE_LOST when the run is another worker's. */
export function* insertFenced(
    env: StoreEnv,
    identity: RunIdentity,
    { target, row, suffix = EMPTY }: FencedRow,
): StatementProgram<void> {
    const { table, dialect } = target;
    const properties = Object.keys(row);
    const values = properties.map((property): SqlPart => {
        const value = table.toColumn(property, row[property]);
        // PostgreSQL cannot infer a parameter's type from the target column of an INSERT … SELECT.
        return dialect.kind === 'postgres' ? sql`${value}::${raw(table.typeOf(property))}` : value;
    });
    const columns = join(properties.map(property => table.column(property)));
    const { affected } = yield* send(
        sql`INSERT INTO ${table.name} (${columns}) SELECT ${join(values)} ${fence(env, identity)}${suffix}`,
    );
    if (affected === 0) throw flowError('LEASE_LOST', {});
}

/** Makes this worker the owner of the run; the writes of every other worker fail from here on. */
export function* raiseFence({ database, tables }: StoreEnv, { runId, token }: RunIdentity): StatementProgram<void> {
    const { fences } = tables;
    const id = fences.column('runId');
    const holder = fences.column('token');
    const replace =
        database.dialect.kind === 'mysql'
            ? sql`ON DUPLICATE KEY UPDATE ${holder} = VALUES(${holder})`
            : sql`ON CONFLICT (${id}) DO UPDATE SET ${holder} = excluded.${holder}`;
    yield* post(sql`INSERT INTO ${fences.name} (${id}, ${holder}) VALUES (${runId}, ${token}) ${replace}`);
}

/** The run no longer has a worker, so no worker can write for it. */
export function* lowerFence({ tables: { fences } }: StoreEnv, runId: RunIdentity['runId']): StatementProgram<void> {
    yield* post(sql`DELETE FROM ${fences.name} WHERE ${fences.column('runId')} = ${runId}`);
}
