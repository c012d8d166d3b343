import type { JsonObject } from '../value/json';
import { type Issue, pathTo } from './issues';

/** The kinds whose `batchSize` is how many records of one batch go out together. */
const KINDS: ReadonlySet<string | undefined> = new Set(['SINK', 'LOAD']);

/** A step that may send a batch in parts. */
export interface SendingStep {
    readonly path: string;
    readonly key: string | undefined;
    readonly kind: string | undefined;
    readonly config: JsonObject;
}

/** Refuses a part that is larger than the pipeline's batches: no step would ever get so many records together. */
export function sinkBatchIssues({ path, key, kind, config }: SendingStep, batchSize: number): readonly Issue[] {
    const own = config['batchSize'];
    if (!KINDS.has(kind) || typeof own !== 'number' || own <= batchSize) return [];
    const at = pathTo(pathTo(path, 'config'), 'batchSize');
    const message = `${at} is ${own}, but the batches of the pipeline have at most ${batchSize} records. Raise throughput.batchSize, or lower this value.`;
    return [{ code: 'CONFIG_INVALID', path: at, ...(key !== undefined && { stepKey: key }), message }];
}
