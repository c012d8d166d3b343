import type { z } from 'zod';
import type { Registry } from '../adapter/registry';
import { sinkFields } from '../schema/sink-fields';
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

/** What all sinks have as default; one with a greater default of its own is made for it. */
const USUAL = sinkFields.batchSize.parse(undefined);

/**
 * Refuses a part that is larger than the pipeline's batches: no step would ever get so many records together. Of an adapter whose default is larger
 * than the usual one, that is a warning.
 */
export function sinkBatchIssues(
    { path, key, kind, config }: SendingStep,
    batchSize: number,
    registry: Registry,
): readonly Issue[] {
    if (!KINDS.has(kind)) return [];
    const at = pathTo(pathTo(path, 'config'), 'batchSize');
    const place = { path: at, ...(key !== undefined && { stepKey: key }) };
    const own = config['batchSize'];
    if (own === undefined) {
        const usual = defaultOf(kind === 'SINK' ? 'sink' : 'loader', config['adapterCode'], registry);
        if (usual === undefined || usual <= Math.max(batchSize, USUAL)) return [];
        const message = `${at} is ${usual} by default, but the batches of the pipeline have at most ${batchSize} records. Raise throughput.batchSize to ${usual}, or set this value.`;
        return [{ ...place, code: 'LIKELY_MISTAKE', message, severity: 'WARNING' }];
    }
    if (typeof own !== 'number' || own <= batchSize) return [];
    const message = `${at} is ${own}, but the batches of the pipeline have at most ${batchSize} records. Raise throughput.batchSize, or lower this value.`;
    return [{ ...place, code: 'CONFIG_INVALID', message }];
}

function defaultOf(kind: 'sink' | 'loader', code: unknown, registry: Registry): number | undefined {
    const adapter = typeof code === 'string' ? registry.find(kind, code) : undefined;
    const field = adapter?.config.shape['batchSize'] as z.ZodType | undefined;
    const value = field?.safeParse(undefined).data;
    return typeof value === 'number' ? value : undefined;
}
