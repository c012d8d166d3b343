import { type LogLine, eventLog } from '../../../test/kit/event-log';
import { naming } from '../../../test/kit/naming';
import type { Extractor, Page } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';
import { extractContext, type ExtractPart, readPages } from '../../testing/bare-extract';
import { providedFiles } from '../../testing/provided-files';
import { workbookOfRows } from '../../testing/workbook';
import { csv } from './csv';
import { xlsx } from './xlsx';
import { xml } from './xml';

const bytes = (text: string) => Buffer.from(text);
const files = providedFiles({
    semicolons: { format: 'csv', bytes: bytes('sku;name\nA;1,5\nB;2') },
    oneColumn: { format: 'csv', bytes: bytes('size|unit\nlarge\nsmall') },
    oneColumnOfBars: { format: 'csv', bytes: bytes('size|unit\n1|cm\n') },
    sepLine: { format: 'csv', bytes: bytes('sep=;\nsku;na|me\nA;1\n') },
    nameless: { format: 'csv', bytes: bytes('a,,c,\n1,2,3,\n') },
    namelessSheet: {
        format: 'xlsx',
        bytes: workbookOfRows({
            Sheet: [
                ['sku', null, '', 'column3', 'price'],
                ['A', null, null, 1, 2],
                ['B', 'x', null, null, 3],
                ['C', 'y', null, 'z', 4, null],
            ],
        }),
    },
    titledSheet: {
        format: 'xlsx',
        bytes: workbookOfRows({
            Sheet: [['Stock'], [], ['sku', 'n'], [], ['', 'pcs'], ['A', 1], ['Sum', 1, 2], []],
        }),
    },
    sheet: {
        format: 'xlsx',
        bytes: workbookOfRows({
            Sheet: [
                ['a', 'b', 'c'],
                ['1', null, ''],
                [null, 0, false],
            ],
        }),
    },
});

let lines: LogLine[] = [];
beforeEach(() => {
    lines = [];
});

function read(extractor: Extractor, config: JsonObject, part: ExtractPart = {}): Promise<readonly Page[]> {
    return readPages({ extractor, config }, extractContext({ log: eventLog(lines), files, ...part }));
}

/** What was logged, except that files are sound. */
const warnings = (): readonly LogLine[] => lines.filter(({ level }) => level !== 'INFO');

const records = async (...args: Parameters<typeof read>): Promise<readonly JsonObject[]> =>
    (await read(...args)).flatMap(page => page.records);

