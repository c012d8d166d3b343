import { readUnambiguousTimestamp } from '../../core/data/timestamp';
import type { JsonValue } from '../../core/value/json';
import type { Field } from './description';
import type { ValueField } from './value-fields';
import { quoted } from './record-issues';
import type { FieldReader, TextLimit } from './read-field';

const MAX_MONEY = 2_147_483_647;

/** Where columns are: what a text may have of characters. */
interface Limits {
    limitOf(property: string): TextLimit | undefined;
}

interface Place {
    readonly fields: Readonly<Record<string, Field>>;
    readonly table: Limits;
    /** How the record calls its fields. */
    name(field: string): string;
}

/** Reads the fields that are columns of one row, by property; omits fields that the record does not have. */
export function readValues(reader: FieldReader, { fields, table, name }: Place): Readonly<Record<string, JsonValue>> {
    const values: Record<string, JsonValue> = {};
    for (const [property, field] of Object.entries(fields)) {
        const read = READERS[field.kind as ValueField['kind']] as ReadValue | undefined;
        const value = read?.(reader, name(property), { field, limit: limitOf(table, property, field) });
        if (value !== undefined) values[property] = value;
    }
    return values;
}

/** Reads the keys of the entities that a record refers to, by field. */
export function readRefs(reader: FieldReader, { fields, name }: Omit<Place, 'table'>): ReadonlyMap<string, string> {
    return new Map(
        Object.entries(fields).flatMap(([property, { kind }]) => {
            const key = kind === 'ref' ? reader.key(name(property)) : undefined;
            return key === undefined ? [] : [[property, key] as const];
        }),
    );
}

function limitOf(table: Limits, property: string, { kind }: Field): TextLimit | undefined {
    return kind === 'text' ? table.limitOf(property) : undefined;
}

type ReadValue = (
    reader: FieldReader,
    name: string,
    how: { readonly field: Field; readonly limit: TextLimit | undefined },
) => JsonValue | undefined;

type ReadAs<K extends ValueField['kind']> = (
    reader: FieldReader,
    name: string,
    how: { readonly field: Extract<ValueField, { kind: K }>; readonly limit: TextLimit | undefined },
) => JsonValue | undefined;

const READERS: { readonly [K in ValueField['kind']]: ReadAs<K> } = {
    text(reader, name, { field: { isRequired, empty, mayBeNumber }, limit }) {
        const digits = mayBeNumber ? reader.digits(name) : undefined;
        if (digits !== undefined) return digits;
        if (isRequired) return reader.text(name, limit);
        const value = reader.emptiableText(name, limit);
        return value === '' ? empty : value;
    },
    flag: (reader, name) => reader.flag(name),
    date(reader, name) {
        const value = reader.data[name];
        if (value === null || value === undefined) return value;
        const time = readUnambiguousTimestamp(value);
        if (time !== undefined) return new Date(time).toISOString();
        return reader.refuse(name, 'allowed: a date such as 2026-01-31T12:00:00Z');
    },
    money: (reader, name) => reader.money(name, { max: MAX_MONEY, allowsNegative: false }),
    oneOf(reader, name, { field: { allowed } }) {
        const value = reader.data[name];
        if (value === undefined || allowed.includes(value as string)) return value;
        return reader.refuse(name, `allowed: ${allowed.map(one => quoted(one)).join(', ')}`);
    },
};
