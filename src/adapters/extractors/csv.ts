import { z } from 'zod';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { defineExtractor, type ExtractContext, type Page } from '../../core/adapter/extractor';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { jsonObject, jsonValue } from '../../core/schema/fields';
import { Pages, Table } from '../../io/formats/csv';
import { ENCODINGS } from '../../io/formats/decode';
import { returnedCsvReader } from '../../io/formats/returned-csv';
import { groupedRows, groupProblem, judgeGroups } from './group-rows';
import {
    adviseFile,
    checkSources,
    fileFields,
    fileNotes,
    filePages,
    pageSize,
    pagesOf,
    savedOffset,
} from './managed-file';
import { breathe, countFrom, PAGE_SIZE } from './paging';
import { textInPieces, textOf } from './text-file';

function isDelimiter(text: string): boolean {
    return !/["\r\n\ufeff]/.test(text);
}

const config = z
    .strictObject({
        ...fileFields,
        csvText: z.string().optional().meta({ title: 'CSV text', description: 'The CSV itself.', widget: 'textarea' }),
        rows: z
            .union([z.array(jsonObject()), z.array(z.array(jsonValue()))])
            .optional()
            .meta({
                title: 'Rows',
                description: 'A list of objects, or a list of lists the first of which is the header.',
                widget: 'json',
            }),
        delimiter: z
            .string()
            .length(1)
            .refine(isDelimiter, 'allowed: one character that is neither a quote nor a line end')
            .optional()
            .meta({
                title: 'Delimiter',
                description: 'What separates the cells: a comma where absent; a tab character for TSV.',
            }),
        hasHeader: z.boolean().default(true).meta({
            title: 'Has a header',
            description: 'The first row holds the column names. Without one they are column1, column2 and so on.',
        }),
        encoding: z.enum(ENCODINGS).optional().meta({
            title: 'Encoding',
            description: 'Of a managed file, where it is not UTF-8 or UTF-16, which are told by themselves.',
        }),
        groupBy: z.string().min(1).max(255).optional().meta({
            title: 'Group by',
            description:
                'A column. Rows that follow each other with the same value in it become one record: that column, and the rows as a list under rows.',
        }),
    })
    .superRefine((given, cx) => {
        checkSources(given, ['csvText', 'rows'], cx);
        const { groupBy } = given;
        const fault = (message: string, path: string): void => cx.addIssue({ code: 'custom', message, path: [path] });
        const problem = groupBy === undefined ? undefined : groupProblem(groupBy);
        if (problem !== undefined) fault(problem, 'groupBy');
    });

type Config = z.output<typeof config>;

function adviseCsv(given: Config): readonly Advice[] {
    const { fileId, rows, delimiter, hasHeader, encoding } = given;
    const advice = [...adviseFile(given)];
    if (rows !== undefined && delimiter !== undefined)
        advice.push(withoutEffect('delimiter', 'beside rows, which have none'));
    if (rows !== undefined && !hasHeader && isJsonObject(rows[0]))
        advice.push(withoutEffect('hasHeader', 'beside rows that are objects, which carry their names'));
    if (encoding !== undefined && fileId === undefined)
        advice.push(withoutEffect('encoding', 'without fileId: what stands in the step itself has no encoding'));
    return advice;
}

/** CSV of an uploaded file or of the step itself (spec 2, managed-file extractors). The checkpoint is how many data rows have been read. */
export const csv = defineExtractor({
    code: 'csv',
    category: 'Files',
    title: 'CSV',
    summary: 'Reads records from an uploaded CSV file, from CSV text or from rows.',
    config,
    notes: [
        ...fileNotes,
        'Cells of text are text, whatever they look like: 00123 stays 00123. Cells of rows keep their types.',
        'A quote that is never closed, broken encoding, and a header with an empty or repeated name make the source malformed: nothing is read from it.',
        'A row with more or fewer cells than the header is rejected with its line number; the others go on.',
        'Empty lines are passed over; line ends may be LF, CRLF or CR. White space around column names is taken off.',
        'A header with the column "Flow: reason" tells a download of rejected records that comes back corrected: that column is left out, and the apostrophes that the download has put in front of cells are taken off.',
        'groupBy joins rows that follow each other; a file whose rows of one value lie apart has to be sorted first. A group has at most 10,000 rows.',
    ],
    examples: [
        {
            config: { csvText: 'sku,name\n00123,"Shirt, red"\n00124,' },
            out: [
                { sku: '00123', name: 'Shirt, red' },
                { sku: '00124', name: '' },
            ],
        },
        {
            config: { fileId: 'prices.csv', delimiter: ';' },
            files: { 'prices.csv': 'sku;price\r\nTS-1;19,95\r\nTS-2\r\nTS-3;4,50\r\n' },
            out: [
                { sku: 'TS-1', price: '19,95' },
                { sku: 'TS-3', price: '4,50' },
            ],
            errors: ['line 3 has 1 cell and the header 2'],
            note: 'A row with too few cells is rejected, the others go on.',
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
                { handle: 'hat', rows: [{ handle: 'hat', size: '' }] },
            ],
        },
    ],
    advise: adviseCsv,
    saved: savedOffset,
    extract(given, cx) {
        const { groupBy } = given;
        return groupBy === undefined ? ungrouped(given, cx) : groupedRows(ungrouped(given, wholly(cx)), groupBy, cx);
    },
});