describe('an empty cell', () => {
    const csvText = 'a,b,c\n1,,""\n,2, \n';
    const rows = [
        ['a', 'b', 'c'],
        ['1', '', null],
    ];

    it('is not a field of the record by default', async () => {
        expect(await records(csv, { csvText })).toEqual([{ a: '1' }, { b: '2', c: ' ' }]);
        expect(await records(csv, { csvText: '__proto__,b\n,2\nx,' })).toEqual([
            { b: '2' },
            JSON.parse('{"__proto__":"x"}'),
        ]);
        expect(await records(csv, { rows })).toEqual([{ a: '1', c: null }]);
        expect(await records(csv, { rows: [{ a: '', b: 0, c: null }] })).toEqual([{ b: 0, c: null }]);
        expect(await records(xlsx, { fileId: 'sheet' })).toEqual([{ a: '1' }, { b: 0, c: false }]);
    });

    it.each([
        ['NULL', null],
        ['TEXT', ''],
    ] as const)('has the value that emptyValues %s sets', async (emptyValues, empty) => {
        expect(await records(csv, { csvText, emptyValues })).toEqual([
            { a: '1', b: empty, c: empty },
            { a: empty, b: '2', c: ' ' },
        ]);
        expect(await records(csv, { rows, emptyValues })).toEqual([{ a: '1', b: empty, c: null }]);
        expect(await records(csv, { rows: [{ a: '', b: 0 }], emptyValues })).toEqual([{ a: empty, b: 0 }]);
        expect(await records(xlsx, { fileId: 'sheet', emptyValues })).toEqual([
            { a: '1', b: empty, c: empty },
            { a: empty, b: 0, c: false },
        ]);
    });

    it.each([
        ['ABSENT', {}, {}],
        ['NULL', { b: null, c: null }, { a: null }],
        ['TEXT', { b: '', c: '' }, { a: '' }],
    ] as const)('of rows in groups has the value that emptyValues %s sets', async (emptyValues, first, second) => {
        const text = { csvText: 'a,b,c\nx,,\nx,1,2\n,3,4', groupBy: 'a', emptyValues };
        expect(await records(csv, text)).toEqual([
            {
                a: 'x',
                rows: [
                    { a: 'x', ...first },
                    { a: 'x', b: '1', c: '2' },
                ],
            },
            { ...second, rows: [{ ...second, b: '3', c: '4' }] },
        ]);
        expect(await records(xlsx, { fileId: 'sheet', groupBy: 'a', emptyValues })).toEqual([
            { a: '1', rows: [{ a: '1', ...first }] },
            { ...second, rows: [{ ...second, b: 0, c: false }] },
        ]);
    });

    it('belongs to how far a file was read', async () => {
        const key = async (extractor: Extractor, config: JsonObject): Promise<string | undefined> =>
            (await extractor.saved!(extractor.config.parse(config), extractContext({ files })))?.key;
        const fileId = 'semicolons';
        expect(await key(csv, { fileId, emptyValues: 'NULL' })).not.toBe(await key(csv, { fileId }));
        expect(await key(csv, { fileId, trim: true })).not.toBe(await key(csv, { fileId }));
    });
});

describe('an empty element', () => {
    const xmlText =
        '<list><p id=""><a/><b></b><c><d/></c><e>x</e><e/><f><![CDATA[]]></f><g> </g><h u="1"/></p><p/></list>';

    it.each([
        ['ABSENT', { c: {}, e: 'x', g: ' ', h: { '@u': '1' } }, {}],
        [
            'NULL',
            { '@id': null, a: null, b: null, c: { d: null }, e: ['x', null], f: null, g: ' ', h: { '@u': '1' } },
            { '#text': null },
        ],
        [
            'TEXT',
            { '@id': '', a: '', b: '', c: { d: '' }, e: ['x', ''], f: '', g: ' ', h: { '@u': '1' } },
            { '#text': '' },
        ],
    ])('and an empty attribute have the value that emptyValues %s sets', async (emptyValues, first, second) => {
        expect(await records(xml, { xmlText, emptyValues })).toEqual([first, second]);
        if (emptyValues === 'ABSENT') expect(await records(xml, { xmlText })).toEqual([first, second]);
    });
});

