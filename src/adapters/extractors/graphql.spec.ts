import { ApiReader } from '../../../test/kit/api-reader';
import { faulty, type Play, type PlayedAnswer } from '../../../test/kit/api-plays';
import { answerGraphql } from '../../../test/kit/example-graphql';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { graphqlExtractor } from './graphql';

const api = new ApiReader(graphqlExtractor);
const products = Array.from({ length: 1_403 }, (_, i) => ({ sku: `TS-${i}`, name: `T-shirt ${i}` }));
const customers = Array.from({ length: 1_403 }, (_, i) => ({ email: `${i}@example.com` }));
const shop: Play = async ({ body }) => ({ body: await answerGraphql(body, { products, customers }) });
const always =
    (answer: PlayedAnswer): Play =>
    () =>
        answer;

const OFFSET = {
    query: 'query ($skip: Int, $take: Int) { products(options: { skip: $skip, take: $take }) { items { sku name } totalItems } }',
    dataPath: 'data.products.items',
    pagination: { type: 'OFFSET', limit: 70 },
};
const CURSOR = {
    query: 'query ($take: Int, $from: String) { feed(take: $take, after: $from) { items { sku name } next } }',
    dataPath: 'data.feed.items',
    pagination: { type: 'CURSOR', limit: 60, cursorVariable: 'from', cursorPath: 'data.feed.next' },
};
const RELAY = {
    query: 'query ($first: Int!, $after: String) { customers(first: $first, after: $after) { edges { node { email } } pageInfo { hasNextPage endCursor } } }',
    dataPath: 'data.customers.edges',
    pagination: { type: 'RELAY', limit: 80 },
};
const ONE = { query: '{ products { items { sku name } } }', dataPath: 'data.products.items' };
const KINDS: ReadonlyArray<readonly [string, JsonObject, readonly JsonObject[]]> = [
    ['offset', OFFSET, products],
    [
        'offset and a total',
        { ...OFFSET, pagination: { ...OFFSET.pagination, totalCountPath: 'data.products.totalItems' } },
        products,
    ],
    ['cursor', CURSOR, products],
    ['Relay', RELAY, customers],
    [
        'Relay by nodes',
        {
            ...RELAY,
            query: RELAY.query.replace('edges { node { email } }', 'nodes { email }'),
            dataPath: 'data.customers.nodes',
        },
        customers,
    ],
];

describe('a GraphQL API', () => {
    it.each(KINDS)(
        'is read completely by %s, each record once, even if every seventh request fails',
        async (_, config, all) => {
            const server = await api.serve(faulty(shop));
            const { records, error } = await api.read(server, { config: { ...config, timeoutMs: 1_000 } });
            expect(error).toBeUndefined();
            expect(records).toEqual(all);
        },
    );

    it.each(KINDS)('is resumed with %s', async (_, config, all) => {
        const server = await api.serve(shop);
        const { pages } = await api.read(server, { config });
        let read = 0;
        for (const { checkpoint, records } of pages.slice(0, 4)) {
            read += records.length;
            const part = { resumeFrom: JSON.parse(JSON.stringify(checkpoint)) as JsonValue };
            expect((await api.read(server, { config, part })).records).toEqual(all.slice(read));
        }
    });

    it.each(KINDS)('gets no requests with %s for more than a preview shows', async (_, config, all) => {
        const server = await api.serve(shop);
        const part = { limit: 3, mode: 'preview' as const };
        expect((await api.read(server, { config, part })).records).toEqual(all.slice(0, 3));
        expect(server.seen).toHaveLength(1);
    });

    it('is sent the document, the variables and the name of the operation', async () => {
        const server = await api.serve(shop);
        const config = {
            query: 'query a($sku: String!) { product(sku: $sku) { sku } } query b { product(sku: "TS-2") { sku } }',
            operationName: 'a',
            variables: { sku: 'TS-1' },
            dataPath: 'data.product',
        };
        expect((await api.read(server, { config })).records).toEqual([{ sku: 'TS-1' }]);
        const [{ method, headers, body } = {} as never] = server.seen;
        expect({ method, type: headers['content-type'] }).toEqual({ method: 'POST', type: 'application/json' });
        expect(JSON.parse(body)).toEqual({ query: config.query, operationName: 'a', variables: { sku: 'TS-1' } });
    });

    it('begins at the cursor in the variables', async () => {
        const server = await api.serve(shop);
        const { records } = await api.read(server, { config: { ...CURSOR, variables: { from: 'TS-1399' } } });
        expect(records).toEqual(products.slice(1_400));
    });

    it('gets requests for changes only, once there is a moment', async () => {
        const server = await api.serve(shop);
        const config = {
            query: 'query ($since: String) { products(updatedSince: $since) { items { sku } } }',
            dataPath: 'data.products.items',
            incremental: { variable: 'since' },
        };
        api.clock.time = Date.parse('2026-11-23T12:00:00Z');
        const { pages } = await api.read(server, { config });
        const { from } = pages.at(-1)!.nextRun as { readonly from: JsonValue };
        await api.read(server, { config, part: { resumeFrom: from } });
        expect(server.seen.map(({ body }) => (JSON.parse(body) as { variables: unknown }).variables)).toEqual([
            {},
            { since: '2026-11-23T11:59:00Z' },
        ]);
    });
});

