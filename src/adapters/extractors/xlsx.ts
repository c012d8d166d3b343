import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { xlsxReader, type XlsxOptions } from '../../io/formats/xlsx/xlsx';
import type { RecordReader } from '../../io/formats/source';
import { checkGroupBy, groupBy, groupingOf, groupNotes } from './group-by';
import { groupedRows, checkGroups, rowContext } from './group-rows';
import { checkRowFields, rowFields, rowNotes } from './row-fields';
import {
    adviseFile,
    checkSources,
    emptyValues,
    fileFields,
    fileNotes,
    filePages,
    pagesOf,
    savedOffset,
    warnTo,
} from './managed-file';
import { addIssue } from '../../core/schema/issues';

const FORMATS = ['xlsx'];

/** A sheet of an uploaded workbook. */
export const xlsx = defineExtractor({
    code: 'xlsx',
    category: 'Files',
    title: 'Excel',
    summary: 'Reads records from a sheet of an uploaded Excel workbook.',
    config: z
        .strictObject({
            ...fileFields(FORMATS),
            sheetName: z
                .union([z.string().min(1).max(255), z.int().min(0).max(10_000)])
                .optional()
                .meta({
                    title: 'Sheet',
                    description:
                        'The name of the sheet, or its index, starting with 0. Default: the first visible sheet.',
                    widget: 'text',
                }),
            hasHeader: z.boolean().default(true).meta({
                title: 'Has a header',
                description:
                    'Whether the first row, or the row in headerRow, contains the column names. Without them, columns are named column1, column2 and so on.',
            }),
            ...rowFields,
            emptyValues,
            groupBy,
        })
        .superRefine((given, cx) => {
            checkSources(given, [], cx);
            checkGroupBy(given.groupBy, cx);
            checkRowFields(given, { hasHeader: given.hasHeader, headerField: 'hasHeader' }, (path, problem) =>
                addIssue(cx, problem, [path]),
            );
        }),
    notes: [
        ...fileNotes,
        'Cells keep their types: numbers, texts, booleans. Dates become text such as 2026-03-29 or 2026-03-29T13:00:00.000Z; formulas become the value stored in the workbook. If a formula has no stored value, as some programs write it, its row is rejected: open the workbook in Excel and save it.',
        'A number that Excel cannot represent (an integer beyond 2^53, more than 17 digits, 1E400) becomes text.',
        'A whole number with a number format of zeros (000000) becomes text and keeps its leading zeros: 000123.',
        'A column without a name is ignored if it is empty, also after the last named column. Otherwise it is named after its position, for example column3, or the next free number, with a warning in the log.',
        'A row with an error in a cell (#N/A) is rejected; the others are read. Empty rows are skipped.',
        'An empty cell is not a field of the record, so a loader keeps the stored value; emptyValues turns it into null or an empty text. A cell with an empty text is empty.',
        ...rowNotes,
        ...groupNotes,
        'Old Excel workbooks (.xls) and workbooks with a password cannot be read; save them as .xlsx without a password.',
    ],
    examples: [
        {
            config: { fileId: 'stock.xlsx' },
            files: {
                'stock.xlsx': {
                    Stock: [
                        ['sku', 'onHand', 'active'],
                        ['00123', 5, true],
                        ['00124', null, false],
                    ],
                },
            },
            out: [
                { sku: '00123', onHand: 5, active: true },
                { sku: '00124', active: false },
            ],
        },
        {
            config: { fileId: 'stock.xlsx', headerRow: 3, skipAfterHeader: 1, skipAtEnd: 1 },
            files: {
                'stock.xlsx': {
                    Stock: [
                        ['Stock on 1 March'],
                        [],
                        ['sku', 'onHand'],
                        [null, 'pieces'],
                        ['00123', 5],
                        ['Total', 5, 'checked'],
                    ],
                },
            },
            out: [{ sku: '00123', onHand: 5 }],
            note: 'A title, a row with units and a row with totals are skipped.',
        },
        {
            config: { fileId: 'prices.xlsx', sheetName: 'Net', groupBy: 'handle' },
            files: {
                'prices.xlsx': {
                    Notes: [['Prices are net.']],
                    Net: [
                        ['handle', 'price'],
                        ['shirt', 19.95],
                        ['shirt', 24.5],
                    ],
                },
            },
            out: [
                {
                    handle: 'shirt',
                    rows: [
                        { handle: 'shirt', price: 19.95 },
                        { handle: 'shirt', price: 24.5 },
                    ],
                },
            ],
        },
    ],
    advise: adviseFile,
    saved: savedOffset,
    extract({ fileId, sheetName, hasHeader, headerRow, skipAfterHeader, skipAtEnd, ...given }, cx) {
        const grouping = groupingOf(given.groupBy, given.emptyValues, null);
        const options: XlsxOptions = {
            hasHeader,
            headerRow,
            skipAfterHeader,
            skipAtEnd,
            signal: cx.signal,
            warn: warnTo(cx),
            // Rows that will be grouped keep their empty cells until then.
            emptyValues: grouping ? 'NULL' : given.emptyValues,
            ...(sheetName !== undefined && { sheet: sheetName }),
        };
        const reading = {
            fileId: fileId!,
            formats: FORMATS,
            open: async (file: Parameters<Parameters<typeof filePages>[0]['open']>[0]) => {
                const local = await file.content.local(cx.signal);
                return { reader: xlsxReader(local, options), release: () => local.release() };
            },
        };
        if (!grouping) return filePages(reading, cx);
        const whole = rowContext(grouping, cx);
        const judge = (reader: RecordReader): Promise<void> =>
            checkGroups(pagesOf(reader, { ...whole, resumeFrom: undefined }), grouping, cx);
        return groupedRows(filePages({ ...reading, judge }, whole), grouping, cx);
    },
});
