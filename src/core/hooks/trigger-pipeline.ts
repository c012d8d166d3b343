import { createHash } from 'node:crypto';
import { MAX_PROVIDED_BYTES } from '../adapter/provided-records';
import { logEvent } from '../adapter/log-event';
import { flowError } from '../errors/flow-error';
import type { JsonObject, JsonValue } from '../value/json';
import type { HookCall } from './hook-call';

/**
 * A hook of type TRIGGER_PIPELINE: starts runs of another pipeline with the records of the batch, or with one record of the facts of its stage. A
 * call that is repeated after a crash finds the runs that it has started. Only a live run starts others.
 */
export async function startPipeline(pipelineCode: string, call: HookCall): Promise<undefined> {
    const { mode, stage, log } = call.context;
    if (mode !== 'live') {
        logEvent(log, 'PIPELINE_HOOK_SKIPPED', { stage });
        return undefined;
    }
    const parts = portionsOf(seedOf(call));
    for (const [index, records] of parts.entries()) {
        const started = await call.outside.pipelines.start({
            pipelineCode,
            records,
            occurrence: occurrenceOf(call.id, index),
        });
        if (typeof started === 'object') {
            logEvent(log, 'PIPELINE_NOT_STARTED', { pipeline: pipelineCode, chain: started.ledHereBy, stage });
            return undefined;
        }
    }
    logEvent(log, 'PIPELINE_STARTED', { pipeline: pipelineCode, stage, runs: parts.length });
    return undefined;
}

/** The records if the stage is about some, otherwise its facts about the run. */
function seedOf({ data, isRead, context }: HookCall): readonly JsonObject[] {
    if (isRead || context.stage === 'ON_RECORD_ERROR') return data;
    const { signal: _signal, log: _log, ...facts } = context;
    return [JSON.parse(JSON.stringify(facts)) as JsonObject];
}

/** As many records together as a run may be given. Throws INPUT_INVALID for one that is too large by itself. */
function portionsOf(records: readonly JsonObject[]): ReadonlyArray<readonly JsonObject[]> {
    const portions: JsonObject[][] = [];
    let bytes = Infinity;
    for (const record of records) {
        const size = Buffer.byteLength(JSON.stringify(record satisfies JsonValue)) + 1;
        if (size + 2 > MAX_PROVIDED_BYTES)
            throw flowError('INPUT_INVALID', {
                problem: `one of the records has ${size} bytes as JSON, and a run can be given ${MAX_PROVIDED_BYTES}`,
            });
        if (bytes + size > MAX_PROVIDED_BYTES) {
            portions.push([]);
            bytes = 2;
        }
        portions[portions.length - 1]!.push(record);
        bytes += size;
    }
    return portions;
}

/** A key of the call, with the maximum length of such keys. */
function occurrenceOf(id: string, portion: number): string {
    return `hook/${createHash('sha256').update(id).digest('hex')}/${portion}`;
}
