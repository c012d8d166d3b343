import { providedRecords, MAX_PROVIDED_BYTES } from '../../core/adapter/provided-records';
import { isSourceReference, type SourceReference } from '../../core/adapter/source-reference';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import {
    type ExecutedDefinition,
    inputFileIds,
    type InputFiles,
    withInputFiles,
    withInputRecords,
    withRejectedRecords,
    type RejectedRecords,
    type ReplayedDefinition,
    inputFilesProblem,
} from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import type { FlowPipelineRun, ReplayedPart } from '../entities/run';

/** Records or files that a run gets in place of those that its sources would read. */
export interface RunInputRecords {
    /** Its records: each EXTRACT step that the trigger leads to passes them on. At most MAX_PROVIDED_BYTES as JSON. */
    readonly seed?: readonly JsonObject[];
    /** The stored files that the EXTRACT steps directly after the trigger read. At most MAX_FILES, each step once. */
    readonly source?: InputFiles;
}

/** Throws INPUT_INVALID for invalid records or files. Yields in between, since there may be thousands of records. */
export function* checkRunInput({ seed, source }: RunInputRecords): YieldingTask<void> {
    if (seed !== undefined && source !== undefined)
        throw rejected(
            `records and ${'files' in source ? 'files' : 'source'} are given; a run has its records from one of them`,
        );
    if (source) checkFiles(source);
    if (seed === undefined) return;
    if (!Array.isArray(seed)) throw rejected(`records is of type ${typeof seed}; allowed: a list of records`);
    let bytes = 2;
    for (const [index, record] of seed.entries()) {
        const { success } = providedRecords.config.safeParse({ records: [record] });
        if (!success) throw rejected(`records[${index}] is not a record; allowed: an object of JSON values`);
        bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
        if (bytes > MAX_PROVIDED_BYTES)
            throw rejected(
                `records have more than ${MAX_PROVIDED_BYTES} bytes as JSON from records[${index}] on; allowed: at most ${MAX_PROVIDED_BYTES}`,
            );
        yield;
    }
}

/** Why a run cannot get this input, as the end of a sentence. Undefined if it can. */
export function runInputProblem(
    definition: PipelineDefinition,
    triggerKey: string,
    { source }: Pick<RunInputRecords, 'source'>,
): string | undefined {
    return source && inputFilesProblem(definition, triggerKey, source);
}

/** The definition that a run executes, with its input. */
export function withRunInput(
    definition: PipelineDefinition,
    {
        triggerKey,
        seed,
        sourceReference,
        replay,
    }: Pick<FlowPipelineRun, 'triggerKey' | 'seed' | 'sourceReference' | 'replay'>,
): ExecutedDefinition & Partial<Pick<ReplayedDefinition, 'returning'>> & { readonly reference?: SourceReference } {
    if (seed && replay) return withRejectedRecords(definition, partsOf(replay, seed));
    if (seed) return withInputRecords(definition, triggerKey, seed);
    if (sourceReference && isSourceReference(sourceReference))
        return { definition, triggerKey, reference: sourceReference };
    return {
        definition: sourceReference ? withInputFiles(definition, triggerKey, sourceReference) : definition,
        triggerKey,
    };
}

/** The parts of the records, in order. */
function partsOf(replay: readonly ReplayedPart[], seed: readonly JsonObject[]): readonly RejectedRecords[] {
    let from = 0;
    return replay.map(({ stepKey, places }) => {
        const records = seed.slice(from, from + places.length);
        from += places.length;
        return { stepKey, records, places };
    });
}

/** Every step of a definition could read a file, but no user supplies more than this manually. */
export const MAX_FILES = 20;

function checkFiles(given: InputFiles): void {
    const empty = inputFileIds(given).includes('');
    if (!('files' in given)) {
        if (empty) throw rejected('source.fileId is empty; allowed: the id of a stored file');
        return;
    }
    const { files } = given;
    if (files.length === 0 || files.length > MAX_FILES)
        throw rejected(`files has ${files.length} elements; allowed: 1 to ${MAX_FILES}`);
    if (empty) throw rejected('files has an empty fileId; allowed: the id of a stored file');
    const twice = files.find(({ stepKey }, i) => files.findIndex(other => other.stepKey === stepKey) !== i);
    if (twice) throw rejected(`files names the step "${twice.stepKey}" twice; allowed: each step once`);
}

function rejected(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}
