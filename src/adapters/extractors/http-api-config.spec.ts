import { parseWith } from '../../core/schema/issues';
import type { JsonObject } from '../../core/value/json';
import { httpApi } from './http-api';
import { adviseHttpApi } from './http-api-config';
import { nextLink, withQuery } from './page-address';

const pathsOf = (config: JsonObject): readonly string[] => {
    const parsed = parseWith(httpApi.config, { url: 'https://api.example.com/products', ...config });
    return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
};
const advised = (config: JsonObject): readonly string[] =>
    adviseHttpApi(httpApi.config.parse({ url: 'https://api.example.com/products', ...config })).map(({ path }) => path);

describe('a credential in the address of httpApi', () => {
    it.each(['api_key', 'apikey', 'X-Api-Key', 'token', 'access_token', 'key', 'client_secret', 'sig', 'password'])(
        'is reported by the name %s of its parameter, without its value',
        name => {
            const url = `https://api.example.com/products?lang=de&${name}=c4nary#end`;
            const advice = adviseHttpApi(httpApi.config.parse({ url }));
            expect(advice).toMatchObject([
                { code: 'LIKELY_MISTAKE', path: 'url', problem: { facts: { 0: `"${name}"` } } },
            ]);
            expect(JSON.stringify(advice)).not.toContain('c4nary');
        },
    );

    it.each(['?lang=de', '?keyword=shoe', '?monkey=1', '?key=', '#token=a', '/token/key'])(
        'is not found in %s',
        end => {
            expect(advised({ url: `https://api.example.com/products${end}` })).toEqual([]);
        },
    );
});

describe('the configuration of httpApi', () => {
    it('has the defaults that are written down', () => {
        expect(httpApi.config.parse({ url: 'https://api.example.com/products' })).toEqual({
            url: 'https://api.example.com/products',
            method: 'GET',
            headers: {},
            format: 'AUTO',
            paramsIn: 'QUERY',
            retry: { maxAttempts: 3 },
            timeoutMs: 30_000,
            pagination: {
                type: 'NONE',
                limit: 100,
                maxPages: 1_000,
                offsetParam: 'offset',
                limitParam: 'limit',
                pageParam: 'page',
                pageSizeParam: 'limit',
                firstPage: 1,
                endStatus: [],
                cursorParam: 'cursor',
                cursorIs: 'VALUE',
            },
        });
    });

    it.each<[JsonObject, readonly string[]]>([
        [{ url: 'ftp://a.example' }, ['url']],
        [{ url: '/products' }, ['url']],
        [{ url: 'https://a.example/{{sku}}' }, ['url']],
        [{ url: 'https://user:c4nary@a.example/' }, ['url']],
        [{ method: 'DELETE' }, ['method']],
        [{ body: {} }, ['body']],
        [{ headers: { Authorization: 'x' } }, ['headers.Authorization']],
        [{ headers: { Cookie: 'x' } }, ['headers.Cookie']],
        [{ headers: { 'X-Signature': 'x' } }, ['headers.X-Signature']],
        [{ headers: { Host: 'x' } }, ['headers.Host']],
        [{ headers: { 'Transfer-Encoding': 'x' } }, ['headers.Transfer-Encoding']],
        [{ auth: { type: 'BEARER', secretCode: 'token' } }, ['connectionCode']],
        [{ auth: { type: 'BEARER' }, connectionCode: 'erp' }, ['auth.secretCode']],
        [{ auth: { type: 'NONE' } }, []],
        [{ pagination: { type: 'SCROLL' } }, ['pagination.type']],
        [{ pagination: { limit: 0 } }, ['pagination.limit']],
        [{ pagination: { limit: 10_001 } }, ['pagination.limit']],
        [{ pagination: { maxPages: 1_000_001 } }, ['pagination.maxPages']],
        [{ retry: { maxAttempts: 11 } }, ['retry.maxAttempts']],
        [{ timeoutMs: 300_001 }, ['timeoutMs']],
        [{ rateLimit: { requestsPerSecond: 0 } }, ['rateLimit.requestsPerSecond']],
        [{ pagination: { type: 'CURSOR' } }, ['pagination.cursorPath']],
        [{ pagination: { type: 'CURSOR', cursorPath: 'next' } }, ['pagination.cursorPath']],
        [{ dataPath: 'data', pagination: { type: 'CURSOR', cursorPath: 'data.0.id' } }, ['pagination.cursorPath']],
        [
            { dataPath: 'data', pagination: { type: 'CURSOR', cursorPath: 'next', cursorField: 'id' } },
            ['pagination.cursorField'],
        ],
        [{ pagination: { type: 'CURSOR', cursorHeader: 'Set-Cookie' } }, ['pagination.cursorHeader']],
        [
            { pagination: { type: 'CURSOR', cursorField: 'id', cursorIs: 'LINK', initialCursor: '*' } },
            ['pagination.initialCursor'],
        ],
        [{ format: 'CSV', pagination: { type: 'PAGE', totalPath: 'total' } }, ['pagination.totalPath']],
        [{ pagination: { type: 'PAGE', pageParam: 'limit' } }, ['pagination.pageSizeParam']],
        [{ incremental: { param: 'page' }, pagination: { type: 'PAGE' } }, ['pagination.pageParam']],
        [{ incremental: { param: 'since', from: 'yesterday' } }, ['incremental.from']],
        [{ paramsIn: 'BODY' }, ['paramsIn']],
        [{ method: 'POST', paramsIn: 'BODY', body: 'text' }, ['body']],
        [{ method: 'POST', paramsIn: 'BODY', pagination: { type: 'LINK_HEADER' } }, ['paramsIn']],
        [
            { method: 'POST', paramsIn: 'BODY', pagination: { type: 'PAGE', pageParam: '__proto__' } },
            ['pagination.pageParam'],
        ],
        [{ delimiter: '"' }, ['delimiter']],
        [{ nonsense: 1 }, ['nonsense']],
    ])('%j has issues at %j', (config, expected) => {
        expect(pathsOf(config)).toEqual(expected);
    });

    it.each<[JsonObject, readonly string[]]>([
        [{}, []],
        [
            { pagination: { type: 'PAGE', cursorField: 'id', offsetParam: 'from' } },
            ['pagination.offsetParam', 'pagination.cursorField'],
        ],
        [{ pagination: { limit: 5 } }, ['pagination.limit']],
        [{ format: 'JSON', delimiter: ';' }, ['delimiter']],
        [{ format: 'NDJSON', dataPath: 'data' }, ['dataPath']],
        [{ method: 'POST', paramsIn: 'BODY' }, ['paramsIn']],
    ])('%j is warned of at %j', (config, expected) => {
        expect(advised(config)).toEqual(expected);
    });
});

