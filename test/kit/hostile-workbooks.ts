import { workbookOf } from '../../src/testing/workbook';

/** A small file that is built to need many resources. */
export interface HostileWorkbook {
    readonly title: string;
    readonly file: () => Buffer;
    /** Words that name the limit it exceeds, and the allowed amount; absent if it can be read. */
    readonly refused?: { readonly what: string; readonly allowed: number };
}

const LONGEST = 'x'.repeat(131_068);
const HEADER = '<row><c t="str"><v>n</v></c></row>';
const MIB = 1024 * 1024;
/** The name under which several kinds are counted together. */
export const TOGETHER = 'together';
const LETTERS = 'ABCDEFGHIJ';

function times(count: number, text: (index: number) => string): string {
    let all = '';
    for (let i = 0; i < count; i++) all += text(i);
    return all;
}

function rows(count: number, cell: (row: number, letter: string) => string): string {
    return times(count, i => `<row r="${i + 1}">${[...LETTERS].map(letter => cell(i + 1, letter)).join('')}</row>`);
}

/** Files of less than 2 MB, each with a huge number of one thing. */
export const HOSTILE_WORKBOOKS: readonly HostileWorkbook[] = [
    {
        title: '900,000 cells as Excel writes them',
        file: () =>
            workbookOf({
                sheets: {
                    S: rows(
                        90_000,
                        (row, letter) =>
                            `<c r="${letter}${row}" t="s"><v>${row === 1 ? letter.charCodeAt(0) - 65 : row % 50}</v></c>`,
                    ),
                },
                sharedStrings: times(50, i => `<si><t>text ${i}</t></si>`),
            }),
    },
    {
        title: 'cells without end',
        file: () => workbookOf({ sheets: { S: HEADER + '<row><c><v>1</v></c></row>'.repeat(1_000_001) } }),
        refused: { what: 'cells', allowed: 1_000_000 },
    },
    {
        title: 'cells that no shortcut takes',
        file: () => workbookOf({ sheets: { S: HEADER + '<row><c  t="b"><v>1</v></c></row>'.repeat(1_000_000) } }),
        refused: { what: TOGETHER, allowed: 1_700_000 },
    },
    {
        title: 'a long shared string in every cell',
        file: () =>
            workbookOf({
                sheets: { S: HEADER + '<row><c t="s"><v>0</v></c></row>'.repeat(900_000) },
                sharedStrings: `<si><t>${LONGEST}</t></si>`,
            }),
        refused: { what: 'characters in', allowed: 128 * MIB },
    },
    {
        title: 'more long shared strings than memory is for, in turns',
        file: () =>
            workbookOf({
                sheets: { S: HEADER + times(5_000, i => `<row><c t="s"><v>${(i * 7) % 700}</v></c></row>`) },
                sharedStrings: `<si><t>${LONGEST.slice(0, 30_000)}</t></si>`.repeat(700),
            }),
        refused: { what: 'characters in', allowed: 128 * MIB },
    },
    {
        title: 'short shared strings without end',
        file: () => workbookOf({ sheets: { S: HEADER }, sharedStrings: '<si><t>a</t></si>'.repeat(1_500_000) }),
        refused: { what: 'strings', allowed: 1_000_000 },
    },
    {
        title: 'shared strings with much between them',
        file: () =>
            workbookOf({
                sheets: { S: HEADER },
                sharedStrings: times(
                    450,
                    i => `<si><t>${String(i).padStart(20, 'a')}</t></si>${' '.repeat(65_000)}<r/>`,
                ),
            }),
        refused: { what: 'of markup', allowed: 16 * MIB },
    },
    {
        title: 'runs of formatted text without end',
        file: () =>
            workbookOf({
                sheets: { S: HEADER },
                sharedStrings: `<si>${'<r><rPr><b/></rPr><t>a</t></r>'.repeat(100_000)}</si>`.repeat(7),
            }),
        refused: { what: 'of markup', allowed: 16 * MIB },
    },
    {
        title: 'a wide header above rows of one cell',
        file: () =>
            workbookOf({
                sheets: {
                    S: `<row>${times(16_384, i => `<c t="str"><v>c${i}</v></c>`)}</row>${'<row><c><v>1</v></c></row>'.repeat(20_000)}`,
                },
            }),
        refused: { what: 'fields', allowed: 4_000_000 },
    },
    {
        title: 'long formulas',
        file: () =>
            workbookOf({
                sheets: { S: HEADER + `<row><c><f>${'1+'.repeat(5_000)}1</f><v>1</v></c></row>`.repeat(5_000) },
            }),
        refused: { what: 'inflated', allowed: 32 * MIB },
    },
    {
        title: 'rows that hold nothing',
        file: () =>
            workbookOf({ sheets: { S: HEADER + times(700_000, i => `<row r="${i + 2}" spans="1:9" ht="15"/>`) } }),
    },
    {
        title: 'merged cells',
        file: () =>
            workbookOf({
                sheets: {
                    S: `${HEADER}</sheetData><mergeCells>${times(400_000, i => `<mergeCell ref="A${i}:B${i}"/>`)}</mergeCells><sheetData>`,
                },
            }),
    },
    {
        title: 'elements with a thousand attributes',
        file: () => workbookOf({ sheets: { S: HEADER + `<a ${times(1000, i => `a${i}="" `)}/>`.repeat(2_500) } }),
        refused: { what: 'of markup', allowed: 16 * MIB },
    },
    {
        title: 'styles',
        file: () =>
            workbookOf({ formats: Array.from({ length: 99_000 }, (_, i) => `yyyy-mm-dd ${i}`), sheets: { S: HEADER } }),
    },
    {
        title: 'ten thousand parts',
        file: () =>
            workbookOf({
                sheets: { S: HEADER },
                parts: Array.from({ length: 9_990 }, (_, i) => ({
                    name: `xl/media/${i}`,
                    content: '',
                    isStored: true,
                })),
            }),
    },
    {
        title: 'sixty thousand sheets',
        file: () =>
            workbookOf({
                parts: [
                    {
                        name: 'xl/workbook.xml',
                        content: `<workbook xmlns:r="r"><sheets>${times(60_000, i => `<sheet name="s${i}" r:id="rId1"/>`)}</sheets></workbook>`,
                    },
                ],
            }),
    },
    {
        title: 'inline texts of one letter',
        file: () =>
            workbookOf({
                sheets: {
                    S: rows(
                        45_000,
                        (row, letter) =>
                            `<c r="${letter}${row}" t="inlineStr"><is><t>${row === 1 ? letter : 'a'}</t></is></c>`,
                    ),
                },
            }),
    },
    {
        title: 'something of everything',
        file: () =>
            workbookOf({
                sheets: {
                    S:
                        `<row>${times(8, i => `<c t="str"><v>c${i}</v></c>`)}</row>` +
                        '<row><c  t="b"><v>1</v></c></row><row><c><v>1</v></c></row>'.repeat(240_000),
                },
                sharedStrings: '<si><t>a</t></si>'.repeat(800_000),
            }),
        refused: { what: TOGETHER, allowed: 1_700_000 },
    },
];
