import { Readable } from 'node:stream';
import { defineSink } from '../../core/adapter/sink';
import type { JsonObject } from '../../core/value/json';
import { BULK_EXAMPLES, BULK_NOTES, bulkConfig, bulkSecretUses, openBulk } from './bulk-config';
import type { BulkClient } from './bulk-engine';
import type { ClientGateway } from './client-gateway';
import { adviseCommon } from './common-fields';
import { optionalClient } from '../clients/optional-client';

/** Delivers documents to OpenSearch. */
export const opensearch = defineSink({
    code: 'opensearch',
    aliases: ['searchEngineB2'],
    category: 'Search engines',
    title: 'OpenSearch',
    summary: 'Delivers documents to an index of OpenSearch.',
    config: bulkConfig,
    notes: ['Needs the package @opensearch-project/opensearch.', ...BULK_NOTES],
    examples: BULK_EXAMPLES,
    advise: adviseCommon,
    secretUses: bulkSecretUses,
    open: (args, cx) => openBulk(args, cx, clientOf),
});

async function clientOf(node: string, gateway: ClientGateway): Promise<BulkClient> {
    const { Client, Connection } = await optionalClient(
        { code: 'opensearch', name: '@opensearch-project/opensearch' },
        () => import('@opensearch-project/opensearch'),
    );
    class DoorConnection extends Connection {
        override request(...[params, callback]: Parameters<InstanceType<typeof Connection>['request']>): never {
            const { method = 'GET', path = '/', querystring, headers = {}, body } = params;
            const url = new URL(this.url.href);
            url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
            if (typeof querystring === 'string' && querystring !== '') url.search = querystring;
            const sent = Object.entries({ ...this.headers, ...headers }).flatMap(([name, value]) =>
                typeof value === 'string' ? [[name, value] as const] : [],
            );
            const text: unknown = body;
            gateway
                .send({
                    url: url.href,
                    method,
                    headers: sent,
                    ...((typeof text === 'string' || text instanceof Uint8Array) && { body: text }),
                })
                .then(
                    answer => {
                        const { 'content-encoding': _coding, ...rest } = answer.headers;
                        const response = new Readable({ read: () => undefined });
                        response.push(answer.body);
                        response.push(null);
                        callback(null, Object.assign(response, { statusCode: answer.status, headers: rest }) as never);
                    },
                    (error: unknown) => callback(error as Error, null),
                );
            // Not aborted here, because the outbound client enforces the deadlines.
            return { abort: () => undefined } as never;
        }
    }
    const client = new Client({ node, Connection: DoorConnection as typeof Connection, agent: false, maxRetries: 0 });
    return {
        bulk: async lines => (await client.bulk({ body: lines as never })).body as unknown as JsonObject,
        request: async ({ method, path, body }) =>
            (await client.transport.request({ method, path, ...(body && { body }) })).body as JsonObject,
    };
}