describe('a header', () => {
    it('of one column that has several with another delimiter makes the file malformed, and the delimiter is named', async () => {
        await expect(records(csv, { fileId: 'semicolons' })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringMatching(naming('line 1', '"sku;name"', '";"', 'delimiter')),
        });
        await expect(records(csv, { fileId: 'semicolons' }, { mode: 'preview', limit: 1 })).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
        });
    });

    it.each([
        ['is not in the rows', { fileId: 'oneColumn' }, [{ 'size|unit': 'large' }, { 'size|unit': 'small' }]],
        ['is not the one that is set', { fileId: 'oneColumnOfBars', delimiter: ',' }, [{ 'size|unit': '1|cm' }]],
    ])('of one column is reported once in the log if the delimiter in it %s', async (_, config, expected) => {
        expect(await records(csv, config)).toEqual(expected);
        const facts = { where: 'line 1', column: '"size|unit"', delimiter: '"|"' };
        expect(warnings()).toMatchObject([{ level: 'WARN', code: 'HEADER_ONE_COLUMN', facts }]);
    });

    it('of one column without a delimiter is not reported', async () => {
        expect(await records(csv, { csvText: 'a b\n1;2|3' })).toEqual([{ 'a b': '1;2|3' }]);
        expect(warnings()).toEqual([]);
    });

    it('in quotes at another delimiter names it as well', async () => {
        await expect(records(csv, { csvText: '"a";"b"\n"1";"2"' })).rejects.toThrow(
            naming('line 1', '";"', 'delimiter'),
        );
    });

    it('numbers columns without a name, and reports it once', async () => {
        expect(await records(csv, { fileId: 'nameless' })).toEqual([{ a: '1', column2: '2', c: '3' }]);
        const facts = { where: 'line 1', count: 2, names: 'column2, column4' };
        expect(warnings()).toMatchObject([{ level: 'WARN', code: 'HEADER_UNNAMED', facts }]);
        lines = [];
        expect(
            await records(csv, {
                rows: [
                    ['a', ''],
                    ['1', '2'],
                ],
            }),
        ).toEqual([{ a: '1', column2: '2' }]);
        expect(warnings()).toHaveLength(1);
    });
});

describe('a column without a name', () => {
    it('of a sheet is numbered as soon as a cell has a value, which is reported once', async () => {
        expect(await records(xlsx, { fileId: 'namelessSheet' })).toEqual([
            { sku: 'A', column3: 1, price: 2 },
            { sku: 'B', column2: 'x', price: 3 },
            { sku: 'C', column2: 'y', column3: 'z', price: 4 },
        ]);
        const facts = { row: 1, column: 'B', cell: 'B3', name: 'column2' };
        expect(warnings()).toMatchObject([{ level: 'WARN', code: 'SHEET_COLUMN_UNNAMED', facts }]);
        const [first] = await records(xlsx, { fileId: 'namelessSheet', emptyValues: 'NULL' });
        expect(first).toEqual({ sku: 'A', column3: 1, price: 2 });
    });

    it('takes the next name that is free', async () => {
        expect(await records(csv, { csvText: 'sku,column3,,,column4\n1,2,3,4,5' })).toEqual([
            { sku: '1', column3: '2', column5: '3', column6: '4', column4: '5' },
        ]);
        const [page] = await read(csv, { csvText: 'column2,column3\n1,2,3,4' });
        expect(page!.faults).toMatchObject([
            { path: 'column4', data: { column2: '1', column3: '2', column4: '3', column5: '4' } },
        ]);
    });
});

describe('a row that is longer than its table', () => {
    it('is a record if it is longer only by empty cells, which is reported once; otherwise it is not', async () => {
        const csvText = 'sku,price\nA,1,\nB,2\nC,3,,\nD,4,x\nE,,\nF,5, \n';
        for (const trim of [false, true]) {
            lines = [];
            const [page] = await read(csv, { csvText, trim });
            const known: JsonObject[] = [
                { sku: 'A', price: '1' },
                { sku: 'B', price: '2' },
                { sku: 'C', price: '3' },
                { sku: 'E' },
                ...(trim ? [{ sku: 'F', price: '5' }] : []),
            ];
            expect(page!.records).toEqual(known);
            expect(page!.faults!.map(({ path, place }) => `${path} ${place}`)).toEqual(
                trim ? ['column3 line 5'] : ['column3 line 5', 'column3 line 7'],
            );
            const facts = { owner: { event: 'HEADER' }, row: 'line 2' };
            expect(warnings()).toMatchObject([{ level: 'WARN', code: 'ROWS_LONGER', facts }]);
        }
    });

    it('is handled in the same way without a header, and in rows of the step', async () => {
        expect(await records(csv, { csvText: 'A,1\nB,2,\n', hasHeader: false })).toEqual([
            { column1: 'A', column2: '1' },
            { column1: 'B', column2: '2' },
        ]);
        expect(await records(csv, { rows: [['a'], ['1', '', null]] })).toEqual([{ a: '1' }]);
        expect(warnings()).toMatchObject([
            { code: 'ROWS_LONGER', facts: { owner: { event: 'FIRST_ROW' }, row: 'line 2' } },
            { code: 'ROWS_LONGER', facts: { owner: { event: 'HEADER' }, row: 'row 2' } },
        ]);
    });
});

