import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '../../core/adapter/files';
import type { ImportFacts, ImportSample } from '../../core/import/import-profile';
import { profileSample } from '../../core/import/profile';
import { extractContext, readPages } from '../../testing/bare-extract';
import { providedFiles } from '../../testing/provided-files';
import { workbookOfRows } from '../../testing/workbook';
import { csv } from '../../adapters/extractors/csv';
import { xlsx } from '../../adapters/extractors/xlsx';
import { readSample } from './read-sample';
import { RowSampler } from './row-sampler';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'flow-sample-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function contentOf(bytes: Buffer, piece = 1_000): ByteSource {
    return {
        async *open() {
            for (let from = 0; from < bytes.length; from += piece) yield bytes.subarray(from, from + piece);
        },
        async local() {
            const path = join(folder, 'content');
            writeFileSync(path, bytes);
            return { path, release: async () => undefined };
        },
    };
}

function sampleOf(content: string | Buffer, filename = 'file', facts?: Partial<ImportFacts>): Promise<ImportSample> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return readSample({ filename, content: contentOf(bytes), ...(facts && { facts }) }, new AbortController().signal);
}

describe('a sample of CSV', () => {
    it('is read in the detected encoding and with the detected delimiter', async () => {
        const bytes = Buffer.from('Art.-Nr.;Größe;Preis\nA-1;weiß;5,50 \x80\nA-2;grün;6,50 \x80\n', 'latin1');
        const sample = await sampleOf(bytes, 'liste.csv');
        expect(sample).toMatchObject({
            facts: { format: 'CSV', encoding: 'windows-1252', delimiter: ';', quote: '"' },
            alternatives: { encodings: expect.arrayContaining(['iso-8859-15']) },
            rows: [
                ['Art.-Nr.', 'Größe', 'Preis'],
                ['A-1', 'weiß', '5,50 €'],
                ['A-2', 'grün', '6,50 €'],
            ],
            leading: 3,
            trailing: 3,
            total: 3,
            counts: [
                { empties: 0, distinct: 3 },
                { empties: 0, distinct: 3 },
                { empties: 0, distinct: 3 },
            ],
        });
        expect(sample.facts).not.toHaveProperty('trim');
    });

    it('is read as the user has said', async () => {
        const bytes = Buffer.from('a,b;c\n1,\xa4;3\n', 'latin1');
        const { facts, rows, alternatives } = await sampleOf(bytes, 'x.csv', {
            encoding: 'iso-8859-15',
            delimiter: ',',
            headerRow: 1,
        });
        expect(rows[1]).toEqual(['1', '€;3']);
        expect(facts).toMatchObject({ encoding: 'iso-8859-15', delimiter: ',', headerRow: 1 });
        expect(alternatives?.encodings).toContain('windows-1252');
        expect(alternatives?.delimiters).toContain(';');
    });

    it.each<[string, string, Partial<ImportFacts>]>([
        ['tabs', 'sku\tname\nA-1\tShirt, red\n', { delimiter: '\t' }],
        ['a first line that names the delimiter', 'sep=|\nsku|name\nA-1|x;y\n', { delimiter: '|' }],
        ['quotes after blanks', 'sku , name\nA-1 , "Shirt, red"\n', { delimiter: ',', trim: true }],
    ])('has %s', async (_, text, facts) => {
        const sample = await sampleOf(text, 'x.csv');
        expect(sample.facts).toMatchObject(facts);
        expect(sample.total).toBe(2);
    });

    it('is that of the source if the file is a corrected download of rejected records', async () => {
        const { rows } = await sampleOf("sku,name,Flow: reason,Flow: place\nA-1,'=x,name: missing,line 2\n", 'x.csv');
        expect(rows).toEqual([
            ['sku', 'name'],
            ['A-1', '=x'],
        ]);
    });

    it('may be empty', async () => {
        expect(await sampleOf('', 'x.csv')).toMatchObject({ facts: { format: 'CSV' }, rows: [], total: 0 });
    });

    it('fails as the extractor does', async () => {
        await expect(sampleOf('sku,name\nA-1,"Shirt\n', 'x.csv')).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
        await expect(
            sampleOf(Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), 'x.xls'),
        ).rejects.toMatchObject({
            code: 'FILE_UNREADABLE',
        });
        await expect(sampleOf(Buffer.from('\x89PNG', 'latin1'), 'x.png')).rejects.toMatchObject({
            code: 'FILE_UNREADABLE',
        });
    });

    it('ends when it is cancelled', async () => {
        const content: ByteSource = {
            async *open(signal) {
                for (;;) {
                    signal.throwIfAborted();
                    yield Buffer.from('a,b\n'.repeat(1_000));
                }
            },
            local: () => Promise.reject(new Error('not used')),
        };
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 20);
        await expect(readSample({ filename: 'x.csv', content }, controller.signal)).rejects.toMatchObject({
            name: 'AbortError',
        });
    });
});

