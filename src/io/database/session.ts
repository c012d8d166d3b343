import type { Outbound, SocketTls } from '../../core/adapter/outbound';
import type { LogText } from '../../core/log/log-text';
import type { JsonValue } from '../../core/value/json';
import type { SqlDialect } from './sql-tokens';

/** A database and who reads it. Secrets have been opened. */
export interface SqlTarget {
    readonly dialect: SqlDialect;
    /** A name or an address; empty for a file. */
    readonly host: string;
    readonly port: number;
    /** Its name; of SQLite the path of its file, or `:memory:`. */
    readonly database: string;
    readonly user: string | undefined;
    readonly password: string | undefined;
    /** Undefined where the connection is not encrypted. */
    readonly tls: SocketTls | undefined;
}

/** The value of a parameter. */
export type SqlParameter = string | number | boolean | null | bigint | Uint8Array;

/** Flow's own SELECT around a query that was checked. */
export interface SqlStatement {
    readonly text: string;
    readonly values: readonly SqlParameter[];
    /** Columns that the driver is to leave as the bytes that they are. */
    readonly raw?: ReadonlySet<string>;
    /** The columns that its answer is to have. */
    readonly columns?: readonly SqlColumn[];
}

/** How a page's end is read from the values of a column. */
export interface CursorColumn {
    /** As it is stored between runs; undefined for a value after which no cursor can resume. */
    store(cell: unknown): JsonValue | undefined;
    /** The value that a statement takes. */
    bind(stored: JsonValue): SqlParameter;
    /** The parameter with the column's type, so that its index is used and nothing is rounded. */
    cast(placeholder: string): string;
    /** The kind of moments in the column; undefined if it has other values. */
    readonly moment?: 'withZone' | 'withoutZone';
}

/** A column of a query's result. */
export interface SqlColumn {
    readonly name: string;
    /** Its cells are to be the bytes that the server sends. */
    readonly isRaw?: boolean;
    /** The form in which its cells are sent; absent if each cell has its own. */
    readonly sent?: number | string;
    /** Its value in a record; absent if a cell is one already. Is never called with a NULL. */
    readonly toJson?: (cell: never) => JsonValue;
    /** Or why nothing can be ordered by it, as the end of a sentence. */
    readonly cursor: CursorColumn | { readonly problem: string };
}

/** A row as the driver gives it: its cells in the order of the columns. */
export type SqlRow = readonly unknown[];

/**
 * One connection to a database. Each query runs in a separate READ ONLY transaction, which is rolled back. Only one
 * query runs at a time.
 */
export interface SqlSession {
    /** The columns of a query's result, without its rows. */
    columns(statement: SqlStatement, limits: SqlLimits): Promise<readonly SqlColumn[]>;
    /** All rows, of a statement that limits them. */
    rows(statement: SqlStatement, limits: SqlLimits): Promise<readonly SqlRow[]>;
    /** At most `size` rows at once, as fast as they are taken; the limits hold for each such portion. */
    portions(statement: SqlStatement, limits: SqlLimits & { readonly size: number }): AsyncGenerator<readonly SqlRow[]>;
    /** What it speaks to, with its version: `PostgreSQL 15.20`. */
    readonly product: string;
    /** Rights of the user that a reader should not have, as the end of a sentence; undefined if there are none. */
    readonly excess: LogText | undefined;
    /** The zone of the server's own clock, for moments that are written without one; empty where there are none. */
    readonly zone: string;
    /** Forgets all that the session has set, locked and prepared. */
    clean(): Promise<void>;
    /** Broken off, by the other side or by `end`. */
    readonly isOver: boolean;
    /**
     * Ends the session at once: a running query fails, and the server is requested to stop it. May be called more
     * than once.
     */
    end(): void;
}

/** How long the server may take, and until when the caller waits. */
export interface SqlLimits {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

/** Opens sessions of one kind of database. */
export type OpenSession = (target: SqlTarget, gateway: SessionGateway) => Promise<SqlSession>;

/** The way out, and how long a session may take to open. */
export interface SessionGateway extends SqlLimits {
    readonly outbound: Outbound;
}

/** How the target is called in messages. */
export function targetName({ dialect, host, port, database }: SqlTarget): string {
    if (dialect === 'sqlite') return `SQLite (${database})`;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