describe('a title above the table', () => {
    it('is named as the likely cause if it was taken for the header', async () => {
        const [page] = await read(csv, { csvText: 'Prices of 2026\nsku,price\nA,1' });
        expect(page!.records).toEqual([]);
        expect(page!.faults).toMatchObject([
            { problem: expect.stringMatching(naming('line 2', 1, 'headerRow')) },
            { problem: expect.stringMatching(naming('line 3', 2, 1, 'headerRow')) },
        ]);
    });

    it('that was padded to the width of the table is reported in the log', async () => {
        await records(csv, { csvText: 'Prices of 2026,,\nsku,price,name\nA,1,B' });
        const facts = { where: 'line 1', count: 2, names: 'column2, column3' };
        expect(warnings()).toMatchObject([{ level: 'WARN', code: 'HEADER_AFTER_TITLE', facts }]);
    });
});

describe('rows that are skipped', () => {
    it('keep no corrected download of rejected records from being read', async () => {
        const csvText = 'Flow: reason,sku,price\nline 5 has 1 cell and the header 2,A,1\n,B,2\n';
        const expected = [
            { sku: 'A', price: '1' },
            { sku: 'B', price: '2' },
        ];
        expect(await records(csv, { csvText, headerRow: 4, skipAfterHeader: 1, skipAtEnd: 1 })).toEqual(expected);
    });

    it('are those of lists in the step, too, whose rows keep their numbers', async () => {
        const rows = [['Title'], ['sku', 'n'], ['', 'pcs'], ['A', 1], ['B'], ['Sum', 1, 2]];
        const [page] = await read(csv, { rows, headerRow: 2, skipAfterHeader: 1, skipAtEnd: 1 });
        expect(page!.records).toEqual([{ sku: 'A', n: 1 }]);
        expect(page!.placeOf!(0)).toBe('row 4');
        expect(page!.faults).toMatchObject([{ place: 'row 5' }]);
    });

    it('are counted in a workbook as Excel numbers its rows', async () => {
        const [page] = await read(xlsx, { fileId: 'titledSheet', headerRow: 3, skipAfterHeader: 1, skipAtEnd: 1 });
        expect(page!.records).toEqual([{ sku: 'A', n: 1 }]);
        expect(page!.placeOf!(0)).toBe('Sheet!A6');
    });

    it('come before rows that are grouped', async () => {
        const csvText = 'Title\nh,n\na,1\na,2\nb,3\nSum,6';
        const config = { csvText, headerRow: 2, skipAtEnd: 1, groupBy: 'h' };
        expect((await records(csv, config)).map(({ h }) => h)).toEqual(['a', 'b']);
        const [page] = await read(csv, config, { limit: 1, mode: 'preview' });
        expect(page!.records[0]).toMatchObject({ h: 'a' });
    });

    it.each([csv, xlsx])('need a header: $code', ({ config }) => {
        const given = { fileId: '1', hasHeader: false, headerRow: 2, skipAfterHeader: 1, skipAtEnd: 1 };
        const issues = (config as typeof csv.config).safeParse(given).error?.issues;
        expect(issues?.map(({ path }) => path)).toEqual([['headerRow'], ['skipAfterHeader']]);
    });

    it.each([{ headerRow: 0 }, { skipAfterHeader: 101 }, { skipAtEnd: -1 }, { headerRow: 1.5 }])(
        'cannot be %j',
        fields => {
            for (const { config } of [csv, xlsx])
                expect((config as typeof csv.config).safeParse({ fileId: '1', ...fields }).success).toBe(false);
        },
    );

    it('have no effect on rows that are objects, which is reported', () => {
        const given = csv.config.parse({ rows: [{ a: 1 }], headerRow: 2, skipAtEnd: 1 });
        expect(csv.advise!(given).map(({ path }) => path)).toEqual(['headerRow', 'skipAtEnd']);
    });
});

