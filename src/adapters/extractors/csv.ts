import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { defineExtractor, type ExtractContext, type Page } from '../../core/adapter/extractor';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { jsonObject, jsonValue } from '../../core/schema/fields';
import { Pages, CsvTable, type TableRules } from '../../io/formats/csv';
import { ENCODINGS } from '../../io/formats/decode';
import { DELIMITER_RULE, isDelimiter } from '../../io/formats/delimiters';
import { type RowRules, rowSelection } from '../../io/formats/row-selection';
import { rejectsCsvReader } from '../../io/formats/rejects-csv-reader';
import type { LocationLabel, RecordPage } from '../../io/formats/source';
import { type EmptyValues, withEmptyValues } from '../../io/formats/empty-values';
import { checkGroupBy, groupBy, type Grouping, groupingOf, groupNotes } from './group-by';
import { groupedRows, checkGroups, rowContext } from './group-rows';
import {
    adviseEncoding,
    adviseFile,
    checkSources,
    emptyValues,
    fileFields,
    fileNotes,
    filePages,
    pageSize,
    pagesOf,
    savedOffset,
    warnTo,
} from './managed-file';
import { cellFields } from './csv-cells';
import { adviseRowFields, checkRowFields, rowFields, rowNotes } from './row-fields';
import { yieldToEventLoop, countFrom, PAGE_SIZE } from './paging';
import { textInChunks, openFileText } from './text-file';
import { addIssue } from '../../core/schema/issues';

const FORMATS = ['csv', 'txt'];
/** The fields for content in the step itself. */
const INLINE = ['csvText', 'rows'];

const config = z
    .strictObject({
        ...fileFields(FORMATS, INLINE),
        csvText: z.string().optional().meta({ title: 'CSV text', description: 'The CSV itself.', widget: 'textarea' }),
        rows: z
            .union([z.array(jsonObject()), z.array(z.array(jsonValue()))])
            .optional()
            .meta({
                title: 'Rows',
                group: GROUPS.advanced,
                description: 'A list of objects, or a list of lists, of which the first one is the header.',
                widget: 'json',
            }),
        delimiter: z
            .string()
            .length(1, { error: `allowed: ${DELIMITER_RULE}`, abort: true })
            .refine(isDelimiter, `allowed: ${DELIMITER_RULE}`)
            .optional()
            .meta({
                title: 'Delimiter',
                aliases: { '\\t': '\t' },
                description:
                    'The delimiter. For TSV a tab, which may be written as \\t. Default: the delimiter named by a first line such as sep=;, otherwise a comma.',
            }),
        hasHeader: z.boolean().default(true).meta({
            title: 'Has a header',
            description:
                'Whether the first row, or the row in headerRow, contains the column names. Without them, columns are named column1, column2 and so on.',
        }),
        ...rowFields,
        encoding: z.enum(ENCODINGS).optional().meta({
            title: 'Encoding',
            description: 'For a managed file: its encoding. UTF-8 and UTF-16 are detected.',
        }),
        ...inGroup(GROUPS.advanced, {
            trim: cellFields.trim.default(false),
            formulaSafe: cellFields.formulaSafe.default(false),
        }),
        emptyValues,
        groupBy,
    })
    .superRefine((given, cx) => {
        checkSources(given, INLINE, cx);
        checkGroupBy(given.groupBy, cx);
        checkRowFields(given, { hasHeader: given.hasHeader, headerField: 'hasHeader' }, (path, problem) =>
            addIssue(cx, problem, [path]),
        );
    });

type Config = z.output<typeof config>;

function adviseCsv(given: Config): readonly Advice[] {
    const { fileId, rows, delimiter, hasHeader, encoding, trim, formulaSafe } = given;
    const advice = [...adviseFile(given)];
    if (rows !== undefined && delimiter !== undefined)
        advice.push(withoutEffect('delimiter', clause`together with rows, which have none`));
    if (rows !== undefined && trim)
        advice.push(withoutEffect('trim', clause`together with rows, whose cells are used as they are`));
    if (rows !== undefined && formulaSafe)
        advice.push(withoutEffect('formulaSafe', clause`together with rows, whose cells are used as they are`));
    if (rows !== undefined && !hasHeader && isJsonObject(rows[0]))
        advice.push(
            withoutEffect('hasHeader', clause`together with rows that are objects, which have their own names`),
        );
    if (rows !== undefined && isJsonObject(rows[0]))
        advice.push(...adviseRowFields(given, clause`together with rows that are objects: all of them are records`));
    return [...advice, ...adviseEncoding({ fileId, encoding }, clause`CSV text`)];
}

