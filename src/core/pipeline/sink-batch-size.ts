import type { JsonObject } from '../value/json';
import { ISSUE_TEXTS } from '../schema/issue-texts';
import { issueAt } from '../schema/issues';
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
    const text = issueAt(at, ISSUE_TEXTS.sinkBatch, { value: own, most: batchSize });
    return [{ code: 'CONFIG_INVALID', ...(key !== undefined && { stepKey: key }), ...text }];
}
