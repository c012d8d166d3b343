import type { Registry } from '../../core/adapter/registry';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { stepKind } from '../../core/steps/kinds';
import { partsOf } from '../../core/steps/kinds/parts';

/** A permission that a run needs, and what of it needs it. */
export interface Requirement {
    readonly permission: string;
    readonly what: string;
}

/**
 * Every permission that the actor of a run must have, each once: to run pipelines at all, what the pipeline itself asks for
 * (`capabilities.requires`), and what the adapters of its steps do (spec 4, permissions).
 */
export function requirementsOf(definition: PipelineDefinition, registry: Registry): readonly Requirement[] {
    const all = [
        { permission: 'RunFlowPipeline', what: 'running a pipeline' },
        ...definition.capabilities.requires.map(permission => ({
            permission,
            what: 'the pipeline (capabilities.requires)',
        })),
        ...definition.steps.filter(step => !step.disabled).flatMap(step => ofStep(step, registry)),
    ];
    return all.filter(({ permission }, i) => all.findIndex(other => other.permission === permission) === i);
}

/** Throws DEFINITION_INVALID for a kind of steps, and ADAPTER_NOT_FOUND for an adapter, of which it cannot be told what they need. */
function ofStep({ key, kind, config }: StepDefinition, registry: Registry): readonly Requirement[] {
    return [...partsOf(stepKind(kind), config, registry)].flatMap(({ named, adapter }) => {
        if (!named) return [];
        if (!adapter) throw flowError('ADAPTER_NOT_FOUND', { ...named, hint: 'What it needs cannot be told.' });
        return (adapter.requires ?? []).map(permission => ({ permission, what: `step "${key}" (${named.code})` }));
    });
}
