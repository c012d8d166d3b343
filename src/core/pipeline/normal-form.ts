import { type z } from 'zod';
import type { Registry } from '../adapter/registry';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { withoutDefaults } from '../schema/defaults';
import { withCalls } from '../schema/operator-calls';
import { withRealEnumValues } from './enum-aliases';
import { capabilitiesSchema, errorHandlingSchema, throughputSchema } from '../schema/settings';
import { findStepKind } from '../steps/kinds';
import type { AdapterCalls, OneAdapter } from '../steps/kinds/step-kind';

const SETTINGS = {
    capabilities: capabilitiesSchema,
    throughput: throughputSchema,
    errorHandling: errorHandlingSchema,
} as const;

/** How settings are normalized: by adding defaults, or by removing them. */
type UsualValue = 'added' | 'left out';

/** The settings of a definition in addition to steps and edges, equal for equal meaning. Invalid values stay unchanged. */
export function normalSettings(
    { steps: _steps, edges: _edges, hooks, ...others }: JsonObject,
    usualValue: UsualValue,
): JsonObject {
    const settings = Object.fromEntries(
        Object.entries(SETTINGS).map(([name, schema]): [string, JsonValue] => {
            const given = others[name] === undefined ? {} : others[name];
            return [name, isJsonObject(given) ? normalSetting(schema, given, usualValue) : given];
        }),
    );
    const capabilities = isJsonObject(settings['capabilities'])
        ? withSortedPermissions(settings['capabilities'])
        : settings['capabilities'];
    // An empty list of hooks does what none does.
    const stages = isJsonObject(hooks)
        ? Object.fromEntries(Object.entries(hooks).filter(([, list]) => !isEmptyList(list)))
        : (hooks ?? {});
    return { ...others, ...settings, ...(capabilities !== undefined && { capabilities }), hooks: stages };
}

function normalSetting(schema: z.ZodObject, given: JsonObject, usualValue: UsualValue): JsonObject {
    return usualValue === 'left out'
        ? (withoutDefaults(schema, given) as JsonObject)
        : { ...(schema.parse({}) as JsonObject), ...given };
}

/** Permissions are a set: their order means nothing. */
function withSortedPermissions(capabilities: JsonObject): JsonObject {
    const { requires } = capabilities;
    if (!Array.isArray(requires)) return capabilities;
    const once = new Map(requires.map((permission: JsonValue) => [canonicalJson(permission), permission]));
    return { ...capabilities, requires: [...once.keys()].sort().map(text => once.get(text)!) };
}

function isEmptyList(value: JsonValue): boolean {
    return Array.isArray(value) && value.length === 0;
}

/** A step with adapter codes and enum values under their real names and without what only spells out a default. */
export function normalStep(step: JsonObject, registry: Registry | undefined): JsonObject {
    const { disabled, retry, config, ...others } = step;
    // One that says nothing does what none does.
    const saysNothing = retry === undefined || (isJsonObject(retry) && Object.keys(retry).length === 0);
    return {
        ...others,
        disabled: disabled ?? false,
        ...(!saysNothing && { retry }),
        ...(config !== undefined && {
            config: isJsonObject(config) ? normalConfig(step.kind, config, registry) : config,
        }),
    };
}

/**
 * The configuration of an unknown kind stays unchanged. Calls of operators stay unchanged too, because there may be tens of thousands; the
 * comparison normalises them one by one (`normalCall`).
 */
function normalConfig(kind: JsonValue | undefined, config: JsonObject, registry: Registry | undefined): JsonObject {
    const known = findStepKind(kind);
    if (!registry || !known) return config;
    const { adapters, frame } = known;
    if (adapters.form === 'one') return ofAdapter(config, adapters, registry);
    if (adapters.form === 'none') return normalArguments(frame, config);
    const { [adapters.list]: calls, ...rest } = config;
    const list = Array.isArray(calls) ? calls.map((call: JsonValue) => ofCall(call, adapters, registry)) : calls;
    return { ...normalArguments(frame, rest), ...(list !== undefined && { [adapters.list]: list }) };
}

/** A call of an operator, likewise; calls without arguments have empty ones. */
export function normalCall(call: JsonValue, registry: Registry | undefined): JsonValue {
    if (!isJsonObject(call) || typeof call.op !== 'string') return call;
    if (call.disabled === false) {
        const { disabled: _usual, ...enabled } = call;
        return normalCall(enabled, registry);
    }
    const operator = registry?.find('operator', call.op);
    const args = call.args ?? {};
    if (!operator || !isJsonObject(args)) return { ...call, args };
    const normal = withCalls(operator.config, normalArguments(operator.config, args), inner =>
        normalCall(inner.call, registry),
    );
    return { ...call, op: operator.code, args: normal };
}

function ofCall(call: JsonValue, { kind, code: field, value }: AdapterCalls, registry: Registry): JsonValue {
    const code = isJsonObject(call) ? call[field] : undefined;
    const given = isJsonObject(call) ? call[value] : undefined;
    if (kind === 'operator' || !isJsonObject(call) || typeof code !== 'string' || !isJsonObject(given)) return call;
    const known = registry.find(kind, code);
    return known ? { ...call, [field]: known.code, [value]: normalArguments(known.config, given) } : call;
}

function ofAdapter(config: JsonObject, { kind, field }: OneAdapter, registry: Registry): JsonObject {
    const { [field]: code, ...own } = config;
    const adapter = typeof code === 'string' ? registry.find(kind, code) : undefined;
    return adapter ? { [field]: adapter.code, ...normalArguments(adapter.config, own) } : config;
}

function normalArguments(schema: z.ZodObject, value: JsonObject): JsonObject {
    return withoutDefaults(schema, withRealEnumValues(schema, value)) as JsonObject;
}
