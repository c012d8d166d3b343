import { z } from 'zod';
import type { JsonObject, JsonValue } from '../value/json';
import type { YieldingTask } from '../concurrency/yielding-task';
import type { Widget } from './fields';

/** An operator and its arguments, as a definition has them. */
export interface OperatorCall {
    readonly op: string;
    readonly args: Readonly<Record<string, unknown>>;
    /** If true, the operator is skipped and keeps its position. */
    readonly disabled?: boolean | undefined;
}

declare const CALLS: unique symbol;

/** The input type of a list of calls. A builder that knows the operators narrows it to their calls. */
export interface OperatorCallsInput extends ReadonlyArray<{
    readonly op: string;
    readonly args?: object;
    readonly disabled?: boolean;
}> {
    readonly [CALLS]?: never;
}

/** Matches the type of a field that `operatorCalls` has built. */
export type IsOperatorCalls<T> = typeof CALLS extends keyof T ? true : false;

const WIDGET = 'operators' satisfies Widget;

/** A call of an operator. The operator's own schema validates its arguments. */
export const callFrame = z.strictObject({
    op: z.string().meta({ title: 'Operator', description: 'Code of the operator.' }),
    args: z
        .record(z.string(), z.unknown())
        .default({})
        .meta({ title: 'Arguments', description: 'Arguments of the operator.' }),
    disabled: z.boolean().optional().meta({
        title: 'Disabled',
        description: 'A disabled operator is skipped: records pass on to the next one unchanged.',
    }),
});

/**
 * A field for operators that run one after another: those of a step, or those that another operator runs. Flow
 * validates its calls, resolves aliases, collects references, compares and compiles them as it does for the calls of a
 * step.
 */
export function operatorCalls(
    title: string,
    description: string,
    atLeast: 0 | 1 = 1,
): z.ZodType<readonly OperatorCall[], OperatorCallsInput> {
    const calls = z.array(callFrame).min(atLeast).meta({ title, description, widget: WIDGET });
    return calls as z.ZodType<unknown, unknown> as z.ZodType<readonly OperatorCall[], OperatorCallsInput>;
}

/** A call within a configuration, and its path there: `operators[1]`. */
interface CallWithin {
    readonly call: JsonValue;
    readonly path: string;
}

/** The calls within a configuration, including invalid ones. */
export function callsWithin(schema: z.ZodObject, config: JsonObject): readonly CallWithin[] {
    return fieldsOfCalls(schema).flatMap(field => {
        const calls = config[field];
        return isList(calls) ? calls.map((one, index) => ({ call: one, path: `${field}[${index}]` })) : [];
    });
}

/** A configuration with each of its calls replaced. */
export function withCalls(
    schema: z.ZodObject,
    config: JsonObject,
    other: (within: CallWithin) => JsonValue,
): JsonObject {
    const fields = fieldsOfCalls(schema);
    if (fields.length === 0) return config;
    return Object.fromEntries(
        Object.entries(config).map(([field, value]): [string, JsonValue] => [
            field,
            fields.includes(field) && isList(value)
                ? value.map((one, index) => other({ call: one, path: `${field}[${index}]` }))
                : value,
        ]),
    );
}

/** Like `withCalls`, as interruptible work. */
export function* puttingCalls(
    fields: readonly string[],
    config: JsonObject,
    other: (within: CallWithin) => YieldingTask<JsonValue>,
): YieldingTask<JsonObject> {
    const put: Record<string, readonly JsonValue[]> = {};
    for (const field of fields) {
        const calls = config[field];
        if (!isList(calls)) continue;
        const others: JsonValue[] = [];
        for (const [index, one] of calls.entries()) {
            others.push(yield* other({ call: one, path: `${field}[${index}]` }));
            yield;
        }
        put[field] = others;
    }
    return { ...config, ...put };
}

/** The names of the fields of a schema that hold calls. */
export function fieldsOfCalls(schema: z.ZodObject): readonly string[] {
    let fields = known.get(schema);
    if (!fields) {
        fields = Object.entries(schema.shape)
            .filter(([, field]) => (field as z.ZodType).meta?.()?.['widget'] === WIDGET)
            .map(([name]) => name);
        known.set(schema, fields);
    }
    return fields;
}

const known = new WeakMap<z.ZodObject, readonly string[]>();

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
    return Array.isArray(value);
}
