import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtractContext, Extractor, Page } from '../../core/adapter/extractor';
import { type LogLine, eventLog } from '../../../test/kit/event-log';
import { naming } from '../../../test/kit/naming';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { extractContext, type ExtractPart, readPages } from '../../testing/bare-extract';
import { providedFiles } from '../../testing/provided-files';
import { workbookOfRows } from '../../testing/workbook';
import { csv } from './csv';
import { jsonExtractor } from './json';
import { xlsx } from './xlsx';
import { xml } from './xml';

const bytes = (text: string) => Buffer.from(text);
const products = 'handle,size,price\nshirt,S,1\nshirt,M,2\nshirt,L\nhat,,3\nshirt,XL,4\n';
const files = providedFiles({
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
    emptySheet: { format: 'xlsx', bytes: workbookOfRows({ Sheet: [['a', 'b']] }) },
    emptyList: { format: 'json', bytes: bytes('[]') },
    emptyXml: { format: 'xml', bytes: bytes('<a/>') },
    someJson: { format: 'json', bytes: bytes('[{"a":1}]') },
    old: { format: 'xls', bytes: bytes('old') },
    rows: { format: 'xlsx', bytes: readFileSync(join(__dirname, '../../../test/fixtures/files/rows.xlsx')) },
});

const lines: LogLine[] = [];
beforeEach(() => {
    lines.length = 0;
});

function context(part: ExtractPart = {}): ExtractContext {
    return extractContext({ log: eventLog(lines), files, ...part });
}

const read = (extractor: Extractor, config: JsonObject, part: ExtractPart = {}): Promise<readonly Page[]> =>
    readPages({ extractor, config }, context(part));

const records = async (...args: Parameters<typeof read>): Promise<readonly JsonObject[]> =>
    (await read(...args)).flatMap(page => page.records);

