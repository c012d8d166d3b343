import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ExcelJS from 'exceljs';
import { xlsxReader } from '../src/io/formats/xlsx/xlsx';
import type { Row } from './report';
import { type Contender, race } from './text-files';

const USUAL_RECORDS = 200_000;
const COLUMNS = ['sku', 'name', 'price', 'stock', 'active', 'added', 'note'];

/**
 * Compares both passes through a sheet of seven columns with the streaming reader of exceljs, with texts in the cells
 * and in the shared list.
 */
export async function benchXlsx(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-'));
    try {
        const rows: Row[] = [];
        for (const [title, useSharedStrings] of [
            ['inline texts', false],
            ['shared texts', true],
        ] as const) {
            const file = path.join(folder, `${title}.xlsx`);
            await write(file, { records, useSharedStrings });
            rows.push(...(await race(`xlsx, ${title}`, file, [exceljs, ...passes])));
        }
        return rows;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

const exceljs: Contender = {
    name: 'exceljs WorkbookReader, objects',
    async run(file) {
        const workbook = new ExcelJS.stream.xlsx.WorkbookReader(file, {
            worksheets: 'emit',
            sharedStrings: 'cache',
            styles: 'cache',
            hyperlinks: 'ignore',
            entries: 'ignore',
        });
        let seen = -1;
        let record: Record<string, unknown> = {};
        for await (const sheet of workbook) {
            for await (const row of sheet) {
                const values = row.values as unknown[];
                record = Object.fromEntries(COLUMNS.map((name, i) => [name, values[i + 1]]));
                seen++;
            }
        }
        return record['sku'] === undefined ? 0 : seen;
    },
};

const passes: readonly Contender[] = [
    { name: 'xlsxReader, check', run: async file => (await xlsxReader({ path: file }).check()).rows },
    {
        name: 'xlsxReader, read',
        run: async file => {
            let seen = 0;
            for await (const page of xlsxReader({ path: file }).read({})) seen += page.records.length;
            return seen;
        },
    },
];

async function write(
    filename: string,
    { records, useSharedStrings }: { readonly records: number; readonly useSharedStrings: boolean },
): Promise<void> {
    const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ filename, useStyles: true, useSharedStrings });
    const sheet = workbook.addWorksheet('Products');
    sheet.columns = COLUMNS.map(key => ({
        key,
        header: key,
        ...(key === 'added' ? { style: { numFmt: 'yyyy-mm-dd' } } : {}),
    }));
    for (let i = 0; i < records; i++) {
        sheet
            .addRow({
                sku: `SKU-${i}`,
                name: `Product number ${i} of the shop`,
                price: i / 100,
                stock: i % 50,
                active: i % 2 === 0,
                added: new Date(Date.UTC(2024, 0, 1 + (i % 300))),
                note: `a note & more ${i % 7}`,
            })
            .commit();
    }
    await workbook.commit();
}
