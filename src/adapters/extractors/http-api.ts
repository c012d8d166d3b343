import type { AdapterContext } from '../../core/adapter/context';
import { defineExtractor } from '../../core/adapter/extractor';
import { compilePath } from '../../core/data/path';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { apiRequests } from './api-fields';
import { apiPages, type ApiSource, type PageRequest } from './api-pages';
import type { PagePlace } from './api-place';
import { adviseHttpApi, type HttpApiArgs, httpApiConfig } from './http-api-config';
import { type HttpPaging, httpPaging } from './http-api-paging';
import { Incremental, incrementalNote, savedSince } from './incremental';
import { withQuery } from './page-address';

/** Records of a REST API, page by page (spec 2, "httpApi"; spec 4, section 6). */
export const httpApi = defineExtractor({
    code: 'httpApi',
    category: 'APIs',
    title: 'HTTP API',
    summary: 'Reads records from an HTTP API, page by page.',
    config: httpApiConfig,
    notes: [
        'The end of the data is an empty page, a cursor that is null or missing, no link to a next page, false at hasMorePath, or as many records as totalPath says. A page with fewer records than asked for is no end, since servers have limits of their own.',
        'More pages than maxPages allows fail the run, behind the last page that is allowed; its records are loaded by then. A cursor or link that comes a second time fails it as well.',
        'A server that answers its last page again where there is no further one has come to its end. Where it answers its first page again, nobody can tell whether it knows the parameter: the run fails and says so, and totalPath or hasMorePath mends it.',
        'The next page is asked for while the one before is worked on, and no more than one ahead.',
        'A run whose worker dies goes on at its page. Where a cursor is not accepted any more by then, the reading begins again.',
        'Answers up to 1 MiB are checked as a whole before anything of them is loaded; longer ones are read as they come, so that what stands before a fault is loaded. An answer has at most what security.maxResponseBytes allows (32 MiB).',
        'In JSON a number that cannot be held exactly becomes the text that it is, and an object that has a key twice is rejected; an element that is no object is, too. Values of CSV and XML are text, their empty cells and elements are no fields.',
        'With a connection that has a base URL, requests and redirects keep its exact origin; links to further pages keep that of the first in any case.',
        'Dry runs and step tests ask the server, too; a step test asks for no more records than it shows. Whatever the method, it is taken for one that changes nothing, and may be sent more than once.',
        incrementalNote,
    ],
    examples: [
        {
            config: {
                url: 'https://api.example.com/products',
                dataPath: 'data',
                pagination: { type: 'PAGE', limit: 2 },
            },
            out: [
                { sku: 'TS-1', price: 19.95 },
                { sku: 'TS-2', price: 24.5 },
                { sku: 'TS-3', price: 12 },
            ],
            note: 'GET /products?limit=2&page=1 answers {"data": […]}, until a page is empty.',
        },
        {
            config: {
                url: 'https://api.example.com/orders',
                dataPath: 'data',
                pagination: {
                    type: 'CURSOR',
                    limit: 2,
                    cursorParam: 'starting_after',
                    cursorField: 'id',
                    hasMorePath: 'has_more',
                },
            },
            out: [
                { id: 'o-1', total: 1995 },
                { id: 'o-2', total: 2450 },
                { id: 'o-3', total: 1200 },
            ],
            note: 'GET /orders?limit=2&starting_after=o-2 answers {"data": […], "has_more": false}.',
        },
        {
            config: {
                url: 'https://api.example.com/customers',
                pagination: { type: 'LINK_HEADER', limit: 2 },
            },
            out: [{ email: 'anna@example.com' }, { email: 'ben@example.com' }, { email: 'cleo@example.com' }],
            note: 'The answer is the list itself, and a header of it is Link: </customers?limit=2&after=2>; rel="next".',
        },
        {
            config: {
                url: 'https://api.example.com/search',
                method: 'POST',
                body: { filter: { inStock: true } },
                paramsIn: 'BODY',
                dataPath: 'hits',
                pagination: {
                    type: 'OFFSET',
                    limit: 2,
                    offsetParam: 'page.from',
                    limitParam: 'page.size',
                    totalPath: 'total',
                },
            },
            out: [
                { sku: 'TS-1', price: 19.95 },
                { sku: 'TS-2', price: 24.5 },
                { sku: 'TS-3', price: 12 },
            ],
            note: 'POST /search with {"filter": {"inStock": true}, "page": {"size": 2, "from": 0}} answers {"hits": […], "total": 3}.',
        },
        {
            config: { url: 'https://api.example.com/prices.csv', delimiter: ';' },
            out: [
                { sku: '0012', price: '19,95' },
                { sku: '0013', price: '24,50' },
            ],
            note: 'An answer of the type text/csv.',
        },
    ],
    advise: adviseHttpApi,
    readsPart: ({ incremental }) => incremental !== undefined,
    async saved({ url, method, body, connectionCode = '', dataPath = '', incremental }) {
        if (!incremental) return undefined;
        const address = `${method} ${connectionCode} ${url}`;
        return savedSince({ address, body: canonicalJson(body ?? null), dataPath, parameter: incremental.param });
    },
    extract: (args, cx) => apiPages(sourceOf(args, cx), cx),
});

/** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
function sourceOf(args: HttpApiArgs, cx: AdapterContext): ApiSource {
    const { url, common } = apiRequests(args, cx);
    const { pagination, format, dataPath, delimiter, rateLimit, incremental: since } = args;
    const paging = httpPaging(args, url);
    const incremental = since && new Incremental(since);
    return {
        paging,
        incremental,
        reading: { format, dataPath, delimiter, mayBeOne: pagination.type === 'NONE' },
        common: {
            ...common,
            headers: { accept: ACCEPT[format], ...common.headers },
            ...(rateLimit && { perSecond: rateLimit.requestsPerSecond }),
        },
        request: (place, limit) => requestOf(args, { url, paging, incremental, place, limit }),
    };
}

const ACCEPT: Readonly<Record<HttpApiArgs['format'], string>> = {
    AUTO: 'application/json, */*;q=0.5',
    JSON: 'application/json',
    NDJSON: 'application/x-ndjson, application/json;q=0.9',
    CSV: 'text/csv, */*;q=0.5',
    XML: 'application/xml, text/xml;q=0.9, */*;q=0.5',
};

interface Asking {
    readonly url: URL;
    readonly paging: HttpPaging;
    readonly incremental: Incremental | undefined;
    readonly place: PagePlace;
    readonly limit: number;
}

function requestOf(args: HttpApiArgs, { url, paging, incremental, place, limit }: Asking): PageRequest {
    const { method, body, paramsIn } = args;
    const isAddressed = paging.isAddressed && typeof place.at === 'string';
    const since = incremental?.sent(place);
    const params: JsonObject = isAddressed
        ? {}
        : {
              ...paging.paramsOf(place, limit),
              ...(since !== undefined && { [args.incremental!.param]: since }),
          };
    const address = isAddressed ? String(place.at) : url.href;
    if (paramsIn === 'QUERY') return { url: withQuery(address, params), method, body: bodyText(body) };
    const filled = Object.entries(params).reduce<JsonObject>(
        (sent, [name, value]) => compilePath(name).set(sent, value),
        isJsonObject(body) ? body : {},
    );
    return { url: address, method, body: bodyText(filled) };
}

function bodyText(body: JsonValue | undefined): string | undefined {
    return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}
