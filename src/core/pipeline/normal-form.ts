import { type z } from 'zod';
import type { Registry } from '../adapter/registry';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { withoutDefaults } from '../schema/defaults';
import { withCalls } from '../schema/operator-calls';
import { withRealEnumValues } from './enum-aliases';
import { routeConfig } from './route-config';
import { capabilitiesSchema, errorHandlingSchema, throughputSchema } from '../schema/settings';
import { validateFrame } from './validate-config';

const SETTINGS = {
    capabilities: capabilitiesSchema,
    throughput: throughputSchema,
    errorHandling: errorHandlingSchema,
} as const;

/** How settings are made alike: by adding what is usual where it is not said, or by leaving out what is usual. */
export type Usual = 'added' | 'left out';

/** Whatever a definition has beside steps and edges, equal for equal meaning. Faults stay as they are. */
export function normalSettings(
    { steps: _steps, edges: _edges, hooks, ...others }: JsonObject,
    usual: Usual,
): JsonObject {
    const settings = Object.fromEntries(
        Object.entries(SETTINGS).map(([name, schema]): [string, JsonValue] => {
            const given = others[name] === undefined ? {} : others[name];
            return [name, isJsonObject(given) ? normalSetting(schema, given, usual) : given];
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

function normalSetting(schema: z.ZodObject, given: JsonObject, usual: Usual): JsonObject {
    return usual === 'left out'
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
    const { disabled, config, ...others } = step;
    return {
        ...others,
        disabled: disabled ?? false,
        ...(config !== undefined && {
            config: isJsonObject(config) ? normalConfig(step.kind, config, registry) : config,
        }),
    };
}

function normalConfig(kind: JsonValue | undefined, config: JsonObject, registry: Registry | undefined): JsonObject {
    if (!registry) return config;
    switch (kind) {
        case 'TRIGGER':
            return ofAdapter(config, 'type', code => registry.find('trigger', code));
        case 'EXTRACT':
            return ofAdapter(config, 'adapterCode', code => registry.find('extractor', code));
        case 'LOAD':
            return ofAdapter(config, 'adapterCode', code => registry.find('loader', code));
        case 'ROUTE':
            return normalArguments(routeConfig, config);
        case 'VALIDATE': {
            const { rules, ...rest } = normalArguments(validateFrame, config);
            return {
                ...rest,
                ...(rules !== undefined && {
                    rules: Array.isArray(rules) ? rules.map((rule: JsonValue) => normalRule(rule, registry)) : rules,
                }),
            };
        }
        default:
            return config;
    }
}

/** A call of an operator, likewise; calls without arguments have empty ones. */
export function normalCall(call: JsonValue, registry: Registry | undefined): JsonValue {
    if (!isJsonObject(call) || typeof call.op !== 'string') return call;
    const operator = registry?.find('operator', call.op);
    const args = call.args ?? {};
    if (!operator || !isJsonObject(args)) return { ...call, args };
    const normal = withCalls(operator.config, normalArguments(operator.config, args), inner =>
        normalCall(inner.call, registry),
    );
    return { ...call, op: operator.code, args: normal };
}

function normalRule(rule: JsonValue, registry: Registry): JsonValue {
    if (!isJsonObject(rule) || typeof rule.type !== 'string' || !isJsonObject(rule.spec)) return rule;
    const known = registry.find('rule', rule.type);
    return known ? { ...rule, type: known.code, spec: normalArguments(known.config, rule.spec) } : rule;
}

interface Adapter {
    readonly code: string;
    readonly config: z.ZodObject;
}

function ofAdapter(
    config: JsonObject,
    field: 'type' | 'adapterCode',
    find: (code: string) => Adapter | undefined,
): JsonObject {
    const { [field]: code, ...own } = config;
    const adapter = typeof code === 'string' ? find(code) : undefined;
    return adapter ? { [field]: adapter.code, ...normalArguments(adapter.config, own) } : config;
}

function normalArguments(schema: z.ZodObject, value: JsonObject): JsonObject {
    return withoutDefaults(schema, withRealEnumValues(schema, value)) as JsonObject;
}
