import { z } from 'zod';
import type { JsonValue } from '../value/json';
import { type Schema, wrappedBy } from '../schema/definition';
import { childSchema, listedBy } from '../schema/walk';
import { runAtOnce, SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';

/**
 * Replaces alternative spellings of enum values by the actual ones, before a schema is applied. An enum declares them: `z.enum(['POSTGRES']).meta({
 * aliases: { DB_KIND_A: 'POSTGRES' } })`; it is then matched case-insensitively. A value without a match stays, and the schema rejects it.
 */
export function withRealEnumValues(schema: Schema, value: JsonValue): JsonValue {
    return runAtOnce(puttingRealEnumValues(schema, value));
}

/** As `withRealEnumValues`. */
export function* puttingRealEnumValues(schema: Schema, value: JsonValue): YieldingTask<JsonValue> {
    if (typeof value !== 'object' || value === null) return realScalar(schema, value);
    const parts: Array<[string, JsonValue]> = [];
    for (const [key, part] of Object.entries(value) as ReadonlyArray<[string, JsonValue]>) {
        const inner = childSchema(schema, key, value);
        const isWhole = inner === undefined || typeof part !== 'object';
        parts.push([key, isWhole ? realScalar(inner, part) : yield* puttingRealEnumValues(inner, part)]);
        if (parts.length % SMALL_STEPS === 0) yield;
    }
    return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function realScalar(schema: Schema | undefined, value: JsonValue): JsonValue {
    return schema !== undefined && typeof value === 'string' ? realValue(schema, value) : value;
}

function realValue(schema: Schema, text: string): string {
    const { aliases, values } = spellings(schema);
    if (aliases === undefined) return text;
    const same = (spelling: string): boolean => spelling.toLowerCase() === text.toLowerCase();
    const alias = Object.keys(aliases).find(same);
    return alias === undefined ? (values.find(same) ?? text) : aliases[alias]!;
}

interface Spellings {
    readonly aliases?: Readonly<Record<string, string>>;
    readonly values: readonly string[];
}

/** Looks under `optional`, `default` and the like, since the meta data may have been given before or after them. */
function spellings(schema: Schema): Spellings {
    const aliases = z.globalRegistry.get(schema)?.['aliases'] as Spellings['aliases'];
    const wrapped = wrappedBy(schema);
    const inner = wrapped && spellings(wrapped);
    const texts = (listedBy(schema) ?? []).filter(value => typeof value === 'string');
    return { aliases: aliases ?? inner?.aliases, values: inner?.values ?? texts };
}
