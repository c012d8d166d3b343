import type { ExampleCell } from '../core/adapter/extractor';
import { type ZipPart, zipOf } from './zip';

/** The parts of a workbook that a test writes itself, with the exact content of the file; all others are generated. */
export interface WorkbookParts {
    /** By name: the content of `sheetData`, or a whole document. */
    readonly sheets?: Readonly<Record<string, string>>;
    /** The items of the list of shared strings. */
    readonly sharedStrings?: string;
    /** Format codes of the cell styles 1, 2 … */
    readonly formats?: readonly string[];
    readonly is1904?: boolean;
    /** Parts that are added, or that take the place of others. */
    readonly parts?: readonly ZipPart[];
    readonly without?: readonly string[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** A workbook as bytes, as Excel would lay it out, from the XML of its sheets. */
export function workbookOf({
    sheets = { Sheet1: '' },
    sharedStrings,
    formats,
    is1904 = false,
    parts = [],
    without = [],
}: WorkbookParts): Buffer {
    const names = Object.keys(sheets);
    const relationships = [
        ...names.map((_, i) => ({ id: `rId${i + 1}`, type: 'worksheet', target: `worksheets/sheet${i + 1}.xml` })),
        ...(sharedStrings === undefined
            ? []
            : [{ id: 'rIdStrings', type: 'sharedStrings', target: 'sharedStrings.xml' }]),
        ...(formats === undefined ? [] : [{ id: 'rIdStyles', type: 'styles', target: '/xl/styles.xml' }]),
    ];
    const made: ZipPart[] = [
        {
            name: '[Content_Types].xml',
            content: `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
        },
        {
            name: '_rels/.rels',
            content: relationshipsOf([{ id: 'rId1', type: 'officeDocument', target: 'xl/workbook.xml' }]),
        },
        {
            name: 'xl/workbook.xml',
            content: `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${names
                .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
                .join('')}</sheets></workbook>`,
        },
        { name: 'xl/_rels/workbook.xml.rels', content: relationshipsOf(relationships) },
        ...names.map((name, i) => ({ name: `xl/worksheets/sheet${i + 1}.xml`, content: sheetOf(sheets[name]!) })),
        ...(sharedStrings === undefined
            ? []
            : [{ name: 'xl/sharedStrings.xml', content: `${HEAD}<sst xmlns="${MAIN}">${sharedStrings}</sst>` }]),
        ...(formats === undefined ? [] : [{ name: 'xl/styles.xml', content: stylesOf(formats) }]),
    ];
    const own = new Set([...parts.map(({ name }) => name), ...without]);
    return zipOf([...made.filter(({ name }) => !own.has(name)), ...parts]);
}

/** A workbook with these sheets; a cell that is null is left empty. */
export function workbookOfRows(sheets: Readonly<Record<string, ReadonlyArray<readonly ExampleCell[]>>>): Buffer {
    return workbookOf({
        sheets: Object.fromEntries(
            Object.entries(sheets).map(([name, rows]) => [escaped(name), rows.map(rowOf).join('')]),
        ),
    });
}

/** Without references: cells are then read in their order. */
function rowOf(cells: readonly ExampleCell[]): string {
    return `<row>${cells.map(cellOf).join('')}</row>`;
}

function cellOf(value: ExampleCell): string {
    if (value === null) return '<c/>';
    if (typeof value === 'number') return `<c><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
    return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
}

function escaped(text: string): string {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function sheetOf(content: string): string {
    return content.startsWith('<?xml') || content.startsWith('<!')
        ? content
        : `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${content}</sheetData></worksheet>`;
}

function stylesOf(formats: readonly string[]): string {
    const codes = formats.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>`).join('');
    const styles = formats.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join('');
    return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${codes}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles}</cellXfs></styleSheet>`;
}

function relationshipsOf(
    list: ReadonlyArray<{ readonly id: string; readonly type: string; readonly target: string }>,
): string {
    return `${HEAD}<Relationships xmlns="${RELATIONSHIPS}">${list
        .map(({ id, type, target }) => `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`)
        .join('')}</Relationships>`;
}
