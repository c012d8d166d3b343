import type { Registry } from '../../core/adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { withRealEnumValues } from '../../core/pipeline/enum-aliases';
import { EXECUTABLE_HOOKS } from '../../core/pipeline/hook-definition';
import { pathTo } from '../../core/pipeline/issues';
import { callsWithin, transformConfig } from '../../core/schema/operator-calls';
import { type Reference, referencesOf } from '../../core/schema/references';
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
    if (!isJsonObject(definition)) return [];
    const steps = listOf(definition['steps']).flatMap((step, index) =>
        isJsonObject(step) ? ofStep(step, pathTo('steps', index), registry) : [],
    );
    const hooks = isJsonObject(definition['hooks']) ? definition['hooks'] : {};
    return [
        ...steps,
        ...Object.entries(hooks).flatMap(([stage, list]) =>
            listOf(list).flatMap((hook, index) => ofHook(hook, pathTo(pathTo('hooks', stage), index))),
        ),
    ];
}

function ofStep(step: JsonObject, path: string, registry: Registry): readonly DefinitionReference[] {
    const { key, kind, disabled } = step;
    const isDisabled = disabled === true;
    const about = {
        isDisabled,
        ...(typeof key === 'string' && { stepKey: key }),
        ...(typeof kind === 'string' && { stepKind: kind }),
    };
    return configured(step, pathTo(path, 'config'), registry).flatMap(part =>
        found(part).map(reference => ({ ...reference, ...about })),
    );
}

function ofHook(hook: JsonValue, path: string): readonly DefinitionReference[] {
    if (!isJsonObject(hook)) return [];
    const schema = Object.entries(EXECUTABLE_HOOKS).find(([type]) => type === hook['type'])?.[1];
    return schema ? found({ schema, value: hook, path }).map(reference => ({ ...reference, isDisabled: false })) : [];
}

/** A value, the schema that it is written by, and where it stands. */
interface Part {
    readonly schema: z.ZodObject;
    readonly value: JsonObject;
    readonly path: string;
}

function configured({ kind, config }: JsonObject, path: string, registry: Registry): readonly Part[] {
    if (!isJsonObject(config)) return [];
    if (kind === 'TRANSFORM') return operators({ schema: transformConfig, value: config, path }, registry);
    if (kind === 'VALIDATE')
        return listOf(config['rules']).flatMap((call, index) =>
            rule(call, pathTo(pathTo(path, 'rules'), index), registry),
        );
    const { type, adapterCode } = config;
    const adapter =
        kind === 'TRIGGER' && typeof type === 'string'
            ? registry.find('trigger', type)
            : kind === 'EXTRACT' && typeof adapterCode === 'string'
              ? registry.find('extractor', adapterCode)
              : kind === 'LOAD' && typeof adapterCode === 'string'
                ? registry.find('loader', adapterCode)
                : undefined;
    return adapter ? [{ schema: adapter.config, value: config, path }] : [];
}

/** The arguments of the operators that a configuration calls, and of those within them. */
function operators({ schema, value, path }: Part, registry: Registry): readonly Part[] {
    return callsWithin(schema, value).flatMap(({ call, path: at }) => {
        if (!isJsonObject(call) || typeof call['op'] !== 'string' || !isJsonObject(call['args'])) return [];
        const known = registry.find('operator', call['op']);
        if (!known) return [];
        const args: Part = { schema: known.config, value: call['args'], path: pathTo(pathTo(path, at), 'args') };
        return [args, ...operators(args, registry)];
    });
}

function rule(call: JsonValue, path: string, registry: Registry): readonly Part[] {
    if (!isJsonObject(call) || typeof call['type'] !== 'string' || !isJsonObject(call['spec'])) return [];
    const known = registry.find('rule', call['type']);
    return known ? [{ schema: known.config, value: call['spec'], path: pathTo(path, 'spec') }] : [];
}

function found({ schema, value, path }: Part): readonly Reference[] {
    return referencesOf(schema, withRealEnumValues(schema, value)).map(reference => ({
        ...reference,
        path: pathTo(path, reference.path),
    }));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
