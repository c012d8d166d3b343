import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { atOnce, SMALL_BITS, type Work } from '../work/work';
import { definitionOf, type Schema, wrappedBy } from './definition';
import { bare, childSchema } from './walk';

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
    return atOnce(findingReferences(schema, value));
}

/** Like `referencesOf`, as interruptible work. */
export function* findingReferences(schema: Schema, value: JsonValue): Work<readonly Reference[]> {
    const found: Reference[] = [];
    yield* collect(schema, value, { path: '', found });
    return found;
}

interface Walk {
    readonly path: string;
    /** The object that the value is a field of. */
    readonly holder?: JsonObject;
    readonly found: Reference[];
}

function* collect(schema: Schema, value: JsonValue, { path, found, holder }: Walk): Work<void> {
    const parts = partsOf(schema, value);
    if (parts) {
        for (const part of parts) yield* collect(part, value, { path, found, ...(holder && { holder }) });
    } else if (typeof value === 'string') {
        const meta = metaOf(schema);
        if (meta?.widget === 'secret' || meta?.widget === 'pipeline')
            found.push({ to: meta.widget, code: value, path });
        if (meta?.widget === 'file') {
            const { fileFormats: formats } = meta;
            found.push({ to: 'file', code: value, path, ...(formats && { formats }) });
        }
        if (meta?.widget === 'connection') {
            found.push({
                to: 'connection',
                code: value,
                path,
                ...(meta.connectionTypes && {
                    types: fittingTypes(meta.connectionTypes, holder?.[meta.connectionTypeField ?? '']),
                }),
            });
        }
    } else if (Array.isArray(value)) {
        for (const [index, inner] of (value as readonly JsonValue[]).entries()) {
            const child = childSchema(schema, index, value);
            if (child) yield* collect(child, inner, { path: `${path}[${index}]`, found });
            if (index % SMALL_BITS === 0) yield;
        }
    } else if (isJsonObject(value)) {
        for (const [index, [key, inner]] of Object.entries(value).entries()) {
            const child = childSchema(schema, key, value);
            if (child)
                yield* collect(child, inner, { path: path === '' ? key : `${path}.${key}`, found, holder: value });
            if (index % SMALL_BITS === 0) yield;
        }
    }
}

/** If a sibling field gives the connection's type, only that type fits. */
function fittingTypes(types: readonly string[], said: JsonValue | undefined): readonly string[] {
    return typeof said === 'string' && types.includes(said) ? [said] : types;
}

/**
 * The schemas that a value must fit if one is composed: both sides of an intersection, or the alternative that the
 * value selects.
 */
function partsOf(schema: Schema, value: JsonValue): readonly Schema[] | undefined {
    const definition = definitionOf(bare(schema));
    if (definition.type === 'intersection') return [definition.left, definition.right];
    // A field that is a reference as a whole, whatever its alternatives are.
    if (definition.type !== 'union' || metaOf(schema) !== undefined) return undefined;
    const chosen = definition.options.find(option => z.safeParse(option, value).success);
    // An invalid value fits no alternative; its references are found by the type of the value.
    return chosen ? [chosen] : undefined;
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
    return [...new Set(secretFields(schema, '', new Set()))];
}

function secretFields(schema: Schema, path: string, above: ReadonlySet<Schema>): readonly string[] {
    if (metaOf(schema)?.widget === 'secret') return [path];
    const inner = bare(schema);
    // A schema that holds itself has no other fields below.
    if (above.has(inner)) return [];
    const within = (child: Schema, at: string): readonly string[] =>
        secretFields(child, at, new Set([...above, inner]));
    const definition = definitionOf(inner);
    switch (definition.type) {
        case 'object':
            return Object.entries(definition.shape).flatMap(([key, child]) =>
                within(child, path === '' ? key : `${path}.${key}`),
            );
        case 'array':
            return within(definition.element, `${path}[]`);
        case 'record':
            return within(definition.valueType, `${path}.*`);
        case 'union':
            return definition.options.flatMap(option => within(option, path));
        case 'intersection':
            return [definition.left, definition.right].flatMap(part => within(part, path));
        default:
            return [];
    }
}
