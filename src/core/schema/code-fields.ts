import { z } from 'zod';
import type { Schema } from './definition';
import { bare } from './walk';

const MAX_CODE = 100_000;

const marked = new WeakSet<Schema>();

/** A field for JavaScript that stands in a definition. `codeFieldsOf` finds it, so whoever brings code in needs the permission for it. */
export function scriptCode(title: string, description: string): z.ZodString {
    const field = z.string().min(1).max(MAX_CODE).meta({ title, description, widget: 'textarea' });
    marked.add(field);
    return field;
}

const known = new WeakMap<z.ZodObject, readonly string[]>();

/** The names of the fields of a schema that hold code. */
export function codeFieldsOf(schema: z.ZodObject): readonly string[] {
    let fields = known.get(schema);
    if (!fields) {
        fields = Object.entries(schema.shape)
            .filter(([, field]) => marked.has(bare(field as Schema)))
            .map(([name]) => name);
        known.set(schema, fields);
    }
    return fields;
}
