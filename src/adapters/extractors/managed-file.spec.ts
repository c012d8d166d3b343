import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { said } from '../../../test/kit/said';
import type { ExtractContext, Extractor, Page } from '../../core/adapter/extractor';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { parseWith } from '../../core/schema/issues';
import { extractContext, type ExtractPart, readPages } from '../../testing/bare-extract';
import { givenFiles } from '../../testing/given-files';
import { csv } from './csv';
import { json } from './json';
import { xlsx } from './xlsx';
import { xml } from './xml';

const bytes = (text: string) => Buffer.from(text);
const products = 'handle,size,price\nshirt,S,1\nshirt,M,2\nshirt,L\nhat,,3\nshirt,XL,4\n';
const files = givenFiles({
    products: { format: 'csv', bytes: bytes(products) },
    text: { format: 'txt', bytes: bytes('a;b\n1;2') },
    latin: { format: 'csv', bytes: Buffer.from('name\nGr\xfc\xdfe', 'latin1') },
    latinXml: {
        format: 'xml',
        bytes: Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><n>Gr\xfc\xdfe</n></a>', 'latin1'),
    },
    broken: { format: 'csv', bytes: bytes('a,b\n1,2\n3,"4\n') },
    brokenJson: { format: 'json', bytes: bytes('[{"a":1},{"a":') },
    nothing: { format: 'csv', bytes: bytes('') },
    header: { format: 'csv', bytes: bytes('a,b\n') },
    old: { format: 'xls', bytes: bytes('old') },
    rows: { format: 'xlsx', bytes: readFileSync(join(__dirname, '../../../test/fixtures/files/rows.xlsx')) },
});

const lines: string[] = [];
beforeEach(() => {
    lines.length = 0;
});

function context(part: ExtractPart = {}): ExtractContext {
    const line =
        (level: string) =>
        (message: string): void =>
            void lines.push(`${level} ${message}`);
    const log = { debug: line('DEBUG'), info: line('INFO'), warn: line('WARN'), error: line('ERROR') };
    return extractContext({ log, files, ...part });
}

const read = (extractor: Extractor, config: JsonObject, part: ExtractPart = {}): Promise<readonly Page[]> =>
    readPages({ extractor, config }, context(part));

const records = async (...args: Parameters<typeof read>): Promise<readonly JsonObject[]> =>
    (await read(...args)).flatMap(page => page.records);

