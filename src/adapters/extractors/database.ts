import { clause } from '../../core/errors/rendered';
import { createHash } from 'node:crypto';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { defineExtractor, type ExtractContext, type Page } from '../../core/adapter/extractor';
import { logEvent } from '../../core/adapter/log-event';
import { flowError } from '../../core/errors/flow-error';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { checkSelect } from '../../io/database/select-guard';
import type { KeyPair, RowPage, SelectReader } from '../../io/database/select-reader';
import { DATABASE_TYPES, DIALECTS, stepDatabaseUses } from '../connections/database-target';
import { type DatabaseConfig, databaseConfig } from './database-config';
import { yieldToEventLoop } from './paging';
import { openSource, sourceName } from './select-source';

/** Reads the rows of a SELECT statement. */
export const database = defineExtractor({
    code: 'database',
    category: 'Databases',
    title: 'Database query',
    summary: 'Reads the rows of a SELECT query from PostgreSQL, MySQL, MariaDB or SQLite.',
    config: databaseConfig,
    notes: [
        'The query is one SELECT. Comments, semicolons, locking reads, SELECT … INTO, statements that write and functions with side effects are not allowed. It runs in a READ ONLY transaction that is rolled back, in UTC.',
        '64-bit integers and decimals (BIGINT, NUMERIC, DECIMAL) are read as text, because JSON numbers cannot represent all of them. Dates and times are ISO text, bytes are base64. The guide lists every type.',
        'After a crash, a run with CURSOR pagination continues after the last page, and with OFFSET at the row. Without pagination it reads from the beginning and skips what was loaded.',
        'CURSOR fails if the columns contain NULL or repeated pairs, because rows would be lost.',
        "A connection's password is not sent to another server: a step that sets host, port or ssl needs its own password.",
        "PostgreSQL needs the package pg, MySQL and MariaDB mysql2, SQLite better-sqlite3. SQLite files can only be read by pipelines and connections that the shop's code defines.",
    ],
    examples: [
        {
            config: {
                databaseType: 'SQLITE',
                database: ':memory:',
                query: "SELECT 'TS-1' AS sku, 1995 AS price UNION ALL SELECT 'TS-2', NULL",
            },
            out: [
                { sku: 'TS-1', price: 1995 },
                { sku: 'TS-2', price: null },
            ],
        },
        {
            config: {
                databaseType: 'SQLITE',
                database: ':memory:',
                query: "SELECT column1 AS id, column2 AS changed FROM (VALUES (3, '2026-01-02'), (1, '2026-01-01'), (2, '2026-01-01')) WHERE column1 < ?",
                parameters: [10],
                pagination: { type: 'CURSOR', pageSize: 2, cursorColumn: 'changed', cursorTieBreakerColumn: 'id' },
            },
            out: [
                { id: 1, changed: '2026-01-01' },
                { id: 2, changed: '2026-01-01' },
                { id: 3, changed: '2026-01-02' },
            ],
            note: 'Two rows of the same day are on different pages: the second column distinguishes them.',
        },
        {
            config: {
                databaseType: 'SQLITE',
                database: ':memory:',
                query: 'SELECT column1 AS n FROM (VALUES (1), (2), (3)) ORDER BY n DESC',
                pagination: { type: 'OFFSET', pageSize: 2 },
            },
            out: [{ n: 3 }, { n: 2 }, { n: 1 }],
        },
    ],
    secretUses: stepDatabaseUses,
    advise({ pagination, incremental, query, databaseType }): readonly Advice[] {
        const advice: Advice[] = [];
        const isPaged = pagination?.enabled === true;
        if (isPaged && pagination.type === 'OFFSET') {
            for (const field of ['cursorColumn', 'cursorTieBreakerColumn'] as const)
                if (pagination[field] !== undefined)
                    advice.push(withoutEffect(`pagination.${field}`, clause`with pagination of type OFFSET`));
            const judged = DATABASE_TYPES.filter(type => databaseType === undefined || type === databaseType)
                .map(type => checkSelect(query, DIALECTS[type]))
                .find(judgement => !('problem' in judgement));
            if (judged && 'isSorted' in judged && !judged.isSorted)
                advice.push({
                    code: 'LIKELY_MISTAKE',
                    path: 'query',
                    problem: clause`has no ORDER BY, so that pages of type OFFSET may have rows twice and others not at all`,
                });
        }
        if (pagination && !isPaged)
            for (const field of ['maxPages', 'cursorColumn', 'cursorTieBreakerColumn'] as const)
                if (pagination[field] !== undefined)
                    advice.push(withoutEffect(`pagination.${field}`, clause`while pagination is not enabled`));
        if (incremental.column !== undefined && !incremental.enabled)
            advice.push(withoutEffect('incremental.column', clause`while incremental is not enabled`));
        return advice;
    },
    onlyInCode: ({ databaseType, database: path }) =>
        databaseType === 'SQLITE' && path !== undefined && path !== ':memory:'
            ? [
                  {
                      path: 'database',
                      message:
                          "database is the path of a file on the server; allowed: in pipelines of the shop's code, or by a connection of type SQLITE, which is defined there",
                  },
              ]
            : [],
    readsPart: ({ incremental }) => incremental.enabled,
    async saved(config) {
        const { incremental, pagination, query, parameters } = config;
        if (!incremental.enabled) return undefined;
        const of = {
            database: canonicalJson(sourceName(config)),
            query: query.trim(),
            parameters: canonicalJson(parameters),
            columns: `${pagination!.cursorColumn}, ${pagination!.cursorTieBreakerColumn}`,
        };
        return {
            key: createHash('sha256').update(JSON.stringify(of)).digest('hex'),
            startOver: false,
            by: 'completed',
            of,
        };
    },
    extract,
});

