import type { Permission, RequestContext } from '@vendure/core';
import { permissionText } from '../../core/adapter/base';
import type { Registry } from '../../core/adapter/registry';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { stepKind } from '../../core/steps/kinds';
import { partsOf } from '../../core/steps/kinds/parts';

/** What a run needs: any one of some permissions, also in words, and the part of the run that needs it. */
export interface Requirement {
    readonly permission: string;
    readonly anyOf: readonly string[];
    readonly what: string;
}

/** A requirement of one permission, or of any one of a list. */
export function requirement(need: string | readonly string[], what: string): Requirement {
    return { permission: permissionText(need), anyOf: [need].flat(), what };
}

/** The first requirement that the user does not meet, in the form that errors use. */
export function unmetRequirements(
    ctx: RequestContext,
    requirements: readonly Requirement[],
): Pick<Requirement, 'permission' | 'what'> | undefined {
    const missing = requirements.find(({ anyOf }) => !ctx.userHasPermissions([...anyOf] as Permission[]));
    return missing && { permission: missing.permission, what: missing.what };
}

/**
 * Every permission that the actor of a run must have, each once: the permission to run pipelines, those that the pipeline requires (`capabilities.requires`),
 * and those of the adapters of its steps.
 */
export function requirementsOf(definition: PipelineDefinition, registry: Registry): readonly Requirement[] {
    return collect(definition, registry, false);
}

/** The same as `requirementsOf`, with the permissions that only some records need. Runs check these for each record. */
export function requirementsToPublish(definition: PipelineDefinition, registry: Registry): readonly Requirement[] {
    return collect(definition, registry, true);
}

function collect(definition: PipelineDefinition, registry: Registry, isPublished: boolean): readonly Requirement[] {
    const all = [
        requirement('RunFlowPipeline', 'running a pipeline'),
        ...definition.capabilities.requires.map(permission =>
            requirement(permission, 'the pipeline (capabilities.requires)'),
        ),
        ...definition.steps.filter(step => !step.disabled).flatMap(step => ofStep(step, registry, isPublished)),
    ];
    return all.filter(({ permission }, i) => all.findIndex(other => other.permission === permission) === i);
}

/** Throws DEFINITION_INVALID for an unknown kind of steps, and ADAPTER_NOT_FOUND for an unknown adapter, since their requirements are unknown. */
function ofStep(
    { key, kind, config }: StepDefinition,
    registry: Registry,
    isPublished: boolean,
): readonly Requirement[] {
    return [...partsOf(stepKind(kind), config, registry)].flatMap(({ named, adapter, value }) => {
        if (!named) return [];
        if (!adapter) throw flowError('ADAPTER_NOT_FOUND', { ...named, hint: 'Its permissions are unknown.' });
        const needs = [...(adapter.requires ?? []), ...(adapter.requiresFor?.(value) ?? [])];
        const what = `step "${key}" (${named.code})`;
        const possible = isPublished ? (adapter.mayRequire?.(value) ?? []) : [];
        return [
            ...needs.map(need => requirement(need, what)),
            ...possible.map(({ need, reason }) => requirement(need, `${what}: ${reason}`)),
        ];
    });
}
