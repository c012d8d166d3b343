import gql from 'graphql-tag';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject } from '../../src';
import { naming } from '../../test/kit/naming';
import { said } from '../../test/kit/said';
import { freePort } from '../../test/servers/process';
import { inChannel, makeAdministrator, makeChannel } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer } from '../config/flow-server';
import { as, errorOf } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

const TOKEN = 'c4nary-lookup-token';

interface Asked {
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
}

/** The external system: it returns prices to clients with the token. */
function outside(requested: Asked[]): Server {
    return createServer(({ url = '', headers, method }, response) => {
        requested.push({ url, headers });
        const isKnown = headers.authorization === `Bearer ${TOKEN}`;
        const answer = (status: number, body: unknown, more: Record<string, string> = {}): void => {
            response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(body));
        };
        if (url.startsWith('/away')) answer(302, {}, { Location: 'http://169.254.169.254/latest/meta-data/' });
        else if (url.startsWith('/echo')) answer(200, { token: headers.authorization });
        else if (url.startsWith('/graphql')) answer(200, method === 'POST' ? { data: { __typename: 'Query' } } : {});
        else if (url.startsWith('/token')) {
            // The client's secret is also the token.
            const [, secret] = Buffer.from(headers.authorization!.replace('Basic ', ''), 'base64')
                .toString()
                .split(':');
            if (secret === TOKEN) answer(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 600 });
            else answer(401, { error: 'invalid_client', error_description: `${secret} is wrong` });
        } else if (!isKnown) answer(401, {});
        else if (url.startsWith('/forbidden')) answer(403, {});
        else if (url.endsWith('/GONE')) answer(404, {});
        else answer(200, { price: { gross: 1999 }, sku: url.split('/').at(-1) });
    });
}

