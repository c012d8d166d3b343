import type { z } from 'zod';
import { own } from '../data/own-properties';
import { definitionOf, rulesOf, type Schema, wrappedBy } from './definition';

/** The allowed range of a number, length or size. */
export interface Range {
    readonly of: 'number' | 'string' | 'array';
    readonly least?: Bound | undefined;
    readonly most?: Bound | undefined;
}

/** One end of a range. */
export interface Bound {
    readonly value: number;
    /** The value itself is not allowed. */
    readonly isExclusive?: boolean;
}

/** Unwraps a schema that only wraps another one: optional, nullable, default, lazy … */
export function bare(schema: Schema): Schema {
    const inner = wrappedBy(schema);
    return inner ? bare(inner) : schema;
}

/** The schema of a property or element; undefined if it is unknown. The value selects between alternatives. */
export function childSchema(schema: Schema, key: PropertyKey, value: unknown): Schema | undefined {
    const definition = definitionOf(bare(schema));
    switch (definition.type) {
        case 'object':
            return own(definition.shape, String(key));
        case 'array':
            return definition.element;
        case 'record':
            return definition.valueType;
        case 'union': {
            const chosen = chosenBy(definition, value);
            return chosen && childSchema(chosen, key, value);
        }
        default:
            return undefined;
    }
}

/** The alternatives of a schema that has several. */
export function alternativesOf(schema: Schema): readonly Schema[] {
    const definition = definitionOf(bare(schema));
    return definition.type === 'union' ? definition.options : [];
}

type Union = z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef;

function chosenBy(union: Union, value: unknown): Schema | undefined {
    const discriminator = 'discriminator' in union ? union.discriminator : undefined;
    return union.options.find(option => chooses(option, discriminator, value));
}

function chooses(option: Schema, discriminator: string | undefined, value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const definition = definitionOf(bare(option));
    if (Array.isArray(value)) return definition.type === 'array';
    if (definition.type !== 'object') return definition.type === 'record' && discriminator === undefined;
    if (discriminator === undefined) return true;
    const tag = own(definition.shape, discriminator);
    const listed = tag && listedBy(tag);
    return listed?.includes((value as Record<string, unknown>)[discriminator]) === true;
}

/** The values that a schema allows, if it lists them all; undefined for all others. */
export function listedBy(schema: Schema): readonly unknown[] | undefined {
    const definition = definitionOf(schema);
    switch (definition.type) {
        case 'enum':
            return Object.values(definition.entries);
        case 'literal':
            return definition.values;
        case 'null':
            return [null];
        case 'union': {
            const lists = definition.options.map(listedBy);
            return lists.every(list => list !== undefined) ? lists.flat() : undefined;
        }
        default: {
            const inner = wrappedBy(schema);
            const listed = inner && listedBy(inner);
            if (definition.type === 'nullable') return listed && [...listed, null];
            return definition.type === 'optional' ? listed && [...listed, undefined] : listed;
        }
    }
}

/** The fields of an object schema, or of the alternative that the value selects; undefined for all others. */
export function knownKeys(schema: Schema, value: unknown): readonly string[] | undefined {
    const definition = definitionOf(bare(schema));
    if (definition.type === 'object') return Object.keys(definition.shape);
    const chosen = definition.type === 'union' ? chosenBy(definition, value) : undefined;
    return chosen && knownKeys(chosen, value);
}

/** True for a schema of whole numbers. */
export function isWhole(schema: Schema): boolean {
    return rulesOf(bare(schema)).some(rule => rule.check === 'number_format' && rule.format.includes('int'));
}

/** Both ends of the range that a schema allows; undefined if it sets no bounds. */
export function rangeOf(schema: Schema): Range | undefined {
    const { type } = definitionOf(bare(schema));
    if (type !== 'number' && type !== 'string' && type !== 'array') return undefined;
    let least: Bound | undefined;
    let most: Bound | undefined;
    for (const rule of rulesOf(bare(schema))) {
        if (rule.check === 'greater_than') least = { value: Number(rule.value), isExclusive: !rule.inclusive };
        if (rule.check === 'less_than') most = { value: Number(rule.value), isExclusive: !rule.inclusive };
        if (rule.check === 'min_length') least = { value: rule.minimum };
        if (rule.check === 'max_length') most = { value: rule.maximum };
        if (rule.check === 'length_equals') least = most = { value: rule.length };
    }
    return least || most ? { of: type, least, most } : undefined;
}
