import { unpadded } from '../data/unpadded';
import { type DetectedType, decimalsOf, detectType } from './column-type';
import { isDateCell } from './date-cells';
import { shapeOf } from './cell-shapes';
import { countSkipped, detectHeader, type HeaderRows } from './header-row';
import { detectExport } from './known-exports';
import { languageOfHeaders, readHeader } from './header-words';
import type { DecimalStyle, ImportColumn, ImportProfile, ImportSample, ImportWarning } from './import-profile';
import { readNumberCell } from './number-cells';
import { detectGroupings, changesWithin } from './row-groups';

const HEAD_RECORDS = 50;
/** Rows that are compared with the columns of known exports. */
const HEADER_ROWS = 20;
const MAX_EXAMPLES = 13;
/** Different values whose shapes are compared for the examples. */
const SHAPED_VALUES = 1_000;
/** Records that are read for the decimal sign of the file. */
const DECIMAL_RECORDS = 500;

/**
 * Detects what a file is from a sample of its rows. Facts of the sample that are set are used as they are. The warnings of the profile are:
 *
 * - `NO_HEADER`: no row has the names of columns
 * - `DUPLICATE_COLUMN` (`name`): two columns have the same name; the second one is renamed
 * - `ROW_WIDTHS` (`count`): rows of the sample have more or fewer cells than the header
 * - `BARCODE_CHECK_DIGITS` (`wrong`, `total`): barcodes with a wrong check digit
 * - `BARCODE_SHORTENED` (`count`): a spreadsheet has shortened numbers; their digits are lost
 * - `DATE_ORDER` (`format`, `other`): day and month may be exchanged
 * - `DATE_WITHOUT_FORMAT`: the dates have no pattern of `dateParse`
 * - `DATE_SERIAL_NUMBERS`: the dates are day numbers of a spreadsheet
 * - `DECIMALS_UNCLEAR` (`decimals`): numbers such as `1.234` may be read in two ways
 * - `CURRENCY_UNCLEAR` (`sign`): the sign is that of several currencies
 * - `SEVERAL_CURRENCIES` (`currencies`)
 */
export function profileSample(sample: ImportSample): ImportProfile {
    const header = headerOf(sample);
    const { headerAt, skipAfterHeader, footerRows } = header;
    const headerRow = headerAt === undefined ? null : numberOf(sample, headerAt);
    const before = (headerAt === undefined ? 0 : headerAt + 1) + skipAfterHeader;
    const isWhole = sample.total === sample.rows.length;
    const end = sample.rows.length - (isWhole || sample.trailing > 0 ? footerRows : 0);
    const records = sample.rows.slice(before, Math.max(before, end)).map(row => row.map(cell => unpadded(cell)));
    const { names, warnings: nameWarnings } = namesOf(sample, headerAt, records);
    const language = languageOfHeaders(names);
    const decimals = sample.facts.decimals ?? decimalsOfFile(sample, records, language);
    const leading = records.slice(0, Math.max(0, Math.min(sample.leading, end) - before));
    const file: ProfiledFile = { sample, names, records, leading, before, isWhole, decimals, language, header };
    const columns = profileColumns(file);
    const types = columns.map(({ column }) => column.type);
    const head = Math.min(before + HEAD_RECORDS, sample.leading || before + HEAD_RECORDS);
    return {
        facts: { ...sample.facts, decimals, headerRow, skipAfterHeader, footerRows },
        alternatives: {
            encodings: sample.alternatives?.encodings ?? [],
            delimiters: sample.alternatives?.delimiters ?? [],
            headerRows: header.alternatives.map(row => numberOf(sample, row)),
            recordPaths: sample.alternatives?.recordPaths ?? [],
        },
        sheets: sample.sheets ?? [],
        rows: Math.max(0, sample.total - before - footerRows),
        columns: columns.map(({ column }) => column),
        head: sample.rows.slice(0, head),
        headNumbers: sample.rows.slice(0, head).map((_, row) => numberOf(sample, row)),
        ...(language !== undefined && { language }),
        groupings: detectGroupings({ names, records: leading }, types),
        warnings: [
            ...(sample.warnings ?? []),
            ...(headerRow === null && !sample.fields && sample.rows.length > 0
                ? [{ code: 'NO_HEADER', args: {} }]
                : []),
            ...nameWarnings,
            ...widthWarnings(records, names.length, sample),
            ...columns.flatMap(({ warnings }) => warnings),
        ],
    };
}

