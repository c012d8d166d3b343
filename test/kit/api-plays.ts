import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/core/value/json';

/** A request to a server that plays an API. */
export interface PlayedRequest {
    readonly method: string;
    readonly url: URL;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: string;
    /** Counted from 1. */
    readonly number: number;
}

/** Its answer: a text is sent unchanged, anything else as JSON. It may also never come, or break off in the middle. */
export type PlayedAnswer =
    | {
          readonly status?: number;
          readonly headers?: Readonly<Record<string, string | undefined>>;
          readonly body?: unknown;
          readonly isCut?: boolean;
      }
    | 'hangs';

export type Play = (request: PlayedRequest) => PlayedAnswer | Promise<PlayedAnswer>;

/** A server on this machine that plays an API. Close it after the test. */
export class ApiServer {
    readonly seen: PlayedRequest[] = [];
    private server: Server | undefined;
    private requested = 0;

    constructor(public play: Play) {}

    async listen(): Promise<this> {
        const server = createServer((request, response) => {
            const chunks: Buffer[] = [];
            request
                .on('data', (chunk: Buffer) => chunks.push(chunk))
                .on('end', () => {
                    const requested: PlayedRequest = {
                        method: request.method!,
                        url: new URL(request.url!, this.url),
                        headers: request.headers,
                        body: Buffer.concat(chunks).toString(),
                        number: ++this.requested,
                    };
                    this.seen.push(requested);
                    void Promise.resolve(this.play(requested)).then(answer => give(response, answer));
                });
        });
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        this.server = server;
        return this;
    }

    get url(): string {
        return `http://127.0.0.1:${(this.server?.address() as AddressInfo | null)?.port ?? 0}`;
    }

    close(): Promise<void> {
        return new Promise(done => {
            this.server?.close(() => done());
            this.server?.closeAllConnections();
        });
    }
}

function give(response: ServerResponse, answer: PlayedAnswer): void {
    if (answer === 'hangs') return;
    const { status = 200, headers = {}, body = {}, isCut = false } = answer;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const bytes = Buffer.from(text as string);
    const given = Object.entries(headers).filter(([, value]) => value !== undefined) as Array<[string, string]>;
    response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        ...Object.fromEntries(given),
    });
    if (!isCut) return void response.end(bytes);
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => setImmediate(() => response.destroy()));
}

const sliceOf = (records: readonly JsonObject[], from: number, limit: number): readonly JsonObject[] =>
    records.slice(from, from + limit);
const number = ({ url }: PlayedRequest, name: string, otherwise: number): number =>
    Number(url.searchParams.get(name) ?? otherwise);

/** Each serves its records in order at `/products`. */
export const PLAYS = {
    /** Links to the next page; other parameters next to those of the link are rejected. There is no link if there is one page. */
    shopify:
        (records: readonly JsonObject[]): Play =>
        request => {
            const { url } = request;
            const from = Number(url.searchParams.get('page_info') ?? 0);
            const limit = Math.min(250, number(request, 'limit', 50));
            const names = [...url.searchParams.keys()];
            if (names.includes('page_info') && names.some(name => !['page_info', 'limit'].includes(name)))
                return { status: 400, body: { errors: 'page_info goes with limit alone' } };
            const link = (at: number, rel: string) =>
                `<${url.origin}/products?limit=${limit}&page_info=${at}>; rel="${rel}"`;
            const links = [
                ...(from > 0 ? [link(Math.max(0, from - limit), 'previous')] : []),
                ...(from + limit < records.length ? [link(from + limit, 'next')] : []),
            ];
            return {
                headers: links.length > 0 ? { link: links.join(', ') } : {},
                body: { products: sliceOf(records, from, limit) },
            };
        },
    /** Numbered pages of at most 100 records, until one is empty. */
    woocommerce:
        (records: readonly JsonObject[]): Play =>
        request => {
            const limit = Math.min(100, number(request, 'per_page', 10));
            const page = number(request, 'page', 1);
            return { body: sliceOf(records, (page - 1) * limit, limit) };
        },
    /** The id of the last record is the cursor. */
    stripe:
        (records: readonly JsonObject[]): Play =>
        request => {
            const limit = Math.min(100, number(request, 'limit', 10));
            const after = request.url.searchParams.get('starting_after');
            const found = records.findIndex(({ id }) => String(id) === after);
            if (after !== null && found < 0) return { status: 400, body: { error: { code: 'resource_missing' } } };
            return { body: { data: sliceOf(records, found + 1, limit), has_more: found + 1 + limit < records.length } };
        },
    /** After the last page it returns the last one again. */
    magento:
        (records: readonly JsonObject[]): Play =>
        request => {
            const limit = number(request, 'searchCriteria[pageSize]', 20);
            const last = Math.max(1, Math.ceil(records.length / limit));
            const page = Math.min(last, Math.max(1, number(request, 'searchCriteria[currentPage]', 1)));
            return { body: { items: sliceOf(records, (page - 1) * limit, limit), total_count: records.length } };
        },
    /** Skips `offset` records. */
    offset:
        (records: readonly JsonObject[]): Play =>
        request => ({
            body: { data: sliceOf(records, number(request, 'offset', 0), number(request, 'limit', 10)) },
        }),
} as const;

/** The configuration of httpApi for each of them. */
export const PLAYED_CONFIGS: Readonly<Record<keyof typeof PLAYS, JsonObject>> = {
    shopify: { dataPath: 'products', pagination: { type: 'LINK_HEADER', limit: 50 } },
    woocommerce: { pagination: { type: 'PAGE', limit: 100, pageSizeParam: 'per_page' } },
    stripe: {
        dataPath: 'data',
        pagination: {
            type: 'CURSOR',
            limit: 40,
            cursorParam: 'starting_after',
            cursorField: 'id',
            hasMorePath: 'has_more',
        },
    },
    magento: {
        dataPath: 'items',
        pagination: {
            type: 'PAGE',
            limit: 70,
            pageParam: 'searchCriteria[currentPage]',
            pageSizeParam: 'searchCriteria[pageSize]',
        },
    },
    offset: { dataPath: 'data', pagination: { type: 'OFFSET', limit: 60 } },
};

/** Every nth request fails: with 429, with 500, with half of the body, or without an answer, in turn. */
export function faulty(play: Play, every = 7): Play {
    return async request => {
        if (request.number % every !== 0) return play(request);
        switch ((request.number / every) % 4) {
            case 1:
                return { status: 429, headers: { 'retry-after': '0' } };
            case 2:
                return { status: 500 };
            case 3: {
                const answer = await play(request);
                return answer === 'hangs' ? answer : { ...answer, isCut: true };
            }
            default:
                return 'hangs';
        }
    };
}
