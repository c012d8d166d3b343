import { z } from 'zod';
import type { JsonObject } from '../value/json';

/**
 * The JSON Schema of the input (fields with a default are optional in it). The dashboard's forms and the reference
 * pages are built from it.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' });
    // zod attaches its validator to the JSON Schema as a hidden property; only the JSON survives serialization.
    return JSON.parse(JSON.stringify(rest)) as JsonObject;
}
