import { clause, type FactText } from '../errors/rendered';
import { type Advice, withoutEffect } from '../adapter/base';
import type { Registry } from '../adapter/registry';
import type { StepRetry } from '../schema/settings';
import { findStepKind } from '../steps/kinds';
import type { AdapterCalls } from '../steps/kinds/step-kind';
import { isJsonObject, type JsonObject } from '../value/json';

/** A step with a setting for its retries. */
export interface RetriedStep {
    readonly kind: string | undefined;
    readonly config: JsonObject | undefined;
    readonly retry: StepRetry;
}

/** Everything else on which the effect of a step's `retry` depends. */
interface RetryAdviceEnv {
    readonly registry: Registry;
    /** The retries of `errorHandling`, which apply if the step sets none. */
    readonly maxRetries: number | undefined;
}

/**
 * Warns of retry settings of a step without effect: all of them if the step is never retried, otherwise waits without a
 * retry.
 */
export function adviseRetry(
    { kind, config, retry }: RetriedStep,
    { registry, maxRetries }: RetryAdviceEnv,
): readonly Advice[] {
    if (Object.keys(retry).length === 0) return [];
    const never = whyNever(kind, config, registry);
    if (never !== undefined) return [withoutEffect('', never)];
    if ((retry.maxRetries ?? maxRetries) !== 0) return [];
    const source = retry.maxRetries === undefined ? 'errorHandling.maxRetries' : 'maxRetries';
    return (['retryDelayMs', 'backoffMultiplier'] as const)
        .filter(field => retry[field] !== undefined)
        .map(field => withoutEffect(field, clause`while ${source} is 0`));
}

/**
 * Why nothing of a step is ever retried, as a continuation of "has no effect"; undefined if something may be retried, or if its kind does not
 * determine it.
 */
function whyNever(kind: string | undefined, config: JsonObject | undefined, registry: Registry): FactText | undefined {
    const declared = findStepKind(kind);
    if (!declared) return undefined;
    const { role, adapters } = declared;
    if (role.as === 'start') return clause`on a ${kind!} step, of which nothing is tried again`;
    if (role.as !== 'work' || adapters.form === 'one') return undefined;
    if (adapters.form === 'none' || (config && worksAlone(adapters, config, registry)))
        return clause`on a ${kind!} step that calls no other system: only errors of networks and databases are temporary`;
    return undefined;
}

/** Whether all that a step calls works on one record at a time: by its arguments alone, so that it fails in the same way each time. */
function worksAlone({ kind, list, code }: AdapterCalls, config: JsonObject, registry: Registry): boolean {
    const calls = config[list];
    return (
        Array.isArray(calls) &&
        calls.every(call => {
            const called = isJsonObject(call) ? call[code] : undefined;
            return typeof called === 'string' && registry.find(kind, called)?.form === 'record';
        })
    );
}
