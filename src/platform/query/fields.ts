import type { CustomFieldConfig, RequestContext, Permission } from '@vendure/core';
import type { DataSource, EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import type { Readable } from './entities';

/** What is compared with a field, and how. */
export type FieldKind = 'id' | 'text' | 'number' | 'flag' | 'date' | 'json';

/** A column as a record has it. */
export interface QueryField {
    /** `sku`, `customFields.weight`. */
    readonly name: string;
    /** The names that lead to it in a record. */
    readonly keys: readonly string[];
    readonly columnName: string;
    readonly kind: FieldKind;
    readonly isNullable: boolean;
    /** As records have it: ids are texts, dates ISO texts, money a whole number. */
    toJson(value: unknown): JsonValue;
    /** As it is bound to be compared with the column. */
    toColumn(value: unknown): unknown;
}

/** Everything except its columns on which the fields of an entity depend. */
interface FieldEnv {
    readonly dataSource: DataSource;
    readonly ctx: Pick<RequestContext, 'userHasPermissions'>;
    /** The custom fields of the entity that the metadata is of. */
    readonly customFields: readonly CustomFieldConfig[];
}

/** Never read, whatever has them. */
const HIDDEN = /password|hash|token|secret|__fix_relational/i;

/** The fields of an entity's own row, its id first. Custom fields that are internal, or that the user may not read, are left out. */
export function queryFieldsOf(
    metadata: EntityMetadata,
    { columns }: Pick<Readable, 'columns'>,
    env: FieldEnv,
): readonly QueryField[] {
    const [id] = metadata.primaryColumns;
    const idType = id && env.dataSource.driver.normalizeType(id);
    return metadata.columns
        .filter(column => column.isSelect && !column.isDiscriminator && !column.isTreeLevel)
        .map(column => fieldOf(column, idType, env))
        .filter(({ name, keys }) => {
            if (keys[0] === 'customFields') return isShown(keys[1]!, env);
            return !HIDDEN.test(name) && (columns === undefined || columns.includes(name));
        })
        .sort((a, b) => Number(b.name === 'id') - Number(a.name === 'id'));
}

function isShown(name: string, { customFields, ctx }: FieldEnv): boolean {
    // A relation's column is called after it: brandId.
    const config = customFields.find(field => field.name === name || `${field.name}Id` === name);
    if (!config || config.internal === true) return false;
    const needed = [config.requiresPermission ?? []].flat() as Permission[];
    return needed.length === 0 || ctx.userHasPermissions(needed);
}

function fieldOf(
    column: ColumnMetadata,
    idType: string | undefined,
    { dataSource }: Pick<FieldEnv, 'dataSource'>,
): QueryField {
    const { relationMetadata: relation, isVirtual, propertyPath } = column;
    // A relation's column that the entity has no property for.
    const name = isVirtual && relation ? `${relation.propertyPath}Id` : propertyPath;
    const { driver } = dataSource;
    const type = driver.normalizeType(column);
    // Some of them have no relation: the channel of a price.
    const isNamedSo = type === idType && name.endsWith('Id') && !name.includes('.');
    const kind = column.isPrimary || relation !== undefined || isNamedSo ? 'id' : kindOf(column, type);
    const hydrated = (value: unknown): unknown => driver.prepareHydratedValue(value, column) as unknown;
    return {
        name,
        keys: name.split('.'),
        columnName: column.databaseName,
        kind,
        isNullable: column.isNullable,
        toJson: readerOf(kind, column, hydrated),
        toColumn: value => driver.preparePersistentValue(value, column) as unknown,
    };
}

const NUMBERS = /^(int|integer|smallint|bigint|float|double|double precision|decimal|numeric|real|mediumint)/;
const DATES = /^(timestamp|datetime|date|time)/;

function kindOf({ type, isArray }: ColumnMetadata, normal: string): FieldKind {
    if (isArray || type === 'simple-json' || type === 'simple-array' || /json/.test(normal)) return 'json';
    if (type === Boolean || type === 'boolean' || type === 'bool' || normal === 'tinyint') return 'flag';
    if (DATES.test(normal)) return 'date';
    return NUMBERS.test(normal) ? 'number' : 'text';
}

function readerOf(
    kind: FieldKind,
    { transformer }: ColumnMetadata,
    hydrated: (value: unknown) => unknown,
): QueryField['toJson'] {
    const isPlain = transformer === undefined;
    switch (kind) {
        case 'id':
            return value => (value === null || value === undefined ? null : String(value as string | number));
        case 'text':
            return isPlain ? value => (value as string | null) ?? null : value => jsonOf(hydrated(value));
        case 'number':
            return isPlain
                ? value => (value === null || value === undefined ? null : Number(value))
                : value => jsonOf(hydrated(value));
        default:
            return value => (value === null || value === undefined ? null : jsonOf(hydrated(value)));
    }
}

/** The result of drivers and transformers as JSON. */
function jsonOf(value: unknown): JsonValue {
    if (value === null || value === undefined) return null;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (typeof value === 'bigint') return Number(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (Array.isArray(value)) return value.map(jsonOf);
    const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
    return isJsonObject(plain) ? plain : null;
}
