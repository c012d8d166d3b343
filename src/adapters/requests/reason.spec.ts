import { ApiReader } from '../../../test/kit/api-reader';
import { Partner } from '../../../test/kit/partner';
import { ids } from '../../../test/kit/pipeline';
import type { JsonValue } from '../../core/value/json';
import { graphqlExtractor as graphql } from '../extractors/graphql';
import { httpApi } from '../extractors/http-api';
import { restPost } from '../loaders/rest-post';

const api = new ApiReader(httpApi);
const graph = new ApiReader(graphql);
const partner = new Partner();

interface Refusal {
    readonly status: number;
    readonly type: string;
    readonly body: JsonValue;
}

/** The error message of a run, by the adapter that sends the request. */
const ASKING: Readonly<Record<string, (rejection: Refusal) => Promise<string | undefined>>> = {
    httpApi: async ({ status, type, body }) => {
        const server = await api.serve(() => ({ status, headers: { 'content-type': type }, body }));
        const { error } = await api.read(server, { config: { pagination: { type: 'NONE' } } });
        return error?.message;
    },
    graphql: async ({ status, type, body }) => {
        const server = await graph.serve(() => ({ status, headers: { 'content-type': type }, body }));
        const config = { query: '{ products { sku } }', dataPath: 'data.products', pagination: { type: 'NONE' } };
        return (await graph.read(server, { config })).error?.message;
    },
    restPost: async ({ status, type, body }) => {
        const { port } = await partner.serve(() => ({ status, headers: { 'content-type': type }, body }));
        const config = { endpoint: `http://127.0.0.1:${port}/products`, retries: 1 };
        const { end } = await partner.load({ loader: restPost, config, records: ids(1) });
        return end.end === 'stopped' ? end.error.message : undefined;
    },
};

describe.each(Object.entries(ASKING))('%s', (_, ask) => {
    it.each([408, 429, 500, 503])('quotes the message of the API for %d once its retries are spent', async status => {
        const body = { message: 'The catalogue is locked by a nightly export.' };
        const said = await ask({ status, type: 'application/json', body });
        expect(said).toContain(String(status));
        expect(said).toContain(body.message.replace(/\.$/, ';'));
    });

    it('quotes at most 300 characters', async () => {
        const said = await ask({ status: 503, type: 'text/plain', body: 'x'.repeat(5_000) });
        expect(said).toMatch(/answered 503: x{300}…; tried/);
    });

    it('quotes no page that is made for people', async () => {
        const said = await ask({ status: 502, type: 'text/html', body: '<html><body>Bad gateway</body></html>' });
        expect(said).toMatch(/answered 502; tried/);
    });
});

it.each(['httpApi', 'graphql'])('%s quotes the reason of a rejection as well', async name => {
    const said = await ASKING[name]!({ status: 403, type: 'application/json', body: { error: 'Key is expired' } });
    expect(said).toMatch(/answered 403: Key is expired\. /);
});
