import type { AdapterContext, StepLog } from '../../core/adapter/context';
import { logEvent } from '../../core/adapter/log-event';
import { defineExtractor } from '../../core/adapter/extractor';
import type { BusyResponse, OutboundResponse } from '../../core/adapter/http';
import { compilePath } from '../../core/data/path';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { readJsonText } from '../../core/data/json-text';
import { BUSY_CODES, CALLER_CODES, codeOfError, errorsOf, wordsOf } from '../requests/graphql-errors';
import { reasonOf } from '../requests/reason';
import { malformed, type ReceivedPage } from './api-response';
import { apiRequests, apiSecretUses } from './api-fields';
import { apiPages, type ApiSource } from './api-pages';
import type { ReadPage } from './api-paging';
import { valueAt } from './api-signs';
import { adviseGraphql, type GraphqlArgs, graphqlConfig } from './graphql-config';
import { graphqlPaging } from './graphql-paging';
import { Incremental, incrementalNote, savedSince } from './incremental';

const PRODUCTS =
    'query ($skip: Int, $take: Int) { products(options: { skip: $skip, take: $take }) { items { sku name } totalItems } }';
const CUSTOMERS =
    'query ($first: Int!, $after: String) { customers(first: $first, after: $after) { edges { node { email } } pageInfo { hasNextPage endCursor } } }';

/** Reads the records of a GraphQL API page by page. */
export const graphqlExtractor = defineExtractor({
    code: 'graphql',
    category: 'APIs',
    title: 'GraphQL API',
    summary: 'Reads records from a GraphQL API, page by page.',
    config: graphqlConfig,
    notes: [
        "If a response has data and errors, the errors are logged and its records are read, but the reading is partial. With OFFSET, one empty page with errors is skipped. A response with errors and nothing at dataPath fails the run with the server's message.",
        'THROTTLED, RATE_LIMITED and similar errors are retried: after the time that the cost in the response (extensions.cost) requires, otherwise as after 429. A query that costs more than the server ever allows fails the run; request fewer records per page.',
        'With OFFSET, reading stops at an empty page, at false in hasMorePath, or when totalCountPath records are read. With CURSOR and RELAY, it stops when the response has no cursor (null, empty, false, 0 or missing), or when hasNextPage or hasMorePath is false; an empty page does not stop it. A page with fewer records than requested is not the end.',
        'A read is partial if a response has errors, if the server counts more records than it has returned, if its count decreases during the reading, or if it returns a page twice. Then the outcome of the run is PARTIAL, missing records are not handled, and the position of incremental does not move.',
        'With RELAY, if dataPath ends with "edges", the records are the nodes of the edges; a path to "nodes" works as well.',
        "Variables are validated against the document when the pipeline is checked: each must be declared, required ones must be set, and values of Int, Float, String, Boolean and ID must match. The server's schema decides on the rest at run time.",
        'If there are more pages than maxPages, the run fails after the last allowed page. The records of the allowed pages are loaded before the run fails, except those still held at a gate; a warning gives their number. A repeated cursor also fails the run.',
        'One page is requested ahead while the previous one is processed. If a worker dies, the run continues at its page; if the server no longer accepts the cursor, the reading starts again.',
        'throughput.rateLimitRps of the pipeline limits the requests per second.',
        'If the connection has a base URL, requests and redirects keep its origin. Dry runs and step tests also send queries, and a query may be sent more than once.',
        incrementalNote,
    ],
    examples: [
        {
            config: {
                url: 'https://api.example.com/graphql',
                query: PRODUCTS,
                dataPath: 'data.products.items',
                pagination: { type: 'OFFSET', limit: 2, totalCountPath: 'data.products.totalItems' },
            },
            out: [
                { sku: 'TS-1', name: 'T-shirt' },
                { sku: 'TS-2', name: 'Trail shoe' },
                { sku: 'TS-3', name: 'Socks' },
            ],
        },
        {
            config: {
                url: 'https://api.example.com/graphql',
                query: CUSTOMERS,
                dataPath: 'data.customers.edges',
                pagination: { type: 'RELAY', limit: 2 },
            },
            out: [{ email: 'anna@example.com' }, { email: 'ben@example.com' }, { email: 'cleo@example.com' }],
            note: 'The nodes of the edges are the records.',
        },
        {
            config: {
                url: 'https://api.example.com/graphql',
                query: 'query ($sku: String!) { product(sku: $sku) { sku name } }',
                variables: { sku: 'TS-2' },
                dataPath: 'data.product',
            },
            out: [{ sku: 'TS-2', name: 'Trail shoe' }],
            note: 'One request whose response contains one record.',
        },
    ],
    advise: adviseGraphql,
    secretUses: apiSecretUses,
    readsPart: ({ incremental }) => incremental !== undefined,
    async saved({ url, query, variables, operationName = '', connectionCode = '', incremental }) {
        if (!incremental) return undefined;
        const requested = canonicalJson([query, operationName, variables]);
        return savedSince({ address: `${connectionCode} ${url}`, query: requested, variable: incremental.variable });
    },
    extract: (args, cx) => apiPages(sourceOf(args, cx), cx),
});

/**
 * Statuses whose response body may describe the problem in GraphQL's form. Those about credentials are handled with the
 * request.
 */
const TOLD_BY_BODY: readonly number[] = [400, 404, 405, 406, 409, 410, 413, 415, 422];

/** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
function sourceOf(args: GraphqlArgs, cx: AdapterContext): ApiSource {
    const { url, common } = apiRequests(args, cx);
    const { query, operationName, variables, dataPath, pagination, incremental: since } = args;
    const paging = { ...graphqlPaging(args), flawOf };
    const incremental = since && new Incremental(since);
    const records = compilePath(dataPath);
    return {
        paging,
        incremental,
        reading: {
            format: 'JSON',
            dataPath,
            mayBeOne: pagination.type === 'NONE',
            hear: (around, answer) => {
                const response = isJsonObject(around) ? around : undefined;
                if (!response || (!Object.hasOwn(response, 'data') && errorsOf(response).length === 0))
                    throw malformed(answer, 'has neither data nor errors');
                const errors = errorsOf(response);
                if (errors.length === 0) return;
                // Without records, the errors are the response.
                if ((valueAt(records, response) ?? null) === null) throw rejection(errors, answer);
                tellErrors(errors, answer, cx.log);
            },
            refusal: refusalOf,
        },
        common: {
            ...common,
            headers: { accept: 'application/graphql-response+json, application/json;q=0.9', ...common.headers },
            expected: TOLD_BY_BODY,
            busyIn,
            reasonIn: reasonOf,
        },
        request: (place, limit) => {
            const moment = incremental?.sent(place);
            const sent = {
                ...variables,
                ...paging.variablesOf(place, limit),
                ...(moment !== undefined && { [since!.variable]: moment }),
            };
            const body = { query, ...(operationName !== undefined && { operationName }), variables: sent };
            return { url: url.href, method: 'POST', body: JSON.stringify(body) };
        },
        ...(paging.hasEdges && { recordOf: nodeOf }),
    };
}

/** Records may be missing from a page that has errors. */
function flawOf({ around, place }: ReadPage): string | undefined {
    const errors = isJsonObject(around) ? errorsOf(around) : [];
    return errors.length === 0 ? undefined : `returned errors with page ${place.page}`;
}

function tellErrors(errors: readonly JsonObject[], { page }: ReceivedPage, log: StepLog): void {
    const codes = [...new Set(errors.map(codeOfError).filter(code => code !== undefined))];
    const more = codes.length > 0 ? { codes } : {};
    logEvent(log, 'RESPONSE_ERRORS', { page, errors: errors.length, words: wordsOf(errors), ...more });
}

function refusalOf(answer: ReceivedPage): FlowError {
    const { status, headers, whole } = answer.stream;
    const read = whole && readJsonText(whole.toString('utf8'));
    const errors = read && 'value' in read && isJsonObject(read.value) ? errorsOf(read.value) : [];
    if (errors.length > 0) return rejection(errors, answer);
    const reason = whole && reasonOf({ headers, body: whole });
    const problem = `answered ${status}${reason === undefined ? '' : `: ${reason}`}`;
    return flowError('REMOTE_REFUSED', { host: answer.host, problem }, { details: { status } });
}

function rejection(errors: readonly JsonObject[], { host, stream: { status } }: ReceivedPage): FlowError {
    const codes = errors.map(codeOfError).filter(code => code !== undefined);
    const told = `${codes[0] === undefined ? 'answered with an error' : `answered ${codes[0].slice(0, 60)}`}: ${wordsOf(errors)}`;
    // If the error is caused by the caller or the document, it is not caused by the cursor.
    const isRefusal = !codes.some(code => CALLER_CODES.has(code));
    const problem = told.replace(/[.\s]+$/, '');
    return flowError('REMOTE_REFUSED', { host, problem }, { details: { status, isRefusal } });
}

/**
 * A server whose response requests a delay, which is computed from the query costs that it reports
 * (Shopify's way).
 */
function busyIn({ body }: OutboundResponse): BusyResponse | undefined {
    // Most responses have no errors, and are not parsed twice.
    if (!body.includes('"errors"')) return undefined;
    const read = readJsonText(body.toString('utf8'));
    const response = 'value' in read && isJsonObject(read.value) ? read.value : {};
    if (isJsonObject(response['data'])) return undefined;
    const code = errorsOf(response)
        .map(codeOfError)
        .find(one => one !== undefined && BUSY_CODES.has(one));
    if (code === undefined || code === 'MAX_COST_EXCEEDED') return undefined;
    const waitMs = waitForCost(response['extensions']);
    if (waitMs === 'for ever') return undefined;
    return { problem: `answered ${code}`, ...(waitMs !== undefined && { waitMs }) };
}

function waitForCost(extensions: JsonValue | undefined): number | 'for ever' | undefined {
    const cost = isJsonObject(extensions) ? extensions['cost'] : undefined;
    const { requestedQueryCost: desired, throttleStatus } = isJsonObject(cost) ? cost : {};
    const { maximumAvailable, currentlyAvailable, restoreRate } = isJsonObject(throttleStatus) ? throttleStatus : {};
    if (typeof desired !== 'number' || typeof currentlyAvailable !== 'number' || typeof restoreRate !== 'number')
        return undefined;
    if (typeof maximumAvailable === 'number' && desired > maximumAvailable) return 'for ever';
    if (restoreRate <= 0) return undefined;
    return Math.max(0, Math.ceil(((desired - currentlyAvailable) / restoreRate) * 1_000));
}

function nodeOf(edge: JsonObject): JsonObject | string {
    const { node } = edge;
    return isJsonObject(node) ? node : 'is an edge without a node';
}
