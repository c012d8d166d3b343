import { xlsxReader } from '../src/io/formats/xlsx/xlsx';
import { peakRssMb } from './peak';

/** Measures reading a workbook in a process that does nothing else. */
export interface WorkbookCost {
    readonly seconds: number;
    /** Processor time, which a busy machine does not make longer by waiting. */
    readonly cpuSeconds: number;
    readonly grownMb: number;
    readonly came: string;
}

const { path, pass } = JSON.parse(process.argv[2]!) as { readonly path: string; readonly pass: 'check' | 'read' };

async function came(): Promise<string> {
    try {
        if (pass === 'check') return `${(await xlsxReader({ path }).check()).rows} rows`;
        let records = 0;
        for await (const page of xlsxReader({ path }).read({})) records += page.records.length;
        return `${records} records`;
    } catch (error) {
        return (error as Error).message;
    }
}

const before = peakRssMb();
const start = performance.now();
const cpuBefore = process.cpuUsage();
void came().then(told => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const cost: WorkbookCost = {
        seconds: (performance.now() - start) / 1000,
        cpuSeconds: (user + system) / 1_000_000,
        grownMb: peakRssMb() - before,
        came: told,
    };
    process.stdout.write(JSON.stringify(cost));
});
