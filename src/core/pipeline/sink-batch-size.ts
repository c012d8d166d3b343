import type { JsonObject } from '../value/json';
import { type Issue, pathTo } from './issues';

/** The kinds whose `batchSize` limits the records of one batch that are sent together. */
const KINDS: ReadonlySet<string | undefined> = new Set(['SINK', 'LOAD']);

/** A step that may send a batch in parts. */
interface SendingStep {
    readonly path: string;
    readonly key: string | undefined;
    readonly kind: string | undefined;
    /** As it is written, without defaults: a default is a ceiling, and smaller batches are sent as they are. */
    readonly config: JsonObject;
}

/** Rejects a `batchSize` above the pipeline's batch size: the step would never send that many records together. */
export function sinkBatchIssues({ path, key, kind, config }: SendingStep, batchSize: number): readonly Issue[] {
    const { batchSize: own } = config;
    if (!KINDS.has(kind) || typeof own !== 'number' || own <= batchSize) return [];
    const at = pathTo(pathTo(path, 'config'), 'batchSize');
    const message = `${at} is ${own}, but the batches of the pipeline have at most ${batchSize} records. Raise throughput.batchSize, or lower this value.`;
    return [{ path: at, ...(key !== undefined && { stepKey: key }), code: 'CONFIG_INVALID', message }];
}
