import { z } from 'zod';
import type { Schema } from './definition';
import type { Widget } from './fields';
import { type CodeScope, SCRIPT_GLOBALS } from './script-scope';
import { bare } from './walk';

const MAX_CODE = 100_000;

const marked = new WeakSet<Schema>();

/**
 * A field for JavaScript code in a definition. `codeFieldsOf` finds it, so that saving code requires the permission for
 * it. The names that the code can use are in its JSON Schema (`scopes`, `globals`), for completion.
 */
export function scriptCode(title: string, description: string, scopes: readonly CodeScope[]): z.ZodString {
    const field = z
        .string()
        .min(1)
        .max(MAX_CODE)
        .meta({ title, description, widget: 'code' satisfies Widget, scopes, globals: SCRIPT_GLOBALS });
    marked.add(field);
    return field;
}

const known = new WeakMap<z.ZodObject, readonly string[]>();

/** The names of the fields of a schema that hold code. */
export function codeFieldsOf(schema: z.ZodObject): readonly string[] {
    let fields = known.get(schema);
    if (!fields) {
        fields = markedFields(schema, marked);
        known.set(schema, fields);
    }
    return fields;
}

const ofCode = new WeakSet<Schema>();

/**
 * A field that only code-first pipelines may set, not pipelines that are edited in the dashboard. `codeFirstFieldsOf`
 * finds it.
 */
export function codeFirst<S extends z.ZodType>(field: S): S {
    const shown = field.meta({ ...field.meta(), codeFirstOnly: true });
    ofCode.add(bare(shown));
    return shown;
}

/** The names of the fields of a schema that only code-first pipelines may set. */
export function codeFirstFieldsOf(schema: z.ZodObject): readonly string[] {
    return markedFields(schema, ofCode);
}

function markedFields(schema: z.ZodObject, marks: WeakSet<Schema>): readonly string[] {
    return Object.entries(schema.shape)
        .filter(([, field]) => marks.has(bare(field as Schema)))
        .map(([name]) => name);
}