describe('a Link header', () => {
    it.each([
        ['<https://a.example/x?page=2>; rel="next"', 'https://a.example/x?page=2'],
        ['<https://a.example/x?page=1>; rel=prev, </x?page=3>; rel=next', '/x?page=3'],
        ['<a,b;c>; title="x, <y>; rel=next"; rel="last next"', 'a,b;c'],
        ['<x>;REL=Next', 'x'],
        ['<x>; rel="prev"; rel="next"', undefined],
        ['<x>; title="a \\" rel=next"', undefined],
        ['<x>', undefined],
        ['x; rel=next', undefined],
        ['<x; rel=next', undefined],
        ['', undefined],
        [undefined, undefined],
        [`${'<x>; rel=prev, '.repeat(5_000)}<y>; rel=next`, undefined],
    ])('%s', (header, expected) => {
        expect(nextLink(header)).toBe(expected);
    });
});

describe('an address with parameters', () => {
    it.each([
        ['https://a.example/x', { p: 1 }, 'https://a.example/x?p=1'],
        ['https://a.example/x?', { p: 'ä&b=c#' }, 'https://a.example/x?p=%C3%A4%26b%3Dc%23'],
        ['https://a.example/x?q=1&p=2&p=3&r', { p: 4 }, 'https://a.example/x?q=1&r&p=4'],
        ['https://a.example/x?a%5Bb%5D=1&a[b]=2', { 'a[b]': 3 }, 'https://a.example/x?a%5Bb%5D=3'],
        ['https://a.example/x?%E0%A4%A=1', { p: 1 }, 'https://a.example/x?%E0%A4%A=1&p=1'],
        ['https://a.example/x?q=a?b', {}, 'https://a.example/x?q=a?b'],
    ])('%s with %j', (address, params, expected) => {
        expect(withQuery(address, params)).toBe(expected);
    });
});
