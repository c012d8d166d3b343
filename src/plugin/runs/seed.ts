import { givenRecords } from '../../core/adapter/given-records';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { type ExecutedDefinition, readingFile, readingGiven } from '../../core/pipeline/given-source';
import type { JsonObject } from '../../core/value/json';
import type { Work } from '../../core/work/work';
import type { FlowPipelineRun, SourceReference } from '../entities/run';

/** As much as a webhook may bring (spec 1, limits), in bytes of JSON. */
export const MAX_SEED_BYTES = 10 * 1024 * 1024;

/** What a run is given in the place of what its sources would read by themselves. */
export interface Seeding {
    /** Its records: each EXTRACT step that the trigger leads to hands them on (spec 1, rule 9). MAX_SEED_BYTES as JSON at most. */
    readonly seed?: readonly JsonObject[];
    /** What the EXTRACT step right behind the trigger reads (spec 1, rule 10). */
    readonly source?: SourceReference;
}

/** Throws INPUT_INVALID for what no run can be given. In turns: there may be thousands of records. */
export function* checkSeeding({ seed, source }: Seeding): Work<void> {
    if (seed !== undefined && source !== undefined)
        throw refused('seed and source are given; a run has its records from one of them');
    if (source?.fileId === '') throw refused('source.fileId is empty; allowed: the id of a stored file');
    if (seed === undefined) return;
    if (!Array.isArray(seed)) throw refused(`seed is of type ${typeof seed}; allowed: a list of records`);
    let bytes = 2;
    for (const [index, record] of seed.entries()) {
        const { success } = givenRecords.config.safeParse({ records: [record] });
        if (!success) throw refused(`seed[${index}] is no record; allowed: an object of JSON values`);
        bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
        if (bytes > MAX_SEED_BYTES)
            throw refused(
                `seed has more than ${MAX_SEED_BYTES} bytes as JSON from seed[${index}] on; allowed: at most ${MAX_SEED_BYTES}`,
            );
        yield;
    }
}

/** Why a run cannot be given this, as the end of a sentence; undefined where it can. */
export function whyNotSeeded(
    definition: PipelineDefinition,
    triggerKey: string,
    { source }: Pick<Seeding, 'source'>,
): string | undefined {
    if (source === undefined || readingFile(definition, triggerKey, source.fileId)) return undefined;
    return `its trigger "${triggerKey}" leads directly to no enabled EXTRACT step that reads a stored file`;
}

/** The definition as a run executes it, with what it was given. */
export function seeded(
    definition: PipelineDefinition,
    { triggerKey, seed, sourceReference }: Pick<FlowPipelineRun, 'triggerKey' | 'seed' | 'sourceReference'>,
): ExecutedDefinition {
    if (seed) return readingGiven(definition, triggerKey, seed);
    const reading = sourceReference && readingFile(definition, triggerKey, sourceReference.fileId);
    return { definition: reading || definition, triggerKey };
}

function refused(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}
