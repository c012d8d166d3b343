import type { ID } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { JsonObject } from '../../core/value/json';
import { startsRuns } from '../../core/steps/kinds';
import type { TRIGGER_TYPES } from '../../core/steps/kinds/trigger';

/** The trigger types. */
export type TriggerTypeName = (typeof TRIGGER_TYPES)[number];

/** A step that starts runs, in the form of the API. */
export interface Trigger {
    readonly key: string;
    readonly type: string;
    readonly enabled: boolean;
}

/** A trigger of a revision, with its configuration. */
export interface TriggerOfRevision extends Trigger {
    readonly pipelineId: ID;
    readonly revisionId: ID;
    /** Includes its type. */
    readonly config: JsonObject;
}

export function triggersOf({ steps }: Pick<PipelineDefinition, 'steps'>): readonly Trigger[] {
    return steps
        .filter(({ kind }) => startsRuns(kind))
        .map(({ key, disabled, config }) => ({
            key,
            type: String(config['type']),
            enabled: !disabled && config['enabled'] !== false,
        }));
}

/** The trigger that starts a run: its type, and its key if there are several of that type. */
export interface RequestedTrigger {
    /** Default: MANUAL, a user starts the run. */
    readonly triggerType?: TriggerTypeName;
    readonly triggerKey?: string | null;
}

/** The requested enabled trigger, or why there is none. */
export function triggerToStart(
    definition: Pick<PipelineDefinition, 'steps'>,
    { triggerType = 'MANUAL', triggerKey }: RequestedTrigger,
): Trigger | { readonly problem: string } {
    const usable = triggersOf(definition).filter(({ type, enabled }) => type === triggerType && enabled);
    const keys = usable.map(trigger => `"${trigger.key}"`).join(', ');
    if (usable.length === 0) return { problem: `it has no enabled ${triggerType} trigger; add one or enable it` };
    if (triggerKey !== undefined && triggerKey !== null) {
        return (
            usable.find(trigger => trigger.key === triggerKey) ?? {
                problem: `"${triggerKey}" is not an enabled ${triggerType} trigger of it; allowed: ${keys}`,
            }
        );
    }
    return usable.length === 1
        ? usable[0]!
        : { problem: `it has several ${triggerType} triggers; name one of ${keys} as triggerKey` };
}
