import { api } from '@vendure/dashboard';
import { lastRunDocument, refusedDocument, refusedInRunDocument } from '../editor.graphql';
import { isObject } from '../model/definition';
import type { FilesOfSteps } from '../state/files-of-steps';

/** The number of rejected records that are taken as samples. */
const REFUSED = 10;

/** Samples from the last run of a pipeline. Runs store no records except rejected ones. */
export interface LastRun {
    readonly id: string;
    /** Records that were rejected at the step, as they reached it. */
    readonly refused: readonly unknown[];
    /** What its sources read. */
    readonly files: FilesOfSteps;
    /** What the files are called. */
    readonly filenames: readonly string[];
}

interface OfStep {
    readonly pipelineId: string;
    readonly stepKey: string;
}

/** Undefined if there was no run yet. Throws the API's errors. */
export async function lastRunOf({ pipelineId, stepKey }: OfStep): Promise<LastRun | undefined> {
    const { flowPipelineRuns } = await api.query(lastRunDocument, {
        pipelineId,
        options: { take: 1, sort: { createdAt: 'DESC' }, filter: { startedAt: { isNull: false } } },
    });
    const run = flowPipelineRuns.items[0];
    if (!run) return undefined;
    const { flowRecordErrors } = await api.query(refusedInRunDocument, {
        runId: run.id,
        options: { take: REFUSED, filter: { stepKey: { eq: stepKey } } },
    });
    const read = run.steps.flatMap(({ stepKey: key, source }) =>
        source?.fileId ? [{ key, fileId: source.fileId, filename: source.filename ?? source.fileId }] : [],
    );
    return {
        id: run.id,
        refused: recordsOf(flowRecordErrors.items),
        files: Object.fromEntries(read.map(({ key, fileId }) => [key, fileId])),
        filenames: read.map(({ filename }) => filename),
    };
}

/** Open rejected records of a step, as they reached it. Throws the API's errors. */
export async function refusedAt({ pipelineId, stepKey }: OfStep): Promise<readonly unknown[]> {
    const { flowRecordErrors } = await api.query(refusedDocument, {
        selection: { pipelineId, stepKey },
        options: { take: REFUSED },
    });
    return recordsOf(flowRecordErrors.items);
}

/** Who may not read records gets none. */
function recordsOf(items: ReadonlyArray<{ readonly payload: unknown }>): readonly unknown[] {
    return items.map(({ payload }) => payload).filter(isObject);
}
