import type { ID } from '@vendure/core';
import type { SelectQueryBuilder } from 'typeorm';
import { column, join, raw, type Sql, sql } from '../../database/statement';
import type { Dialect } from '../../database/dialect';
import type { Table } from '../../database/table';
import type { Id } from '../../database/write';
import type { FlowRecordError, RecordErrorState } from '../entities/record-error';
import { isRowId } from '../stores/row-id';

/** Which rejected records are selected. All given conditions must be true. */
export interface RecordErrorSelection {
    readonly ids?: readonly ID[] | null;
    /** Causes, by the ids of groups. */
    readonly groupIds?: readonly string[] | null;
    readonly pipelineId?: ID | null;
    readonly runId?: ID | null;
    readonly replayRunId?: ID | null;
    readonly stepKey?: string | null;
    readonly code?: string | null;
    /** Default: open. */
    readonly states?: readonly RecordErrorState[] | null;
    /** Part of the message. */
    readonly text?: string | null;
}

/** One condition: a column has one of several values, or contains a text. */
type Term = { readonly property: keyof FlowRecordError & string } & (
    { readonly oneOf: ReadonlyArray<string | number> } | { readonly contains: string }
);

/** Where the rows are selected from. */
export interface ErrorTable {
    readonly table: Table;
    readonly dialect: Dialect;
    readonly channelId: ID;
}

/** The conditions on rows of the channel under an alias. */
export function selected(
    { table, dialect, channelId }: ErrorTable,
    alias: string,
    selection: RecordErrorSelection,
): Sql {
    const own = (property: string): Sql => column(alias, table.column(property).name);
    const terms = termsOf(table, selection).map(term =>
        'oneOf' in term
            ? dialect.oneOf(own(term.property), term.oneOf)
            : sql`LOWER(${own(term.property)}) LIKE ${likeText(term.contains)} ESCAPE '!'`,
    );
    return join([sql`${own('channelId')} = ${channelId as Id}`, ...terms], ' AND ');
}

/** The same selection in all states. */
export function inAnyState({ states: _any, ...selection }: RecordErrorSelection): RecordErrorSelection {
    return { ...selection, states: ['OPEN', 'REPLAYED', 'LOADED', 'REJECTED', 'IGNORED'] };
}

/** Adds the selection to a query of TypeORM. */
export function narrowed(
    query: SelectQueryBuilder<FlowRecordError>,
    table: Table,
    selection: RecordErrorSelection,
): SelectQueryBuilder<FlowRecordError> {
    for (const [i, term] of termsOf(table, selection).entries()) {
        const [own, name] = [`${query.alias}.${term.property}`, `selected${i}`];
        if ('contains' in term)
            query.andWhere(`LOWER(${own}) LIKE :${name} ESCAPE '!'`, { [name]: likeText(term.contains) });
        else if (term.oneOf.length === 0) query.andWhere('1 = 0');
        else query.andWhere(`${own} IN (:...${name})`, { [name]: term.oneOf });
    }
    return query;
}

function termsOf(
    table: Table,
    { ids, groupIds, pipelineId, runId, replayRunId, stepKey, code, states, text }: RecordErrorSelection,
): readonly Term[] {
    const ofRow = (all: readonly ID[]): readonly Id[] => all.filter(id => isRowId(table, id)) as readonly Id[];
    const one = (property: Term['property'], id: ID | null | undefined): Term[] =>
        id == null ? [] : [{ property, oneOf: ofRow([id]) }];
    const is = (property: Term['property'], value: string | null | undefined): Term[] =>
        value == null ? [] : [{ property, oneOf: [value] }];
    return [
        ...(ids ? [{ property: 'id', oneOf: ofRow(ids) } as const] : []),
        ...(groupIds ? [{ property: 'cause', oneOf: groupIds } as const] : []),
        ...one('pipelineId', pipelineId),
        ...one('runId', runId),
        ...one('replayRunId', replayRunId),
        ...is('stepKey', stepKey),
        ...is('code', code),
        { property: 'state', oneOf: states && states.length > 0 ? states : ['OPEN'] },
        ...(text == null || text === '' ? [] : [{ property: 'message', contains: text } as const]),
    ];
}

function likeText(text: string): string {
    return `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
}

/** `LIMIT … OFFSET …` of a page. */
export function pageOf(take: number, skip: number): Sql {
    return skip === 0 ? sql` LIMIT ${raw(String(take))}` : sql` LIMIT ${raw(String(take))} OFFSET ${raw(String(skip))}`;
}