async function* ungrouped(
    { fileId, csvText, rows, delimiter = ',', hasHeader, encoding, groupBy }: Config,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    const options = { delimiter, hasHeader };
    const fromStart = { ...cx, resumeFrom: undefined };
    const judge = async (pages: AsyncIterable<Page>): Promise<void> => {
        if (groupBy !== undefined) await judgeGroups(pages, groupBy, cx);
    };
    if (fileId !== undefined) {
        yield* filePages(
            {
                fileId,
                formats: ['csv', 'txt'],
                open: async file => ({ reader: returnedCsvReader(textOf(file, cx, encoding), options) }),
                judge: reader => judge(pagesOf(reader, fromStart)),
            },
            cx,
        );
    } else if (csvText !== undefined) {
        const reader = returnedCsvReader(textInPieces(csvText, cx), options);
        await reader.check();
        await judge(pagesOf(reader, fromStart));
        yield* pagesOf(reader, cx);
    } else if (rows !== undefined) {
        await judge(inlineRows({ rows, hasHeader }, fromStart));
        yield* inlineRows({ rows, hasHeader }, cx);
    }
}

/** How many rows a group will take is not known; the groups are counted instead. */
function wholly(cx: ExtractContext): ExtractContext {
    return { ...cx, limit: undefined };
}

interface InlineRows {
    readonly rows: readonly JsonObject[] | readonly JsonValue[][];
    readonly hasHeader: boolean;
}

async function* inlineRows({ rows, hasHeader }: InlineRows, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const skip = countFrom(cx.resumeFrom);
    const end = Math.min(rows.length, cx.limit ?? rows.length);
    if (isJsonObject(rows[0])) {
        for (let from = skip; from < end; from += PAGE_SIZE) {
            await breathe(cx);
            const to = Math.min(from + PAGE_SIZE, end);
            yield { records: rows.slice(from, to) as readonly JsonObject[], checkpoint: to };
        }
        return;
    }
    const pages = new Pages(new Table(hasHeader), { skip, pageSize: pageSize(cx) });
    let read = 0;
    for (const [i, cells] of (rows as readonly JsonValue[][]).entries()) {
        const page = pages.add(cells, `row ${i + 1}`);
        if (!page) continue;
        await breathe(cx);
        yield { records: page.records, faults: page.faults, checkpoint: page.rows };
        read += page.records.length;
        if (cx.limit !== undefined && read >= cx.limit) return;
    }
    const rest = pages.rest();
    if (!rest) return;
    await breathe(cx);
    yield { records: rest.records, faults: rest.faults, checkpoint: rest.rows };
}