describe('a sample of records', () => {
    it('is that of NDJSON', async () => {
        const sample = await sampleOf('{"sku":"A-1","price":5.5}\n{"sku":"A-2","tags":["a"]}\n');
        expect(sample).toMatchObject({
            facts: { format: 'NDJSON', encoding: 'utf-8' },
            fields: ['sku', 'price', 'tags'],
            lists: ['tags'],
            rows: [
                ['A-1', '5.5', ''],
                ['A-2', '', '["a"]'],
            ],
            counts: [{ empties: 0 }, { empties: 1 }, { empties: 1 }],
        });
    });

    it('is that of the longest list of a JSON document', async () => {
        const products = [1, 2, 3].map(n => ({
            sku: `A-${n}`,
            price: { amount: n, currency: 'EUR' },
            images: [{ u: 1 }],
        }));
        const text = JSON.stringify({ links: [{ a: 1 }, { a: 2 }], data: { 'all.products': products } });
        const sample = await sampleOf(text, 'x.json');
        expect(sample.facts.recordPath).toBe('data.all\\.products');
        expect(sample.alternatives?.recordPaths).toEqual(['links']);
        expect(sample.fields).toEqual(['sku', 'price.amount', 'price.currency', 'images']);
        expect(sample.rows[2]).toEqual(['A-3', '3', 'EUR', '[{"u":1}]']);
        expect((await sampleOf(text, 'x.json', { recordPath: 'links' })).total).toBe(2);
    });

    it('is that of a list at the root, and of one record', async () => {
        const list = await sampleOf('[{"sku":"A-1"},5,{"sku":"A-2"}]');
        expect(list.facts).not.toHaveProperty('recordPath');
        expect(list).toMatchObject({ total: 2, warnings: [{ code: 'ELEMENTS_NOT_RECORDS', args: { count: 1 } }] });
        expect(await sampleOf('{\n"sku": "A-1"\n}')).toMatchObject({ facts: { format: 'JSON' }, total: 1 });
    });

    it('is that of the repeated elements of XML', async () => {
        const product = (n: number): string =>
            `<product id="${n}"><name lang="de">Größe ${n}</name><variant><sku>A</sku></variant><variant><sku>B</sku></variant></product>`;
        const text = `<?xml version="1.0" encoding="ISO-8859-1"?><catalog><info><date>x</date></info><products>${product(1)}${product(2)}</products></catalog>`;
        const sample = await sampleOf(Buffer.from(text, 'latin1'), 'x.xml');
        expect(sample).toMatchObject({
            facts: { format: 'XML', encoding: 'windows-1252', recordPath: 'catalog.products.product' },
            fields: ['@id', 'name.@lang', 'name.#text', 'variant'],
            lists: ['variant'],
            total: 2,
        });
        expect(sample.rows[0]!.slice(0, 3)).toEqual(['1', 'de', 'Größe 1']);
    });

    it('is that of elements with attributes alone', async () => {
        const { facts, total } = await sampleOf('<stock><item sku="A" onHand="1"/><item sku="B" onHand="2"/></stock>');
        expect(facts).toMatchObject({ format: 'XML', recordPath: 'stock.item' });
        expect(total).toBe(2);
    });
});

