import { z } from 'zod';
import { isJsonObject, type JsonValue } from '../data/json';
import { childSchema } from '../schema/walk';

type Schema = z.core.$ZodType;

/**
 * Replaces the other spellings of enum values by the real ones, before a schema is applied (spec 4, names 2 and "enum
 * values"). An enum that has them says so: `z.enum(['POSTGRES']).meta({ aliases: { DB_KIND_A: 'POSTGRES' } })`; it is then
 * matched without regard to case. Whatever matches nothing stays, for the schema to refuse.
 */
export function withRealEnumValues(schema: Schema, value: JsonValue): JsonValue {
    if (typeof value === 'string') return realValue(schema, value);
    if (Array.isArray(value))
        return value.map((element: JsonValue, index) => inside(childSchema(schema, index, value), element));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
        Object.entries(value).map(([key, field]) => [key, inside(childSchema(schema, key, value), field)]),
    );
}

function inside(schema: Schema | undefined, value: JsonValue): JsonValue {
    return schema === undefined ? value : withRealEnumValues(schema, value);
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
    const { innerType } = schema._zod.def as { readonly innerType?: Schema };
    const inner = innerType === undefined ? undefined : spellings(innerType);
    const values = inner?.values ?? [...(schema._zod.values ?? [])].filter(value => typeof value === 'string');
    return { aliases: aliases ?? inner?.aliases, values };
}
