import { clause } from '../../core/errors/rendered';
import { createHash } from 'node:crypto';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { defineExtractor, type ExtractContext, type Page } from '../../core/adapter/extractor';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { columnOf, type PageKeys, placeholder, quotedName, quotedTable, type Wrapped } from '../../io/database/keyset';
import type { KeyPair, SelectReader } from '../../io/database/select-reader';
import type { SqlStatement } from '../../io/database/session';
import type { SqlDialect } from '../../io/database/sql-tokens';
import { type CdcConfig, cdcConfig } from './cdc-config';
import { checkTracked } from './cdc-values';
import { yieldToEventLoop, PAGE_SIZE } from './paging';
import { openReader, type OpenSelectSource } from './select-source';

/** Reads the rows of a table that changed since the last run. */
export const cdc = defineExtractor({
    code: 'cdc',
    category: 'Databases',
    title: 'Changed rows',
    summary: 'Reads the rows of a table that have changed since the last run, from PostgreSQL, MySQL or MariaDB.',
    config: cdcConfig,
    readsServer: true,
    notes: [
        'Each run polls once: it reads at most batchSize rows, in the order of the tracking column and the primary key. Use a schedule to poll regularly.',
        'Records of the first run have the operation UPSERT, records of later runs UPDATE, and rows with a value in deleteColumn DELETE. Loaders and sinks execute this operation.',
        'Polling does not detect permanently deleted rows or states between two polls. A soft delete is detected if it also changes the tracking column.',
        'The pair of both columns must never move backwards: a row committed with a position before the last position read is never read. This cannot happen if lagSeconds is longer than the longest transaction.',
        'The next run continues where the last completed run ended. A run that fails or is cancelled does not move the position. To move it manually, use resetFlowSavedPosition and reseedFlowSavedPosition of the API.',
    ],
    examples: [
        {
            config: {
                connectionCode: 'erp',
                databaseType: 'POSTGRES',
                table: 'stock',
                trackingColumn: 'changed_at',
                trackingType: 'TIMESTAMP',
                primaryKey: 'id',
                columns: ['sku', 'on_hand'],
            },
            out: [
                { sku: 'TS-1', on_hand: 7, __operation: 'UPSERT' },
                { sku: 'TS-2', on_hand: 0, __operation: 'UPSERT' },
            ],
        },
        {
            config: {
                connectionCode: 'erp',
                databaseType: 'POSTGRES',
                table: 'stock',
                trackingColumn: 'version',
                trackingType: 'VERSION',
                primaryKey: 'id',
                columns: ['sku'],
                includeDeletes: true,
                deleteColumn: 'deleted_at',
                operationField: 'op',
                batchSize: 3,
            },
            out: [
                { sku: 'TS-1', op: 'UPSERT' },
                { sku: 'TS-2', op: 'UPSERT' },
                { sku: 'TS-3', op: 'DELETE' },
            ],
        },
    ],
    advise({ deleteColumn, includeDeletes, trackingZone, lagSeconds }): readonly Advice[] {
        const advice: Advice[] = [];
        if (deleteColumn !== undefined && !includeDeletes)
            advice.push(withoutEffect('deleteColumn', clause`without includeDeletes`));
        if (trackingZone !== 'SERVER' && lagSeconds === 0)
            advice.push(withoutEffect('trackingZone', clause`without lagSeconds`));
        return advice;
    },
    readsPart: () => true,
    async saved(given) {
        return { ...keyOf(given), startOver: false, by: 'completed' };
    },
    placeBehind(given, values) {
        checkTracked(given, values[0]);
        return { key: keyOf(given).key, from: { behind: [...values] } };
    },
    extract: poll,
});

/** A position belongs to a table and to the columns that order its rows, not to the other columns. */
function keyOf({ connectionCode: code, table, trackingColumn, trackingType, primaryKey }: CdcConfig) {
    const of = { connection: code, table, trackingColumn, trackingType, primaryKey };
    return { key: createHash('sha256').update(JSON.stringify(of)).digest('hex'), of };
}

/** The position of a poll. */
interface Progress {
    readonly behind: KeyPair | undefined;
    /** How many rows this poll has read. */
    readonly read: number;
    /** No run has completed before. */
    readonly isFirst: boolean;
    readonly isOver: boolean;
}

async function* poll(given: CdcConfig, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const begun = progressOf(cx.resumeFrom);
    if (begun.isOver) return;
    cx.signal.throwIfAborted();
    const hidden = hiddenColumns(given);
    const { reader, close, query, zone } = await opened(given, hidden, cx);
    try {
        const keyset: PageKeys = { column: given.trackingColumn, tieBreaker: given.primaryKey };
        check(reader, given, keyset);
        if (begun.read === 0) await reader.refuseMissing(keyset);
        const and = lagOf(reader, given, { query, zone });
        const desired = Math.min(given.batchSize, begun.read + (cx.limit ?? Infinity));
        let { read, behind: after } = begun;
        for (;;) {
            await yieldToEventLoop(cx);
            const limit = Math.min(PAGE_SIZE, desired - read);
            const { records, end, hasMore } = await reader.behind({ keyset, limit, behind: after, and });
            read += records.length;
            after = end ?? after;
            if (ENDLESS.test(String(end?.[0]))) throw endless(given);
            const isOver = !hasMore || read >= given.batchSize;
            if (records.length > 0) {
                const place = { behind: after as unknown as JsonValue };
                const checkpoint = { ...place, read, isFirst: begun.isFirst, isOver };
                const marked = records.map(record => told(record, { given, hidden, isFirst: begun.isFirst }));
                yield { records: marked, checkpoint, nextRun: { from: place } };
            }
            if (isOver || read >= desired) return;
        }
    } finally {
        close();
    }
}

