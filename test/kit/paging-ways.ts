import type { JsonObject, JsonValue } from '../../src/core/value/json';
import type { Play, PlayedAnswer } from './api-plays';

/** The pages of a server, and the facts that it reports about them. */
export interface Served {
    readonly pages: ReadonlyArray<readonly JsonObject[]>;
    /** The number of records that it reports with a page. Default: all of them. */
    readonly total?: (page: number) => number;
    /** Instead of a cursor, on the last page. */
    readonly lastCursor?: JsonValue | undefined;
    /** The answer to a request after the last page. */
    readonly behind?: PlayedAnswer;
}

/** One way of paging. Pages have two records, so an offset also identifies a page. */
export interface Way {
    readonly by: 'numbers' | 'cursors';
    readonly extractor: 'httpApi' | 'graphql';
    readonly config: JsonObject;
    /** Whether a total, or a flag that there are more, marks the end. */
    readonly sign: 'none' | 'total' | 'more';
    readonly pageOf: (url: URL, body: string) => number;
    readonly answer: (facts: Facts) => PlayedAnswer;
}
interface Facts {
    readonly items: readonly JsonObject[];
    readonly total: number;
    readonly more: boolean;
    readonly next: JsonValue | undefined;
}

const LIMIT = 2;
const SIGNS = { none: {}, total: { totalPath: 'total' }, more: { hasMorePath: 'more' } } as const;
const GRAPHQL_SIGNS = {
    none: {},
    total: { totalCountPath: 'data.total' },
    more: { hasMorePath: 'data.more' },
} as const;
const pageOfNumber = (url: URL): number => Number(url.searchParams.get('page'));
const pageOfOffset = (url: URL): number => Number(url.searchParams.get('offset')) / LIMIT + 1;
const pageOfCursor = (url: URL): number => Number(url.searchParams.get('cursor') ?? 'c1'.slice(1)) || 1;
const variableOf = (body: string, name: string): unknown =>
    (JSON.parse(body) as { variables: Record<string, unknown> }).variables[name];

export function* ways(): Generator<readonly [string, Way]> {
    for (const sign of ['none', 'total', 'more'] as const) {
        const answer = ({ items, total, more, next }: Facts): PlayedAnswer => ({
            body: { items, total, more, ...(next !== undefined && { next }) },
        });
        const rest = { extractor: 'httpApi', sign, answer } as const;
        const http = (pagination: JsonObject): JsonObject => ({
            dataPath: 'items',
            pagination: { limit: LIMIT, ...SIGNS[sign], ...pagination },
        });
        yield [
            `httpApi PAGE, ${sign}`,
            { ...rest, by: 'numbers', config: http({ type: 'PAGE' }), pageOf: pageOfNumber },
        ];
        yield [
            `httpApi OFFSET, ${sign}`,
            { ...rest, by: 'numbers', config: http({ type: 'OFFSET' }), pageOf: pageOfOffset },
        ];
        yield [
            `httpApi CURSOR, ${sign}`,
            {
                ...rest,
                by: 'cursors',
                config: http({ type: 'CURSOR', cursorPath: 'next' }),
                pageOf: pageOfCursor,
            },
        ];
        yield [
            `httpApi CURSOR as link, ${sign}`,
            {
                ...rest,
                by: 'cursors',
                config: http({ type: 'CURSOR', cursorPath: 'next', cursorIs: 'LINK' }),
                pageOf: pageOfCursor,
                answer: facts =>
                    answer({
                        ...facts,
                        next: typeof facts.next === 'number' && facts.next > 0 ? `?cursor=${facts.next}` : facts.next,
                    }),
            },
        ];
        yield [
            `httpApi LINK_HEADER, ${sign}`,
            {
                ...rest,
                by: 'cursors',
                config: http({ type: 'LINK_HEADER' }),
                pageOf: pageOfCursor,
                answer: facts => ({
                    ...(answer(facts) as object),
                    headers: { link: facts.next ? `</products?cursor=${String(facts.next)}>; rel="next"` : undefined },
                }),
            },
        ];
        const data = (facts: JsonObject): PlayedAnswer => ({ body: { data: facts } });
        const graphql = (query: string, dataPath: string, pagination: JsonObject): JsonObject => ({
            query,
            dataPath,
            pagination: { limit: LIMIT, ...pagination },
        });
        yield [
            `graphql OFFSET, ${sign}`,
            {
                ...rest,
                extractor: 'graphql',
                by: 'numbers',
                config: graphql(
                    'query ($skip: Int, $take: Int) { items(skip: $skip, take: $take) { id } }',
                    'data.items',
                    {
                        type: 'OFFSET',
                        ...GRAPHQL_SIGNS[sign],
                    },
                ),
                pageOf: (_, body) => Number(variableOf(body, 'skip')) / LIMIT + 1,
                answer: ({ items, total, more }) => data({ items: [...items], total, more }),
            },
        ];
        yield [
            `graphql CURSOR, ${sign}`,
            {
                ...rest,
                extractor: 'graphql',
                by: 'cursors',
                config: graphql(
                    'query ($take: Int, $after: Int) { items(take: $take, after: $after) { id } }',
                    'data.items',
                    {
                        type: 'CURSOR',
                        cursorPath: 'data.next',
                        ...GRAPHQL_SIGNS[sign],
                    },
                ),
                pageOf: (_, body) => Number(variableOf(body, 'after') ?? 1),
                answer: ({ items, total, more, next }) =>
                    data({ items: [...items], total, more, ...(next !== undefined && { next }) }),
            },
        ];
    }
    yield [
        'graphql RELAY',
        {
            extractor: 'graphql',
            sign: 'more',
            by: 'cursors',
            config: {
                query: 'query ($first: Int, $after: Int) { items(first: $first, after: $after) { edges { node { id } } } }',
                dataPath: 'data.items.edges',
                pagination: { type: 'RELAY', limit: LIMIT },
            },
            pageOf: (_, body) => Number(variableOf(body, 'after') ?? 1),
            answer: ({ items, more, next }) => ({
                body: {
                    data: {
                        items: {
                            edges: items.map(node => ({ node })),
                            pageInfo: { hasNextPage: more, endCursor: next ?? null },
                        },
                    },
                },
            }),
        },
    ];
}

/** The server that a way of paging reads. */
export const played =
    ({ pageOf, answer }: Way, { pages, total, lastCursor = null, behind: after }: Served): Play =>
    ({ url, body }) => {
        const page = pageOf(url, body);
        if (page > pages.length && after) return after;
        const all = pages.reduce((sum, { length }) => sum + length, 0);
        const isLast = page >= pages.length;
        return answer({
            items: pages[page - 1] ?? [],
            total: total?.(page) ?? all,
            more: !isLast,
            next: isLast ? lastCursor : page + 1,
        });
    };
