import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { puttingRealEnumValues } from '../../core/pipeline/enum-aliases';
import { EXECUTABLE_HOOKS } from '../../core/pipeline/hook-definition';
import { pathTo } from '../../core/pipeline/issues';
import { callsWithin, transformConfig } from '../../core/schema/operator-calls';
import { findingReferences, type Reference } from '../../core/schema/references';
import { atOnce, type Work } from '../../core/work/work';
import type { z } from 'zod';

/** A secret, connection or file that a definition names; `path` is absolute: `steps[1].config.connectionCode`. */
export interface DefinitionReference extends Reference {
    /** Absent for a hook of the pipeline. */
    readonly stepKey?: string;
    readonly stepKind?: string;
    /** Of a step that is disabled: it is named, but nothing needs it. */
    readonly isDisabled: boolean;
}

/**
 * Every secret, connection and file that a definition names: in its steps, those that are disabled included, in the arguments of their
 * operators and rules, and in its hooks. The definition may have faults; what cannot be understood names nothing.
 */
export function definitionReferences(definition: unknown, registry: Registry): readonly DefinitionReference[] {
    return atOnce(findingDefinitionReferences(definition, registry));
}

/** As `definitionReferences`, for whoever must not hold others up. */
export function* findingDefinitionReferences(
    definition: unknown,
    registry: Registry,
): Work<readonly DefinitionReference[]> {
    const all: DefinitionReference[] = [];
    if (!isJsonObject(definition)) return all;
    for (const [index, step] of listOf(definition['steps']).entries()) {
        if (isJsonObject(step)) yield* ofStep(step, pathTo('steps', index), { registry, all });
        yield;
    }
    const hooks = isJsonObject(definition['hooks']) ? definition['hooks'] : {};
    for (const [stage, list] of Object.entries(hooks)) {
        for (const [index, hook] of listOf(list).entries())
            yield* ofHook(hook, pathTo(pathTo('hooks', stage), index), all);
    }
    return all;
}

interface Search {
    readonly registry: Registry;
    readonly all: DefinitionReference[];
}

function* ofStep(step: JsonObject, path: string, { registry, all }: Search): Work<void> {
    const { key, kind, disabled } = step;
    const isDisabled = disabled === true;
    const about = {
        isDisabled,
        ...(typeof key === 'string' && { stepKey: key }),
        ...(typeof kind === 'string' && { stepKind: kind }),
    };
    for (const part of configured(step, pathTo(path, 'config'), registry))
        for (const reference of yield* found(part)) all.push({ ...reference, ...about });
}

function* ofHook(hook: JsonValue, path: string, all: DefinitionReference[]): Work<void> {
    if (!isJsonObject(hook)) return;
    const schema = Object.entries(EXECUTABLE_HOOKS).find(([type]) => type === hook['type'])?.[1];
    if (!schema) return;
    for (const reference of yield* found({ schema, value: hook, path })) all.push({ ...reference, isDisabled: false });
}

/** A value, the schema that it is written by, and where it stands. */
interface Part {
    readonly schema: z.ZodObject;
    readonly value: JsonObject;
    readonly path: string;
}

function* configured({ kind, config }: JsonObject, path: string, registry: Registry): Iterable<Part> {
    if (!isJsonObject(config)) return;
    if (kind === 'TRANSFORM') return yield* operators({ schema: transformConfig, value: config, path }, registry);
    if (kind === 'VALIDATE') {
        for (const [index, call] of listOf(config['rules']).entries())
            yield* rule(call, pathTo(pathTo(path, 'rules'), index), registry);
        return;
    }
    const { type, adapterCode } = config;
    const adapter =
        kind === 'TRIGGER' && typeof type === 'string'
            ? registry.find('trigger', type)
            : kind === 'EXTRACT' && typeof adapterCode === 'string'
              ? registry.find('extractor', adapterCode)
              : kind === 'LOAD' && typeof adapterCode === 'string'
                ? registry.find('loader', adapterCode)
                : undefined;
    if (adapter) yield { schema: adapter.config, value: config, path };
}

/** The arguments of the operators that a configuration calls, and of those within them. */
function* operators({ schema, value, path }: Part, registry: Registry): Iterable<Part> {
    for (const { call, path: at } of callsWithin(schema, value)) {
        if (!isJsonObject(call) || typeof call['op'] !== 'string' || !isJsonObject(call['args'])) continue;
        const known = registry.find('operator', call['op']);
        if (!known) continue;
        const args: Part = { schema: known.config, value: call['args'], path: pathTo(pathTo(path, at), 'args') };
        yield args;
        yield* operators(args, registry);
    }
}

function* rule(call: JsonValue, path: string, registry: Registry): Iterable<Part> {
    if (!isJsonObject(call) || typeof call['type'] !== 'string' || !isJsonObject(call['spec'])) return;
    const known = registry.find('rule', call['type']);
    if (known) yield { schema: known.config, value: call['spec'], path: pathTo(path, 'spec') };
}

function* found({ schema, value, path }: Part): Work<readonly Reference[]> {
    yield;
    const references = yield* findingReferences(schema, yield* puttingRealEnumValues(schema, value));
    return references.map(reference => ({ ...reference, path: pathTo(path, reference.path) }));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
