import { z } from 'zod';
import type { JsonObject } from '../value/json';

/** The JSON Schema of what may be written (defaults are optional in it); the dashboard's forms and the reference come from it. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' });
    // zod hands out plain JSON with its validator hidden beside it; through text and back only the JSON is left.
    return JSON.parse(JSON.stringify(rest)) as JsonObject;
}