/** CSV of an uploaded file or of the step itself. The checkpoint is how many data rows have been read. */
export const csv = defineExtractor({
    code: 'csv',
    category: 'Files',
    title: 'CSV',
    summary: 'Reads records from an uploaded CSV file, from CSV text or from rows.',
    config,
    notes: [
        ...fileNotes,
        'Cells of text stay text: 00123 stays 00123. Values in the field "rows" keep their types.',
        'A cell whose formula is just a text, such as ="00123", is read as that text: programs write it so that spreadsheets keep leading zeros.',
        'An empty cell is not a field of the record, so a loader keeps the stored value; emptyValues turns it into null or an empty text. A cell is empty if it has no text, with or without quotes. null in rows stays null.',
        'The file is malformed, and nothing is loaded from it, if a quote is never closed, if a quoted cell follows blanks without trim, if the encoding is invalid, or if the header contains the same name twice.',
        'A column without a name is named after its position, for example column3, or the next number if that name is taken, with a warning in the log.',
        'The log warns if a header with one column, or the first two rows without a header, contain another delimiter. If delimiter is not set and the row after such a header contains the other one as often as the header, the source is malformed. For a file with one column that looks like this, set delimiter to ",".',
        'A first line such as sep=;, as Excel writes it, names the delimiter and is not the header. The setting delimiter takes precedence.',
        'A row with more or fewer cells than the header is rejected with its line number; the other rows are read. Empty cells after the last column, for example from a trailing delimiter, are ignored, with a warning in the log.',
        'Lines are skipped if they are empty or if all their cells are empty, quoted or (with trim) blank; in a file with one column, a line "" is a row. Lines may end with LF, CRLF or CR. White space around column names is removed.',
        'A header with the column "Flow: reason" identifies a corrected download of rejected records: that column and "Flow: place" are ignored, the apostrophes that the download added in front of cells are removed, and no rows are skipped. A row that was rejected because it was too short is rejected again until its missing cells are filled in.',
        ...rowNotes,
        ...groupNotes,
    ],
    examples: [
        {
            config: { csvText: 'sku,name\n00123,"Shirt, red"\n00124,' },
            out: [{ sku: '00123', name: 'Shirt, red' }, { sku: '00124' }],
        },
        {
            config: { csvText: 'sku , name\n00123 , "Shirt, red"\n00124 ,', trim: true, emptyValues: 'NULL' },
            out: [
                { sku: '00123', name: 'Shirt, red' },
                { sku: '00124', name: null },
            ],
            note: 'Cells padded with blanks, and empty cells that clear the stored value.',
        },
        {
            config: { csvText: "sku,name\n'-A1,'@brand\n=\"00123\",it's", formulaSafe: true },
            out: [
                { sku: '-A1', name: '@brand' },
                { sku: '00123', name: "it's" },
            ],
            note: 'A file whose cells were protected from being read as formulas by spreadsheets.',
        },
        {
            config: { fileId: 'prices.csv', delimiter: ';' },
            files: { 'prices.csv': 'sku;price\r\nTS-1;19,95\r\nTS-2\r\nTS-3;4,50\r\n' },
            out: [
                { sku: 'TS-1', price: '19,95' },
                { sku: 'TS-3', price: '4,50' },
            ],
            errors: ['line 3 has 1 cell and the header 2'],
            note: 'A row with too few cells is rejected; the others are read.',
        },
        {
            config: { fileId: 'cennik.csv', delimiter: ';', encoding: 'windows-1250' },
            files: { 'cennik.csv': 'kod;nazwa\nPL-1;Żółty płaszcz\n' },
            out: [{ kod: 'PL-1', nazwa: 'Żółty płaszcz' }],
            note: 'A file whose encoding cannot be detected from its bytes.',
        },
        {
            config: {
                csvText: 'Prices 2026;;\n\nsku;price\n;EUR\nTS-1;19,95\nTS-2\nTS-3;4,50\nTotal;24,45;;',
                delimiter: ';',
                headerRow: 3,
                skipAfterHeader: 1,
                skipAtEnd: 1,
            },
            out: [
                { sku: 'TS-1', price: '19,95' },
                { sku: 'TS-3', price: '4,50' },
            ],
            errors: ['line 6 has 1 cell and the header 2'],
            note: 'A title row, a row with units and a row with totals are skipped; line numbers remain those of the file.',
        },
        {
            config: {
                rows: [
                    ['TS-1', 5],
                    ['TS-2', null],
                ],
                hasHeader: false,
            },
            out: [
                { column1: 'TS-1', column2: 5 },
                { column1: 'TS-2', column2: null },
            ],
        },
        {
            config: { csvText: 'handle,size\nshirt,S\nshirt,M\nhat,', groupBy: 'handle' },
            out: [
                {
                    handle: 'shirt',
                    rows: [
                        { handle: 'shirt', size: 'S' },
                        { handle: 'shirt', size: 'M' },
                    ],
                },
                { handle: 'hat', rows: [{ handle: 'hat' }] },
            ],
        },
        {
            config: {
                csvText: 'name,sku\nShirt,TS-S\n,TS-M\nHat,HT',
                groupBy: { column: 'name', continued: true },
            },
            out: [
                { name: 'Shirt', rows: [{ name: 'Shirt', sku: 'TS-S' }, { sku: 'TS-M' }] },
                { name: 'Hat', rows: [{ name: 'Hat', sku: 'HT' }] },
            ],
            note: 'Rows that leave the column empty continue the group.',
        },
        {
            config: {
                csvText: 'handle,size\nshirt,S\nhat,\nshirt,M',
                groupBy: { column: 'handle', apart: true },
            },
            out: [
                {
                    handle: 'shirt',
                    rows: [
                        { handle: 'shirt', size: 'S' },
                        { handle: 'shirt', size: 'M' },
                    ],
                },
                { handle: 'hat', rows: [{ handle: 'hat' }] },
            ],
            note: 'Rows with the same value do not have to be consecutive.',
        },
        {
            config: {
                csvText: 'sku,parent,size\nTS,,\nTS-S,TS,S\nTS-M,TS,M',
                groupBy: { column: 'parent', apart: true, fallback: 'sku' },
            },
            out: [
                {
                    parent: 'TS',
                    rows: [
                        { sku: 'TS' },
                        { sku: 'TS-S', parent: 'TS', size: 'S' },
                        { sku: 'TS-M', parent: 'TS', size: 'M' },
                    ],
                },
            ],
            note: 'A parent row without a value in the column belongs to the group of the rows that name its SKU.',
        },
    ],
    advise: adviseCsv,
    saved: savedOffset,
    extract(given, cx) {
        const grouping = groupingOf(given.groupBy, given.emptyValues, '');
        return grouping
            ? groupedRows(tableRows(given, rowContext(grouping, cx), grouping), grouping, cx)
            : tableRows(given, cx);
    },
});

