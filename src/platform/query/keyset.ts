import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import type { Dialect } from '../../database/dialect';
import { name, raw, type Sql, sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import type { SourceField } from './source';

/** The last record of a page: what it is sorted by, as the database compares it, and its id. */
export interface KeysetPosition {
    readonly value: string | number | boolean | null;
    readonly id: Id;
}

/** The columns and direction by which a query is sorted. Ids come last, so that no two records have the same place. */
export interface QuerySort {
    readonly field: SourceField;
    readonly isDescending: boolean;
    readonly id: Sql;
    readonly dialect: Dialect;
}

/**
 * Keyset pagination: a page begins after the last record of the previous one, whatever was added or deleted meanwhile. Records without a value come
 * first, and with DESC last, on every database.
 */
export class Keyset {
    private readonly isById: boolean;

    constructor(private readonly querySort: QuerySort) {
        this.isById = querySort.field.name === 'id';
    }

    /** The columns by which a page is sorted: the value, and its text if a driver would lose digits of it. */
    get columns(): readonly Sql[] {
        if (this.isById) return [];
        const value = this.querySort.field.of('e');
        return [
            sql`${value} AS ${name('s')}`,
            ...(this.isExactAsText ? [sql`${this.asText(value)} AS ${name('k')}`] : []),
        ];
    }

    /** The order of the rows: by their own columns, or by those of a page with an alias. */
    orderBy(alias?: string): readonly Sql[] {
        const { field, id, isDescending } = this.querySort;
        const at = (column: string): Sql => sql`${name(alias!)}.${name(column)}`;
        const direction = raw(isDescending ? ' DESC' : ' ASC');
        const value = alias === undefined ? field.of('e') : at('s');
        const last = sql`${alias === undefined ? id : at('id')}${direction}`;
        if (this.isById) return [last];
        const rank = sql`CASE WHEN ${value} IS NULL THEN 0 ELSE 1 END${direction}`;
        return [...(field.isNullable ? [rank] : []), sql`${value}${direction}`, last];
    }

    /** The condition for rows after a place. */
    behind({ value, id }: KeysetPosition): Sql {
        const { field, id: idColumn, isDescending } = this.querySort;
        const than = raw(isDescending ? '<' : '>');
        const further = sql`${idColumn} ${than} ${id}`;
        if (this.isById) return further;
        const column = field.of('e');
        if (value === null)
            return isDescending
                ? sql`(${column} IS NULL AND ${further})`
                : sql`((${column} IS NULL AND ${further}) OR ${column} IS NOT NULL)`;
        const beyond = sql`${column} ${than} ${value} OR (${column} = ${value} AND ${further})`;
        return isDescending && field.isNullable ? sql`(${beyond} OR ${column} IS NULL)` : sql`(${beyond})`;
    }

    /** Where a page ends. */
    placeOf(row: Row): KeysetPosition {
        const id = row['id'] as Id;
        if (this.isById) return { value: null, id };
        const value = row[this.isExactAsText ? 'k' : 's'];
        return { value: value === undefined ? null : (value as KeysetPosition['value']), id };
    }

    /** Dates have more digits in the database than the driver's have. */
    private get isExactAsText(): boolean {
        const { field, dialect } = this.querySort;
        return field.kind === 'date' && dialect.kind !== 'sqlite';
    }

    private asText(value: Sql): Sql {
        return this.querySort.dialect.kind === 'postgres' ? sql`CAST(${value} AS text)` : sql`CAST(${value} AS CHAR)`;
    }
}

/** A place as a checkpoint has it. */
export function storedKeysetPosition({ value, id }: KeysetPosition): JsonObject {
    return { value, id };
}

/** A stored place. */
export function readKeysetPosition(stored: JsonValue | undefined): KeysetPosition | undefined {
    if (stored === undefined) return undefined;
    if (isJsonObject(stored) && (typeof stored['id'] === 'string' || typeof stored['id'] === 'number'))
        return { value: (stored['value'] ?? null) as KeysetPosition['value'], id: stored['id'] };
    throw flowError('BUG', { problem: `a checkpoint should be a place in a query and is ${show(stored)}` });
}
