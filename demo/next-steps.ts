import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoFolder } from './config';
import { sampleCsv } from './supplier';

/** What the commands of the next steps speak of. */
export interface NextSteps {
    readonly base: string;
    /** A file to upload, relative to where the demo was started. */
    readonly file: string;
    /** Of the pipeline that reads it. */
    readonly pipelineId: string;
}

/** Makes the file that is uploaded, and answers where it is. */
export function writeSample(): string {
    mkdirSync(demoFolder, { recursive: true });
    const file = path.join(demoFolder, 'price-list.csv');
    writeFileSync(file, sampleCsv());
    return path.relative(process.cwd(), file);
}

const LOGIN = 'mutation { login(username: \\"superadmin\\", password: \\"superadmin\\") { __typename } }';

/** What to do now: commands for another terminal, which are pasted as they stand. Blocks of commands are indented. */
export function nextSteps({ base, file, pipelineId }: NextSteps): readonly string[] {
    const ask = (query: string): string =>
        `    curl -s "$SHOP/admin-api" -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"query":"${query}"}'`;
    return [
        '',
        'What next? In another terminal, in this folder:',
        '',
        '1. Log in as superadmin / superadmin, and upload a price list with some new articles and some faults:',
        '',
        `    export SHOP=${base}`,
        `    export TOKEN=$(curl -s -D - -o /dev/null "$SHOP/admin-api" -H 'content-type: application/json' -d '{"query":"${LOGIN}"}' | tr -d '\\r' | sed -n 's/^vendure-auth-token: //pI')`,
        `    curl -s "$SHOP/flow/upload" -H "Authorization: Bearer $TOKEN" -F persistent=true -F 'file=@${file};type=text/csv'`,
        '',
        '2. Start the pipeline that reads it:',
        '',
        ask(`mutation { startFlowPipelineRun(pipelineId: ${pipelineId}) { id status } }`),
        '',
        '3. See what became of it, and of all runs before:',
        '',
        ask(
            '{ flowPipelineRuns(options: { take: 3 }) { items { id status outcome recordsRead recordsLoaded recordsRejected } } flowRecordErrors(options: { take: 3 }) { items { stepKey path message } } }',
        ),
        '',
    ];
}
