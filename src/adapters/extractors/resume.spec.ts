import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extractor } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';
import { checksOf } from '../../testing/contract';
import { exampleApi } from '../../../test/kit/example-api';
import { fakeOutbound } from '../../testing/fake-outbound';
import { providedFiles } from '../../testing/provided-files';
import { RepeatedReading, readingChecks, rowsOf } from '../../testing/reading-checks';
import { extractors } from '../index';

const files = providedFiles({
    csv: {
        format: 'csv',
        bytes: Buffer.from(`n,ä\n${Array.from({ length: 3500 }, (_, i) => (i === 99 ? '99' : `${i},x`)).join('\r\n')}`),
    },
    json: {
        format: 'json',
        bytes: Buffer.from(
            JSON.stringify({ all: { items: Array.from({ length: 3500 }, (_, i) => (i === 99 ? 'none' : { n: i })) } }),
        ),
    },
    xml: {
        format: 'xml',
        bytes: Buffer.from(`<a><b>${Array.from({ length: 3500 }, (_, i) => `<r n="${i}">ä</r>`).join('')}</b></a>`),
    },
    xlsx: { format: 'xlsx', bytes: readFileSync(join(__dirname, '../../../test/fixtures/files/rows.xlsx')) },
});

const rows = Array.from({ length: 3500 }, (_, i) => ({ n: String(i), ä: 'x' }));
const text = rows.map(row => (row.n === '1234' ? '1234' : `${row.n},x`)).join('\n');

const API = 'https://api.example.com';
const context = { files, outbound: fakeOutbound({ stream: exampleApi }) };

/** Configurations that give several pages, for each of the extractors. */
const CONFIGS: Record<(typeof extractors)[number]['code'], readonly JsonObject[]> = {
    httpApi: [
        { url: `${API}/many.json`, dataPath: 'data.items' },
        { url: `${API}/many-pages.json`, dataPath: 'data.items', pagination: { type: 'PAGE' } },
        { url: `${API}/many.ndjson` },
        { url: `${API}/many.csv` },
        { url: `${API}/many.xml`, dataPath: 'list.items.item' },
    ],
    graphql: [
        {
            url: `${API}/many-graphql`,
            query: 'query ($skip: Int, $take: Int) { products(options: { skip: $skip, take: $take }) { items { n text } } }',
            dataPath: 'data.products.items',
            pagination: { type: 'OFFSET', limit: 3_000 },
        },
        {
            url: `${API}/many-graphql`,
            query: 'query ($first: Int!, $after: String) { customers(first: $first, after: $after) { edges { node { email } } pageInfo { hasNextPage endCursor } } }',
            dataPath: 'data.customers.edges',
            pagination: { type: 'RELAY', limit: 1_000 },
        },
    ],
    inMemory: [{ data: rows }],
    generator: [
        { count: 3500, template: { a: 'uuid', b: 'random:10', c: 'timestamp', d: '{{index}}' } },
        { count: 2500 },
    ],
    csv: [
        { csvText: `n,ä\n${text}` },
        { rows },
        { rows: [['n', 'ä'], ...rows.map(row => [row.n, 'x'])] },
        { fileId: 'csv' },
        { fileId: 'csv', groupBy: { column: 'n', apart: true } },
        { csvText: `n,ä\n${text}`, groupBy: { column: 'n', apart: true, continued: true } },
        { fileId: 'csv', headerRow: 3, skipAfterHeader: 2, skipAtEnd: 5 },
        { rows: [['n', 'ä'], ...rows.map(row => [row.n, 'x'])], headerRow: 5, skipAtEnd: 1 },
    ],
    json: [{ jsonText: JSON.stringify(rows) }, { fileId: 'json', itemsPath: 'all.items' }],
    xml: [
        { xmlText: `<a>${rows.map(({ n }) => `<r n="${n}"><c>x</c></r>`).join('')}</a>` },
        { fileId: 'xml', recordPath: 'a.b.r' },
    ],
    xlsx: [
        { fileId: 'xlsx', sheetName: 'Rows' },
        { fileId: 'xlsx', sheetName: 0 },
        { fileId: 'xlsx', sheetName: 'Rows', groupBy: { column: 'n', apart: true } },
        { fileId: 'xlsx', sheetName: 'Rows', skipAfterHeader: 3, skipAtEnd: 5 },
    ],
    database: ['CURSOR', 'OFFSET', undefined].map(type => ({
        databaseType: 'SQLITE',
        database: ':memory:',
        query: 'SELECT n, n / 10 AS ten FROM (WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 3499) SELECT n FROM r) ORDER BY n',
        ...(type !== undefined && {
            pagination: {
                type,
                ...(type === 'CURSOR' && { cursorColumn: 'ten', cursorTieBreakerColumn: 'n' }),
            },
        }),
    })),
    // Reads a server alone: test/contract/cdc.contract.ts has one.
    cdc: [],
    // Likewise: pim-graphql.spec.ts has one.
    pimGraphQL: [],
    // Read servers alone: test/contract/remote-extractors.contract.ts has some.
    objectStorage: [],
    ftp: [],
};

const CASES = extractors.flatMap(extractor =>
    CONFIGS[extractor.code].map((config, i) => [extractor.code, i + 1, extractor as Extractor, config] as const),
);

// Cases too long for an example: the contract of extractors over several pages, including a row that is not a record.
describe.each(CASES)('extractor %s', (_code, number, extractor, config) => {
    const reading = { name: `source ${number} of several pages`, config };
    const read = new RepeatedReading(extractor, reading, context);

    for (const { name, run } of checksOf(readingChecks(extractor, reading, context))) it(name, run);

    it(`reads ${reading.name} in pages, and in a preview exactly the requested number`, async () => {
        expect((await read.all()).length).toBeGreaterThanOrEqual(3);
        expect(rowsOf(await read.all({ limit: 7, mode: 'preview' }))).toHaveLength(7);
    });

    it(`opens nothing more of ${reading.name} when the run is cancelled`, async () => {
        const cancel = new AbortController();
        const pages = read.pages({ signal: cancel.signal });
        await pages.next();
        cancel.abort(new Error('cancelled'));
        await expect(pages.next()).rejects.toThrow('cancelled');
    });
});
