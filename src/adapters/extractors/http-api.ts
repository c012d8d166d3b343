import type { AdapterContext } from '../../core/adapter/context';
import { defineExtractor } from '../../core/adapter/extractor';
import { compilePath } from '../../core/data/path';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { reasonOf } from '../requests/reason';
import type { ReceivedPage } from './api-response';
import { apiRequests, apiSecretUses } from './api-fields';
import { apiPages, type ApiSource, type PageRequest } from './api-pages';
import type { PagePosition } from './page-position';
import { adviseHttpApi, type HttpApiArgs, httpApiConfig } from './http-api-config';
import { type HttpPaging, httpPaging } from './http-api-paging';
import { Incremental, incrementalNote, savedSince } from './incremental';
import { withQuery } from './page-address';

/** Reads the records of a REST API page by page. */
export const httpApi = defineExtractor({
    code: 'httpApi',
    category: 'APIs',
    title: 'HTTP API',
    summary: 'Reads records from an HTTP API, page by page.',
    config: httpApiConfig,
    notes: [
        'With OFFSET and PAGE, reading stops at an empty page, at false or null in hasMorePath, or when totalPath records are read. With CURSOR and LINK_HEADER, it stops when the response has no cursor (null, empty, false, 0 or missing) or no link to a next page, or at false in hasMorePath; an empty page does not stop it. A page with fewer records than requested is not the end.',
        'A read is partial if the server counts more records than it has returned, if its count decreases during the reading, or if it returns a page twice. Then the outcome of the run is PARTIAL, missing records are not handled, and the position of incremental does not move.',
        'With OFFSET and PAGE, a status in pagination.endStatus on a page after the first one ends the data. For any other error of the server, including 408, 429 and 5xx after the last retry, the error quotes the first 300 characters of the response.',
        'If there are more pages than maxPages, the run fails after the last allowed page. The records of the allowed pages are loaded before the run fails, except those still held at a gate; a warning gives their number. A repeated cursor or link also fails the run.',
        'If a server without totalPath and hasMorePath returns the same page three times, this is taken as the end of the data, and the reading is partial. If that page is the first one, the run fails, because the server may not know the parameter. Set totalPath or hasMorePath.',
        'One page is requested ahead while the previous one is processed.',
        'If a worker dies, the run continues at its page. If the server no longer accepts the cursor, the reading starts again.',
        'Responses of up to 1 MiB are validated as a whole before anything is loaded. Larger ones are read as they arrive, so records before an error are loaded. A response may have at most security.maxResponseBytes (32 MiB).',
        'A JSON number that cannot be represented exactly becomes text. An object with a repeated key is rejected, and so is an element that is not an object. Values of CSV and XML are text; empty cells and elements are not fields.',
        'If the connection has a base URL, requests and redirects keep its origin. Links to further pages always keep the origin of the first page.',
        'Dry runs and step tests also send requests; a step test requests only the records that it shows. Flow assumes that requests do not change anything, whatever the method, and may send them more than once.',
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
            note: 'GET /products?limit=2&page=1 returns {"data": […]} until a page is empty.',
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
            note: 'GET /orders?limit=2&starting_after=o-2 returns {"data": […], "has_more": false}.',
        },
        {
            config: {
                url: 'https://api.example.com/customers',
                pagination: { type: 'LINK_HEADER', limit: 2 },
            },
            out: [{ email: 'anna@example.com' }, { email: 'ben@example.com' }, { email: 'cleo@example.com' }],
            note: 'The response is the list itself, with the header Link: </customers?limit=2&after=2>; rel="next".',
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
            note: 'POST /search with {"filter": {"inStock": true}, "page": {"size": 2, "from": 0}} returns {"hits": […], "total": 3}.',
        },
        {
            config: { url: 'https://api.example.com/prices.csv', delimiter: ';' },
            out: [
                { sku: '0012', price: '19,95' },
                { sku: '0013', price: '24,50' },
            ],
            note: 'A response of the type text/csv.',
        },
    ],
    advise: adviseHttpApi,
    secretUses: apiSecretUses,
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
    const { pagination, format, dataPath, delimiter, csv, rateLimit, incremental: since } = args;
    const paging = httpPaging(args, url);
    const incremental = since && new Incremental(since);
    return {
        paging,
        incremental,
        reading: { format, dataPath, delimiter, csv, mayBeOne: pagination.type === 'NONE', refusal: refusalOf },
        endStatus: pagination.endStatus,
        common: {
            ...common,
            headers: { accept: ACCEPT[format], ...common.headers },
            expected: REFUSALS,
            reasonIn: reasonOf,
            ...(rateLimit && { perSecond: rateLimit.requestsPerSecond }),
        },
        request: (place, limit) => requestOf(args, { url, paging, incremental, place, limit }),
    };
}

/** Every status with which a server rejects a request and may give a reason. 408, 429 and 5xx are retried instead. */
const REFUSALS: readonly number[] = Array.from({ length: 100 }, (_, i) => 400 + i).filter(
    status => status !== 408 && status !== 429,
);

/** Includes the reason that the API gives in its body. An HTML page contains none. */
function refusalOf({ host, stream: { status, whole, headers } }: ReceivedPage): FlowError {
    const reason = whole && reasonOf({ headers, body: whole });
    const problem = `answered ${status}${reason === undefined ? '' : `: ${reason}`}`;
    return flowError('REMOTE_REFUSED', { host, problem }, { details: { status } });
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
    readonly place: PagePosition;
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
