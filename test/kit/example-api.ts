import type { OutboundStreamRequest } from '../../src/core/adapter/outbound';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import type { FakeStream } from '../../src/testing/fake-outbound';
import { answerGraphql } from './example-graphql';

const PRODUCTS: readonly JsonObject[] = [
    { sku: 'TS-1', price: 19.95 },
    { sku: 'TS-2', price: 24.5 },
    { sku: 'TS-3', price: 12 },
];
const NAMED: readonly JsonObject[] = ['T-shirt', 'Trail shoe', 'Socks'].map((name, i) => ({
    sku: `TS-${i + 1}`,
    name,
}));
const ORDERS: readonly JsonObject[] = [
    { id: 'o-1', total: 1995 },
    { id: 'o-2', total: 2450 },
    { id: 'o-3', total: 1200 },
];
const CUSTOMERS: readonly JsonObject[] = ['anna', 'ben', 'cleo'].map(name => ({ email: `${name}@example.com` }));
/** Enough records to exceed the limit of an answer that is read at once. */
export const MANY = 3_500;
const many: readonly JsonObject[] = Array.from({ length: MANY }, (_, i) => ({
    sku: `M-${i}`,
    email: `${i}@example.com`,
    n: i,
    text: `ä ${'x'.repeat(400)}`,
}));

/** The API that the examples of extractors use: it answers within the process, and gives everyone the same. */
export async function exampleApi(request: OutboundStreamRequest): Promise<FakeStream> {
    const url = new URL(request.url);
    const sent = typeof request.body === 'string' ? (JSON.parse(request.body) as JsonObject) : {};
    const number = (name: string, otherwise: number): number => Number(url.searchParams.get(name) ?? otherwise);
    const limit = number('limit', 100);
    switch (url.pathname) {
        case '/products': {
            const from = (number('page', 1) - 1) * limit;
            return json({ data: PRODUCTS.slice(from, from + limit) });
        }
        case '/orders': {
            const after = url.searchParams.get('starting_after');
            const from = ORDERS.findIndex(({ id }) => id === after) + 1;
            return json({ data: ORDERS.slice(from, from + limit), has_more: from + limit < ORDERS.length });
        }
        case '/customers': {
            const from = number('after', 0);
            const next = from + limit;
            const link = `<${url.pathname}?limit=${limit}&after=${next}>; rel="next"`;
            return json(CUSTOMERS.slice(from, next), next < CUSTOMERS.length ? { link } : {});
        }
        case '/search': {
            const { from = 0, size = 100 } = sent['page'] as { readonly from?: number; readonly size?: number };
            return json({ hits: PRODUCTS.slice(from, from + size), total: PRODUCTS.length });
        }
        case '/graphql':
            return json(await answerGraphql(String(request.body), { products: NAMED, customers: CUSTOMERS }));
        case '/many-graphql':
            return json(await answerGraphql(String(request.body), { products: many, customers: many }));
        case '/prices.csv':
            return text('sku;price\r\n0012;19,95\r\n0013;24,50\r\n', 'text/csv; charset=utf-8');
        case '/many.json':
            return json({ meta: { count: MANY }, data: { items: many }, next: null });
        case '/many-pages.json': {
            const page = number('page', 1);
            return json({ data: { items: page > 2 ? [] : many.map(record => ({ ...record, page })) } });
        }
        case '/many.ndjson':
            return text(many.map(record => `${JSON.stringify(record)}\n`).join(''), 'application/x-ndjson');
        case '/many.csv':
            return text(`n,text\n${many.map(({ n, text: cell }) => `${n},${cell}\n`).join('')}`, 'text/csv');
        case '/many.xml':
            return text(
                `<list><items>${many.map(({ n, text: cell }) => `<item n="${n}"><text>${cell}</text></item>`).join('')}</items></list>`,
                'application/xml',
            );
    }
    return { status: 404, body: [] };
}

function json(value: JsonValue, headers: Readonly<Record<string, string>> = {}): FakeStream {
    return {
        ...text(JSON.stringify(value), 'application/json'),
        headers: { 'content-type': 'application/json', ...headers },
    };
}

function text(whole: string, type: string): FakeStream {
    const bytes = Buffer.from(whole);
    // In pieces that split characters.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_521) }, (_, i) =>
        bytes.subarray(i * 65_521, (i + 1) * 65_521),
    );
    return { headers: { 'content-type': type }, body: pieces };
}
