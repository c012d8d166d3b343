import gql from 'graphql-tag';
import { type AddressInfo, createServer } from 'node:net';
import { FlowPlugin } from '../src';
import type { JsonObject, PipelineSource } from '../src';
import { sinks as ownSinks } from '../src/adapters';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { CodeFirstStart } from '../src/plugin/code-first/start';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { ApiServer } from '../test/kit/api-plays';
import { ECHOES, echoingMysql, echoingPostgres } from '../test/kit/echoing-databases';
import { as } from './fixtures/authoring-api';
import { leakyConnection, leakyExtractor, leakyLoader, leakyOperator, received } from './fixtures/leaky-adapters';
import { connectionsOf } from './fixtures/resource-api';
import { answersOf, CollectingLogger, filesOf, placesOf, rowsOf } from './fixtures/witness';
import { onOneDatabase } from './config/matrix';

/** Short enough for PostgreSQL to name a table with it, and different in each form in which it could be written. */
const CANARIES = {
    variable: 'c4nary/env+"k3y" & ü-1',
    stored: 'c4nary/row+"k3y" & ü-2',
    declared: 'c4nary/opt+"k3y" & ü-3',
    connected: 'c4nary/con+"k3y" & ü-4',
};
/** A token that a server issues for client credentials. */
const GRANTED = 'c4nary/tok+"k3y" & 5';
const CODES = ['variable', 'stored', 'declared'];
const KEY = '5e'.repeat(32);

/** Algolia has fixed hosts. Here the HTTP gateway sends their requests to this server. */
function algoliaAt(address: string): jest.SpyInstance {
    const { forRun } = OutboundGateway.prototype;
    const here = (url: string): string => url.replace('https://canary.algolia.net', address.replace(/\/$/, ''));
    return jest.spyOn(OutboundGateway.prototype, 'forRun').mockImplementation(function (this: OutboundGateway, run) {
        const outbound = forRun.call(this, run);
        const { http } = outbound;
        const send: typeof http.send = ({ originLock, ...request }) =>
            http.send({ ...request, url: here(request.url), originLock: originLock && here(originLock) });
        return { ...outbound, http: { ...http, send } };
    });
}

type Step = readonly [kind: 'EXTRACT' | 'TRANSFORM' | 'LOAD' | 'SINK', config: JsonObject];

function leaky(code: string, ...steps: readonly Step[]): PipelineSource {
    const all = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        ...steps.map(([kind, config], i) => ({ key: `${kind.toLowerCase()}-${i}`, kind, config })),
    ];
    const edges = all.slice(1).map(({ key }, i) => ({ from: all[i]!.key, to: key }));
    const errorHandling = { maxRetries: 1, retryDelayMs: 0 };
    return {
        code,
        name: code,
        description: '',
        enabled: true,
        definition: { version: 1, steps: all, edges, errorHandling } as never,
    };
}

const reads = (at: string): Step => [
    'EXTRACT',
    { adapterCode: 'leakyExtractor', at, secrets: CODES, connection: 'leaky' },
];
const loads = (at: string): Step => ['LOAD', { adapterCode: 'leakyLoader', at, secrets: CODES }];
const operates = (at: string): Step => ['TRANSFORM', { operators: [{ op: 'leakyOperator', args: { at } }] }];

const EXTRACTS = ['log', 'error', 'flowError', 'text', 'object', 'transient', 'page', 'secondPage', 'checkpoint'];
const LOADS = ['open', 'locks', 'plan', 'reject', 'apply', 'sql'];
const OPERATORS = ['error', 'flowError', 'bug'];

/** The hosts to which the secrets may be sent: servers that repeat them. */
const HOSTS = ['127.0.0.1', '*.algolia.net', '*.algolianet.com'];