interface ProfiledFile {
    readonly sample: ImportSample;
    readonly names: readonly string[];
    /** The records of the sample, their cells trimmed. */
    readonly records: readonly (readonly string[])[];
    readonly leading: readonly (readonly string[])[];
    /** Rows before the first record. */
    readonly before: number;
    readonly isWhole: boolean;
    readonly decimals: DecimalStyle;
    readonly language: string | undefined;
    readonly header: HeaderRows;
}

/** The number in the file of a row of the sample. */
function numberOf({ numbers }: ImportSample, row: number): number {
    return numbers?.[row] ?? row + 1;
}

/** The row of the sample that has this number; the next one that is not empty if it is empty, as the extractors read it. */
function rowAt(sample: ImportSample, number: number): number | undefined {
    const row = sample.rows.findIndex((_, i) => numberOf(sample, i) >= number);
    return row < 0 ? undefined : row;
}

/** The header that the facts name, otherwise the detected one. JSON and XML have names of their fields instead. */
function headerOf(sample: ImportSample): HeaderRows {
    const { facts, fields, rows, leading, trailing } = sample;
    if (fields) return { headerAt: undefined, alternatives: [], skipAfterHeader: 0, footerRows: 0 };
    const first = rows.slice(0, leading > 0 ? leading : rows.length);
    const last = trailing > 0 ? rows.slice(-trailing) : rows.length === leading ? rows : [];
    const found = detectHeader(first, last);
    const detectedAt = exportHeaderIn(first) ?? found.headerAt;
    const headerAt = requestedHeader(sample, detectedAt);
    const others = [...(found.headerAt === undefined ? [] : [found.headerAt]), ...found.alternatives];
    const skipped =
        headerAt === undefined
            ? 0
            : headerAt === found.headerAt
              ? found.skipAfterHeader
              : countSkipped(first, headerAt);
    return {
        headerAt,
        alternatives: others.filter(row => row !== headerAt),
        skipAfterHeader: facts.skipAfterHeader ?? skipped,
        footerRows: facts.footerRows ?? found.footerRows,
    };
}

/** The row that the facts name; otherwise the detected one. */
function requestedHeader(sample: ImportSample, detected: number | undefined): number | undefined {
    const { headerRow } = sample.facts;
    if (headerRow === null) return undefined;
    return headerRow === undefined ? detected : rowAt(sample, headerRow);
}

/** The row with the columns of a known export. Rows before it may look like a header, such as the titles of Amazon's columns. */
function exportHeaderIn(rows: readonly (readonly string[])[]): number | undefined {
    const row = rows.slice(0, HEADER_ROWS).findIndex(cells => detectExport(cells) !== undefined);
    return row < 0 ? undefined : row;
}

interface Names {
    readonly names: readonly string[];
    readonly warnings: readonly ImportWarning[];
}

/** The names of columns as the extractors read them; a name that is there twice gets a number. */
function namesOf(sample: ImportSample, headerAt: number | undefined, records: readonly (readonly string[])[]): Names {
    if (sample.fields) return { names: sample.fields, warnings: [] };
    const width = Math.max(0, ...records.slice(0, 200).map(row => row.length));
    if (headerAt === undefined)
        return { names: Array.from({ length: width }, (_, i) => `column${i + 1}`), warnings: [] };
    const given = (sample.rows[headerAt] ?? []).map(cell => unpadded(cell));
    while (given.length > 1 && given.at(-1) === '' && !hasValues(records, given.length - 1)) given.pop();
    const taken = new Set(given);
    const used = new Set<string>();
    const warnings: ImportWarning[] = [];
    let next = 0;
    const names = given.map((name, place) => {
        if (name === '') {
            next = Math.max(next, place) + 1;
            while (taken.has(`column${next}`)) next++;
            return `column${next}`;
        }
        let own = name;
        for (let n = 2; used.has(own); n++) own = `${name} (${n})`;
        if (own !== name) warnings.push({ code: 'DUPLICATE_COLUMN', args: { name }, column: own });
        used.add(own);
        return own;
    });
    return { names, warnings };
}

function hasValues(records: readonly (readonly string[])[], column: number): boolean {
    return records.some(row => (row[column] ?? '') !== '');
}

function widthWarnings(
    records: readonly (readonly string[])[],
    width: number,
    sample: ImportSample,
): readonly ImportWarning[] {
    if (sample.facts.format !== 'CSV') return [];
    const count = records.filter(row => row.length < width || row.slice(width).some(cell => cell !== '')).length;
    return count > 0 ? [{ code: 'ROW_WIDTHS', args: { count } }] : [];
}

