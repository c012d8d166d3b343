import type { z } from 'zod';
import type { Kind } from '../../core/adapter/definition';
import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { callsWithin, transformConfig } from '../../core/schema/operator-calls';

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
    return adaptersOf(step, registry).flatMap(({ kind, code }) =>
        (registry.find(kind, code)?.requires ?? []).map(permission => ({
            permission,
            what: `step "${step.key}" (${code})`,
        })),
    );
}

interface Named {
    readonly kind: Kind;
    readonly code: string;
}

function adaptersOf({ kind, config }: StepDefinition, registry: Registry): readonly Named[] {
    if (kind === 'TRANSFORM') return operatorsOf(transformConfig, config, registry);
    if (kind === 'VALIDATE' && Array.isArray(config['rules'])) {
        const rules = config['rules'] as ReadonlyArray<{ readonly type: string }>;
        return rules.map(({ type }) => ({ kind: 'rule', code: type }));
    }
    const code = config['adapterCode'];
    if (typeof code !== 'string') return [];
    if (kind === 'EXTRACT') return [{ kind: 'extractor', code }];
    return kind === 'LOAD' ? [{ kind: 'loader', code }] : [];
}

/** The operators that a configuration calls, and those within them. */
function operatorsOf(schema: z.ZodObject, config: JsonObject, registry: Registry): readonly Named[] {
    return callsWithin(schema, config).flatMap(({ call }): readonly Named[] => {
        if (!isJsonObject(call) || typeof call['op'] !== 'string') return [];
        const { op: code, args } = call;
        const known = registry.find('operator', code);
        const inner = known && isJsonObject(args) ? operatorsOf(known.config, args, registry) : [];
        return [{ kind: 'operator', code }, ...inner];
    });
}
