import type { PipelineDefinition } from '../../core/pipeline/definition';
import { startsRuns } from '../../core/steps/kinds';

/** A step that starts runs, as the API shows it. */
export interface Trigger {
    readonly key: string;
    readonly type: string;
    readonly enabled: boolean;
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

/** The trigger that a person starts: the only MANUAL one, or the one that is named; else why there is none. */
export function manualTrigger(
    definition: Pick<PipelineDefinition, 'steps'>,
    key?: string | null,
): Trigger | { readonly problem: string } {
    const usable = triggersOf(definition).filter(({ type, enabled }) => type === 'MANUAL' && enabled);
    const keys = usable.map(trigger => `"${trigger.key}"`).join(', ');
    if (usable.length === 0) return { problem: 'it has no enabled MANUAL trigger' };
    if (key !== undefined && key !== null) {
        return (
            usable.find(trigger => trigger.key === key) ?? {
                problem: `"${key}" is no enabled MANUAL trigger of it; allowed: ${keys}`,
            }
        );
    }
    return usable.length === 1
        ? usable[0]!
        : { problem: `it has several MANUAL triggers; name one of ${keys} as triggerKey` };
}
