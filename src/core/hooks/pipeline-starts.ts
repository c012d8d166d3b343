import { flowError } from '../errors/flow-error';
import type { JsonObject } from '../value/json';

/** A pipeline that a hook starts, and its records. */
export interface PipelineStart {
    readonly pipelineCode: string;
    /** The records of the new run. */
    readonly records: readonly JsonObject[];
    /** What it is started for; one run of the pipeline is, however often this comes. */
    readonly occurrence: string;
}

/** The result: the run that was started or already exists, or why none was started. */
export type PipelineStarted = 'started' | 'known' | { readonly ledHereBy: string };

/** How the hooks of a run start other pipelines of its channel. */
export interface PipelineStarts {
    /** Throws what keeps the pipeline from being started: it is not there, is disabled, or the run's user must not run it. */
    start(order: PipelineStart): Promise<PipelineStarted>;
}

/** Where there is no shop. */
export const noPipelines: PipelineStarts = {
    start: ({ pipelineCode }) =>
        Promise.reject(
            flowError('INPUT_INVALID', {
                problem: `the pipeline "${pipelineCode}" cannot be started here: there is no shop`,
            }),
        ),
};
