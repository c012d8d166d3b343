import type { StatementProgram } from '../core/adapter/loader';
import { asFlowError, flowError } from '../core/errors/flow-error';

/**
 * A piece of SQL: text between values. `sql` builds it; a value becomes a bound parameter, and a Sql is inserted unchanged. The dialect adds quotes
 * and placeholders when the statement is sent.
 */
export class Sql {
    constructor(
        readonly texts: readonly string[],
        readonly values: ReadonlyArray<SqlPart>,
    ) {}
}

/** A table or column name; the dialect quotes it. A table may have its schema: "shop.product". */
export class Name {
    constructor(readonly name: string) {}
}

/**
 * Rows of values, one after another: `(?, ?), (?, ?)`. Stored by column instead of one part for each value: a batch
 * has some thousand values.
 */
export class Tuples {
    constructor(readonly columns: ReadonlyArray<readonly SqlValue[]>) {}
}

export type SqlPart = SqlValue | Sql | Name | Tuples;
export type SqlScalar = string | number | bigint | boolean | null | Date | Uint8Array;
export type SqlValue = SqlScalar | readonly SqlScalar[];

/** ``sql`SELECT ${name('id')} FROM ${name('product')} WHERE ${name('slug')} = ${slug}` `` */
export function sql(texts: TemplateStringsArray, ...values: readonly SqlPart[]): Sql {
    return new Sql(texts, values);
}

export function name(value: string): Name {
    return new Name(value);
}

/** `a.b` for an alias and a column. */
export function column(alias: string, columnName: string): Sql {
    return sql`${name(alias)}.${name(columnName)}`;
}

export const EMPTY = new Sql([''], []);

/** Pieces one after another with a text between them. */
export function join(parts: readonly SqlPart[], separator = ', '): Sql {
    if (parts.length === 0) return EMPTY;
    return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}

/** Unescaped text. Never use it for external input. */
export function raw(text: string): Sql {
    return new Sql([text], []);
}

export interface StatementResult<R> {
    readonly rows: readonly R[];
    /** Rows that an INSERT, UPDATE or DELETE touched. */
    readonly affected: number;
    /** First id of an auto-increment insert on MySQL; last one on SQLite; undefined elsewhere. */
    readonly insertId: number | undefined;
}

/** What a script yields to its runner. */
export type Request =
    | { readonly type: 'query'; readonly sql: Sql; readonly isAhead?: true }
    | { readonly type: 'answer'; readonly to: Ahead<unknown> }
    | { readonly type: 'settle' }
    | { readonly type: 'savepoint' | 'release' | 'rollback'; readonly name: string }
    | { readonly type: 'wait'; readonly what: Promise<unknown> };

/** Sends one statement: `const { rows } = yield* send<Row>(sql`…`)`. A failure is thrown into the script as a FlowError. */
export function* send<R>(statement: Sql): StatementProgram<StatementResult<R>> {
    return (yield { type: 'query', sql: statement } satisfies Request) as StatementResult<R>;
}

/** A request that goes to the database. */
export type Statement = Exclude<Request, { readonly type: 'answer' | 'settle' | 'wait' }>;

/** A statement that was sent and may already have its result. */
export interface Ahead<R> {
    readonly answer: StatementResult<R> | Promise<StatementResult<R>>;
}

/**
 * Sends one statement without waiting for its result, so that the script can build the next one meanwhile (ADR 24). If it fails, the next awaited
 * statement throws its error, or `allCompleted` does. Code that catches errors must await that first.
 */
export function* post<R>(statement: Sql): StatementProgram<Ahead<R>> {
    return (yield { type: 'query', sql: statement, isAhead: true } satisfies Request) as Ahead<R>;
}

/** The answer to a statement that was posted. */
export function* resultOf<R>(to: Ahead<R>): StatementProgram<StatementResult<R>> {
    return (yield { type: 'answer', to } satisfies Request) as StatementResult<R>;
}

/** Rows that are requested first, and read when the returned script runs. */
export type PendingRows<R> = StatementProgram<() => StatementProgram<readonly R[]>>;

/** Posts a SELECT; the returned script yields its rows. */
export function* selectAhead<R>(statement: Sql): PendingRows<R> {
    const requested = yield* post<R>(statement);
    return function* () {
        return (yield* resultOf(requested)).rows;
    };
}

/** A script without statements. */
// eslint-disable-next-line require-yield -- a script without statements
export function* nothing(): StatementProgram<void> {
    return undefined;
}

/** Waits until no statement is in flight; throws the first error. */
export function* allCompleted(): StatementProgram<void> {
    yield { type: 'settle' } satisfies Request;
}

/**
 * Waits for something other than the database. It throws LOAD_UNPREPARED inside a transaction, where such waits are
 * forbidden (ADR 5).
 */
export function* waitFor<T>(what: Promise<T>): StatementProgram<T> {
    return (yield { type: 'wait', what } satisfies Request) as T;
}

/** Runners: what was waited for, or why it is not. */
export async function waited({ what }: { readonly what: Promise<unknown> }, mayWait: boolean): Promise<unknown> {
    if (mayWait) return what.catch((error: unknown) => Promise.reject(asFlowError(error)));
    // No code awaits its end, and an unhandled rejection would end the process.
    what.catch(() => undefined);
    throw flowError('LOAD_UNPREPARED', {});
}

/** The rows of a SELECT. */
export function* select<R>(statement: Sql): StatementProgram<readonly R[]> {
    return (yield* send<R>(statement)).rows;
}
