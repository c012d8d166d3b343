import type { Advice } from '../../core/adapter/base';
import type { AdapterDefinition } from '../../core/adapter/definition';
import type { JsonObject } from '../../core/value/json';
import { graphqlExtractor } from '../extractors/graphql';
import { httpApi } from '../extractors/http-api';
import { graphqlMutation } from '../loaders/graphql-mutation';
import { restPost } from '../loaders/rest-post';
import { httpLookup } from '../operators/http-lookup';
import { webhookSink } from '../sinks/webhook';

type Advising = Pick<AdapterDefinition, 'advise' | 'config'>;

const ADAPTERS: ReadonlyArray<[string, Advising, (url: string) => JsonObject, string]> = [
    ['httpApi', httpApi, url => ({ url }), 'url'],
    ['graphql', graphqlExtractor, url => ({ url, query: '{ products { sku } }', dataPath: 'data.products' }), 'url'],
    ['httpLookup', httpLookup, url => ({ url, target: 't' }), 'url'],
    ['restPost', restPost, endpoint => ({ endpoint }), 'endpoint'],
    [
        'graphqlMutation',
        graphqlMutation,
        endpoint => ({
            endpoint,
            mutation: 'mutation ($sku: String) { save(sku: $sku) { id } }',
            variables: { sku: 'sku' },
        }),
        'endpoint',
    ],
    ['webhook', webhookSink, url => ({ url }), 'url'],
];

const adviceOf = ({ advise, config }: Advising, given: JsonObject): readonly Advice[] =>
    advise?.(config.parse(given)) ?? [];

describe('a key in the query of an address', () => {
    it.each(ADAPTERS)('is a warning of %s that does not contain it', (_, adapter, given, path) => {
        for (const name of ['api_key', 'access_token', 'key', 'Signature']) {
            const advice = adviceOf(adapter, given(`https://a.example/x?page=1&${name}=s3cret%2B1`));
            expect(advice).toEqual([
                {
                    code: 'LIKELY_MISTAKE',
                    path,
                    problem: expect.objectContaining({
                        facts: expect.objectContaining({ 0: `"${name}"` }) as object,
                    }) as object,
                },
            ]);
            expect(JSON.stringify(advice)).not.toContain('s3cret');
        }
    });

    it.each(ADAPTERS)('is not given by %s if it is not a credential', (_, adapter, given) => {
        expect(adviceOf(adapter, given('https://a.example/x?page=1&api_key=&keyword=x#token=y'))).toEqual([]);
    });

    it('is not given if it is a value of the record', () => {
        expect(adviceOf(httpLookup, { url: 'https://a.example/x?key={{sku}}', target: 't' })).toEqual([]);
        expect(adviceOf(restPost, { endpoint: 'https://a.example/x?key={{sku}}' })).toEqual([]);
    });
});
