import type { CustomFieldConfig } from '@vendure/core';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { type CustomFields, type CustomValues, idList } from '../entities/custom-fields';

type Row = Readonly<Record<string, unknown>>;

/** Custom fields of entities that services write: converts the form of records to the form of services. */
export class ServiceCustomFields {
    constructor(
        readonly configs: readonly CustomFieldConfig[],
        readonly fields: CustomFields,
    ) {}

    /** The names of those that are other entities, which are read along. */
    get relations(): readonly string[] {
        return this.configs.flatMap(({ type, name }) => (type === 'relation' ? [name] : []));
    }

    /** The values of an entity by name, of those that have no language. */
    valuesOf(customFields: unknown): JsonObject {
        const row = (customFields ?? {}) as Row;
        const { base, relations } = this.fields;
        return Object.fromEntries(
            [...base, ...relations].map(({ name, isRelations }) => {
                const value = row[name] ?? null;
                return [
                    name,
                    isRelations ? idList(((value ?? []) as ReadonlyArray<{ id: number }>).map(idOf)) : plain(value),
                ];
            }),
        );
    }

    /** Values by name, as a service takes them. */
    inputOf(values: CustomValues): Readonly<Record<string, unknown>> {
        return Object.fromEntries(
            Object.entries(values).flatMap(([name, value]) => {
                const config = this.configs.find(one => one.name === name);
                return config ? [[inputName(config), config.type === 'datetime' ? dates(value) : value]] : [];
            }),
        );
    }
}

const idOf = ({ id }: { readonly id: number }): number => id;

/** Custom fields that are relations take ids. */
const inputName = ({ type, list, name }: CustomFieldConfig): string =>
    type === 'relation' ? `${name}${list === true ? 'Ids' : 'Id'}` : name;

const dates = (value: JsonValue): unknown =>
    Array.isArray(value) ? value.map(date) : value === null ? null : date(value);
const date = (value: JsonValue): Date => new Date(value as string);

/** A value of an entity as JSON. */
export function plain(value: unknown): JsonValue {
    if (value instanceof Date) return value.toISOString();
    if (Array.isArray(value)) return value.map(plain);
    // A related entity is loaded as an object, and is represented by its id.
    if (typeof value === 'object' && value !== null && 'createdAt' in value && 'id' in value)
        return value.id as JsonValue;
    return value as JsonValue;
}