describe('a file without a header', () => {
    it.each([
        ['a;b\n1;2\n3', {}],
        ['a;b\n1;2\n3', { delimiter: ',' }],
    ])('reports in the log that its first rows have another delimiter', async (csvText, how) => {
        expect(await records(csv, { csvText, hasHeader: false, ...how })).toHaveLength(3);
        const facts = { where: 'line 1', cell: '"a;b"', delimiter: '";"' };
        expect(warnings()).toMatchObject([{ level: 'WARN', code: 'ROWS_ONE_COLUMN', facts }]);
    });

    it.each(['a;b\n1', 'a;b', 'a b\n1 2', 'a;b,c\n1;2,3'])('reports nothing otherwise: %j', async csvText => {
        await records(csv, { csvText, hasHeader: false });
        expect(warnings()).toEqual([]);
    });
});

describe('a first line sep=;', () => {
    const csvText = '\ufeffsep=;\r\nsku;name\r\nA;1,5\r\nB\r\n';

    it('names the delimiter and is not a row, however it is split', async () => {
        expect(await records(csv, { csvText })).toEqual([{ sku: 'A', name: '1,5' }]);
        expect(await records(csv, { fileId: 'sepLine' })).toEqual([{ sku: 'A', 'na|me': '1' }]);
        expect(await records(csv, { fileId: 'sepLine', hasHeader: false })).toEqual([
            { column1: 'sku', column2: 'na|me' },
            { column1: 'A', column2: '1' },
        ]);
        expect(await records(csv, { csvText: 'sep=;\na\n1\n' })).toEqual([{ a: '1' }]);
        for (const text of ['sep=;', 'SEP=;\r', '\ufeffsep=;\n'])
            expect(await records(csv, { csvText: text, hasHeader: false })).toEqual([]);
    });

    it('counts as a line in the locations of rows', async () => {
        const [page] = await read(csv, { csvText });
        expect(page!.faults).toMatchObject([
            { place: 'line 4', problem: expect.stringMatching(naming('line 4', 1, 2)) },
        ]);
    });

    it('is skipped if the step names the delimiter, which has priority', async () => {
        expect(await records(csv, { csvText: 'sep=;\na,b\n1,2;3', delimiter: ',' })).toEqual([{ a: '1', b: '2;3' }]);
    });

    it.each(['sep', 'sep=', 'se,p\n1,2', 'sep=;x\n1', 's\n1', 'sep="', '\ufeffsep\n1'])(
        'is another one than %j',
        async text => {
            expect(await records(csv, { csvText: text, hasHeader: false, delimiter: ',' })).toEqual(
                text
                    .replace('\ufeff', '')
                    .split('\n')
                    .map(line => Object.fromEntries(line.split(',').map((cell, i) => [`column${i + 1}`, cell]))),
            );
        },
    );
});

describe('trim', () => {
    const csvText = 'name , facets\n"Laptop, 13" , "brand:a|type:b"\n  Mouse\t,\n';

    it('removes the blanks around cells, so that a quoted cell may follow blanks', async () => {
        expect(await records(csv, { csvText, trim: true })).toEqual([
            { name: 'Laptop, 13', facets: 'brand:a|type:b' },
            { name: 'Mouse' },
        ]);
    });

    it('is suggested if it is missing', async () => {
        await expect(records(csv, { csvText })).rejects.toThrow(naming('line 2', 'trim'));
        expect(await records(csv, { csvText: 'a,b\n x ,y ' })).toEqual([{ a: ' x ', b: 'y ' }]);
    });
});
