import { defineSink } from '../../core/adapter/sink';
import type { JsonObject } from '../../core/value/json';
import { BULK_EXAMPLES, BULK_NOTES, bulkConfig, bulkSecretUses, openBulk } from './bulk-config';
import type { BulkClient } from './bulk-engine';
import type { ClientGateway } from './client-gateway';
import { adviseCommon } from './common-fields';
import { optionalClient } from '../clients/optional-client';

/** Delivers documents to Elasticsearch. */
export const elasticsearch = defineSink({
    code: 'elasticsearch',
    aliases: ['searchEngineB'],
    category: 'Search engines',
    title: 'Elasticsearch',
    summary: 'Delivers documents to an index of Elasticsearch.',
    config: bulkConfig,
    notes: ['Needs the package @elastic/elasticsearch.', ...BULK_NOTES],
    examples: BULK_EXAMPLES,
    advise: adviseCommon,
    secretUses: bulkSecretUses,
    open: (args, cx) => openBulk(args, cx, clientOf),
});

/**
 * Media types with a version are rejected by servers of other versions. Without a version, all of them accept the type.
 */
const VERSIONED = /application\/vnd\.elasticsearch\+(x-ndjson|json);\s*compatible-with=\d+/g;

async function clientOf(node: string, gateway: ClientGateway): Promise<BulkClient> {
    const { Client, BaseConnection } = await optionalClient(
        { code: 'elasticsearch', name: '@elastic/elasticsearch' },
        () => import('@elastic/elasticsearch'),
    );
    class DoorConnection extends BaseConnection {
        override async request(params: ConnectionParams): Promise<never> {
            const { method, path, querystring, headers = {}, body } = params;
            const url = new URL(this.url.href);
            url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
            if (querystring) url.search = querystring;
            const sent = Object.entries({ ...this.headers, ...headers }).flatMap(([name, value]) =>
                typeof value === 'string' ? [[name, value.replace(VERSIONED, 'application/$1')] as const] : [],
            );
            const answer = await gateway.send({
                url: url.href,
                method,
                headers: sent,
                ...((typeof body === 'string' || body instanceof Uint8Array) && { body }),
            });
            const { 'content-encoding': _coding, ...rest } = answer.headers;
            // The client's type of a response, of which its overloads define two.
            return { statusCode: answer.status, headers: rest, body: answer.body.toString('utf8') } as never;
        }
    }
    const client = new Client({
        node,
        Connection: DoorConnection,
        maxRetries: 0,
        enableMetaHeader: false,
        // The outbound client enforces the deadlines.
        requestTimeout: undefined as never,
    });
    return {
        // The client's type only allows lists, but texts are sent unchanged.
        bulk: async lines => (await client.bulk({ operations: lines as never })) as unknown as JsonObject,
        request: async ({ method, path, body }) =>
            (await client.transport.request({ method, path, ...(body && { body }) })) as JsonObject,
    };
}

interface ConnectionParams {
    readonly method: string;
    readonly path: string;
    readonly querystring?: string;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
}
