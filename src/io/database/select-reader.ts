import { flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';
import {
    atOffset,
    afterPair,
    describing,
    type PageKeys,
    pairParameters,
    placeholder,
    equalsPair,
    withoutValue,
    type Wrapped,
} from './keyset';
import type { CursorColumn, SqlColumn, SqlLimits, SqlRow, SqlSession, SqlStatement, SqlParameter } from './session';
import type { SessionPool } from './session-pool';

/** A query that was checked, and the values for it. */
interface SelectRequest extends SqlLimits {
    readonly query: Wrapped;
    readonly values: readonly SqlParameter[];
}

/** Where a page ended: the values of the keyset's columns in its last row, as they are stored. */
export type KeyPair = readonly [column: JsonValue, tieBreaker: JsonValue];

/** Some rows as records. */
export interface RowPage {
    readonly records: readonly JsonObject[];
    /** Of its last row, where it is one of a keyset. */
    readonly end?: KeyPair | undefined;
    /** There are further rows. */
    readonly hasMore: boolean;
}

/** What a page of a keyset is. */
interface KeysetPage {
    readonly keyset: PageKeys;
    readonly limit: number;
    readonly behind?: KeyPair | undefined;
    /** A further condition, with its own values. */
    readonly and?: ((firstParameter: number) => SqlStatement) | undefined;
}

/** The number of rows that are read at once without paging. */
const PORTION = 1_000;

/** Reads the rows of one query, page by page. Each page is a separate statement. */
export class SelectReader {
    private columns: readonly SqlColumn[] = [];
    private raw: ReadonlySet<string> = new Set();

    private constructor(
        private readonly pool: SessionPool,
        private readonly request: SelectRequest,
    ) {}

    /**
     * Reads the query's columns. Throws QUERY_REFUSED if two of them have the same name, and the database's own
     * errors.
     */
    static async open(pool: SessionPool, request: SelectRequest): Promise<SelectReader> {
        const reader = new SelectReader(pool, request);
        reader.columns = await reader.within(session =>
            session.columns(reader.statement(describing(request.query)), request),
        );
        reader.raw = new Set(reader.columns.filter(({ isRaw }) => isRaw).map(({ name }) => name));
        const names = reader.columns.map(({ name }) => name);
        const twice = names.find((name, i) => names.indexOf(name) < i);
        if (twice !== undefined)
            throw flowError('QUERY_REFUSED', {
                problem: `it has two columns called "${twice}"; name one of them otherwise (AS)`,
            });
        return reader;
    }

    /** Runs work with a session of its pool. */
    within<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
        return this.pool.with(this, this.request, work);
    }

    /** Throws QUERY_REFUSED for columns that the query does not have or that nothing can be ordered by, as `fields` calls them. */
    checkKeyset({ column, tieBreaker }: PageKeys, fields: readonly [column: string, tieBreaker: string]): void {
        this.cursorOf(column, fields[0]);
        this.cursorOf(tieBreaker, fields[1]);
    }

    /** Throws SOURCE_MALFORMED if a row would never be read because it has no value to be ordered by. */
    async refuseMissing(keyset: PageKeys): Promise<void> {
        const { request } = this;
        const statement = this.statement(withoutValue(request.query, keyset));
        const [row] = await this.within(session => session.rows(statement, request));
        if (row) this.pairOf(row, keyset);
    }

    async atOffset(bounds: { readonly limit: number; readonly offset: number }): Promise<RowPage> {
        const { request } = this;
        const statement = this.page(atOffset(request.query, { ...bounds, limit: bounds.limit + 1 }));
        const rows = await this.within(session => session.rows(statement, request));
        return { records: this.records(rows.slice(0, bounds.limit)), hasMore: rows.length > bounds.limit };
    }

    /** Throws SOURCE_MALFORMED for rows that the keyset does not distinguish. */
    async behind({ keyset, limit, behind: after, and }: KeysetPage): Promise<RowPage> {
        const { request } = this;
        const { query } = request;
        const { casts, bind } = this.pairOfKeyset(keyset);
        const values = after ? pairParameters(bind(after), query.dialect) : [];
        const condition = and?.(query.parameters + values.length + 1);
        const text = afterPair(query, keyset, {
            limit: limit + 1,
            ...(after && { behind: casts }),
            ...(condition && { and: condition.text }),
        });
        const statement = this.page(text, [...values, ...(condition?.values ?? [])]);
        const rows = await this.within(session => session.rows(statement, request));
        this.refuseAlike(rows, keyset);
        const own = rows.slice(0, limit);
        const last = own.at(-1);
        const end = last && this.pairOf(last, keyset);
        if (end && after && JSON.stringify(end) === JSON.stringify(after))
            throw flowError('SOURCE_MALFORMED', {
                where: `column "${keyset.column}"`,
                problem:
                    'a page that begins after one of its values has that value again, so that reading would never end',
            });
        const further = rows[limit];
        if (end && further && this.mayBeSame([last, further], keyset)) await this.refuseSame(end, keyset);
        return { records: this.records(own), end, hasMore: rows.length > limit };
    }

    /** All rows in the query's own order, in portions, of one statement. */
    async *portions(): AsyncGenerator<readonly JsonObject[], void, void> {
        const { request, pool } = this;
        const { query, values, ...limits } = request;
        const session = await pool.take(this, limits);
        try {
            for await (const rows of session.portions(
                { text: query.sql, values, raw: this.raw },
                { ...limits, size: PORTION },
            ))
                yield this.records(rows);
        } finally {
            pool.giveBack(this, session);
        }
    }

    /** Whether the query has a column of this name. */
    has(name: string): boolean {
        return this.columns.some(column => column.name === name);
    }

    /** The column by which it is ordered; `field` is what a configuration calls it. */
    cursorOf(name: string, field = 'the keyset'): CursorColumn {
        const found = this.columns.find(column => column.name === name);
        if (!found) {
            const known = this.columns.map(column => column.name).join(', ');
            throw flowError('QUERY_REFUSED', {
                problem: `${field} is "${name}", which is not one of its columns; it has ${known}`,
            });
        }
        if ('problem' in found.cursor)
            throw flowError('QUERY_REFUSED', { problem: `${field} is "${name}", which ${found.cursor.problem}` });
        return found.cursor;
    }

    private statement(text: string): SqlStatement {
        return { text, values: this.request.values, raw: this.raw };
    }

    /** Whose rows become records. */
    private page(text: string, more: readonly SqlParameter[] = []): SqlStatement {
        return { text, values: [...this.request.values, ...more], raw: this.raw, columns: this.columns };
    }

    private pairOf(row: SqlRow, { column, tieBreaker }: PageKeys): KeyPair {
        const [first, second] = [column, tieBreaker].map(name => {
            const cell = row[this.indexOf(name)];
            const stored = cell === null ? undefined : this.cursorOf(name).store(cell);
            if (stored !== undefined) return stored;
            throw flowError('SOURCE_MALFORMED', {
                where: `column "${name}"`,
                problem:
                    'a row has no value there and would never be read; leave such rows out (IS NOT NULL), or order by another column',
            });
        });
        return [first!, second!];
    }

    /** How a statement takes a pair of both columns. */
    private pairOfKeyset({ column, tieBreaker }: PageKeys): {
        readonly casts: readonly [string, string];
        bind(pair: KeyPair): readonly [SqlParameter, SqlParameter];
    } {
        const { parameters, dialect } = this.request.query;
        const [one, other] = [this.cursorOf(column), this.cursorOf(tieBreaker)];
        const at = (number: number): string => placeholder(parameters + number, dialect);
        return {
            casts: [one.cast(at(1)), other.cast(at(2))],
            bind: ([first, second]) => [one.bind(first), other.bind(second)],
        };
    }

    /** Cells that differ may be the same to their database: 'a' and 'A', 1.0 and 1.00. */
    private mayBeSame([row, next]: readonly [SqlRow, SqlRow], { column, tieBreaker }: PageKeys): boolean {
        return [column, tieBreaker].every(name => {
            const i = this.indexOf(name);
            return folded(row[i]) === folded(next[i]);
        });
    }

    /** Only the database knows which of its texts are equal; after the first of them it would not find the others. */
    private async refuseSame(end: KeyPair, keyset: PageKeys): Promise<void> {
        const { request, raw } = this;
        const { casts, bind } = this.pairOfKeyset(keyset);
        const statement = {
            text: equalsPair(request.query, keyset, casts),
            values: [...request.values, ...bind(end)],
            raw,
        };
        const same = await this.within(session => session.rows(statement, request));
        if (same.length > 1) throw notTold(keyset);
    }

    private indexOf(name: string): number {
        return this.columns.findIndex(column => column.name === name);
    }

    private refuseAlike(rows: readonly SqlRow[], { column, tieBreaker }: PageKeys): void {
        const [first, second] = [this.indexOf(column), this.indexOf(tieBreaker)];
        for (let i = 1; i < rows.length; i++) {
            const [row, before] = [rows[i]!, rows[i - 1]!];
            if (row[second] === null || !isSame(row[second], before[second]) || !isSame(row[first], before[first]))
                continue;
            throw notTold({ column, tieBreaker });
        }
    }

    private records(rows: readonly SqlRow[]): readonly JsonObject[] {
        const { columns } = this;
        // As own fields, whatever they are called.
        if (columns.some(({ name }) => name === '__proto__'))
            return rows.map(row => Object.fromEntries(columns.map(({ name }, i) => [name, this.value(i, row[i])])));
        return rows.map(row => {
            const record: Record<string, JsonValue> = {};
            for (let i = 0; i < columns.length; i++) record[columns[i]!.name] = this.value(i, row[i]);
            return record;
        });
    }

    private value(column: number, cell: unknown): JsonValue {
        const { toJson } = this.columns[column]!;
        if (cell === null || cell === undefined) return null;
        return toJson ? toJson(cell as never) : (cell as JsonValue);
    }
}

function isSame(one: unknown, other: unknown): boolean {
    if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
    return one === other;
}

/**
 * Returns the same text for all values that a database may compare as equal; different values may get the same text
 * too.
 */
function folded(cell: unknown): unknown {
    if (typeof cell !== 'string') return cell;
    if (/^[-+]?[\d.]+$/.test(cell)) return Number(cell);
    return cell
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase();
}

function notTold({ column, tieBreaker }: PageKeys): Error {
    return flowError('SOURCE_MALFORMED', {
        where: `column "${tieBreaker}"`,
        problem: `two rows with the same "${column}" have the same value there; one of them could be skipped, so the value must be unique`,
    });
}
