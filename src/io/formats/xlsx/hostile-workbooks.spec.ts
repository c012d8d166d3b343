import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { HOSTILE_WORKBOOKS, TOGETHER } from '../../../../test/kit/hostile-workbooks';
import { textNaming } from '../../../../test/kit/naming';
import { workbookOf, type WorkbookParts } from '../../../testing/workbook';
import type { ZipPart } from '../../../testing/zip';
import { WorkbookBudget } from './budget';
import { SheetFastPath } from './sheet-fast-path';
import { StringFastPath } from './string-fast-path';
import { xlsxReader } from './xlsx';

const MIB = 1024 * 1024;
/** What is read of a part at a time. */
const PIECE = 64 * 1024;

let folder: string;
let path: string;
beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flow-hostile-'));
    path = join(folder, 'book.xlsx');
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => rmSync(folder, { recursive: true }));

const write = (parts: WorkbookParts): void => writeFileSync(path, workbookOf(parts));

/** Counts the characters that come to the parser. */
function parsing(): { characters: number } {
    const counted = { characters: 0 };
    const parse = SaxesParser.prototype.write;
    jest.spyOn(SaxesParser.prototype, 'write').mockImplementation(function (this: SaxesParser, text) {
        counted.characters += String(text).length;
        return parse.call(this, text);
    });
    return counted;
}

describe('a small workbook that is made to cost much', () => {
    // Workbooks that exceed the limit for all kinds together take long to generate; "what a workbook may come to"
    // tests those.
    const ofOneKind = HOSTILE_WORKBOOKS.flatMap(({ title, file, refused: rejected }) =>
        rejected && rejected.what !== TOGETHER ? [{ title, file, refused: rejected }] : [],
    );
    it.each(ofOneKind)('is rejected before it does: $title', async ({ file, refused: rejected }) => {
        writeFileSync(path, file());
        expect(statSync(path).size).toBeLessThan(2_000_000);
        const parsed = parsing();
        await expect(xlsxReader({ path }).check()).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            facts: {
                problem: textNaming(rejected.what, `${statSync(path).size} bytes`, rejected.allowed),
            },
        });
        expect(parsed.characters).toBeLessThanOrEqual(16 * MIB + 2 * PIECE);
    });

    it('may name the last column that there is, and have rows below it', async () => {
        const rows = '<row><c><v>1</v></c></row>'.repeat(2000);
        write({
            sheets: { S: `<row r="1"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="str"><v>z</v></c></row>${rows}` },
        });
        expect(await xlsxReader({ path }).check()).toEqual({ rows: 2000, columns: ['a', 'z'] });
    });

    it('is rejected while it is read, too, with no more records than it may have', async () => {
        const header = `<row>${Array.from({ length: 10_000 }, (_, i) => `<c t="str"><v>c${i}</v></c>`).join('')}</row>`;
        write({ sheets: { S: header + '<row><c><v>1</v></c></row>'.repeat(1000) } });
        let records = 0;
        const read = async (): Promise<void> => {
            for await (const page of xlsxReader({ path }).read({})) records += page.records.length;
        };
        await expect(read()).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
        expect(records).toBeGreaterThan(300);
        expect(records).toBeLessThanOrEqual(400);
    });
});

