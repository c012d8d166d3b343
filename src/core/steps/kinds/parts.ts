import type { z } from 'zod';
import type { AdapterBase } from '../../adapter/base';
import type { Registry } from '../../adapter/registry';
import { isJsonObject, type JsonObject, type JsonValue } from '../../value/json';
import { callsWithin } from '../../schema/operator-calls';
import type { AdapterCalls, OneAdapter, StepKindDeclaration } from './step-kind';

/** An adapter as a step names it. */
interface NamedAdapter {
    readonly kind: OneAdapter['kind'];
    readonly code: string;
}

/** A part of a step's configuration: the step's own fields, or the arguments of one of its adapters. */
export interface ConfiguredPart {
    /** Absent for the fields of the step itself. */
    readonly named?: NamedAdapter;
    /** Absent if no adapter has the code. */
    readonly adapter?: AdapterBase;
    /** What the value is written by; absent where the adapter is. */
    readonly schema?: z.ZodObject;
    readonly value: JsonObject;
    /** The path in the configuration, such as `operators[0].args`; empty for the whole configuration. */
    readonly path: string;
}

/** A call of an operator. */
const OPERATOR = { kind: 'operator', code: 'op', value: 'args' } as const;

const NOTHING: JsonObject = {};

/**
 * Every part of a step's configuration, in the order of the configuration, including operators within operators. The configuration may be invalid;
 * a value that is not a call has no adapter name.
 */
export function* partsOf(
    { frame, adapters }: StepKindDeclaration,
    config: JsonObject,
    registry: Registry,
): Iterable<ConfiguredPart> {
    if (Object.keys(frame.shape).length > 0) yield { schema: frame, value: config, path: '' };
    if (adapters.form === 'one') {
        const code = config[adapters.field];
        if (typeof code === 'string')
            yield partOf({ kind: adapters.kind, code }, { value: config, path: '' }, registry);
    } else if (adapters.form === 'calls') {
        const calls = config[adapters.list];
        for (const [index, call] of (Array.isArray(calls) ? (calls as readonly JsonValue[]) : []).entries())
            yield* partsOfCall({ call, path: `${adapters.list}[${index}]` }, adapters, registry);
    }
}

function* partsOfCall(
    { call, path }: { readonly call: JsonValue; readonly path: string },
    shape: Pick<AdapterCalls, 'kind' | 'code' | 'value'>,
    registry: Registry,
): Iterable<ConfiguredPart> {
    const code = isJsonObject(call) ? call[shape.code] : undefined;
    if (!isJsonObject(call) || typeof code !== 'string') return;
    const given = call[shape.value];
    const value = isJsonObject(given) ? given : NOTHING;
    const part = partOf({ kind: shape.kind, code }, { value, path: `${path}.${shape.value}` }, registry);
    yield part;
    if (!part.schema) return;
    for (const inner of callsWithin(part.schema, value))
        yield* partsOfCall({ call: inner.call, path: `${part.path}.${inner.path}` }, OPERATOR, registry);
}

function partOf(
    named: NamedAdapter,
    place: Pick<ConfiguredPart, 'value' | 'path'>,
    registry: Registry,
): ConfiguredPart {
    const adapter = registry.find(named.kind, named.code);
    return { named, ...(adapter && { adapter, schema: adapter.config }), ...place };
}
