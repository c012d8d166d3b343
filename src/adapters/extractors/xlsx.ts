import { z } from 'zod';
import { defineExtractor } from '../../core/adapter/extractor';
import { xlsxReader } from '../../io/formats/xlsx/xlsx';
import type { RecordReader } from '../../io/formats/source';
import { groupedRows, groupProblem, judgeGroups } from './group-rows';
import { adviseFile, checkSources, fileFields, fileNotes, filePages, pagesOf, savedOffset } from './managed-file';

/** A sheet of an uploaded workbook (spec 2, managed-file extractors). */
export const xlsx = defineExtractor({
    code: 'xlsx',
    category: 'Files',
    title: 'Excel',
    summary: 'Reads records from a sheet of an uploaded Excel workbook.',
    config: z
        .strictObject({
            ...fileFields,
            sheetName: z
                .union([z.string().min(1).max(255), z.int().min(0).max(10_000)])
                .optional()
                .meta({
                    title: 'Sheet',
                    description: 'The name of the sheet, or its place counted from 0; the first one where absent.',
                    widget: 'text',
                }),
            hasHeader: z.boolean().default(true).meta({
                title: 'Has a header',
                description: 'The first row holds the column names. Without one they are column1, column2 and so on.',
            }),
            groupBy: z.string().min(1).max(255).optional().meta({
                title: 'Group by',
                description:
                    'A column. Rows that follow each other with the same value in it become one record: that column, and the rows as a list under rows.',
            }),
        })
        .superRefine((given, cx) => {
            checkSources(given, [], cx);
            const problem = given.groupBy === undefined ? undefined : groupProblem(given.groupBy);
            if (problem !== undefined) cx.addIssue({ code: 'custom', message: problem, path: ['groupBy'] });
        }),
    notes: [
        ...fileNotes,
        'Cells keep their types: numbers, texts, truth values. Dates become text as 2026-03-29 or 2026-03-29T13:00:00.000Z, formulas the value that the workbook has stored.',
        'A number that is none of those that Excel computes with (a whole one beyond 2^53, more than 17 digits, 1E400) becomes the text that it is.',
        'A cell that holds an error (#N/A) makes its row a rejected record; the others go on. Empty rows are passed over.',
        'Workbooks of old Excel (.xls) and those with a password cannot be read; save them as .xlsx without one.',
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
                { sku: '00124', onHand: null, active: false },
            ],
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
    extract({ fileId, sheetName, hasHeader, groupBy }, cx) {
        const options = { hasHeader, signal: cx.signal, ...(sheetName !== undefined && { sheet: sheetName }) };
        const reading = {
            fileId: fileId!,
            formats: ['xlsx'],
            open: async (file: Parameters<Parameters<typeof filePages>[0]['open']>[0]) => {
                const local = await file.content.local(cx.signal);
                return { reader: xlsxReader(local, options), release: () => local.release() };
            },
        };
        if (groupBy === undefined) return filePages(reading, cx);
        const whole = { ...cx, limit: undefined };
        const judge = (reader: RecordReader): Promise<void> =>
            judgeGroups(pagesOf(reader, { ...whole, resumeFrom: undefined }), groupBy, cx);
        return groupedRows(filePages({ ...reading, judge }, whole), groupBy, cx);
    },
});