describe('a managed file', () => {
    it.each([
        ['gone', 'FILE_NOT_FOUND'],
        ['nothing', 'FILE_EMPTY'],
        ['header', 'FILE_WITHOUT_RECORDS'],
    ])('%s is an error in the log and has no records', async (fileId, code) => {
        expect(await records(csv, { fileId })).toEqual([]);
        expect(lines).toMatchObject([{ level: 'ERROR', code, facts: { fileId } }]);
    });

    it.each<[string, string, Extractor]>([
        ['header', 'csv', csv],
        ['emptySheet', 'xlsx', xlsx],
        ['emptyList', 'json', jsonExtractor],
        ['emptyXml', 'xml', xml],
    ])('without records is reported in a step test as well: %s.%s', async (fileId, format, extractor) => {
        for (const part of [{}, { mode: 'preview', limit: 5 } as const]) {
            lines.length = 0;
            expect(await records(extractor, { fileId }, part)).toEqual([]);
            const facts = { file: `${fileId}.${format}`, fileId };
            expect(lines).toMatchObject([{ level: 'ERROR', code: 'FILE_WITHOUT_RECORDS', facts }]);
        }
    });

    it.each<[string, Extractor, number]>([
        ['products.csv', csv, 5],
        ['someJson.json', jsonExtractor, 1],
    ])('reports its size: for %s', async (file, extractor, rows) => {
        const fileId = file.split('.')[0]!;
        await read(extractor, { fileId });
        expect(lines).toMatchObject([{ level: 'INFO', code: 'FILE_CHECKED', facts: { file, rows, fileId } }]);
        lines.length = 0;
        await read(extractor, { fileId }, { mode: 'preview', limit: 5 });
        expect(lines).toEqual([]);
    });

    it.each<[string, Extractor, JsonObject, string]>([
        ['json', jsonExtractor, { jsonText: '{"shop":"x","data":{"products":[{"a":1},{"a":2}]}}' }, 'data.products'],
        [
            'xml',
            xml,
            { xmlText: '<shop><products><product><a/></product><product><a/></product></products></shop>' },
            'shop.products.product',
        ],
    ])('reports where the records of %s may be, if one record contains a list', async (_, extractor, config, path) => {
        const option = extractor === xml ? 'recordPath' : 'itemsPath';
        expect(await records(extractor, config)).toHaveLength(1);
        expect(lines).toMatchObject([{ code: 'LIST_WITHIN', facts: { count: 2, option, path: JSON.stringify(path) } }]);
        lines.length = 0;
        expect(await records(extractor, { ...config, [option]: path })).toHaveLength(2);
        expect(lines).toEqual([]);
    });

    it.each<[string, Extractor, JsonObject]>([
        ['a list of one record', jsonExtractor, { jsonText: '[{"a":[{"b":1}]}]' }],
        ['a record a line', jsonExtractor, { jsonText: '{"a":[{"b":1}]}\n{"a":[{"b":2}]}' }],
        ['a record with two lists', jsonExtractor, { jsonText: '{"a":[{"b":1}],"c":[{"b":1}]}' }],
        ['a record with a list of texts', jsonExtractor, { jsonText: '{"a":["b","c"]}' }],
        ['two records', xml, { xmlText: '<r><p><a><b/></a><a><b/></a></p><p/></r>' }],
    ])('has no doubt about %s', async (_, extractor, config) => {
        await records(extractor, config);
        expect(lines).toEqual([]);
    });

    it('loads nothing when it is malformed further down', async () => {
        await expect(records(csv, { fileId: 'broken' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('line 3'),
        });
        await expect(records(jsonExtractor, { fileId: 'brokenJson' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
    });

    it('of another format is rejected; an old workbook with a hint what to do', async () => {
        await expect(records(jsonExtractor, { fileId: 'products' })).rejects.toThrow(naming('csv', 'json'));
        await expect(records(xlsx, { fileId: 'old' })).rejects.toThrow(naming('xls', '.xlsx'));
    });

    it('is read in the configured encoding, or in the one that it declares', async () => {
        expect(await records(csv, { fileId: 'latin', encoding: 'windows-1252' })).toEqual([{ name: 'Grüße' }]);
        await expect(records(csv, { fileId: 'latin' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining('windows-1252'),
        });
        expect(await records(xml, { fileId: 'latinXml' })).toEqual([{ '#text': 'Grüße' }]);
        expect(await records(csv, { fileId: 'text', delimiter: ';' })).toEqual([{ a: '1', b: '2' }]);
    });

    it('is given back when it was read, also when the reading is left early', async () => {
        const before = files.released.length;
        await records(xlsx, { fileId: 'rows' });
        expect(files.released.slice(before)).toEqual(['rows']);
        const pages = xlsx.extract(xlsx.config.parse({ fileId: 'rows' }), context());
        await pages.next();
        await pages.return();
        expect(files.released.slice(before)).toEqual(['rows', 'rows']);
    });

    it('does not count as read if it is empty, so that no records are taken to be missing', async () => {
        const parts = async (...args: Parameters<typeof read>): Promise<readonly unknown[]> =>
            (await read(...args)).flatMap(({ isPart }) => isPart ?? []);
        expect(await parts(csv, { fileId: 'gone' })).toHaveLength(1);
        for (const fileId of ['nothing', 'header'])
            for (const more of [{}, { groupBy: 'a' }] as readonly JsonObject[])
                expect(await parts(csv, { fileId, ...more })).toHaveLength(1);
        expect(await parts(xlsx, { fileId: 'emptySheet' })).toHaveLength(1);
        expect(await parts(csv, { fileId: 'products' })).toEqual([]);
    });

    it('keeps its offset under its id and its content, and only if the file exists', async () => {
        const saved = (config: JsonObject) => csv.saved!(csv.config.parse(config), context());
        const { key, startOver, of } = (await saved({ fileId: 'products' }))!;
        expect({ key, startOver }).toEqual({ key: expect.stringMatching(/^products [0-9a-f]{64} /), startOver: false });
        // With another delimiter the same number means another row.
        expect((await saved({ fileId: 'products', delimiter: ';' }))!.key).not.toBe(key);
        expect((await saved({ fileId: 'products', groupBy: 'handle' }))!.key).not.toBe(key);
        const again = (await saved({ fileId: 'products', resetCheckpoint: true, delimiter: ';' }))!;
        expect(again).toMatchObject({ startOver: true, of: { ...of, configuration: expect.any(String) as string } });
        expect(again.of!['configuration']).not.toBe(of!['configuration']);
        expect(of).toMatchObject({ upload: 'products', content: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
        expect((await saved({ fileId: 'products', resetCheckpoint: true }))!.key).toBe(key);
        expect(await saved({ fileId: 'gone' })).toBeUndefined();
        expect(await saved({ csvText: 'a' })).toBeUndefined();
    });

    it('is the only source, and brings its options with it', () => {
        const problems = (extractor: Extractor, config: JsonObject): readonly unknown[] => {
            const parsed = parseWith(extractor.config, config);
            return parsed.ok ? [] : parsed.issues;
        };
        const issue = (path: string, ...named: readonly string[]): unknown =>
            expect.objectContaining({
                path,
                message: expect.stringMatching(naming(path, ...named)),
            });
        expect(problems(jsonExtractor, { fileId: 'a', jsonText: '[]' })).toEqual([issue('jsonText', 'fileId')]);
        expect(problems(xml, {})).toEqual([issue('fileId', 'xmlText')]);
        expect(problems(xlsx, {})).toEqual([issue('fileId')]);
        expect(problems(jsonExtractor, { jsonText: '[]', resetCheckpoint: true })).toEqual([]);
        expect(problems(xml, { xmlText: '<a/>', resetCheckpoint: true })).toEqual([]);
        expect(problems(xml, { xmlText: '<a/>', recordPath: 'a b' })).toEqual([issue('recordPath', '"a b"')]);
        expect(problems(csv, { fileId: 'a', groupBy: 'rows' })).toEqual([issue('groupBy', '"rows"')]);
    });
});
