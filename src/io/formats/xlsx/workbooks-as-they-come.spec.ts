import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workbookOf, type WorkbookParts } from '../../../testing/workbook';
import { xlsxReader, type XlsxOptions } from './xlsx';

let folder: string;
let path: string;
const warnings: string[] = [];
beforeEach(() => {
    warnings.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'flow-workbook-'));
    path = join(folder, 'book.xlsx');
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (...cells: readonly string[]): string => `<row>${cells.join('')}</row>`;

async function read(parts: WorkbookParts, options: XlsxOptions = {}) {
    writeFileSync(path, workbookOf(parts));
    const reader = xlsxReader({ path }, { ...options, warn: ({ message }) => warnings.push(message) });
    const { columns } = await reader.check();
    const records: unknown[] = [];
    const issues: unknown[] = [];
    for await (const page of reader.read({})) {
        records.push(...page.records);
        issues.push(...page.faults.map(({ path: at, problem }) => [at, problem]));
    }
    return { records, faults: issues, columns };
}

describe('a formula', () => {
    const sheet = (price: string): WorkbookParts => ({
        sheets: { S: row(text('sku'), text('price')) + row(text('A'), price) + row(text('B'), '<c><v>5</v></c>') },
    });

    it.each([
        '<c><f>B1*2</f></c>',
        '<c r="B2"><f>B1*2</f><v></v></c>',
        '<c><f>B1*2</f><v/></c>',
        '<c t="str"><f>B1&amp;"x"</f></c>',
        '<c t="shared"><f t="shared" si="0"/></c>',
        '<c s="0"><f t="array" ref="B2:B3">B1*2</f><v> </v></c>'.replace(' </v>', '</v>'),
    ])('without a stored value rejects its row, and names the cell: %s', async price => {
        const { records, faults: issues } = await read(sheet(price));
        expect(records).toEqual([{ sku: 'B', price: 5 }]);
        expect(issues).toEqual([['price', expect.stringContaining('B2')]]);
    });

    it.each<[string, unknown]>([
        ['<c><f>B1*2</f><v>10</v></c>', 10],
        ['<c><f>B1*2</f><v>0</v></c>', 0],
        ['<c t="str"><f>B1&amp;"x"</f><v>x</v></c>', 'x'],
        // As Excel stores =IF(B1="","",B1).
        ['<c t="str"><f>IF(B1="","",B1)</f><v></v></c>', null],
        ['<c/>', null],
    ])('has the value that is stored: %s', async (price, value) => {
        const { records, faults: issues } = await read(sheet(price));
        expect(records).toEqual([
            { sku: 'A', price: value },
            { sku: 'B', price: 5 },
        ]);
        expect(issues).toEqual([]);
    });
});

describe('the sheet that is read', () => {
    const sheets = { Lists: row(text('colour')) + row(text('red')), Products: row(text('sku')) + row(text('A')) };
    const hidden = (...states: readonly string[]): WorkbookParts => ({
        sheets,
        parts: [
            {
                name: 'xl/workbook.xml',
                content: `<workbook xmlns:r="x"><sheets>${Object.keys(sheets)
                    .map((name, i) => `<sheet name="${name}" state="${states[i]!}" r:id="rId${i + 1}"/>`)
                    .join('')}</sheets></workbook>`,
            },
        ],
    });

    it.each(['hidden', 'veryHidden'])('is the first visible one by default: not one that is %s', async state =>
        expect((await read(hidden(state, 'visible'))).records).toEqual([{ sku: 'A' }]),
    );

    it('is the first one where all are hidden', async () =>
        expect((await read(hidden('hidden', 'hidden'))).records).toEqual([{ colour: 'red' }]));

    it.each(['Lists', 0, '0'])('may be a hidden one that is selected by %p', async sheet =>
        expect((await read(hidden('hidden', 'visible'), { sheet })).records).toEqual([{ colour: 'red' }]),
    );
});