/** The rows as records. Rows that will be grouped keep their empty cells until then. */
async function* tableRows(config: Config, cx: ExtractContext, grouping?: Grouping): AsyncGenerator<Page, void, void> {
    const { fileId, csvText, rows, delimiter, hasHeader, encoding, trim, formulaSafe: isFormulaSafe } = config;
    const { headerRow, skipAfterHeader, skipAtEnd } = config;
    const layout = {
        delimiter: delimiter ?? ',',
        isAssumed: delimiter === undefined,
        hasHeader,
        headerRow,
        skipAfterHeader,
        skipAtEnd,
        trim,
        isFormulaSafe,
        emptyValues: grouping ? 'TEXT' : config.emptyValues,
        warn: warnTo(cx),
    } as const;
    const fromStart = { ...cx, resumeFrom: undefined };
    const judge = async (pages: AsyncIterable<Page>): Promise<void> => {
        if (grouping) await checkGroups(pages, grouping, cx);
    };
    if (fileId !== undefined) {
        yield* filePages(
            {
                fileId,
                formats: FORMATS,
                open: async file => ({ reader: rejectsCsvReader(openFileText(file, cx, encoding), layout) }),
                judge: reader => judge(pagesOf(reader, fromStart)),
            },
            cx,
        );
    } else if (csvText !== undefined) {
        const reader = rejectsCsvReader(textInChunks(csvText, cx), layout);
        await reader.check();
        await judge(pagesOf(reader, fromStart));
        yield* pagesOf(reader, cx);
    } else if (rows !== undefined) {
        const { emptyValues: how, warn } = layout;
        const table = { rows, hasHeader, headerRow, skipAfterHeader, skipAtEnd, emptyValues: how };
        await judge(inlineRows(table, fromStart));
        yield* inlineRows({ ...table, warn }, cx);
    }
}

interface InlineRows extends RowRules, Omit<TableRules, 'delimiter' | 'isAssumed'> {
    readonly rows: readonly JsonObject[] | readonly JsonValue[][];
    readonly emptyValues: EmptyValues;
}

interface InlineRow {
    readonly cells: readonly JsonValue[];
    readonly number: number;
}

const rowName: LocationLabel = row => `row ${row}`;

async function* inlineRows({ rows, ...rules }: InlineRows, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const skip = countFrom(cx.resumeFrom);
    const end = Math.min(rows.length, cx.limit ?? rows.length);
    if (isJsonObject(rows[0])) {
        for (let from = skip; from < end; from += PAGE_SIZE) {
            await yieldToEventLoop(cx);
            const to = Math.min(from + PAGE_SIZE, end);
            const records = (rows.slice(from, to) as readonly JsonObject[]).map(row =>
                withEmptyValues(row, rules.emptyValues, ''),
            );
            yield { records, checkpoint: to, placeOf: index => rowName(from + index + 1) };
        }
        return;
    }
    const pages = new Pages(new CsvTable(rules, rowName), { skip, pageSize: pageSize(cx) });
    const selection = rowSelection<InlineRow>(rules, rules.hasHeader);
    let read = 0;
    for (const [i, cells] of (rows as readonly JsonValue[][]).entries()) {
        const given = { cells, number: i + 1 };
        const row = selection
            ? selection.next(given, { number: given.number, weight: 0, nameOf: () => rowName(given.number) })
            : given;
        const page = row && pages.add(row.cells, row.number);
        if (!page) continue;
        await yieldToEventLoop(cx);
        yield pageOf(page);
        read += page.records.length;
        if (cx.limit !== undefined && read >= cx.limit) return;
    }
    const rest = pages.rest();
    if (!rest) return;
    await yieldToEventLoop(cx);
    yield pageOf(rest);
}

function pageOf({ rows: checkpoint, ...page }: RecordPage): Page {
    return { ...page, checkpoint };
}