describe('a managed file', () => {
    it.each(['gone', 'nothing', 'header'])('%s is an error in the log and has no records', async fileId => {
        expect(await records(csv, { fileId })).toEqual([]);
        expect(lines).toEqual([expect.stringMatching(/^ERROR .*nothing is read/)]);
    });

    it('loads nothing when it is malformed further down', async () => {
        await expect(records(csv, { fileId: 'broken' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('line 3'),
        });
        await expect(records(json, { fileId: 'brokenJson' })).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
    });

    it('of another format is refused, and an old workbook with the hint what to do', async () => {
        await expect(records(json, { fileId: 'products' })).rejects.toThrow(said('format-is-csv-extractor-reads-json'));
        await expect(records(xlsx, { fileId: 'old' })).rejects.toThrow(said('save-it-as-xlsx'));
    });

    it('is read in its encoding, as it is told or as it declares itself', async () => {
        expect(await records(csv, { fileId: 'latin', encoding: 'windows-1252' })).toEqual([{ name: 'Grüße' }]);
        await expect(records(csv, { fileId: 'latin' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('windows-1252'),
        });
        expect(await records(xml, { fileId: 'latinXml' })).toEqual([{ '#text': 'Grüße' }]);
        expect(await records(csv, { fileId: 'text', delimiter: ';' })).toEqual([{ a: '1', b: '2' }]);
    });

    it('is given back when it was read, also when the reading is left early', async () => {
        await records(xlsx, { fileId: 'rows' });
        expect(files.released).toEqual(['rows']);
        const pages = xlsx.extract(xlsx.config.parse({ fileId: 'rows' }), context());
        await pages.next();
        await pages.return();
        expect(files.released).toEqual(['rows', 'rows']);
    });

    it('keeps its offset under its id and its content, and only where there is a file', async () => {
        const saved = (config: JsonObject) => csv.saved!(csv.config.parse(config), context());
        const { key, startOver } = (await saved({ fileId: 'products' }))!;
        expect({ key, startOver }).toEqual({ key: expect.stringMatching(/^products [0-9a-f]{64} /), startOver: false });
        // With another delimiter the same number means another row.
        expect((await saved({ fileId: 'products', delimiter: ';' }))!.key).not.toBe(key);
        expect((await saved({ fileId: 'products', groupBy: 'handle' }))!.key).not.toBe(key);
        expect(await saved({ fileId: 'products', resetCheckpoint: true })).toEqual({ key, startOver: true });
        expect(await saved({ fileId: 'gone' })).toBeUndefined();
        expect(await saved({ csvText: 'a' })).toBeUndefined();
    });

    it('is the only source, and brings its options with it', () => {
        const problems = (extractor: Extractor, config: JsonObject): readonly string[] => {
            const parsed = parseWith(extractor.config, config);
            return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
        };
        expect(problems(json, { fileId: 'a', jsonText: '[]' })).toEqual([
            expect.stringContaining(said('only-one-of-file-id-json-text')),
        ]);
        expect(problems(xml, {})).toEqual([expect.stringContaining(said('give-one-of-file-id-xml-text'))]);
        expect(problems(xlsx, {})).toEqual([expect.stringContaining(said('id-of-an-uploaded-file'))]);
        expect(problems(xml, { xmlText: '<a/>', recordPath: 'a b' })).toEqual([
            expect.stringContaining(said('names-elements')),
        ]);
        expect(problems(csv, { fileId: 'a', groupBy: 'rows' })).toEqual([
            expect.stringContaining(said('group-by-any-column-but')),
        ]);
    });
});

describe('groupBy', () => {
    const grouped = { fileId: 'products', groupBy: 'handle' };
    const groups = [
        {
            handle: 'shirt',
            rows: [
                { handle: 'shirt', size: 'S', price: '1' },
                { handle: 'shirt', size: 'M', price: '2' },
            ],
        },
        { handle: 'hat', rows: [{ handle: 'hat', size: '', price: '3' }] },
        { handle: 'shirt', rows: [{ handle: 'shirt', size: 'XL', price: '4' }] },
    ];

    it('makes one record of the rows that follow each other, and leaves out the one that is none', async () => {
        const pages = await read(csv, grouped);
        expect(pages.flatMap(page => page.records)).toEqual(groups);
        expect(pages.flatMap(page => page.faults ?? [])).toMatchObject([
            { problem: expect.stringContaining('line 4') },
        ]);
    });

    it('goes on from each of its checkpoints with whole groups', async () => {
        const many = Array.from({ length: 4_000 }, (_, i) => `h${Math.floor(i / 7)},${i}`).join('\n');
        const config = { csvText: `handle,n\n${many}`, groupBy: 'handle' };
        const whole = await read(csv, config);
        expect(whole.length).toBeGreaterThan(3);
        expect(whole.flatMap(page => page.records)).toHaveLength(572);
        for (const [i, { checkpoint }] of whole.entries()) {
            expect(await records(csv, config, { resumeFrom: checkpoint as JsonValue })).toEqual(
                whole.slice(i + 1).flatMap(page => page.records),
            );
        }
    });

    it('goes on from each of its checkpoints also where rows that are none stand in a group', async () => {
        const many = Array.from({ length: 6_000 }, (_, i) =>
            i % 5 === 3 ? `ragged${i}` : `h${Math.floor(i / 1_500)},${i}`,
        ).join('\n');
        const config = { csvText: `handle,n\n${many}`, groupBy: 'handle' };
        const whole = await read(csv, config);
        const rowsOf = (pages: readonly Page[]) =>
            pages.flatMap(page => [...(page.faults ?? []).map(({ data }) => data), ...page.records]);
        expect(whole.flatMap(page => page.records)).toHaveLength(4);
        expect(whole.flatMap(page => page.faults ?? [])).toHaveLength(1_200);
        expect(whole.some(page => page.checkpoint === undefined)).toBe(true);
        for (const [i, { checkpoint }] of whole.entries()) {
            if (checkpoint !== undefined)
                expect(rowsOf(await read(csv, config, { resumeFrom: checkpoint as JsonValue }))).toEqual(
                    rowsOf(whole.slice(i + 1)),
                );
        }
        expect(Math.max(...whole.map(page => page.faults?.length ?? 0))).toBeLessThanOrEqual(1_000);
    });

    it('refuses a group that is too large to be one record', async () => {
        const wide = `a,b\n${`1,${'x'.repeat(100_000)}\n`.repeat(100)}`;
        await expect(records(csv, { csvText: wide, groupBy: 'a' })).rejects.toThrow(said('rows-of-more-than-8-mib'));
    });

    it('groups the rows of a sheet too', async () => {
        expect(
            (await records(xlsx, { fileId: 'rows', groupBy: 'ä' })).map(({ rows }) => (rows as JsonValue[]).length),
        ).toEqual([3_499]);
    });

    it('names a column that is not there, and one that tells nothing apart', async () => {
        await expect(records(csv, { ...grouped, groupBy: 'Handle' })).rejects.toThrow(
            said('group-by-names-column', { column: 'Handle' }),
        );
        const same = `a\n${Array.from({ length: 3_000 }, (_, i) => `x${i}\n`).join('')}${'1\n'.repeat(10_001)}`;
        const pages = csv.extract(csv.config.parse({ csvText: same, groupBy: 'a' }), context());
        // Before the first page: nothing of it is loaded.
        await expect(pages.next()).rejects.toThrow(said('more-than-10000-rows'));
    });
});