describe('an entry of the ZIP container', () => {
    const ROW = '<row><c t="str"><v>name</v></c></row><row><c t="str"><v>sound</v></c></row>';
    const SHEET = 'xl/worksheets/sheet1.xml';
    const sheetOf = (content: string): ZipPart => ({ name: SHEET, content: `<worksheet>${content}</worksheet>` });
    const target = (path: string): ZipPart => ({
        name: 'xl/_rels/workbook.xml.rels',
        content: `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="${path}"/></Relationships>`,
    });

    it.each<readonly [what: string, parts: readonly ZipPart[]]>([
        ['a name that leads out of the folder', [{ name: '../../evil.xml', content: 'x' }]],
        ['a name that leads out of the folder from within', [{ name: 'xl/../../evil.xml', content: 'x' }]],
        ['an absolute name', [{ name: '/etc/passwd', content: 'x' }]],
        ['a name on a drive', [{ name: 'C:evil.xml', content: 'x' }]],
        ['a name of Windows that leads out of the folder', [{ name: '..\\evil.xml', content: 'x' }]],
        [
            'the name of another entry',
            [
                { name: 'a.xml', content: '1' },
                { name: 'a.xml', content: '2' },
            ],
        ],
        ['the name of another entry in capitals', [{ name: 'XL/WORKSHEETS/SHEET1.XML', content: 'x' }]],
        ['a size of 4 GiB that it does not have', [{ ...sheetOf(ROW), saysSize: 0xfffffffe }]],
        ['a size that is smaller than it is', [{ ...sheetOf(ROW), saysSize: 10 }]],
        ['no content for the size that it says', [{ name: SHEET, content: '', saysSize: 1_000 }]],
        ['a relationship that leads out of the container', [target('../../../../../../etc/passwd')]],
        ['a relationship to a file of the machine', [target('file:///etc/passwd')]],
    ])('is rejected with %s, and nothing is written', async (_, parts) => {
        write({ sheets: { S: ROW }, parts });
        const rejected = { code: 'SOURCE_MALFORMED' };
        await expect(xlsxReader({ path }, { tempDir: folder }).check()).rejects.toMatchObject(rejected);
        await expect(readAll()).rejects.toMatchObject(rejected);
        expect(readdirSync(folder)).toEqual(['book.xlsx']);
        expect(existsSync(join(folder, '../evil.xml'))).toBe(false);
    });

    async function readAll(): Promise<void> {
        for await (const _ of xlsxReader({ path }, { tempDir: folder }).read({})) continue;
    }
});

describe('what a workbook may come to', () => {
    const used = (size: number, amount: number): (() => void) => {
        const budget = new WorkbookBudget(size);
        return () => budget.take('markup', amount, () => 'a part');
    };

    it('grows with its size', () => {
        expect(used(1000, 16 * MIB)).not.toThrow();
        expect(used(1000, 16 * MIB + 1)).toThrow(
            expect.objectContaining({
                code: 'SOURCE_MALFORMED',
                facts: {
                    where: 'a part',
                    problem: textNaming(16_777_217, 'of markup', ' 1000 bytes', 16_777_216),
                },
            }),
        );
        expect(used(2 * MIB, 16 * MIB + 1)).toThrow('a part');
        expect(used(10 * MIB, 336 * MIB)).not.toThrow();
        expect(used(10 * MIB, 336 * MIB + 1)).toThrow('a part');
    });

    it('is little of each where there is something of all', () => {
        const budget = new WorkbookBudget(2 * MIB);
        budget.take('cells', 1_000_000, () => 'row 1');
        budget.take('markup', 8 * MIB, () => 'a part');
        expect(() => budget.take('strings', 400_000, () => 'a part')).toThrow(
            expect.objectContaining({
                code: 'SOURCE_MALFORMED',
                facts: {
                    where: 'a part',
                    problem: textNaming(1_754_975, TOGETHER, ` ${2 * MIB} bytes`, 1_700_000),
                },
            }),
        );
    });

    it('is counted together, each kind for itself', () => {
        const budget = new WorkbookBudget(0);
        const where = jest.fn(() => 'row 7');
        budget.take('cells', 600_000, where);
        budget.take('strings', 600_000, where);
        expect(where).not.toHaveBeenCalled();
        expect(() => budget.take('cells', 600_000, where)).toThrow('row 7');
    });
});