describe('a sample of a workbook', () => {
    const bytes = workbookOfRows({
        Prices: [
            ['sku', 'price', 'active'],
            ['A-1', 5.5, true],
            ['A-2', null, false],
        ],
        Other: [['x']],
    });

    it('is that of the first sheet', async () => {
        expect(await sampleOf(bytes, 'x.xlsx')).toMatchObject({
            facts: { format: 'XLSX', sheet: 'Prices' },
            sheets: [
                { name: 'Prices', rows: 3, isHidden: false },
                { name: 'Other', rows: 1, isHidden: false },
            ],
            rows: [
                ['sku', 'price', 'active'],
                ['A-1', '5.5', 'true'],
                ['A-2', '', 'false'],
            ],
        });
    });

    it('is that of the first sheet with a table, if notes are before it', async () => {
        const withNotes = workbookOfRows({
            'Read me': [['How to use this list'], ['Prices are without tax.']],
            Items: [
                ['sku', 'price'],
                ['A-1', 5.5],
            ],
        });
        expect((await sampleOf(withNotes, 'x.xlsx')).facts).toMatchObject({ sheet: 'Items' });
        const notes = workbookOfRows({ 'Read me': [['Nothing here'], ['yet']], More: [['x']] });
        expect((await sampleOf(notes, 'x.xlsx')).facts).toMatchObject({ sheet: 'Read me' });
    });

    it('is that of the sheet that the user has chosen', async () => {
        expect(await sampleOf(bytes, 'x.xlsx', { sheet: 'Other' })).toMatchObject({ rows: [['x']], total: 1 });
        await expect(sampleOf(bytes, 'x.xlsx', { sheet: 'Missing' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
    });
});

describe('the rows of a large file', () => {
    it('are the first, some of the others and the last', () => {
        const sampler = new RowSampler();
        for (let row = 0; row < 50_000; row++) sampler.add([`row ${row}`, row % 2 === 0 ? '' : `${row % 100}`]);
        const { rows, leading, trailing, total, counts } = sampler.end();
        const numbers = rows.map(([cell]) => Number(cell!.slice(4)));
        expect({ leading, trailing, total, length: rows.length }).toEqual({
            leading: 2_000,
            trailing: 100,
            total: 50_000,
            length: 4_100,
        });
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        expect(new Set(numbers).size).toBe(4_100);
        expect(numbers.at(-1)).toBe(49_999);
        expect(numbers[3_000]).toBeGreaterThan(20_000);
        expect(numbers[3_000]).toBeLessThan(30_000);
        expect(counts).toEqual([
            { empties: 0, distinct: null },
            { empties: 25_000, distinct: 50 },
        ]);
    });

    it.each([1, 99, 100, 2_000, 2_050, 2_100, 4_100])('are all of %i', count => {
        const sampler = new RowSampler();
        for (let row = 0; row < count; row++) sampler.add([String(row)]);
        const { rows, leading } = sampler.end();
        expect(rows.map(([cell]) => Number(cell))).toEqual(Array.from({ length: count }, (_, row) => row));
        expect(leading).toBe(count);
    });

    it('have empty cells in columns that later rows add', () => {
        const sampler = new RowSampler();
        sampler.add(['a']);
        sampler.add(['b', 'c']);
        expect(sampler.end(2)).toMatchObject({
            rows: [
                ['a', ''],
                ['b', 'c'],
            ],
            counts: [{ empties: 0 }, { empties: 1 }],
        });
    });

    it('are compared beyond their beginning', () => {
        const sampler = new RowSampler();
        for (const end of ['a', 'b', 'a']) sampler.add([`${'x'.repeat(2_000)}${end}`]);
        const { rows, counts } = sampler.end();
        expect(counts).toEqual([{ empties: 0, distinct: 2 }]);
        expect(rows[0]![0]).toHaveLength(1_000);
    });
});

it('a sample is profiled', async () => {
    const { facts, columns } = profileSample(await sampleOf('sku;price\nA-1;1,50\nA-2;2,50\nA-3;3,50\n', 'x.csv'));
    expect(facts).toEqual({
        format: 'CSV',
        encoding: 'utf-8',
        delimiter: ';',
        quote: '"',
        decimals: 'COMMA',
        headerRow: 1,
        skipAfterHeader: 0,
        footerRows: 0,
    });
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
        ['sku', 'CODE'],
        ['price', 'PRICE'],
    ]);
});

describe('the header that a profile finds', () => {
    const workbook = workbookOfRows({
        Prices: [
            ['Price list 2026', null, null],
            [null, null, null],
            ['sku', 'name', 'price'],
            ['A-1', 'Shirt', 1.5],
            [null, null, null],
            ['A-2', 'Hat', 2.5],
            ['A-3', 'Shoe', 3.5],
        ],
    });
    const lines = 'sku;name;price\nA-1;Shirt;1,50\n\nA-2;Hat;2,50\nA-3;Shoe;3,50\n';
    const skus = ['A-1', 'A-2', 'A-3'];

    it.each<[string, 'csv' | 'xlsx', string | Buffer, number]>([
        ['an empty line', 'csv', `\n${lines}`, 2],
        ['a title and empty lines', 'csv', `Price list 2026;;\n\n;;\n${lines}`, 4],
        ['a first line that names the delimiter', 'csv', `sep=;\nPrice list 2026;;\n\n${lines}`, 3],
        ['a title and a line of blanks', 'csv', `Price list 2026;;\n ; ; \n${lines}`, 3],
        ['a title and an empty row', 'xlsx', workbook, 3],
    ])('is that of the extractor after %s', async (_, format, content, headerRow) => {
        const { facts, columns, rows, head, headNumbers } = profileSample(await sampleOf(content, `x.${format}`));
        expect(facts).toMatchObject({ headerRow, skipAfterHeader: 0, footerRows: 0 });
        expect(columns.map(({ name }) => name)).toEqual(['sku', 'name', 'price']);
        expect(rows).toBe(3);
        expect(head[headNumbers.indexOf(headerRow)]).toEqual(['sku', 'name', 'price']);
        const again = profileSample(await sampleOf(content, `x.${format}`, { headerRow }));
        expect(again).toEqual(profileSample(await sampleOf(content, `x.${format}`)));
        const files = providedFiles({ x: { format, bytes: Buffer.from(content) } });
        const extractor = format === 'csv' ? csv : xlsx;
        const config = { fileId: 'x', headerRow, ...(format === 'csv' && { delimiter: facts.delimiter!, trim: true }) };
        const pages = await readPages({ extractor, config }, extractContext({ files }));
        const records = pages.flatMap(page => page.records);
        expect(records.map(record => record['sku'])).toEqual(skus);
        expect(Object.keys(records[0]!)).toEqual(columns.map(({ name }) => name));
    });

    it('is followed by rows at the end that are not records, without lines of blanks', async () => {
        const { facts, rows } = profileSample(await sampleOf(`${lines}Total;;7,50\n ; ; \n`, 'x.csv'));
        expect(facts.footerRows).toBe(1);
        expect(rows).toBe(3);
    });

    it('is the next row that is not empty if the chosen one is empty', async () => {
        const { columns, facts } = profileSample(
            await sampleOf(`Price list 2026;;\n\n${lines}`, 'x.csv', { headerRow: 2 }),
        );
        expect(facts.headerRow).toBe(3);
        expect(columns[0]!.name).toBe('sku');
    });
});