function lookups(open: () => Promise<FlowServer>): void {
    const requested: Asked[] = [];
    const server = outside(requested);
    let origin: string;
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    let admin: ReturnType<typeof connectionsOf>;
    let made = 0;

    beforeAll(async () => {
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        shop = await open();
        pipelines = as(shop.adminClient);
        admin = connectionsOf(shop.adminClient);
        await makeSecret(shop.adminClient, 'erp-token', TOKEN);
        const auth = { type: 'BEARER', secretCode: 'erp-token' };
        await admin.create({ code: 'erp', type: 'REST', settings: { baseUrl: `${origin}/api`, auth } });
        await admin.create({ code: 'bare', type: 'HTTP', settings: { baseUrl: origin } });
    });
    afterAll(async () => {
        await new Promise(done => {
            server.close(done);
            server.closeAllConnections();
        });
    });
    beforeEach(() => {
        requested.length = 0;
    });

    /** Publishes a pipeline that looks up the records and loads the results as products. */
    async function perform(args: JsonObject, how?: 'dryRunFlowPipeline'): Promise<RunAnswer> {
        const code = `lookup-${++made}`;
        const data = ['A', 'B', 'GONE'].map(sku => ({
            slug: `${code}-${sku.toLowerCase()}`,
            name: sku,
            sku: `${code}-${sku}`,
            erp: sku,
            price: 1,
        }));
        const step = (key: string, kind: string, config: JsonObject): JsonObject => ({ key, kind, config });
        const pipeline = await pipelines.create({
            code,
            definition: {
                version: 1,
                steps: [
                    step('start', 'TRIGGER', { type: 'MANUAL' }),
                    step('in', 'EXTRACT', { adapterCode: 'inMemory', data }),
                    step('ask', 'TRANSFORM', {
                        operators: [
                            { op: 'httpLookup', args: { target: 'price', ...args } },
                            { op: 'remove', args: { path: 'erp' } },
                        ],
                    }),
                    step('out', 'LOAD', { adapterCode: 'productUpsert' }),
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'ask' },
                    { from: 'ask', to: 'out' },
                ],
            },
        });
        await pipelines.publish(pipeline);
        return shop.perform(code, how);
    }
    const test = async (code: string): Promise<Record<string, unknown>> => {
        const { id } = (await admin.find({ code }))!;
        const answer = await shop.adminClient.query(
            gql('mutation Test($id: ID!) { testFlowConnection(id: $id) { result message code status durationMs } }'),
            { id },
        );
        return answer.testFlowConnection as Record<string, unknown>;
    };

    it('fetches what the records lack, authenticates with the connection, and drops records that are not found', async () => {
        const run = await perform({
            connectionCode: 'erp',
            url: '/prices/{{erp}}',
            responsePath: 'price.gross',
            skipOn404: true,
        });
        expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 3, recordsLoaded: 2, recordsRejected: 0 });
        expect(run.counters.find(({ stepKey }) => stepKey === 'ask')).toMatchObject({
            in: 3,
            out: 2,
            filtered: 1,
            rejected: 0,
        });
        expect(requested.map(({ url, headers }) => [url, headers.authorization]).sort()).toEqual(
            ['A', 'B', 'GONE'].map(sku => [`/api/prices/${sku}`, `Bearer ${TOKEN}`]),
        );
    });

    it('quarantines a record whose look-up fails, while its neighbours continue', async () => {
        const run = await perform({
            connectionCode: 'erp',
            url: '/prices/{{erp}}',
            responsePath: 'price.gross',
            failOnError: true,
        });
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsRejected: 1 });
    });

    it('sends requests in a dry run, too, and writes nothing', async () => {
        const run = await perform(
            { connectionCode: 'erp', url: '/prices/{{erp}}', responsePath: 'price.gross', default: 5 },
            'dryRunFlowPipeline',
        );
        expect(run).toMatchObject({ status: 'COMPLETED', dryRun: true, report: { differencesTotal: 3 } });
        expect(requested).toHaveLength(3);
    });

    it('posts in a dry run of a draft for users who may publish, and sends nothing for users who may only run', async () => {
        const step = (key: string, kind: string, config: JsonObject): JsonObject => ({ key, kind, config });
        const post = { url: `${origin}/graphql/{{erp}}`, method: 'POST', target: 'answer' };
        const { id } = await pipelines.create({
            code: 'lookup-draft',
            definition: {
                version: 1,
                steps: [
                    step('start', 'TRIGGER', { type: 'MANUAL' }),
                    step('in', 'EXTRACT', { adapterCode: 'inMemory', data: [{ erp: 'A' }, { erp: 'B' }] }),
                    step('ask', 'TRANSFORM', { operators: [{ op: 'httpLookup', args: post }] }),
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'ask' },
                ],
            },
        });
        const dryRun = async (...permissions: readonly string[]): Promise<RunAnswer> => {
            const client = await makeAdministrator(shop, { name: `drafts-${permissions.join('-')}`, permissions });
            client.setChannelToken(shop.channelToken);
            const { run } = await client.query(
                gql('mutation Dry($id: ID!) { run: dryRunFlowPipeline(pipelineId: $id, workingCopy: true) { id } }'),
                { id },
            );
            return shop.ended(run.id as string);
        };
        const blocked = await dryRun('RunFlowPipeline');
        expect(requested).toEqual([]);
        expect(blocked).toMatchObject({ status: 'COMPLETED', dryRun: true, recordsRead: 2, recordsRejected: 2 });
        const { flowRecordErrors } = await shop.adminClient.query(
            gql('query Errors($id: ID!) { flowRecordErrors(runId: $id) { items { code message } } }'),
            { id: blocked.id },
        );
        const rejected = { code: 'OUTBOUND_BLOCKED', message: expect.stringContaining('PublishFlowPipeline') };
        expect(flowRecordErrors.items).toEqual([rejected, rejected]);
        const sent = await dryRun('RunFlowPipeline', 'PublishFlowPipeline');
        expect(sent).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRejected: 0 });
        expect(requested.map(({ url }) => url).sort()).toEqual(['/graphql/A', '/graphql/B']);
    });

    it.each(['http://169.254.169.254/latest/{{erp}}', 'http://localhost:3000/{{erp}}', 'http://127.0.0.2/{{erp}}'])(
        'cannot be published if requests to its host are not allowed: %s',
        async url => {
            expect(await errorOf(perform({ url }))).toMatchObject({
                code: 'DEFINITION_INVALID',
                issues: [{ code: 'CONFIG_INVALID', stepKey: 'ask', path: 'steps[2].config.operators[0].args.url' }],
            });
            expect(requested).toEqual([]);
        },
    );

    it('never leaves the origin, and never reveals the secret', async () => {
        const away = await perform({ url: `${origin}/away/{{erp}}` });
        expect(away).toMatchObject({ recordsRejected: 3, recordsLoaded: 0 });
        const echoed = await perform({
            url: `${origin}/echo/{{erp}}`,
            connectionCode: 'bare',
            bearerTokenSecretCode: 'erp-token',
            target: 'name',
        });
        const list = `query { flowRecordErrors(options: { take: 100 }) { items { code message payload } } flowLogs(options: { take: 200 }) { items { message } } }`;
        const stored = await shop.adminClient.query(gql(list));
        expect(JSON.stringify({ echoed, stored })).not.toContain(TOKEN);
        expect(JSON.stringify(stored)).toContain('OUTBOUND_BLOCKED');
    });

    it('fails before any request if the secret is missing or the address does not belong to the connection', async () => {
        expect(await perform({ connectionCode: 'erp', url: 'https://api.example.com/{{erp}}' })).toMatchObject({
            status: 'FAILED',
            error: { code: 'OUTBOUND_ORIGIN' },
        });
        expect(requested).toEqual([]);
    });

    describe('a connection is tested', () => {
        it('and passes, or fails with the reason', async () => {
            await makeSecret(shop.adminClient, 'wrong-token', 'something-else');
            await admin.create({
                code: 'refused',
                type: 'REST',
                settings: { baseUrl: `${origin}/api`, auth: { type: 'BEARER', secretCode: 'wrong-token' } },
            });
            await admin.create({ code: 'gql', type: 'GRAPHQL', settings: { baseUrl: `${origin}/graphql` } });
            await admin.create({ code: 'no-gql', type: 'GRAPHQL', settings: { baseUrl: `${origin}/echo` } });
            await admin.create({ code: 'nowhere', type: 'HTTP', settings: {} });
            const auth = { type: 'BEARER', secretCode: 'erp-token' };
            await admin.create({ code: 'no-rights', type: 'HTTP', settings: { baseUrl: `${origin}/forbidden`, auth } });
            await admin.create({
                code: 'closed',
                type: 'HTTP',
                settings: { baseUrl: `http://127.0.0.1:${await freePort()}` },
            });
            await admin.create({ code: 'unknown', type: 'HTTP', settings: { baseUrl: 'https://nobody.invalid' } });
            await admin.create({
                code: 'no-tls',
                type: 'HTTP',
                settings: { baseUrl: origin.replace('http:', 'https:') },
            });
            const client = { type: 'OAUTH2', tokenUrl: `${origin}/token`, clientId: 'shop' };
            for (const [code, clientSecretCode] of [
                ['client', 'erp-token'],
                ['no-client', 'wrong-token'],
            ] as const)
                await admin.create({
                    code,
                    type: 'REST',
                    settings: { baseUrl: `${origin}/api`, auth: { ...client, clientSecretCode } },
                });
            await admin.create({ code: 'streams', type: 'REDIS', settings: { host: 'redis.example.com' } });
            expect(await test('erp')).toMatchObject({ result: 'PASSED', status: 200, code: null });
            expect(requested).toMatchObject([{ url: '/api', headers: { authorization: `Bearer ${TOKEN}` } }]);
            expect(await test('refused')).toMatchObject({
                result: 'FAILED',
                status: 401,
                code: 'REMOTE_REFUSED',
                message: said('server-does-not-accept-credentials'),
            });
            expect(await test('bare')).toMatchObject({ status: 401, message: said('server-asks-for-credentials') });
            expect(await test('no-rights')).toMatchObject({
                status: 403,
                message: expect.stringMatching(naming(403, 'permission', 'base URL')),
            });
            expect(await test('closed')).toMatchObject({ result: 'FAILED', status: null, code: 'REMOTE_BUSY' });
            expect(await test('unknown')).toMatchObject({ result: 'FAILED', status: null, code: 'REMOTE_REFUSED' });
            expect(await test('no-tls')).toMatchObject({ result: 'FAILED', status: null });
            expect(await test('no-client')).toMatchObject({
                result: 'FAILED',
                code: 'REMOTE_REFUSED',
                message: expect.stringMatching(naming(new URL(origin).host, 'invalid_client')),
            });
            expect(await test('client')).toMatchObject({ result: 'PASSED', status: 200 });
            expect(await test('gql')).toMatchObject({ result: 'PASSED', message: expect.stringContaining('GraphQL') });
            expect(await test('no-gql')).toMatchObject({ result: 'FAILED' });
            expect(await test('nowhere')).toMatchObject({
                result: 'UNTESTED',
                message: expect.stringContaining('base URL'),
            });
            expect(await test('streams')).toMatchObject({ result: 'FAILED', status: null });
        });

        it('by users who may manage connections, in their channel', async () => {
            const { id } = (await admin.find({ code: 'bare' }))!;
            const mutation = gql('mutation Test($id: ID!) { testFlowConnection(id: $id) { result } }');
            const reader = await makeAdministrator(shop, { name: 'tests-nothing', permissions: ['ReadFlowPipeline'] });
            await expect(reader.query(mutation, { id })).rejects.toThrow('not currently authorized');
            const { token } = await makeChannel(shop, 'lookup-channel');
            await inChannel(shop.adminClient, token, async () => {
                expect(await errorOf(shop.adminClient.query(mutation, { id }))).toMatchObject({
                    code: 'CONNECTION_NOT_FOUND',
                });
            });
            expect(requested).toEqual([]);
        });
    });
}

export const httpLookupSuite: SharedSuite = { title: 'httpLookup', tests: lookups };
