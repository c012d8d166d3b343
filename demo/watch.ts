import { type AdminApi } from './admin-api';

export interface StepCounts {
    readonly stepKey: string;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly rejected: number;
}

export interface Run {
    readonly id: string;
    readonly status: string;
    readonly outcome: string | null;
    readonly startedAt: string | null;
    readonly finishedAt: string | null;
    readonly recordsRead: number;
    readonly recordsProcessed: number;
    readonly recordsRejected: number;
    readonly counters: readonly StepCounts[];
    readonly error: { readonly code: string; readonly message: string } | null;
    readonly report: { readonly differences: readonly Difference[] } | null;
}

export interface Difference {
    readonly action: string;
    readonly key: string;
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
}

const RUN = `id status outcome startedAt finishedAt recordsRead recordsProcessed recordsRejected
    counters { stepKey created updated unchanged rejected } error { code message }
    report { differences { action key before after } }`;

const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];
const POLL_MS = 120;

/** The id of a pipeline by its code. */
export async function idOf(api: AdminApi, code: string): Promise<string> {
    const { flowPipeline } = await api.ask<{ flowPipeline: { id: string } }>(
        'query($code: String!) { flowPipeline(code: $code) { id } }',
        { code },
    );
    return flowPipeline.id;
}

/** Starts a pipeline by its code, shows its progress, and returns how it ended. */
export async function runPipeline(api: AdminApi, code: string, dryRun = false): Promise<Run> {
    const mutation = dryRun ? 'dryRunFlowPipeline' : 'startFlowPipelineRun';
    const started = await api.ask<Record<string, { id: string }>>(
        `mutation($id: ID!) { ${mutation}(pipelineId: $id) { id } }`,
        { id: await idOf(api, code) },
    );
    const id = started[mutation]!.id;
    for (;;) {
        const { flowPipelineRun: run } = await api.ask<{ flowPipelineRun: Run }>(
            `query($id: ID!) { flowPipelineRun(id: $id) { ${RUN} } }`,
            { id },
        );
        progressLine(
            `  ${run.status.toLowerCase()}  ${run.recordsProcessed} of ${run.recordsRead} records, ${run.recordsRejected} rejected`,
        );
        if (ENDED.includes(run.status)) {
            progressLine('');
            if (run.status !== 'COMPLETED')
                throw new Error(`${code} ended ${run.status}: ${run.error?.code} ${run.error?.message}`);
            return run;
        }
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}

export interface RecordError {
    readonly stepKey: string;
    readonly seq: number;
    readonly path: string | null;
    readonly message: string;
}

export async function recordErrors(api: AdminApi, runId: string): Promise<readonly RecordError[]> {
    const { flowRecordErrors } = await api.ask<{ flowRecordErrors: { items: readonly RecordError[] } }>(
        'query($runId: ID!) { flowRecordErrors(runId: $runId, options: { take: 20, sort: { id: ASC } }) { items { stepKey seq path message } } }',
        { runId },
    );
    return flowRecordErrors.items;
}

/** One line that is overwritten when it changes; plain lines if the output is not a terminal. */
function progressLine(text: string): void {
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}