const plugin = FlowPlugin.init({
    adapters: [leakyConnection, leakyExtractor, leakyOperator, leakyLoader],
    secrets: [
        { code: 'variable', provider: 'ENV', value: 'FLOW_TEST_CANARY', allowedHosts: HOSTS },
        { code: 'declared', provider: 'INLINE', value: CANARIES.declared, allowedHosts: HOSTS },
        { code: 'connected', provider: 'INLINE', value: CANARIES.connected, allowedHosts: HOSTS },
    ],
    connections: [{ code: 'leaky', type: 'LEAKY', settings: { passwordSecretCode: 'connected' } }],
    pipelines: [
        ...EXTRACTS.map(at => leaky(`extract-${at.toLowerCase()}`, reads(at))),
        ...LOADS.map(at => leaky(`load-${at}`, reads('records'), loads(at))),
        ...OPERATORS.map(at => leaky(`operate-${at.toLowerCase()}`, reads('records'), operates(at))),
        leaky('differences', reads('records'), loads('differences')),
    ],
    debug: true,
    security: { allowedHostnames: ['127.0.0.1'] },
    runtime: { sweepMs: 600_000 },
});

const CREATE =
    'mutation Create($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id version isReadable problem environmentVariable } }';
const UPDATE =
    'mutation Update($input: UpdateFlowSecretInput!) { updateFlowSecret(input: $input) { id version isReadable problem environmentVariable } }';