/** Values that PostgreSQL orders after every other value of their type. */
const ENDLESS = /^(?:infinity|nan)$/i;

/** A row with such a position would hide all later changes. */
function endless({ trackingColumn }: CdcConfig): Error {
    return flowError('SOURCE_MALFORMED', {
        where: `column "${trackingColumn}"`,
        problem: 'a row has an infinite value there, and no later change would be read; correct the row',
    });
}

function progressOf(checkpoint: JsonValue | undefined): Progress {
    if (!isJsonObject(checkpoint)) return { behind: undefined, read: 0, isFirst: true, isOver: false };
    const { behind: after, read, isFirst, isOver } = checkpoint;
    return {
        behind: Array.isArray(after) && after.length === 2 ? (after as unknown as KeyPair) : undefined,
        read: typeof read === 'number' ? read : 0,
        // A position from a completed run does not say whether it is the first.
        isFirst: isFirst === true,
        isOver: isOver === true,
    };
}

/** Columns that are read but are not part of the record. */
function hiddenColumns({
    columns,
    trackingColumn,
    primaryKey,
    includeDeletes,
    deleteColumn,
}: CdcConfig): readonly string[] {
    if (!columns) return [];
    const needed = [trackingColumn, primaryKey, ...(includeDeletes ? [deleteColumn!] : [])];
    return [...new Set(needed)].filter(column => !columns.includes(column));
}

function opened(given: CdcConfig, hidden: readonly string[], cx: ExtractContext): Promise<OpenSelectSource> {
    const { connectionCode: code, databaseType, table, columns } = given;
    const wrapped = (dialect: SqlDialect): Wrapped => {
        const list = columns ? [...columns, ...hidden].map(one => quotedName(one, dialect)).join(', ') : '*';
        const sql = `SELECT ${list} FROM ${quotedTable(table, dialect)}`;
        return { dialect, sql, parameters: 0, isSorted: false, isLimited: false };
    };
    return openReader({ database: { connectionCode: code, databaseType }, wrapped, values: [] }, cx);
}

function check(
    reader: SelectReader,
    { trackingType, trackingColumn, operationField, deleteColumn, includeDeletes }: CdcConfig,
    keyset: PageKeys,
): void {
    reader.checkKeyset(keyset, ['trackingColumn', 'primaryKey']);
    const rejected = (problem: string): Error => flowError('QUERY_REFUSED', { problem });
    if (trackingType === 'TIMESTAMP' && reader.cursorOf(trackingColumn).moment === undefined)
        throw rejected(
            `trackingColumn is "${trackingColumn}", which holds no moments; allowed with it: trackingType VERSION`,
        );
    if (includeDeletes && !reader.has(deleteColumn!))
        throw rejected(`deleteColumn is "${deleteColumn}", which is not a column of the table`);
    if (reader.has(operationField))
        throw rejected(
            `operationField is "${operationField}", which is a column of the table; allowed: a name that none of its columns has`,
        );
}

/** Excludes rows that are too recent to be read, by the database's own clock. */
function lagOf(
    reader: SelectReader,
    { trackingColumn, lagSeconds, trackingZone }: CdcConfig,
    { query, zone }: Pick<OpenSelectSource, 'query' | 'zone'>,
): ((first: number) => SqlStatement) | undefined {
    if (lagSeconds === 0) return undefined;
    const { dialect } = query;
    const column = columnOf(trackingColumn, query);
    const isZoned = reader.cursorOf(trackingColumn).moment === 'withZone';
    const utc = dialect === 'postgres' ? 'UTC' : '+00:00';
    const at = trackingZone === 'UTC' || zone === '' ? utc : zone;
    return first => {
        const [one, two] = [placeholder(first, dialect), placeholder(first + 1, dialect)];
        const values = isZoned ? [lagSeconds] : [at, lagSeconds];
        if (dialect === 'postgres') {
            const now = isZoned ? 'now()' : `(now() AT TIME ZONE ${one}::text)`;
            return { text: `${column} <= ${now} - make_interval(secs => ${isZoned ? one : two})`, values };
        }
        const now = isZoned ? 'UTC_TIMESTAMP(6)' : `CONVERT_TZ(UTC_TIMESTAMP(6), '+00:00', ${one})`;
        return { text: `${column} <= ${now} - INTERVAL ? SECOND`, values };
    };
}

interface Telling {
    readonly given: CdcConfig;
    readonly hidden: readonly string[];
    readonly isFirst: boolean;
}

function told(row: JsonObject, { given, hidden, isFirst }: Telling): JsonObject {
    const { includeDeletes, deleteColumn, operationField } = given;
    const isDeleted = includeDeletes && row[deleteColumn!] !== null;
    const operation = isDeleted ? 'DELETE' : isFirst ? 'UPSERT' : 'UPDATE';
    const record: Record<string, JsonValue> = { ...row };
    for (const column of hidden) delete record[column];
    record[operationField] = operation;
    return record;
}