async function* extract(config: DatabaseConfig, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const { query, parameters, queryTimeoutMs, pagination } = config;
    cx.signal.throwIfAborted();
    const { reader, close } = await openSource({ database: config, query, parameters, queryTimeoutMs }, cx);
    try {
        if (!pagination?.enabled) yield* whole(reader, cx);
        else if (pagination.type === 'OFFSET') yield* byOffset(reader, pagination, cx);
        else yield* byCursor(reader, config, cx);
    } finally {
        close();
    }
}

type Pagination = NonNullable<DatabaseConfig['pagination']>;

/** A preview adds a limit around the query. A run reads all rows from one statement. */
async function* whole(reader: SelectReader, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    if (cx.limit !== undefined) {
        const { records } = await reader.atOffset({ limit: cx.limit, offset: 0 });
        await yieldToEventLoop(cx);
        return yield { records };
    }
    for await (const records of reader.portions()) {
        await yieldToEventLoop(cx);
        yield { records };
    }
}

/**
 * The progress of a run: the number of rows or the pair after which it continues, and the number of pages it has read.
 */
interface Progress {
    readonly pages: number;
    readonly rows: number;
    readonly behind: KeyPair | undefined;
}

function progressOf(checkpoint: JsonValue | undefined): Progress {
    const { pages, rows, behind: after } = isJsonObject(checkpoint) ? checkpoint : ({} as JsonObject);
    return {
        pages: typeof pages === 'number' ? pages : 0,
        rows: typeof rows === 'number' ? rows : 0,
        behind: Array.isArray(after) && after.length === 2 ? (after as unknown as KeyPair) : undefined,
    };
}

async function* byOffset(
    reader: SelectReader,
    { pageSize, maxPages }: Pagination,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    let { pages, rows } = progressOf(cx.resumeFrom);
    let left = cx.limit ?? Infinity;
    for (;;) {
        await yieldToEventLoop(cx);
        const limit = Math.min(pageSize, left);
        const { records, hasMore } = await reader.atOffset({ limit, offset: rows });
        rows += records.length;
        left -= records.length;
        pages++;
        if (records.length > 0) yield { records, checkpoint: { rows, pages } };
        if (!hasMore || left <= 0) return;
        if (pages >= (maxPages ?? Infinity)) throw tooManyPages(maxPages!);
    }
}

/** Fetches the next page while the current one is processed, at most one page ahead. */
async function* byCursor(
    reader: SelectReader,
    { pagination, incremental }: DatabaseConfig,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    const { pageSize, maxPages = Infinity, cursorColumn, cursorTieBreakerColumn } = pagination!;
    const keyset = { column: cursorColumn!, tieBreaker: cursorTieBreakerColumn! };
    reader.checkKeyset(keyset, ['pagination.cursorColumn', 'pagination.cursorTieBreakerColumn']);
    const begun = progressOf(cx.resumeFrom);
    let { pages, behind: after } = begun;
    if (pages === 0) await reader.refuseMissing(keyset);
    let left = cx.limit ?? Infinity;
    const fetch = (): Promise<RowPage> => reader.behind({ keyset, limit: Math.min(pageSize, left), behind: after });
    let next: Promise<RowPage> | undefined = fetch();
    try {
        while (next) {
            const { records, end, hasMore } = await next;
            next = undefined;
            await yieldToEventLoop(cx);
            left -= records.length;
            after = end ?? after;
            pages++;
            const isOver = !hasMore || left <= 0;
            const isTooMany = !isOver && pages >= maxPages;
            if (!isOver && !isTooMany) {
                next = fetch();
                next.catch(() => undefined); // The error is thrown where the page is awaited.
            }
            // A run that finds no rows also keeps its position, from which the next run continues.
            const nextRun = incremental.enabled && after ? { nextRun: { from: { behind: after } } as const } : {};
            if (records.length > 0) yield { records, checkpoint: { behind: after!, pages }, ...nextRun };
            if (!isTooMany) continue;
            if (!incremental.enabled) throw tooManyPages(maxPages);
            logEvent(cx.log, 'PAGES_LIMIT', { pages: maxPages });
        }
    } finally {
        // Nothing awaits the page any more; its session ends with the pool.
        await next?.catch(() => undefined);
    }
}

function tooManyPages(pages: number): Error {
    return flowError('PAGE_LIMIT', { pages, field: 'pagination.maxPages' });
}
