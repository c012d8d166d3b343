import ExcelJS from 'exceljs';
import type { JsonObject } from '../../../core/value/json';
import { pathColumn } from './batches';
import { type WorkbookWriter, xlsxFile } from './xlsx';

it('has no more rows than a sheet of a workbook may have', async () => {
    const Writer = ExcelJS.stream.xlsx.WorkbookWriter as unknown as WorkbookWriter;
    // One more than there is room for, of which none is looked at.
    const tooMany: readonly JsonObject[] = Array<JsonObject>(1_048_576);
    const batches = async function* () {
        yield tooMany;
    };
    const read = async (): Promise<void> => {
        for await (const piece of xlsxFile(batches(), { columns: [pathColumn('sku')], Writer })) void piece;
    };
    await expect(read()).rejects.toMatchObject({ code: 'EXPORT_TOO_LARGE', treat: 'config' });
});
