import type { z } from 'zod';
import type { JsonValue } from '../value/json';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import { type Schema, wrappedBy } from './definition';
import { fieldsWhere, type SchemaText, visitTexts } from './texts';

/** A secret, connection, uploaded file or pipeline that a configuration names. */
export interface Reference {
    readonly to: 'secret' | 'connection' | 'file' | 'pipeline';
    /** For a file: its id. */
    readonly code: string;
    /** The path within the configuration: `auth.secretCode`. */
    readonly path: string;
    /** For a connection: the types that fit. */
    readonly types?: readonly string[];
    /** For a file: the formats that can be read there. */
    readonly formats?: readonly string[];
}

interface FieldMeta {
    readonly widget?: unknown;
    readonly connectionTypes?: readonly string[];
    readonly connectionTypeField?: string;
    readonly fileFormats?: readonly string[];
}

const WIDGETS: readonly unknown[] = ['secret', 'connection', 'file', 'pipeline'] satisfies ReadonlyArray<
    Reference['to']
>;

/**
 * Every secret, connection, file and pipeline that a value names, at any depth, found by the schema's `secretCode()`
 * and `connectionCode()` fields and by the widgets for files and pipelines. Publishing, delete guards and resolving
 * references before a run all use it.
 */
export function referencesOf(schema: Schema, value: JsonValue): readonly Reference[] {
    return runAtOnce(findingReferences(schema, value));
}

/** Like `referencesOf`, as interruptible work. */
export function* findingReferences(schema: Schema, value: JsonValue): YieldingTask<readonly Reference[]> {
    const found: Reference[] = [];
    yield* visitTexts(schema, value, {
        isField: field => metaOf(field) !== undefined,
        visit: (field, code, place) => {
            const meta = metaOf(field);
            if (meta) found.push(...referenceOf(meta, code, place));
        },
    });
    return found;
}

function referenceOf(meta: FieldMeta, code: string, { path, holder }: SchemaText): readonly Reference[] {
    switch (meta.widget) {
        case 'secret':
        case 'pipeline':
            return [{ to: meta.widget, code, path }];
        case 'file':
            return [{ to: 'file', code, path, ...(meta.fileFormats && { formats: meta.fileFormats }) }];
        case 'connection': {
            const { connectionTypes: types, connectionTypeField: field = '' } = meta;
            return [{ to: 'connection', code, path, ...(types && { types: fittingTypes(types, holder?.[field]) }) }];
        }
        default:
            return [];
    }
}

/** If a sibling field gives the connection's type, only that type fits. */
function fittingTypes(types: readonly string[], said: JsonValue | undefined): readonly string[] {
    return typeof said === 'string' && types.includes(said) ? [said] : types;
}

/** The metadata of a reference is on its schema or on a wrapper, and either may have a separate title. */
function metaOf(schema: Schema): FieldMeta | undefined {
    const meta = (schema as z.ZodType).meta?.() as FieldMeta | undefined;
    if (WIDGETS.some(widget => widget === meta?.widget)) return meta;
    const inner = wrappedBy(schema);
    return inner && metaOf(inner);
}

/** The paths of all fields of a schema that take the code of a secret, `keys[]` for those of a list. */
export function secretFieldsOf(schema: Schema): readonly string[] {
    return fieldsWhere(schema, field => metaOf(field)?.widget === 'secret');
}