describe('a number', () => {
    const formatted = async (code: string, value: string): Promise<unknown> => {
        const sheet = row(text('n')) + row(`<c s="1"><v>${value}</v></c>`);
        return ((await read({ sheets: { S: sheet }, formats: [code] })).records[0] as { n: unknown }).n;
    };

    it.each<[code: string, value: string, read: unknown]>([
        ['000000', '123', '000123'],
        ['0000000000000', '12345678905', '0012345678905'],
        ['0000000000000', '1.2345678905E10', '0012345678905'],
        ['00', '0', '00'],
        ['00000;-00000', '1067', '01067'],
        ['[$-407]00000', '1067', '01067'],
        // Longer than its format, and still a text like the others of its column.
        ['000', '12345', '12345'],
    ])('in the format %s keeps its leading zeros: %s', async (code, value, expected) =>
        expect(await formatted(code, value)).toBe(expected),
    );

    it.each<[code: string, value: string, read: unknown]>([
        ['0', '123', 123],
        ['0.00', '5', 5],
        ['00.00', '5', 5],
        ['#,##0', '1234', 1234],
        ['0,000', '5', 5],
        ['00E+00', '5', 5],
        ['000000', '-5', -5],
        ['000000', '1.5', 1.5],
        ['0 "kg"', '5', 5],
        // Shown with more than zeros: half of what is shown would be another article number.
        ['"D-"00000', '1067', 1067],
        ['000\\-00\\-0000', '12345678', 12345678],
        ['000 000', '4711', 4711],
    ])('in the format %s is a number: %s', async (code, value, expected) =>
        expect(await formatted(code, value)).toBe(expected),
    );

    it.each([
        'General',
        'Standard',
        'STANDARD',
        'Standaard',
        'Est\u00e1ndar',
        'Esta\u0301ndar',
        'Geral',
        'G/標準',
        'Standard "Stk"',
        '0 Std',
    ])('in the format %s is not a date', async code => expect(await formatted(code, '45000')).toBe(45000));

    it.each(['yyyy-mm-dd', 'dd.mm.yyyy', 'TT.MM.JJJJ', 'ggge"年"m"月"d"日"', 'yyyymmdd'])(
        'in the format %s is a date',
        async code => expect(await formatted(code, '45000')).toBe('2023-03-15'),
    );

    it('in the format yyyy-mm-ddThh:mm:ss is a date with a time', async () =>
        expect(await formatted('yyyy-mm-ddThh:mm:ss', '45000.5')).toBe('2023-03-15T12:00:00.000Z'));
});

describe('a cell after the last named column', () => {
    const sheet = (...header: readonly string[]): string =>
        row(...header.map(text)) + row(text('A'), text('x')) + row(text('B'), text('y'), text(''), text('note'));

    it('is read as columnN, with a warning for each column that has content', async () => {
        const { records, faults: issues, columns } = await read({ sheets: { S: sheet('sku', 'name') } });
        expect(records).toEqual([
            { sku: 'A', name: 'x' },
            { sku: 'B', name: 'y', column4: 'note' },
        ]);
        expect(issues).toEqual([]);
        expect(columns).toEqual(['sku', 'name', 'column4']);
        expect(warnings).toEqual([expect.stringContaining('D3')]);
    });

    it('does not take the name of another column', async () => {
        const { records } = await read({ sheets: { S: sheet('sku', 'column4') } });
        expect(records[1]).toEqual({ sku: 'B', column4: 'y', column5: 'note' });
    });

    it('is read where there is no header', async () => {
        const { records } = await read({ sheets: { S: sheet('sku', 'name') } }, { hasHeader: false });
        expect(records[2]).toEqual({ column1: 'B', column2: 'y', column4: 'note' });
    });

    it('has the same name when reading resumes after it', async () => {
        await read({ sheets: { S: sheet('sku', 'name') + row(text('C'), '<c/>', text('z')) } });
        const pages = [];
        for await (const page of xlsxReader({ path }).read({ skip: 2 })) pages.push(...page.records);
        expect(pages).toEqual([{ sku: 'C', name: null, column3: 'z' }]);
    });

    it('may have a name with invisible characters around it, which are reported', async () => {
        const { records } = await read({ sheets: { S: row(text('\u200bsku')) + row(text('A')) } });
        expect(records).toEqual([{ sku: 'A' }]);
        expect(warnings).toEqual([expect.stringContaining('"sku"')]);
    });

    it('is reported for the first 20 columns only', async () => {
        const wide = row(text('a')) + row(...Array.from({ length: 200 }, () => text('x')));
        const { records } = await read({ sheets: { S: wide } });
        expect(Object.keys(records[0]!)).toHaveLength(200);
        expect(warnings).toHaveLength(20);
    });
});