describe('plain markup', () => {
    const COLUMNS = [...'ABCDEFGH'];
    const LOOKS: ReadonlyArray<readonly [string, (name: string) => string]> = [
        ['Excel', name => `<c r="${name}" s="1" t="s"><v>0</v></c>`],
        ['Excel, a formula', name => `<c r="${name}"><f t="shared" ref="A1:A9" si="0">B1+1</f><v>5</v></c>`],
        ['LibreOffice', name => `<c r="${name}" s="0" t="n"><v>1.5</v></c>`],
        ['Apache POI', name => `<c r="${name}" t="s" s="1"><v>0</v></c>`],
        ['exceljs', name => `<c r="${name}" t="str"><v>a text\nof two lines</v></c>`],
        ['the Open XML SDK', name => `<x:c r="${name}" t="inlineStr"><x:is><x:t>Schuhgröße</x:t></x:is></x:c>`],
        ['styled blank cells', name => `<c r="${name}" s="1"/>`],
    ];

    it.each(LOOKS)('of %s is read without the parser', async (_, cell) => {
        const rows = Array.from(
            { length: 2000 },
            (_row, i) =>
                `<row r="${i + 1}" spans="1:8" ht="15" customHeight="1">${COLUMNS.map(column => cell(`${column}${i + 1}`)).join('')}</row>`,
        ).join('');
        const header = COLUMNS.map(column => `<c r="${column}1" t="str"><v>${column}</v></c>`).join('');
        write({
            sheets: { S: rows.replace(/^<row.*?<\/row>/s, `<row r="1">${header}</row>`) },
            sharedStrings: '<si><t>x</t></si>'.repeat(1000),
        });
        const parsed = parsing();
        await xlsxReader({ path }).check();
        expect(parsed.characters).toBeLessThan(rows.length / 20);
    });

    const sheet = fc
        .array(
            fc.oneof(
                { weight: 6, arbitrary: fc.constantFrom(...LOOKS.map(([, cell]) => cell(''))) },
                fc.constantFrom(
                    '</row><row>',
                    '</row><row r="7" spans="1:2">',
                    '</row>\n<row ht="1">',
                    '</row><x:row>',
                    '<row/>',
                    '</row><row r="9"/><row>',
                    '<c><v>1</v></c>',
                    '<c r="B9"><v>1</v></c>',
                    '<c t="s" t="s"><v>1</v></c>',
                    '<c s="1" t="s" s="1"><v>0</v></c>',
                    '<c t="s"><v>0&#49;</v></c>',
                    '<c t="str"><v>]]></v></c>',
                    '<c t="str"><v>\u0001</v></c>',
                    '<c><is><c><v>1</v></c></is></c>',
                    '<c t="str"><v>a</v><v>b</v></c>',
                    '<!-- <c><v>1</v></c> -->',
                    '<![CDATA[ <c><v>1</v></c> & ]]>',
                    '<a><c><v>2</v></c></a>',
                    '</sheetData><c><v>1</v></c><sheetData>',
                    '\n',
                    ' & ',
                    '</c>',
                    '<b>',
                ),
            ),
            { maxLength: 12 },
        )
        .map(parts => `<row><c t="str"><v>n</v></c><c t="str"><v>m</v></c></row><row>${parts.join('')}</row>`);
    const strings = fc
        .array(
            fc.constantFrom(
                '<si><t>plain</t></si>',
                '<si><t xml:space="preserve"> a\nb </t></si>',
                '<si/>',
                '<si><t/></si>',
                '<x:si><x:t>x</x:t></x:si>',
                '<si><r><t>ru</t></r><r><t>ns</t></r></si>',
                '<si><t>&amp;</t></si>',
                '<si><si><t>x</t></si></si>',
                '</sst><si><t>x</t></si>',
                '<si>',
            ),
            { maxLength: 4 },
        )
        .map(parts => `<si><t>first</t></si>${parts.join('')}`);

    it('gives what the parser gives, errors and their places included', async () => {
        const outcome = async (): Promise<unknown> => {
            try {
                const pages = [];
                for await (const { records, faults: issues } of xlsxReader({ path }).read({}))
                    pages.push({ records, faults: issues });
                return pages;
            } catch (error) {
                return (error as Error).message;
            }
        };
        const seen = { pages: 0, faults: 0 };
        await fc.assert(
            fc.asyncProperty(sheet, strings, async (content, sharedStrings) => {
                const cells = content.replaceAll(' r=""', '');
                write({ sheets: { S: cells }, sharedStrings });
                const short = await outcome();
                for (const shortcut of [SheetFastPath, StringFastPath])
                    jest.spyOn(shortcut.prototype, 'find').mockReturnValue(-1);
                const parsed = await outcome();
                jest.restoreAllMocks();
                seen[typeof parsed === 'string' ? 'faults' : 'pages']++;
                expect(short).toEqual(parsed);
            }),
            { numRuns: 150 },
        );
        expect(Math.min(seen.pages, seen.faults)).toBeGreaterThan(10);
    });
});
