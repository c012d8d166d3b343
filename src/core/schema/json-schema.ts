import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { choiceWords } from './choice-words';

/** Values of users, which are not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'showIf', 'examples', 'aliases', 'labels']);

/**
 * The JSON Schema of the input (fields with a default are optional in it). The dashboard's forms and the reference
 * pages are built from it. A choice has the words for its values as `labels`.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' });
    // zod attaches its validator to the JSON Schema as a hidden property; only the JSON survives serialization.
    return withChoiceWords(JSON.parse(JSON.stringify(rest)) as JsonObject) as JsonObject;
}

function withChoiceWords(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withChoiceWords);
    if (!isJsonObject(value)) return value;
    const inner = Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, DATA.has(key) ? one : withChoiceWords(one)]),
    );
    const labels =
        value.labels === undefined && Array.isArray(value.enum) ? choiceWords(value.enum.map(String)) : undefined;
    return labels === undefined ? inner : { ...inner, labels };
}