/** The decimal sign of most numbers; without a clear one that of the delimiter or the language. */
function decimalsOfFile(
    { facts }: ImportSample,
    records: readonly (readonly string[])[],
    language: string | undefined,
): DecimalStyle {
    const numbers = records.slice(0, DECIMAL_RECORDS).flatMap(row =>
        row.flatMap(cell => {
            const number = cell.length > 30 || !/\d/.test(cell) || isDateCell(cell) ? undefined : readNumberCell(cell);
            return number ? [number] : [];
        }),
    );
    const clear = numbers.filter(number => number.decimals !== undefined);
    const commas = clear.filter(number => number.decimals === 'COMMA').length;
    const style = decimalsOf(numbers);
    if (style !== undefined) return style;
    if (clear.length > 0 && commas !== clear.length / 2) return commas > clear.length / 2 ? 'COMMA' : 'POINT';
    if (facts.format !== 'CSV') return 'POINT';
    return facts.delimiter === ';' || (language !== undefined && language !== 'en') ? 'COMMA' : 'POINT';
}

interface ProfiledColumn {
    readonly column: ImportColumn;
    readonly warnings: readonly ImportWarning[];
}

function profileColumns(file: ProfiledFile): readonly ProfiledColumn[] {
    const { names, records, leading, decimals, language, sample } = file;
    const [grouping] = detectGroupings({ names, records: leading });
    const lists = new Set(sample.lists);
    return names.map((name, index) => {
        const values = records.map(row => row[index] ?? '').filter(value => value !== '');
        const detected = detectType({
            name,
            values,
            records: records.length,
            decimals,
            variesInGroup: changesWithin({ names, records: leading }, grouping, index),
            isList: lists.has(name),
            ...(language !== undefined && { language }),
        });
        return { column: columnOf(file, index, { values, detected }), warnings: detected.warnings };
    });
}

function columnOf(
    file: ProfiledFile,
    index: number,
    { values, detected }: { readonly values: readonly string[]; readonly detected: DetectedType },
): ImportColumn {
    const { warnings: _, firstException, ...facts } = detected;
    const name = file.names[index]!;
    const { language, tax } = readHeader(name);
    const { empties, distinct } = countsOf(file, index, values);
    const rows = Math.max(0, file.sample.total - file.before - file.header.footerRows);
    return {
        index,
        name,
        ...facts,
        filled: Math.max(0, rows - empties),
        empties,
        distinct,
        examples: examplesOf(values, firstException),
        ...(language !== undefined && { language }),
        ...(tax !== undefined && { tax }),
        uniqueness: values.length === 0 ? 0 : new Set(values).size / values.length,
    };
}

/** Counts of the whole file without the rows that are not records. */
function countsOf(
    { sample, records, before, isWhole, header }: ProfiledFile,
    index: number,
    values: readonly string[],
): { readonly empties: number; readonly distinct: number | null } {
    const counts = sample.counts?.[index];
    const own = new Set(values);
    if (isWhole || !counts) return { empties: records.length - values.length, distinct: own.size };
    const others = [...sample.rows.slice(0, before), ...sample.rows.slice(sample.rows.length - header.footerRows)];
    const cells = others.map(row => unpadded(row[index] ?? ''));
    const foreign = new Set(cells.filter(cell => cell !== '' && !own.has(cell)));
    return {
        empties: Math.max(0, counts.empties - cells.filter(cell => cell === '').length),
        distinct: counts.distinct === null ? null : Math.max(own.size, counts.distinct - foreign.size),
    };
}

/** The most frequent value, the one with the most different shape, the first exception, then others in their order. */
function examplesOf(values: readonly string[], exception: string | undefined): readonly string[] {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    let usual: string | undefined;
    for (const [value, count] of counts) if (usual === undefined || count > counts.get(usual)!) usual = value;
    const shapes = new Map<string, { count: number; readonly value: string }>();
    for (const value of [...counts.keys()].slice(0, SHAPED_VALUES)) {
        const shape = shapeOf(value);
        const known = shapes.get(shape);
        if (known) known.count++;
        else shapes.set(shape, { count: 1, value });
    }
    const different = [...shapes].sort(([a, x], [b, y]) => x.count - y.count || b.length - a.length)[0]?.[1].value;
    const first = [usual, different, exception].filter(value => value !== undefined);
    return [...new Set([...first, ...counts.keys()])].slice(0, MAX_EXAMPLES);
}