describe('errors of a GraphQL API', () => {
    const errors = (code?: string, more: JsonObject = {}): JsonObject => ({
        errors: [{ message: 'so it is.', ...(code !== undefined && { extensions: { code } }) }],
        ...more,
    });
    const items = { products: { items: [{ sku: 'A' }, null] } };

    it('in addition to data are logged, and the records are read', async () => {
        const server = await api.serve(shop);
        const config = {
            query: '{ products { items { sku broken } } nothing { sku } }',
            dataPath: 'data.products.items',
        };
        const { records, error, log } = await api.read(server, { config });
        expect(error).toBeUndefined();
        expect(records).toHaveLength(10);
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
    });

    it('that took a record away leave the others', async () => {
        const server = await api.serve(always({ body: { ...errors(), data: items } }));
        const { records, pages, log } = await api.read(server, { config: ONE });
        expect(records).toEqual([{ sku: 'A' }]);
        expect(pages.flatMap(({ faults: issues = [] }) => issues)).toHaveLength(1);
        expect(log.filter(line => line.startsWith('WARN'))).toHaveLength(1);
    });

    it.each<[string, JsonObject]>([
        ['NONE', ONE],
        ['OFFSET', { ...OFFSET, pagination: { type: 'OFFSET', limit: 1 } }],
        [
            'OFFSET with a total',
            { ...OFFSET, pagination: { type: 'OFFSET', limit: 1, totalCountPath: 'data.products.total' } },
        ],
        [
            'OFFSET with a word of more',
            { ...OFFSET, pagination: { type: 'OFFSET', limit: 1, hasMorePath: 'data.products.more' } },
        ],
        [
            'CURSOR',
            {
                query: 'query ($limit: Int, $after: Int) { products(limit: $limit, after: $after) { items { sku } next } }',
                dataPath: 'data.products.items',
                pagination: {
                    type: 'CURSOR',
                    limit: 1,
                    limitVariable: 'limit',
                    cursorVariable: 'after',
                    cursorPath: 'data.products.next',
                },
            },
        ],
    ])('make the reading partial with %s, whichever page has them', async (type, config) => {
        const all = type === 'NONE' ? [['A']] : [['A'], ['B'], ['C']];
        for (const broken of all.keys()) {
            const server = await api.serve(({ number }) => {
                const isBroken = number - 1 === broken;
                const skus = isBroken ? [] : (all[number - 1] ?? []);
                const page = { items: skus.map(sku => ({ sku })), total: all.length, more: number < all.length };
                const products = { ...page, next: number < all.length ? number : null };
                return { body: { data: { products }, ...(isBroken && errors()) } };
            });
            const { records, pages, error } = await api.read(server, { config });
            expect(error).toBeUndefined();
            expect(pages.at(-1)).toMatchObject({ isPart: expect.any(String) });
            expect(records).toEqual(all.filter((_, i) => i !== broken).flatMap(([sku]) => ({ sku })));
        }
    });

    it.each<[string, PlayedAnswer, string]>([
        ['without data', { body: errors() }, 'REMOTE_REFUSED'],
        ['with data that is null', { body: errors('FORBIDDEN', { data: null }) }, 'REMOTE_REFUSED'],
        ['with nothing at the path', { body: errors(undefined, { data: { products: null } }) }, 'REMOTE_REFUSED'],
        ['with the status 400', { status: 400, body: errors('GRAPHQL_VALIDATION_FAILED') }, 'REMOTE_REFUSED'],
        ['with the status 400 and no GraphQL', { status: 400, body: 'no' }, 'REMOTE_REFUSED'],
        ['with the status 401', { status: 401, body: errors('UNAUTHENTICATED') }, 'REMOTE_REFUSED'],
        ['of patience that never end', { body: errors('THROTTLED') }, 'REMOTE_BUSY'],
        ['of a query that is too dear', { body: errors('MAX_COST_EXCEEDED') }, 'REMOTE_REFUSED'],
        ['in the form of an empty object', { body: {} }, 'REMOTE_MALFORMED'],
        ['in the form of a list', { body: [] }, 'REMOTE_MALFORMED'],
        [
            'in the form of an HTML page',
            { headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' },
            'REMOTE_MALFORMED',
        ],
        ['in the form of a response with another path', { body: { data: { orders: [] } } }, 'REMOTE_MALFORMED'],
    ])('%s fail the run', async (_, answer, code) => {
        const server = await api.serve(always(answer));
        const { error, records } = await api.read(server, { config: ONE });
        expect(error?.code).toBe(code);
        expect(records).toEqual([]);
    });

    it('contain the message of the server', async () => {
        const server = await api.serve(shop);
        const { error } = await api.read(server, { config: { ...ONE, query: '{ products { items { skuu } } }' } });
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED' });
        expect(error!.message).toContain('skuu');
    });

    it('that request a delay are retried after the time that the cost implies', async () => {
        const cost = (available: number, maximum = 2_000) => ({
            extensions: {
                cost: {
                    requestedQueryCost: 1_000,
                    actualQueryCost: null,
                    throttleStatus: { maximumAvailable: maximum, currentlyAvailable: available, restoreRate: 100 },
                },
            },
        });
        const server = await api.serve(({ number }) => ({
            body:
                number === 1
                    ? errors('THROTTLED', cost(250))
                    : { data: { products: { items: [{ sku: 'A' }] } }, ...cost(900) },
        }));
        const { records, waited } = await api.read(server, { config: ONE });
        expect(records).toEqual([{ sku: 'A' }]);
        expect(waited).toEqual([7_500]);
        const never = await api.serve(always({ body: errors('THROTTLED', cost(500, 500)) }));
        expect((await api.read(never, { config: ONE })).error?.code).toBe('REMOTE_REFUSED');
        expect(never.seen).toHaveLength(1);
    });

    it('of a cursor that was good when the run was left begin the reading again', async () => {
        const server = await api.serve(async request =>
            request.body.includes('"from"') ? { body: errors('BAD_USER_INPUT', { data: null }) } : shop(request),
        );
        const { pages, error } = await api.read(server, { config: CURSOR });
        expect(error?.code).toBe('REMOTE_REFUSED');
        const part = { resumeFrom: pages[0]!.checkpoint! };
        expect((await api.read(server, { config: CURSOR, part })).error?.code).toBe('CHECKPOINT_REFUSED');
    });

    it('never come from an edge without a node, which is rejected', async () => {
        const edges = [{ node: { email: 'a' } }, { node: null }, { node: { email: 'b' } }, { cursor: 'x' }];
        const body = { data: { customers: { edges, pageInfo: { hasNextPage: false, endCursor: null } } } };
        const server = await api.serve(always({ body }));
        const { pages, records } = await api.read(server, { config: RELAY });
        expect(records).toEqual([{ email: 'a' }, { email: 'b' }]);
        expect(pages[0]!.faults!.map(({ index, place }) => [index, place])).toEqual([
            [1, 'page 1, record 2'],
            [2, 'page 1, record 4'],
        ]);
        expect(pages[0]!.placeOf?.(1)).toBe('page 1, record 3');
    });
});

describe('the configuration of graphql', () => {
    const pathsOf = (config: JsonObject): readonly string[] => {
        const parsed = parseWith(graphqlExtractor.config, { url: 'https://api.example.com/graphql', ...config });
        return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };

    it.each<[JsonObject, readonly string[]]>([
        [ONE, []],
        [OFFSET, []],
        [CURSOR, []],
        [RELAY, []],
        [{ ...ONE, rateLimit: { requestsPerSecond: 1 } }, ['rateLimit']],
        [{ ...ONE, url: '/graphql' }, ['url']],
        [{ ...ONE, auth: { type: 'BEARER', secretCode: 'token' } }, ['connectionCode']],
        [{ ...ONE, headers: { Authorization: 'x' } }, ['headers.Authorization']],
        [{ ...ONE, query: '{' }, ['query']],
        [{ ...ONE, query: 'type A { b: Int }' }, ['query']],
        [{ ...ONE, query: 'mutation { bump }' }, ['query']],
        [{ ...ONE, query: 'subscription { ticks }' }, ['query']],
        [{ ...ONE, query: 'query a { x } query b { x }' }, ['operationName']],
        [{ ...ONE, query: 'query a { x } query b { x }', operationName: 'c' }, ['operationName']],
        [{ ...ONE, variables: { sku: 1 } }, ['variables.sku']],
        [{ ...ONE, query: 'query ($sku: String!) { x(sku: $sku) }' }, ['variables']],
        [{ ...ONE, query: 'query ($sku: String! = "A") { x(sku: $sku) }' }, []],
        [{ ...ONE, query: 'query ($sku: String!) { x(sku: $sku) }', variables: { sku: null } }, ['variables.sku']],
        [{ ...ONE, query: 'query ($n: Int) { x(n: $n) }', variables: { n: 1.5 } }, ['variables.n']],
        [{ ...ONE, query: 'query ($n: [ID!]) { x(n: $n) }', variables: { n: ['a', 1] } }, []],
        [{ ...ONE, query: 'query ($n: [ID!]) { x(n: $n) }', variables: { n: ['a', null] } }, ['variables.n']],
        [{ ...ONE, query: 'query ($n: Filter) { x(n: $n) }', variables: { n: { a: 1 } } }, []],
        [
            { ...OFFSET, query: '{ products { items { sku } } }' },
            ['pagination.limitVariable', 'pagination.offsetVariable'],
        ],
        [{ ...OFFSET, pagination: { type: 'OFFSET', limitVariable: null } }, []],
        [{ ...OFFSET, query: OFFSET.query.replace('$skip: Int', '$skip: Boolean') }, ['pagination.offsetVariable']],
        [{ ...OFFSET, variables: { skip: 5 } }, ['variables.skip']],
        [{ ...OFFSET, pagination: { type: 'OFFSET', offsetVariable: 'take' } }, ['pagination.offsetVariable']],
        [
            { ...OFFSET, pagination: { type: 'OFFSET', totalCountPath: 'products.totalItems' } },
            ['pagination.totalCountPath'],
        ],
        [{ ...OFFSET, dataPath: 'products.items' }, ['dataPath']],
        [{ ...OFFSET, dataPath: 'data' }, ['dataPath']],
        [{ ...CURSOR, pagination: { type: 'CURSOR', cursorVariable: 'from' } }, ['pagination.cursorPath']],
        [{ ...CURSOR, query: CURSOR.query.replace('$from: String', '$from: String!') }, ['variables']],
        [{ ...CURSOR, query: CURSOR.query.replace('$from: String', '$from: String!'), variables: { from: 'A' } }, []],
        [{ ...ONE, incremental: { variable: 'since' } }, ['incremental.variable']],
    ])('%j has issues at %j', (config, expected) => {
        expect(pathsOf(config)).toEqual(expected);
    });

    it('reports how to read an API with a fixed page size', () => {
        const query = CURSOR.query.replace('$take: Int, ', '').replace('take: $take, ', '');
        const given = { url: 'https://api.example.com/graphql', ...CURSOR, query };
        const parsed = parseWith(graphqlExtractor.config, given);
        expect(parsed.ok ? [] : parsed.issues).toMatchObject([
            { path: 'pagination.limitVariable', message: expect.stringContaining('null') },
        ]);
        expect(pathsOf({ ...given, pagination: { ...CURSOR.pagination, limitVariable: null } })).toEqual([]);
    });

    it('reports settings without effect', () => {
        const config = graphqlExtractor.config.parse({
            url: 'https://a.example',
            ...RELAY,
            pagination: { ...RELAY.pagination, offsetVariable: 'from', cursorPath: 'data.next' },
        });
        expect(graphqlExtractor.advise?.(config).map(({ path }) => path)).toEqual([
            'pagination.offsetVariable',
            'pagination.cursorPath',
        ]);
    });
});
