import { z } from 'zod';
import { defineExtractor, type ExtractContext, type Page } from '../../core/adapter/extractor';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { jsonObject, jsonValue } from '../../core/schema/fields';
import { checkCsv, type CsvPage, Pages, readCsv, Table } from '../../io/formats/csv';
import { breathe, countFrom, PAGE_SIZE } from './paging';

const NO_FILES = 'managed files cannot be read yet; use csvText or rows';
const CHUNK = 64 * 1024;

function isDelimiter(text: string): boolean {
    return !/["\r\n\ufeff]/.test(text);
}

const config = z.strictObject({
    csvText: z.string().optional().meta({ title: 'CSV text', description: 'The CSV itself.', widget: 'textarea' }),
    rows: z.union([z.array(jsonObject()), z.array(z.array(jsonValue()))]).optional().meta({
        title: 'Rows', description: 'A list of objects, or a list of lists the first of which is the header.', widget: 'json',
    }),
    delimiter: z.string().length(1).refine(isDelimiter, 'allowed: one character that is neither a quote nor a line end').optional().meta({
        title: 'Delimiter', description: 'What separates the cells of csvText: a comma where absent; a tab character for TSV.',
    }),
    hasHeader: z.boolean().default(true).meta({
        title: 'Has a header', description: 'The first row holds the column names. Without one they are column1, column2 and so on.',
    }),
    fileId: z.string().refine(() => false, NO_FILES).optional().meta({ title: 'Managed file', description: 'Not available yet.' }),
    resetCheckpoint: z.boolean().refine(() => false, `it belongs to fileId: ${NO_FILES}`).optional().meta({
        title: 'Start over', description: 'Not available yet; belongs to managed files.',
    }),
}).superRefine(({ csvText, rows, delimiter, hasHeader, fileId }, cx) => {
    const fault = (message: string, path: string[] = []): void => cx.addIssue({ code: 'custom', message, path });
    if (csvText !== undefined && rows !== undefined) fault('give either csvText or rows, not both', ['rows']);
    if (csvText === undefined && rows === undefined && fileId === undefined) fault('the CSV is missing: give csvText or rows', ['csvText']);
    if (rows !== undefined && delimiter !== undefined) fault('is for csvText; rows have no delimiter', ['delimiter']);
    if (rows !== undefined && !hasHeader && isJsonObject(rows[0])) fault('rows that are objects carry their names; leave hasHeader out', ['hasHeader']);
});

/** CSV in the step itself (spec 2, managed-file extractors). The checkpoint is how many data rows have been read. */
export const csv = defineExtractor({
    code: 'csv', category: 'Files', title: 'CSV',
    summary: 'Reads records from CSV text or rows.',
    config,
    notes: [
        'Cells of csvText are text, whatever they look like: 00123 stays 00123. Cells of rows keep their types.',
        'A quote that is never closed, and a header with an empty or repeated name, make the source malformed: nothing is read from it.',
        'A row with more or fewer cells than the header is rejected with its line number; the others go on.',
        'Empty lines are passed over; line ends may be LF, CRLF or CR. White space around column names is taken off.',
    ],
    async *extract({ csvText, rows, delimiter = ',', hasHeader }, cx) {
        const skip = countFrom(cx.resumeFrom);
        if (rows !== undefined) yield* inlineRows({ rows, hasHeader, skip }, cx);
        if (csvText === undefined) return;
        const options = { delimiter, hasHeader };
        await checkCsv(pieces(csvText, cx), options);
        let read = 0;
        for await (const page of readCsv(pieces(csvText, cx), { ...options, skip, pageSize: pageSize(cx) })) {
            await breathe(cx);
            yield pageOf(page);
            read += page.records.length;
            if (cx.limit !== undefined && read >= cx.limit) return;
        }
    },
});

interface InlineRows {
    readonly rows: readonly JsonObject[] | readonly JsonValue[][];
    readonly hasHeader: boolean;
    readonly skip: number;
}

async function* inlineRows({ rows, hasHeader, skip }: InlineRows, cx: ExtractContext): AsyncGenerator<Page, void, void> {
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
        yield pageOf(page);
        read += page.records.length;
        if (cx.limit !== undefined && read >= cx.limit) return;
    }
    const rest = pages.rest();
    if (rest) yield pageOf(rest);
}

function pageSize(cx: ExtractContext): number {
    return Math.min(PAGE_SIZE, Math.max(1, cx.limit ?? PAGE_SIZE));
}

function pageOf(page: CsvPage): Page {
    return { records: page.records, checkpoint: page.rows, ...(page.faults.length > 0 ? { faults: page.faults } : {}) };
}

/** The text bit by bit, so that a long one holds nobody up. */
async function* pieces(text: string, cx: ExtractContext): AsyncGenerator<string, void, void> {
    for (let from = 0; from < text.length; from += CHUNK) {
        await breathe(cx);
        yield text.slice(from, from + CHUNK);
    }
}
