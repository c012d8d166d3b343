import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const records = Number(process.argv[2]);
const NOTE = 'delivered by the usual supplier, water resistant, in a box of twelve';

/** Pages differ only in their first record, so that the server costs next to nothing. */
const rest = new Map<number, Buffer>();

function article(id: number): string {
    return `{"id":${id},"changed":"2026-01-01T00:00:00.000Z","sku":"SKU-${id}","title":"Trail shoe, number ${id}","price":19.95,"stock":${id % 90},"note":"${NOTE}"}`;
}

function restOf(limit: number): Buffer {
    const known = rest.get(limit);
    if (known) return known;
    const others = Array.from({ length: limit - 1 }, (_, i) => article(100_000 + i));
    const made = Buffer.from(`,${others.join()}]}`);
    rest.set(limit, made);
    return made;
}

/** `/articles?page=1&limit=1000`: as many pages as there are records for, and then empty ones. */
const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const limit = Number(searchParams.get('limit'));
    const first = (Number(searchParams.get('page')) - 1) * limit;
    response.writeHead(200, { 'content-type': 'application/json' });
    if (first >= records) return void response.end(`{"total":${records},"data":[]}`);
    response.write(`{"total":${records},"data":[${article(first)}`);
    response.end(restOf(limit));
}).listen(0, '127.0.0.1', () => {
    process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/articles`);
});
process.on('disconnect', () => process.exit(0));
