import type { ExtractContext } from '../../core/adapter/extractor';
import { logEvent } from '../../core/adapter/log-event';
import { flowError } from '../../core/errors/flow-error';
import type { JsonValue } from '../../core/value/json';
import type { Wrapped } from '../../io/database/keyset';
import { parsedProblem } from '../../io/database/parsed-select';
import { checkSelect } from '../../io/database/select-guard';
import { SelectReader } from '../../io/database/select-reader';
import type { SqlSession, SqlParameter } from '../../io/database/session';
import type { SqlDialect } from '../../io/database/sql-tokens';
import { poolOf, type SessionPool } from '../../io/database/session-pool';
import { foundDatabase, type StepDatabase } from '../connections/database-target';

/** The default time limit for one statement on the server. */
const QUERY_MS = 30_000;

/** A query of a step, and the database for it. */
interface SelectSource {
    readonly database: StepDatabase;
    readonly query: string;
    readonly parameters: ReadonlyArray<string | number | boolean | null>;
    readonly queryTimeoutMs?: number | undefined;
}

/** A query of Flow itself, in the dialect of the database. */
interface ReaderRequest {
    readonly database: StepDatabase;
    wrapped(dialect: SqlDialect): Wrapped | Promise<Wrapped>;
    readonly values: readonly SqlParameter[];
    readonly queryTimeoutMs?: number | undefined;
}

/** The open resources of a source. They must be closed. */
export interface OpenSelectSource {
    readonly reader: SelectReader;
    readonly query: Wrapped;
    /** By the server's own clock. */
    readonly zone: string;
    close(): void;
}

/**
 * Checks the query before connecting, and opens its reader. Throws QUERY_REFUSED, and the errors of secrets, outbound
 * requests and the database.
 */
export function openSource(
    { query, parameters, ...source }: SelectSource,
    cx: ExtractContext,
): Promise<OpenSelectSource> {
    const wrapped = (dialect: SqlDialect): Promise<Wrapped> => judgedQuery({ query, parameters }, dialect);
    return openReader({ ...source, wrapped, values: parameters }, cx);
}

async function judgedQuery(
    { query, parameters }: Pick<SelectSource, 'query' | 'parameters'>,
    dialect: SqlDialect,
): Promise<Wrapped> {
    const judged = checkSelect(query, dialect);
    if ('problem' in judged) throw flowError('QUERY_REFUSED', { problem: judged.problem });
    const problem = await parsedProblem(judged.sql, dialect);
    if (problem !== undefined) throw flowError('QUERY_REFUSED', { problem });
    if (judged.parameters !== parameters.length)
        throw flowError('QUERY_REFUSED', {
            problem: `it takes ${judged.parameters} values, and parameters has ${parameters.length}`,
        });
    return { ...judged, dialect };
}

/** Opens a reader of a query that is known to only read. Throws the same errors as `openSource`. */
export async function openReader(
    { database, wrapped, values, queryTimeoutMs = QUERY_MS }: ReaderRequest,
    cx: ExtractContext,
): Promise<OpenSelectSource> {
    const { target, pool: size } = foundDatabase(database, cx);
    const query = await wrapped(target.dialect);
    const pool = poolOf(cx.outbound, target, size);
    try {
        const order = { query, values, timeoutMs: queryTimeoutMs, signal: cx.signal };
        const reader = await SelectReader.open(pool, order);
        const zone = await reader.within(async session => {
            warnOf(session, pool, cx);
            return session.zone;
        });
        return { reader, query, zone, close: () => pool.close() };
    } catch (error) {
        pool.close();
        throw error;
    }
}

const warned = new WeakSet<SessionPool>();

/** Warns once per run for all readers of a database. */
function warnOf({ excess }: SqlSession, pool: SessionPool, { log }: ExtractContext): void {
    if (excess === undefined || warned.has(pool)) return;
    warned.add(pool);
    logEvent(log, 'DATABASE_RIGHTS', { excess });
}

/** The scope of a position: another database or query cannot use it. */
export function sourceName({
    connectionCode,
    databaseType,
    host,
    port,
    database,
    connectionStringSecretCode,
}: StepDatabase): JsonValue {
    const own = { databaseType, host, port, database, connectionStringSecretCode };
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    return { ...(connectionCode !== undefined && { connectionCode }), ...Object.fromEntries(given) } as JsonValue;
}