function canaries(database: Database): void {
    const logger = new CollectingLogger();
    const startedAt = Date.now();
    const before = { FLOW_MASTER_KEY: process.env.FLOW_MASTER_KEY, FLOW_TEST_CANARY: process.env.FLOW_TEST_CANARY };
    let shop: FlowServer;
    let answers: ReturnType<typeof answersOf>;
    let storedId: string;

    beforeAll(async () => {
        process.env.FLOW_MASTER_KEY = KEY;
        process.env.FLOW_TEST_CANARY = CANARIES.variable;
        received.clear();
        shop = await flowServer(database, plugin, { config: { logger } });
        answers = answersOf(shop);
        const created = await shop.adminClient.query(gql(CREATE), {
            input: { code: 'stored', provider: 'INLINE', value: CANARIES.stored, allowedHosts: HOSTS },
        });
        storedId = created.createFlowSecret.id as string;
        // The next start publishes the pipelines that refer to it.
        await shop.app.get(CodeFirstStart).sync();
    });
    afterAll(async () => {
        for (const [name, value] of Object.entries(before)) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
        await shop?.destroy();
    });
    // Independent of the tests before it.
    afterEach(async () => {
        const values = [...Object.values(CANARIES), GRANTED];
        for await (const row of rowsOf(shop.dataSource)) expect(placesOf(values, [row])).toEqual([]);
        expect(
            placesOf(
                values,
                answers.texts.map(text => ['an answer of the API', text] as const),
            ),
        ).toEqual([]);
        expect(
            placesOf(
                values,
                logger.lines.map(line => ['the log', line] as const),
            ),
        ).toEqual([]);
        expect(placesOf(values, filesOf(shop, startedAt))).toEqual([]);
    });

    const runsAre = async (codes: readonly string[], how?: 'dryRunFlowPipeline'): Promise<Record<string, string>> => {
        const ends: Record<string, string> = {};
        for (const code of codes) {
            const { status, outcome, error } = await shop.perform(code, how);
            ends[code] = [
                status,
                outcome,
                error?.code,
                error && (error.message.includes('[secret]') ? 'masked' : 'plain'),
            ]
                .filter(Boolean)
                .join(' ');
        }
        return ends;
    };
    const readAll = (): Promise<unknown> =>
        shop.adminClient.query(gql`query All {
        flowPipelineRuns(options: { take: 100 }) { items { error { code message } report { differences { key before after } } } }
        flowLogs(options: { take: 100 }) { items { message } } flowRecordErrors(options: { take: 100 }) { items { message path payload } }
        flowSecrets(options: { take: 100 }) { items { code provider environmentVariable isReadable problem usedBy } } flowConnections(options: { take: 100 }) { items { code settings } }
    }`);

    it('that an extractor spills get nowhere', async () => {
        expect(await runsAre(EXTRACTS.map(at => `extract-${at.toLowerCase()}`))).toEqual({
            'extract-log': 'COMPLETED SUCCESS',
            'extract-error': 'FAILED BUG masked',
            'extract-flowerror': 'FAILED SOURCE_MALFORMED masked',
            'extract-text': 'FAILED BUG masked',
            'extract-object': 'FAILED BUG masked',
            'extract-transient': 'FAILED DATABASE_BUSY masked',
            'extract-page': 'COMPLETED PARTIAL',
            'extract-secondpage': 'FAILED BUG masked',
            'extract-checkpoint': 'FAILED BUG plain',
        });
        await readAll();
        // It was there, so the search could have found it.
        expect(Object.fromEntries(received)).toEqual(CANARIES);
        expect(await masked('flow_log', 'message')).toBeGreaterThan(EXTRACTS.length);
        expect(await masked('flow_log', 'facts')).toBeGreaterThan(3);
        expect(await masked('flow_record_error', 'payload')).toBe(1);
        expect(
            logger.lines.filter(line => line.includes('[secret]') && line.includes('leaky-adapters')).length,
        ).toBeGreaterThan(1);
    });

    it('that an operator spills get nowhere', async () => {
        expect(await runsAre(OPERATORS.map(at => `operate-${at.toLowerCase()}`))).toEqual({
            'operate-error': 'COMPLETED PARTIAL',
            'operate-flowerror': 'COMPLETED PARTIAL',
            'operate-bug': 'COMPLETED PARTIAL',
        });
        await readAll();
    });

    it('that a loader spills get nowhere', async () => {
        expect(await runsAre(LOADS.map(at => `load-${at}`))).toEqual({
            'load-open': 'FAILED BUG masked',
            'load-locks': 'FAILED BUG masked',
            'load-plan': 'FAILED DATABASE_REFUSED masked',
            'load-reject': 'COMPLETED PARTIAL',
            'load-apply': 'FAILED DATABASE_REFUSED masked',
            'load-sql': 'FAILED DATABASE_REFUSED masked',
        });
        await readAll();
    });

    it('that a dry run plans to write get nowhere', async () => {
        expect(await runsAre(['differences', 'load-reject', 'load-plan'], 'dryRunFlowPipeline')).toEqual({
            differences: 'COMPLETED SUCCESS',
            'load-reject': 'COMPLETED PARTIAL',
            'load-plan': 'FAILED DATABASE_REFUSED masked',
        });
        await readAll();
        expect(await masked('flow_pipeline_run', 'report')).toBe(1);
    });

    it('that an API repeats get nowhere', async () => {
        const heard = new Set<string>();
        let pages = 0;
        const server = await new ApiServer(({ url, headers, body }) => {
            const said = String(headers['authorization'] ?? headers['x-key']);
            heard.add(said);
            if (url.pathname === '/token') return { body: { access_token: GRANTED, note: said } };
            const record = { said, sent: body };
            switch (url.pathname) {
                case '/records':
                    return { body: [record, said] };
                case '/cursor':
                    // A different one on each page, so that no page looks like the end of all pages.
                    return { body: { items: [record], next: `${said} ${++pages}` } };
                case '/broken':
                    return { body: `{"items": [{"said": "${said}` };
                case '/refused':
                    return { status: 403, headers: { 'x-said': said }, body: { message: said } };
                case '/graphql-beside':
                    return { body: { data: { items: [record] }, errors: [{ message: `who is ${said}?` }] } };
                default:
                    return { body: { errors: [{ message: `who is ${said}?`, extensions: { code: said } }] } };
            }
        }).listen();
        try {
            const baseUrl = server.url;
            const granted = { type: 'OAUTH2', tokenUrl: `${server.url}/token`, clientId: 'shop' };
            const auths: Readonly<Record<string, JsonObject>> = {
                bearer: { type: 'BEARER', secretCode: 'stored' },
                key: { type: 'API_KEY', headerName: 'X-Key', secretCode: 'variable' },
                oauth: { ...granted, clientSecretCode: 'declared' },
            };
            const rest = (url: string, more: JsonObject = {}): JsonObject => ({ adapterCode: 'httpApi', url, ...more });
            const graphql = (url: string): JsonObject => ({
                adapterCode: 'graphql',
                url,
                query: '{ items { said } }',
                dataPath: 'data.items',
            });
            const paging = { type: 'CURSOR', cursorPath: 'next' };
            const sources: Readonly<Record<string, JsonObject>> = {
                records: rest('/records'),
                cursor: rest('/cursor', { dataPath: 'items', pagination: paging }),
                broken: rest('/broken', { dataPath: 'items' }),
                refused: rest('/refused'),
                beside: graphql('/graphql-beside'),
                errors: graphql('/graphql'),
            };
            const pipelines = as(shop.adminClient);
            for (const [name, auth] of Object.entries(auths)) {
                const code = `echo-${name}`;
                await connectionsOf(shop.adminClient).create({ code, type: 'REST', settings: { baseUrl, auth } });
                const ends: Record<string, string> = {};
                for (const [source, config] of Object.entries(sources)) {
                    const { definition } = leaky(
                        `${code}-${source}`,
                        ['EXTRACT', { ...config, connectionCode: code }],
                        ['LOAD', { adapterCode: 'productUpsert' }],
                    );
                    await pipelines.publish(await pipelines.create({ code: `${code}-${source}`, definition }));
                    Object.assign(ends, await runsAre([`${code}-${source}`]));
                }
                expect(ends).toEqual({
                    // None of the responses contains a product.
                    [`${code}-records`]: 'COMPLETED PARTIAL',
                    [`${code}-beside`]: 'COMPLETED PARTIAL',
                    [`${code}-broken`]: 'FAILED REMOTE_MALFORMED plain',
                    [`${code}-refused`]: 'FAILED REMOTE_REFUSED masked',
                    [`${code}-errors`]: 'FAILED REMOTE_REFUSED masked',
                    // If the masked cursor were stored, a run could not resume from it.
                    [`${code}-cursor`]: 'FAILED BUG plain',
                });
            }
            await readAll();
        } finally {
            await server.close();
        }
        expect([...heard].map(said => said.replace(/^Bearer /, '')).filter(said => !said.startsWith('Basic'))).toEqual(
            expect.arrayContaining([CANARIES.stored, CANARIES.variable, GRANTED]),
        );
    });

    it.each([
        ['POSTGRES', 'postgres', echoingPostgres, 'FAILED QUERY_REFUSED masked'],
        // The position would be masked, and a run could not resume from it.
        ['MYSQL', 'mysql', echoingMysql, 'FAILED BUG plain'],
    ] as const)('that a database repeats get nowhere (%s)', async (type, scheme, make, changes) => {
        const server = await make().listen();
        const { port } = server;
        const connections = connectionsOf(shop.adminClient);
        const pipelines = as(shop.adminClient);
        const test = gql`mutation Try($id: ID!) { testFlowConnection(id: $id) { result message code } }`;
        const step = gql`mutation Step($input: TestFlowStepInput!) { testFlowStep(input: $input) { out log { message facts } error { code message } } }`;
        const tracked = { trackingColumn: 'version', trackingType: 'VERSION', primaryKey: 'name' };
        const repeated = new Set<string>();
        const told = (place: string, answer: unknown): void => {
            if (JSON.stringify(answer).includes('[secret]')) repeated.add(place);
        };
        const ends: Array<readonly string[]> = [];
        try {
            for (const echo of ECHOES) {
                const code = `${scheme}-${echo}`;
                const value = `${scheme}://shop:${encodeURIComponent(CANARIES.stored)}@127.0.0.1:${port}/${echo}`;
                await shop.adminClient.query(gql(CREATE), { input: { code, provider: 'INLINE', value } });
                const fields = { host: '127.0.0.1', port, database: echo, username: 'shop' };
                const ways: Readonly<Record<string, JsonObject>> = {
                    fields: { ...fields, passwordSecretCode: 'variable' },
                    string: { connectionStringSecretCode: code },
                };
                for (const [way, settings] of Object.entries(ways)) {
                    const connectionCode = `${code}-${way}`;
                    const { id } = await connections.create({ code: connectionCode, type, settings });
                    const { testFlowConnection } = await shop.adminClient.query(test, { id });
                    told(`${echo} ${way} test`, testFlowConnection);
                    const sources: Readonly<Record<string, JsonObject>> = {
                        query: { adapterCode: 'database', query: 'SELECT slug FROM articles' },
                        changes: { adapterCode: 'cdc', databaseType: type, table: 'articles', ...tracked },
                    };
                    for (const [source, config] of Object.entries(sources)) {
                        const { definition } = leaky(
                            source,
                            ['EXTRACT', { ...config, connectionCode }],
                            // The response must not be a product, since the shop would be expected to store its values.
                            ['LOAD', { adapterCode: 'productUpsert', matchBy: 'sku' }],
                        );
                        const name = `${connectionCode}-${source}`;
                        await pipelines.publish(await pipelines.create({ code: name, definition }));
                        ends.push([echo, source, (await runsAre([name]))[name]!]);
                        const input = { definition, stepKey: 'extract-0', limit: 5 };
                        told(`${echo} ${way} ${source}`, await shop.adminClient.query(step, { input }));
                    }
                }
            }
            await readAll();
        } finally {
            await server.close();
        }
        // The server repeated the secret in each place, and each place shows it masked.
        expect(repeated.size).toBe(ECHOES.length * 6);
        const expected = {
            refuses: ['FAILED QUERY_FAILED masked', 'FAILED QUERY_FAILED masked'],
            forbids: ['FAILED REMOTE_REFUSED masked', 'FAILED REMOTE_REFUSED masked'],
            fails: ['FAILED QUERY_FAILED masked', 'FAILED QUERY_FAILED masked'],
            answers: ['COMPLETED PARTIAL', changes],
        };
        const both = ECHOES.flatMap(echo => [0, 1].map(i => [echo, ['query', 'changes'][i]!, expected[echo][i]!]));
        expect([...ends].sort()).toEqual([...both, ...both].sort());
        // They were received, so the search could have found them.
        expect([...server.heard].sort()).toEqual([CANARIES.stored, CANARIES.variable].sort());
    });

    it('that the target of a sink repeats get nowhere', async () => {
        const heard = new Set<string>();
        const api = await new ApiServer(({ headers, body }) => {
            const said = Object.values(headers).join(' | ');
            heard.add(said);
            const message = `who is ${said}?`;
            const answer = { message, error: { type: said, reason: message }, errors: [{ message }], sent: body };
            return { status: 400, headers: { 'x-elastic-product': 'Elasticsearch' }, body: answer };
        }).listen();
        const talker = createServer(socket => {
            socket
                .on('error', () => undefined)
                .on('data', data => {
                    heard.add(data.toString());
                    socket.write(`-ERR who is ${data.toString().replace(/[\r\n]+/g, ' ')}?\r\n`);
                });
        });
        await new Promise<void>(done => talker.listen(0, '127.0.0.1', done));
        const moved = algoliaAt(api.url);
        try {
            const { port } = new URL(api.url);
            const at = { host: '127.0.0.1', port: Number(port) };
            const connections = connectionsOf(shop.adminClient);
            const auth = { type: 'BEARER', secretCode: 'stored' };
            await connections.create({ code: 'put', type: 'REST', settings: { baseUrl: api.url, auth } });
            const keys = { accessKeyIdSecretCode: 'stored', secretAccessKeySecretCode: 'variable' };
            const sqs = { region: 'eu-central-1', endpoint: api.url, ...keys };
            await connections.create({ code: 'sqs', type: 'SQS', settings: sqs });
            const login = { username: 'shop', passwordSecretCode: 'variable' };
            const talking = { ...at, port: (talker.address() as AddressInfo).port };
            await connections.create({ code: 'redis', type: 'REDIS', settings: { ...talking, ...login } });
            await connections.create({ code: 'rabbit', type: 'BROKER', settings: { ...talking, ...login } });
            await connections.create({ code: 'management', type: 'BROKER', settings: { ...at, ...login } });
            const queue = (queueType: string, connectionCode: string): JsonObject => ({
                adapterCode: 'queueProducer',
                queueName: 'stock',
                queueType,
                connectionCode,
            });
            const bulk = { node: api.url, indexName: 'products', idField: 'id' };
            const sinks: Readonly<Record<string, JsonObject>> = {
                meilisearch: {
                    adapterCode: 'meilisearch',
                    host: api.url,
                    apiKeySecretCode: 'stored',
                    indexName: 'products',
                    primaryKey: 'id',
                },
                elasticsearch: { adapterCode: 'elasticsearch', ...bulk, apiKeySecretCode: 'declared' },
                opensearch: {
                    adapterCode: 'opensearch',
                    ...bulk,
                    usernameSecretCode: 'stored',
                    passwordSecretCode: 'variable',
                },
                typesense: {
                    adapterCode: 'typesense',
                    ...at,
                    protocol: 'http',
                    apiKeySecretCode: 'stored',
                    collectionName: 'products',
                    idField: 'id',
                },
                webhook: {
                    adapterCode: 'webhook',
                    url: api.url,
                    retries: 0,
                    bearerTokenSecretCode: 'stored',
                    hmacSecretCode: 'variable',
                },
                algolia: {
                    adapterCode: 'algolia',
                    appId: 'CANARY',
                    apiKeySecretCode: 'variable',
                    indexName: 'products',
                    idField: 'id',
                },
                put: { adapterCode: 'fileExport', format: 'CSV', connectionCode: 'put' },
                sqs: queue('SQS', 'sqs'),
                management: queue('RABBITMQ_HTTP', 'management'),
                rabbit: queue('RABBITMQ', 'rabbit'),
                redis: queue('REDIS_STREAMS', 'redis'),
            };
            const tried = new Set(Object.values(sinks).map(({ adapterCode }) => adapterCode));
            expect(ownSinks.filter(({ code }) => !tried.has(code))).toEqual([]);
            const pipelines = as(shop.adminClient);
            const ends: Record<string, string> = {};
            for (const [name, config] of Object.entries(sinks)) {
                const data = [{ id: 1, name: 'T-shirt' }];
                const { definition } = leaky(name, ['EXTRACT', { adapterCode: 'inMemory', data }], ['SINK', config]);
                await pipelines.publish(await pipelines.create({ code: `sink-${name}`, definition }));
                ends[name] = (await runsAre([`sink-${name}`]))[`sink-${name}`]!;
            }
            expect(ends).toEqual({
                meilisearch: 'COMPLETED PARTIAL',
                elasticsearch: 'COMPLETED PARTIAL',
                opensearch: 'COMPLETED PARTIAL',
                typesense: 'COMPLETED PARTIAL',
                algolia: 'COMPLETED PARTIAL',
                webhook: 'COMPLETED PARTIAL',
                management: 'COMPLETED PARTIAL',
                // The responses of these are not error messages.
                put: 'FAILED REMOTE_REFUSED plain',
                sqs: 'FAILED REMOTE_REFUSED plain',
                rabbit: 'FAILED REMOTE_BUSY plain',
                redis: 'FAILED REMOTE_BUSY plain',
            });
            await readAll();
        } finally {
            moved.mockRestore();
            await api.close();
            await new Promise(done => talker.close(done));
        }
        // They were there, so the search could have found them.
        const all = [...heard].join();
        for (const canary of [CANARIES.stored, CANARIES.variable, CANARIES.declared]) expect(all).toContain(canary);
    });

    it.each(Object.entries({ INLINE: CANARIES.stored, ENV: CANARIES.variable }))(
        'that a rejected change of a secret brings get nowhere (%s)',
        async (provider, value) => {
            const unquoted = JSON.stringify(value);
            const create = (input: object): Promise<string> => answers.send(CREATE, { input });
            const update = (input: object): Promise<string> => answers.send(UPDATE, { input });
            const declaredId = await idOf('declared');
            const rejected: Record<string, () => Promise<string>> = {
                'code is': () => create({ code: 'not a code', provider, value }),
                'is taken by another secret': () => create({ code: 'stored', provider: 'INLINE', value }),
                'allowed with provider ENV': () => create({ code: 'another', provider: 'ENV', value }),
                'allowed with provider INLINE': () =>
                    create({ code: 'another', provider: 'INLINE', value: value.repeat(4_000) }),
                'has changed since': () => update({ id: storedId, version: 99, provider, value }),
                'has no secret': () => update({ id: 'T_987654', version: 1, provider, value }),
                'read-only here': () => update({ id: declaredId, version: 1, provider, value }),
                'was not provided': () => create({ code: 'another', value }),
                'is not defined by type': () => create({ code: 'another', provider, value, valeu: value }),
                'does not exist in \\"FlowSecretProvider\\"': () => create({ code: 'another', provider: value, value }),
                'cannot represent a non string': () => create({ code: 'another', provider, value: [value] }),
                'at \\"input.version\\"': () => update({ id: storedId, version: value, value }),
                'Syntax Error': () =>
                    answers.send(
                        `mutation { createFlowSecret(input: { code: "a", provider: ${provider}, value ${unquoted} }) { id } }`,
                    ),
                'cannot represent non-integer': () =>
                    answers.send(
                        `mutation { updateFlowSecret(input: { id: "1", version: ${unquoted}, value: ${unquoted} }) { id } }`,
                    ),
                'Cannot query field': () =>
                    answers.send(
                        `mutation { createFlowSecret(input: { code: "a", provider: ${provider}, value: ${unquoted} }) { value } }`,
                    ),
                'not currently authorized': () =>
                    answers.send(CREATE, { input: { code: 'another', provider, value } }, 'nobody'),
            };
            const before = await codesOfSecrets();
            for (const [reason, answer] of Object.entries(rejected)) expect(await answer()).toContain(reason);
            expect(before).toEqual(expect.arrayContaining(['connected', 'declared', 'stored', 'variable']));
            expect(await codesOfSecrets()).toEqual(before);
        },
    );

    it.each([
        ['no', undefined],
        ['a malformed', `not a key, but ${CANARIES.stored}`],
        ['another', '77'.repeat(32)],
    ])('that need a master key get nowhere when there is %s key', async (_, key) => {
        if (key === undefined) delete process.env.FLOW_MASTER_KEY;
        else process.env.FLOW_MASTER_KEY = key;
        try {
            const code = key?.startsWith('77') ? 'SECRET_UNREADABLE' : 'MASTER_KEY_INVALID';
            expect(await shop.perform('extract-error')).toMatchObject({ status: 'FAILED', error: { code } });
            const answer = await answers.send(CREATE, {
                input: { code: 'late', provider: 'INLINE', value: CANARIES.stored },
            });
            expect(answer).toContain(code === 'MASTER_KEY_INVALID' ? 'MASTER_KEY_INVALID' : '"isReadable":true');
            await answers.send('mutation { rotateFlowSecrets { rotated current unreadable } }');
            await readAll();
        } finally {
            process.env.FLOW_MASTER_KEY = KEY;
        }
    });

    it('are unchanged afterwards', async () => {
        received.clear();
        await shop.perform('extract-log');
        expect(Object.fromEntries(received)).toEqual(CANARIES);
    });

    async function codesOfSecrets(): Promise<readonly string[]> {
        const { flowSecrets } = await shop.adminClient.query(gql`query { flowSecrets { items { code } } }`);
        return flowSecrets.items.map(({ code }: { code: string }) => code);
    }

    async function idOf(code: string): Promise<string> {
        const { flowSecret } = await shop.adminClient.query(
            gql`query Id($code: String!) { flowSecret(code: $code) { id } }`,
            { code },
        );
        return flowSecret.id as string;
    }

    async function masked(table: string, column: string): Promise<number> {
        const [{ found }] = (await shop.dataSource.query(
            `SELECT COUNT(*) AS found FROM ${table} WHERE ${column} LIKE '%[secret]%'`,
        )) as [{ found: number | string }];
        return Number(found);
    }

    it('appears in no row, no log and no file if it is the token of a feed', async () => {
        const { createFlowFeed } = await shop.adminClient.query(gql`
            mutation {
                createFlowFeed(input: { exportCode: "products", name: "Somebody" }) {
                    path
                }
            }
        `);
        const path = createFlowFeed.path as string;
        const token = path.split('/').at(-1)!;
        expect((await fetch(shop.url + path)).status).toBe(404);
        expect((await fetch(`${shop.url}${path}.xml`, { method: 'HEAD' })).status).toBe(404);
        for await (const row of rowsOf(shop.dataSource)) expect(placesOf([token], [row])).toEqual([]);
        expect(
            placesOf(
                [token],
                logger.lines.map(line => ['the log', line] as const),
            ),
        ).toEqual([]);
        expect(placesOf([token], filesOf(shop, startedAt))).toEqual([]);
    });
}

onOneDatabase('canary secrets', canaries);
