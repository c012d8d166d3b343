import { z } from 'zod';
import { show } from '../value/show';
import { json, RESOURCE_CODE, CODE_ALLOWED, secretCode, type Widget } from './fields';

export const FIELD_TYPES = ['string', 'number', 'boolean', 'select', 'json', 'textarea', 'password'] as const;

/** One field of a form that is written as a list of fields. */
export interface ListedField {
    readonly key: string;
    readonly label: string;
    /** `password` takes the code of a secret, never the secret itself. */
    readonly type: (typeof FIELD_TYPES)[number];
    readonly required?: boolean;
    readonly placeholder?: string;
    /** Of a select: what can be chosen. */
    readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>;
}

interface FieldWords {
    readonly title: string;
    readonly description: string;
    readonly placeholder?: string;
}

const MAX_TEXT = 10_000;
/** What would reach into how an object is made. */
const NO_KEYS: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);
/** The step's own. */
const TAKEN: ReadonlySet<string> = new Set(['adapterCode']);

/** The schema that a list of fields means. Throws a TypeError, as the end of a sentence, that names the field, what it is and what is allowed. */
export function schemaOfFields(fields: readonly ListedField[]): z.ZodObject {
    const shape: Record<string, z.ZodType> = {};
    for (const [index, field] of fields.entries()) {
        const place = `schema.fields[${index}]`;
        const { key, label } = field;
        if (typeof key !== 'string' || key.trim() === '' || NO_KEYS.has(key) || TAKEN.has(key))
            throw new TypeError(`${place}.key is ${show(key)}; allowed: a text, other than ${taken()}`);
        if (Object.hasOwn(shape, key)) throw new TypeError(`${place}.key is ${show(key)}, which another field has`);
        if (typeof label !== 'string' || label.trim() === '')
            throw new TypeError(`${place}.label is ${show(label)}; allowed: a text`);
        const schema = schemaOf(field, place);
        shape[key] = field.required === true ? filled(schema) : schema.optional();
    }
    return z.strictObject(shape);
}

/** A required text is not an empty one. */
function filled(schema: z.ZodType): z.ZodType {
    return schema instanceof z.ZodString ? schema.min(1).meta({ ...schema.meta() }) : schema;
}

function taken(): string {
    return [...NO_KEYS, ...TAKEN].join(', ');
}

function schemaOf(field: ListedField, place: string): z.ZodType {
    const { type, label, placeholder } = field;
    const title = label;
    const description = `${label.replace(/[.\s]+$/, '')}${placeholder === undefined ? '' : `, such as ${placeholder}`}.`;
    const meta: FieldWords = { title, description, ...(placeholder !== undefined && { placeholder }) };
    switch (type) {
        case 'string':
            return textOf(field, meta);
        case 'textarea':
            return z
                .string()
                .max(MAX_TEXT)
                .meta({ ...meta, widget: 'textarea' satisfies Widget });
        case 'number':
            return z.number().meta({ ...meta });
        case 'boolean':
            return z.boolean().meta({ ...meta });
        case 'json':
            return json(title, description);
        case 'password':
            return secretCode(title, description);
        case 'select':
            return z.enum(optionsOf(field, place)).meta({ ...meta, labels: labelsOf(field) });
        default:
            throw new TypeError(`${place}.type is ${show(type)}; allowed: ${FIELD_TYPES.join(', ')}`);
    }
}

/** Texts that are codes by the names that codes have everywhere: what they name is found, guarded and resolved. */
function textOf({ key }: ListedField, meta: FieldWords): z.ZodType {
    if (/secretCode$/i.test(key)) return secretCode(meta.title, meta.description);
    if (/connectionCode$/i.test(key))
        return z
            .string()
            .regex(RESOURCE_CODE, CODE_ALLOWED)
            .meta({ ...meta, widget: 'connection' satisfies Widget });
    return z
        .string()
        .max(MAX_TEXT)
        .meta({ ...meta });
}

/** What people read in the place of each value. */
function labelsOf({ options = [] }: ListedField): Readonly<Record<string, string>> {
    return Object.fromEntries(options.map(({ value, label }) => [value, String(label ?? value)]));
}

function optionsOf({ options = [] }: ListedField, place: string): [string, ...string[]] {
    const [first, ...others] = options.map(({ value }) => value);
    if (first === undefined) throw new TypeError(`${place}.options is empty; allowed: at least one option of a select`);
    return [first, ...others];
}
