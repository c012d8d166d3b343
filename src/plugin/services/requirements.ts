import type { Kind } from '../../core/adapter/definition';
import type { Registry } from '../../core/adapter/registry';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';

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

function ofStep(step: StepDefinition, registry: Registry): readonly Requirement[] {
    return adaptersOf(step).flatMap(({ kind, code }) =>
        (registry.find(kind, code)?.requires ?? []).map(permission => ({
            permission,
            what: `step "${step.key}" (${code})`,
        })),
    );
}

function adaptersOf({ kind, config }: StepDefinition): ReadonlyArray<{ readonly kind: Kind; readonly code: string }> {
    if (kind === 'TRANSFORM' && Array.isArray(config['operators'])) {
        const operators = config['operators'] as ReadonlyArray<{ readonly op: string }>;
        return operators.map(({ op }) => ({ kind: 'operator', code: op }));
    }
    if (kind === 'VALIDATE' && Array.isArray(config['rules'])) {
        const rules = config['rules'] as ReadonlyArray<{ readonly type: string }>;
        return rules.map(({ type }) => ({ kind: 'rule', code: type }));
    }
    const code = config['adapterCode'];
    if (typeof code !== 'string') return [];
    if (kind === 'EXTRACT') return [{ kind: 'extractor', code }];
    return kind === 'LOAD' ? [{ kind: 'loader', code }] : [];
}
