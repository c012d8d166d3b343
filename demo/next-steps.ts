import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoFolder } from './config';
import { uploadedPriceList } from './pipelines';
import { sampleCsv } from './supplier';
import type { ToDo } from './to-do';

/** Writes the price list that the user can upload. Returns its path, relative to where the demo was started. */
export function writePriceList(): string {
    mkdirSync(demoFolder, { recursive: true });
    const file = path.join(demoFolder, 'price-list.csv');
    writeFileSync(file, sampleCsv());
    return path.relative(process.cwd(), file);
}

/** The last lines of the demo: where the shop is, and what to try. */
export function nextSteps(base: string, { waiting }: ToDo, { hasDashboard }: { hasDashboard: boolean }): string[] {
    const file = writePriceList();
    const flow = `${base}/dashboard/flow`;
    const login = 'user superadmin, password superadmin';
    const walkThrough = 'docs/guide/api-quickstart.md';
    if (!hasDashboard)
        return [
            `Admin API: ${base}/admin-api (${login})`,
            `Upload ${file}, then start the pipeline "${uploadedPriceList.code}": ${walkThrough}`,
            'Press Ctrl-C to stop.',
        ];
    return [
        `Dashboard: ${base}/dashboard (${login})`,
        '',
        'Try this:',
        `1. Correct and replay rejected records:  ${flow}/record-errors`,
        `2. Approve prices that wait at a gate:   ${flow}/runs/${waiting}`,
        `3. Import a file: upload ${file} at ${flow}/files, then run "${uploadedPriceList.name}" at ${flow}/pipelines`,
        '',
        `The same with the API: ${walkThrough}`,
        'Press Ctrl-C to stop.',
    ];
}
