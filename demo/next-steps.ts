import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoFolder } from './config';
import { uploadedPriceList } from './pipelines';
import { sampleCsv } from './supplier';

/** Makes a file that the next steps speak of, and answers where it is, seen from where the demo was started. */
function written(name: string, content: string): string {
    mkdirSync(demoFolder, { recursive: true });
    const file = path.join(demoFolder, name);
    writeFileSync(file, content);
    return path.relative(process.cwd(), file);
}

/** What is asked for to have the pipeline read another file; FILE and the versions are put in by the command. */
function readAnother(pipelineId: string): string {
    const steps = uploadedPriceList.definition.steps.map(step =>
        step.kind === 'EXTRACT' ? { ...step, config: { ...step.config, fileId: 'FILE' } } : step,
    );
    return JSON.stringify(
        {
            query: `mutation($definition: FlowJSON!) {
    updateFlowPipeline(input: { id: ${pipelineId}, version: VERSION, definition: $definition }) { id }
    publishFlowPipeline(id: ${pipelineId}, version: CHANGED) { revision { number } workingCopy { issues { message } } }
}`,
            variables: { definition: { ...uploadedPriceList.definition, steps } },
        },
        null,
        4,
    );
}

const LOGIN = 'mutation { login(username: \\"superadmin\\", password: \\"superadmin\\") { __typename } }';

/** What a shell takes the id out of, of what was started or uploaded. */
const ID = `sed -n 's/.*"id":"\\([0-9]*\\)".*/\\1/p'`;

/** What to do now: commands for another terminal, which are pasted as they stand. Blocks of commands are indented. */
export function nextSteps(base: string, pipelineId: string): readonly string[] {
    const file = written('price-list.csv', sampleCsv());
    const change = written('read-another-file.json', readAnother(pipelineId));
    const post = `curl -s "$SHOP/admin-api" -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
    const ask = (query: string): string => `${post} -d '{"query":"${query}"}'`;
    const upload = `curl -s "$SHOP/flow/upload" -H "Authorization: Bearer $TOKEN" -F persistent=true -F 'file=@${file};type=text/csv'`;
    const start = `    export RUN=$(${ask(`mutation { startFlowPipelineRun(pipelineId: ${pipelineId}) { id } }`)} | ${ID}); echo "run $RUN"`;
    return [
        '',
        'What next? In another terminal, in this folder:',
        '',
        '1. Log in as superadmin / superadmin, and upload a price list with some new articles and some faults:',
        '',
        `    export SHOP=${base}`,
        `    export TOKEN=$(curl -s -D - -o /dev/null "$SHOP/admin-api" -H 'content-type: application/json' -d '{"query":"${LOGIN}"}' | tr -d '\\r' | sed -n 's/^vendure-auth-token: //pI')`,
        `    ${upload}`,
        '',
        `2. Start the pipeline ${uploadedPriceList.code}, which reads the file 2 (the id that came back), and keep the run's id:`,
        '',
        start,
        '',
        '3. See what became of that run, and why records were rejected; for another run put its id in the place of $RUN:',
        '',
        `    ${ask(
            `{ flowPipelineRun(id: '"$RUN"') { id status outcome recordsRead recordsLoaded recordsRejected } flowRecordErrors(runId: '"$RUN"', options: { take: 3 }) { items { stepKey path message } } }`,
        )}`,
        '',
        `4. Correct ${file} (the first command gives the oven a price; any editor will do) and upload it. It gets an id of its own,`,
        '   so have the pipeline read that one, and publish it. Then steps 2 and 3 again:',
        '',
        `    sed -i.bak 's/on request/89.00/' ${file}`,
        `    export FILE=$(${upload} | ${ID}); echo "file $FILE"`,
        `    export VERSION=$(${ask(`{ flowPipeline(id: ${pipelineId}) { version } }`)} | tr -dc 0-9)`,
        `    sed "s/FILE/$FILE/; s/VERSION/$VERSION/; s/CHANGED/$((VERSION + 1))/" ${change} | ${post} -d @-`,
        '',
    ];
}
