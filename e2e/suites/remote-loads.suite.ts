import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

const TOKEN = 'c4nary-partner-token';
/** The partner's message for a rejected record. */
const rejection = { reason: 'No room for' };

interface Asked {
    readonly url: string;
    readonly key: unknown;
    readonly body: string;
}

/** A partner's API: it rejects 2, and repeats the token of the request. */
function partner(requested: Asked[]): Server {
    return createServer((request, response) => {
        let body = '';
        request.on('data', (piece: Buffer) => (body += piece.toString()));
        request.on('end', () => {
            const { url = '', headers } = request;
            requested.push({ url, key: headers['idempotency-key'], body });
            const isKnown = headers.authorization === `Bearer ${TOKEN}`;
            const message = `${rejection.reason} ${String(headers.authorization)}`;
            const isGraphql = url.endsWith('/graphql');
            const answer: unknown = !isGraphql
                ? { message }
                : { data: { r0: {}, r1: { userErrors: [{ message }] }, r2: null } };
            const isRefused = !isGraphql && (JSON.parse(body) as JsonObject)['id'] === 2;
            response
                .writeHead(isKnown ? (isRefused ? 422 : 200) : 401, { 'Content-Type': 'application/json' })
                .end(JSON.stringify(answer));
        });
    });
}

function remoteLoads(open: () => Promise<FlowServer>): void {
    const requested: Asked[] = [];
    const server = partner(requested);
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    let origin: string;

    beforeAll(async () => {
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        shop = await open();
        pipelines = as(shop.adminClient);
        await makeSecret(shop.adminClient, 'partner-token', TOKEN);
        const auth = { type: 'BEARER', secretCode: 'partner-token' };
        const settings = { baseUrl: `${origin}/api`, auth };
        await connectionsOf(shop.adminClient).create({ code: 'partner-api', type: 'REST', settings });
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

    async function publish(code: string, config: JsonObject): Promise<void> {
        const data = [{ id: 1 }, { id: 2 }, { id: 3 }];
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data } },
                { key: code, kind: 'LOAD', config },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: code },
            ],
        };
        await pipelines.publish(await pipelines.create({ code, definition }));
    }

    /** The stored errors of the records that a step has rejected. Neither these nor any log may contain the token. */
    async function rejectedBy(stepKey: string): Promise<readonly FlowRecordError[]> {
        const errors = await shop.dataSource.getRepository(FlowRecordError).find({ where: { stepKey } });
        const lines = await shop.dataSource.getRepository(FlowLog).find();
        expect(JSON.stringify([errors, lines])).not.toContain(TOKEN);
        return errors;
    }

    it('send no request in a dry run, then send each record with a separate key, and store the reason of a rejection', async () => {
        const endpoint = `${origin}/items`;
        await publish('to-rest', { adapterCode: 'restPost', endpoint, bearerTokenSecretCode: 'partner-token' });
        const tried = await shop.perform('to-rest', 'dryRunFlowPipeline');
        expect([tried, requested]).toMatchObject([{ status: 'COMPLETED', outcome: 'SUCCESS' }, []]);
        const run = await shop.perform('to-rest');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsRejected: 1 });
        expect(requested.map(({ url, body }) => [url, body])).toEqual([1, 2, 3].map(id => ['/items', `{"id":${id}}`]));
        expect(new Set(requested.map(({ key }) => key)).size).toBe(3);
        const [error] = await rejectedBy('to-rest');
        expect(error).toMatchObject({ code: 'TARGET_REFUSED', payload: { id: 2 } });
        expect(error!.message).toContain(rejection.reason);
    });

    it('go through a connection, many in one document of GraphQL', async () => {
        await publish('to-graphql', {
            adapterCode: 'graphqlMutation',
            connectionCode: 'partner-api',
            endpoint: 'graphql',
            mutation: 'mutation ($id: Int!) { save(id: $id) { userErrors { message } } }',
            batchSize: 10,
        });
        const run = await shop.perform('to-graphql');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsRejected: 1 });
        expect(requested.map(({ url, body }) => [url, (JSON.parse(body) as JsonObject)['variables']])).toEqual([
            ['/api/graphql', { r0_id: 1, r1_id: 2, r2_id: 3 }],
        ]);
        expect(await rejectedBy('to-graphql')).toMatchObject([{ code: 'TARGET_REFUSED', payload: { id: 2 } }]);
    });
}

export const remoteLoadsSuite: SharedSuite = { title: 'loads into other systems', tests: remoteLoads };
