import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';
import { definitionOf, type Schema } from './definition';
import { bare, childSchema } from './walk';

/** Where a text is within a value. */
export interface SchemaText {
    /** `auth.secretCode`, `keys[0]`. */
    readonly path: string;
    /** The object that the text is a field of. */
    readonly holder?: JsonObject;
}

/** Is called with each text of a value and the schema of its field. */
interface TextVisitor {
    /** True for a field that is visited as a whole, whatever its alternatives are. */
    isField(schema: Schema): boolean;
    visit(schema: Schema, text: string, place: SchemaText): void;
}

/** Visits each text of a value at any depth, as interruptible work. Values that the schema does not know are skipped. */
export function visitTexts(schema: Schema, value: JsonValue, visitor: TextVisitor): YieldingTask<void> {
    return visitWithin(schema, value, { visitor, place: { path: '' } });
}

interface Walk {
    readonly visitor: TextVisitor;
    readonly place: SchemaText;
}

function* visitWithin(schema: Schema, value: JsonValue, walk: Walk): YieldingTask<void> {
    const { visitor, place } = walk;
    const { path } = place;
    const parts = partsOf(schema, value, visitor);
    if (parts) {
        for (const part of parts) yield* visitWithin(part, value, walk);
    } else if (typeof value === 'string') {
        visitor.visit(schema, value, place);
    } else if (Array.isArray(value)) {
        for (const [index, inner] of (value as readonly JsonValue[]).entries()) {
            const child = childSchema(schema, index, value);
            if (child) yield* visitWithin(child, inner, { visitor, place: { path: `${path}[${index}]` } });
            if (index % SMALL_STEPS === 0) yield;
        }
    } else if (isJsonObject(value)) {
        for (const [index, [key, inner]] of Object.entries(value).entries()) {
            const child = childSchema(schema, key, value);
            const at = path === '' ? key : `${path}.${key}`;
            if (child) yield* visitWithin(child, inner, { visitor, place: { path: at, holder: value } });
            if (index % SMALL_STEPS === 0) yield;
        }
    }
}

/**
 * The schemas that a value must fit if one is composed: both sides of an intersection, or the alternative that the
 * value selects.
 */
function partsOf(schema: Schema, value: JsonValue, visitor: TextVisitor): readonly Schema[] | undefined {
    const definition = definitionOf(bare(schema));
    if (definition.type === 'intersection') return [definition.left, definition.right];
    if (definition.type !== 'union' || visitor.isField(schema)) return undefined;
    const chosen = definition.options.find(option => z.safeParse(option, value).success);
    // An invalid value fits no alternative; its texts are found by the type of the value.
    return chosen ? [chosen] : undefined;
}

/** The paths of all fields of a schema that `isWanted`, `keys[]` for those of a list. */
export function fieldsWhere(schema: Schema, isWanted: (field: Schema) => boolean): readonly string[] {
    return [...new Set(pathsWhere(schema, isWanted, { path: '', above: new Set() }))];
}

function pathsWhere(
    schema: Schema,
    isWanted: (field: Schema) => boolean,
    { path, above }: { readonly path: string; readonly above: ReadonlySet<Schema> },
): readonly string[] {
    if (isWanted(schema)) return [path];
    const inner = bare(schema);
    // A schema that holds itself has no other fields below.
    if (above.has(inner)) return [];
    const within = (child: Schema, at: string): readonly string[] =>
        pathsWhere(child, isWanted, { path: at, above: new Set([...above, inner]) });
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
