import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HOSTILE_WORKBOOKS } from '../test/kit/hostile-workbooks';
import { childUnder } from './child';
import type { WorkbookCost } from './workbook-child';

/** A heap that is larger than any needs, since the growth of the process is measured. */
const HEAP_MB = 1024;

/**
 * Measures small workbooks that are designed to be expensive, each pass in a separate process: elapsed and processor
 * seconds, and by how many MB the process grows.
 */
export function benchWorkbooks(): void {
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-'));
    const file = path.join(folder, 'book.xlsx');
    try {
        for (const { title, file: made } of HOSTILE_WORKBOOKS) {
            writeFileSync(file, made());
            const kB = Math.round(statSync(file).size / 1000);
            for (const pass of ['check', 'read'] as const) {
                const argument = JSON.stringify({ path: file, pass });
                const { seconds, cpuSeconds, grownMb, came } = childUnder<WorkbookCost>({
                    script: 'workbook-child.ts',
                    argument,
                    heapMb: HEAP_MB,
                })!;
                const figures =
                    `${kB} kB`.padStart(8) +
                    `${seconds.toFixed(2)} s`.padStart(9) +
                    `${cpuSeconds.toFixed(2)} s cpu`.padStart(12) +
                    `${grownMb.toFixed(0)} MB`.padStart(8);
                console.log(`${title.padEnd(58)}${pass.padEnd(6)}${figures}  ${came}`);
            }
        }
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
