import type { CustomFieldConfig, Injector, Permission, RequestContext } from '@vendure/core';
import { readUnambiguousTimestamp } from '../../core/data/timestamp';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/value/json';
import type { Table } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { asJson } from './columns';
import { known, quoted } from './record-issues';
import { type FieldReader, emptyProblem, flagProblem, isBlank, textProblem, invalidText } from './read-field';

/** Values of custom fields by name, as JSON has them: dates are ISO texts. */
export type CustomValues = Readonly<Record<string, JsonValue>>;

/** One custom field of an entity, as this load may write it. */
export interface CustomField {
    readonly name: string;
    /** The property of its column. */
    readonly property: string;
    readonly isLocalised: boolean;
    readonly isList: boolean;
    /** A list of other entities in a separate table; its values are their ids. */
    readonly isRelations: boolean;
    readonly isRequired: boolean;
    /** The database's default for a missing value. */
    readonly defaultValue: JsonValue;
    /** What is wrong with a value; undefined if nothing is. */
    problem(value: JsonValue): string | undefined;
    /** The result of the shop's own function for a value that is not empty and has passed all other checks. */
    ownProblem?(value: JsonValue): Promise<string | undefined>;
    /** A value, or one of a list, as its column answers it. */
    normal(value: JsonValue): JsonValue;
    fromColumn(value: unknown): JsonValue;
}

/** The tables of the fields' columns, and the request context for their rules. */
interface Place {
    readonly base: Table;
    readonly translation: Table;
    readonly ctx: RequestContext;
    readonly injector: Injector;
    readonly isMySql: boolean;
}

/** The custom fields of an entity: which there are, and reading them from a record. */
export class CustomFields {
    /** Those of the entity's own row. */
    readonly base: readonly CustomField[];
    readonly localised: readonly CustomField[];
    readonly relations: readonly CustomField[];
    private readonly byName: ReadonlyMap<string, CustomField>;

    constructor(configs: readonly CustomFieldConfig[], keysetPosition: Place) {
        const fields = configs.map(config => customField(config, keysetPosition));
        this.base = fields.filter(field => !field.isLocalised && !field.isRelations);
        this.relations = fields.filter(field => field.isRelations);
        this.localised = fields.filter(field => field.isLocalised);
        this.byName = new Map(fields.map(field => [field.name, field]));
    }

    find(name: string): CustomField | undefined {
        return this.byName.get(name);
    }

    /** The values of a record, checked; `localisedOnly` inside translations. */
    read(
        reader: FieldReader,
        field: string,
        { localisedOnly }: { readonly localisedOnly: boolean },
    ): CustomValues | undefined {
        const values = reader.object(field);
        if (values === undefined) return undefined;
        const found: Record<string, JsonValue> = {};
        for (const [name, value] of Object.entries(values)) {
            if (value === undefined) continue;
            const custom = this.byName.get(name);
            const allowed = localisedOnly ? this.localised : [...this.byName.values()];
            const problem =
                custom !== undefined && allowed.includes(custom)
                    ? custom.problem(value)
                    : `is not a custom field ${localisedOnly ? 'with a text for each language' : 'of this entity'}; ${known(allowed.map(f => f.name))}`;
            const path = `${reader.path(field)}.${name}`;
            if (problem !== undefined) {
                reader.faults.add(path, problem, value);
                continue;
            }
            found[name] = normalised(custom!, value);
            const { ownProblem: requested } = custom!;
            if (requested && value !== null) reader.faults.ask(path, value, () => requested(value));
        }
        return found;
    }
}

/** Ids as lists of relations have them: each once, in one order. */
export function idList(ids: Iterable<Id>): readonly Id[] {
    return [...new Set(ids)].sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** A value in the form that a column of its kind returns, so that equal values are recognized. */
function normalised({ normal, isRelations }: CustomField, value: JsonValue): JsonValue {
    if (value === null) return isRelations ? [] : null;
    if (!Array.isArray(value)) return normal(value);
    const entries = (value as readonly JsonValue[]).map(normal);
    return isRelations ? idList(entries as readonly Id[]) : entries;
}

function normalIn(type: string, { base }: Place): (value: JsonValue) => JsonValue {
    if (type === 'datetime') return value => new Date(readUnambiguousTimestamp(value)!).toISOString();
    // A source without types has "7" for the id 7.
    if (type === 'relation' && base.numbersItself)
        return value => (typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value);
    return value => value;
}

function customField(config: CustomFieldConfig, keysetPosition: Place): CustomField {
    const isLocalised = config.type === 'localeString' || config.type === 'localeText';
    const table = isLocalised ? keysetPosition.translation : keysetPosition.base;
    const property = `customFields.${config.name}`;
    const isList = config.list === true;
    const given = 'defaultValue' in config ? (config.defaultValue as unknown) : undefined;
    const defaultValue = given === undefined || (isList && keysetPosition.isMySql) ? null : asJson(given);
    const limit =
        config.type === 'string' || config.type === 'localeString'
            ? { of: 'characters' as const, max: config.length ?? 255 }
            : undefined;
    return {
        name: config.name,
        property,
        isLocalised,
        isList,
        isRelations: config.type === 'relation' && isList,
        isRequired: config.nullable === false && defaultValue === null,
        defaultValue,
        problem(value) {
            if (config.readonly === true) return 'is read-only';
            if (value === null && config.nullable === false) return 'cannot be emptied';
            const { requiresPermission } = config;
            if (
                requiresPermission !== undefined &&
                !keysetPosition.ctx.userHasPermissions([requiresPermission].flat() as Permission[])
            )
                return 'needs a permission that the run does not have';
            if (value === null) return undefined;
            if (isList !== Array.isArray(value) && config.type !== 'struct')
                return invalidText(value, `allowed: ${isList ? 'a list' : 'a single value'}`);
            const entries = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
            for (const entry of entries) {
                const problem =
                    kindProblem(config, entry, keysetPosition) ??
                    ruleProblem(config, entry) ??
                    (typeof entry === 'string' ? textProblem(entry, isList ? undefined : limit) : undefined);
                if (problem !== undefined) return isBlank(entry) ? emptyProblem(entry) : problem;
            }
            return undefined;
        },
        ...(typeof config.validate === 'function' && {
            ownProblem: value => ownProblem(config.validate as OwnValidate, value, keysetPosition),
        }),
        fromColumn: value => (value === null ? null : asJson(table.fromColumn(property, value))),
        normal: normalIn(config.type, keysetPosition),
    };
}

/** MariaDB would take 1.5 or "0x1" for the id 1. */
function isId(value: JsonValue, { numbersItself }: Pick<Place['base'], 'numbersItself'>): boolean {
    if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0;
    if (typeof value !== 'string') return false;
    return numbersItself ? /^\d{1,15}$/.test(value.trim()) : !isBlank(value);
}

function kindProblem(config: { readonly type: string }, value: JsonValue, { base }: Place): string | undefined {
    const is = `is ${quoted(value)}`;
    switch (config.type) {
        case 'int':
            return Number.isInteger(value) && Math.abs(value as number) <= 2_147_483_647
                ? undefined
                : `${is}; allowed: a whole number up to 2147483647`;
        case 'float':
            return typeof value === 'number' ? undefined : `${is}; allowed: a number`;
        case 'boolean':
            return typeof value === 'boolean' ? undefined : flagProblem(value);
        case 'datetime':
            return readUnambiguousTimestamp(value) !== undefined
                ? undefined
                : `${is}; allowed: a date such as 2026-01-31T12:00:00Z`;
        case 'struct':
            return isJsonObject(value) ? undefined : `${is}; allowed: an object`;
        case 'relation':
            return isId(value, base) ? undefined : `${is}; allowed: an id`;
        default:
            return typeof value === 'string' ? undefined : `${is}; allowed: text`;
    }
}

interface Rules {
    readonly pattern?: string;
    readonly options?: ReadonlyArray<{ readonly value: string }>;
    readonly min?: number | string;
    readonly max?: number | string;
}

/** What Vendure checks before it stores a value through its API (validateCustomFieldValue). */
function ruleProblem(config: CustomFieldConfig, value: JsonValue): string | undefined {
    if (config.type === 'struct') {
        const fields = config.fields as ReadonlyArray<CustomFieldConfig & Rules>;
        for (const field of fields) {
            const inner = (value as JsonObject)[field.name];
            const problem = inner === undefined || inner === null ? undefined : ruleProblem(field, inner);
            if (problem !== undefined) return `field ${field.name} ${problem}`;
        }
        return undefined;
    }
    const { pattern, options, min, max } = config as Rules;
    if (typeof value === 'string' && pattern !== undefined && !new RegExp(pattern).test(value))
        return `is ${quoted(value)}, which does not match ${pattern}`;
    if (typeof value === 'string' && options !== undefined && !options.some(option => option.value === value)) {
        return `is ${quoted(value)}; ${known(options.map(option => option.value))}`;
    }
    if (config.type === 'int' || config.type === 'float') {
        if (min !== undefined && (value as number) < Number(min))
            return `is ${quoted(value)}; allowed: at least ${min}`;
        if (max !== undefined && (value as number) > Number(max)) return `is ${quoted(value)}; allowed: at most ${max}`;
    }
    if (config.type === 'datetime') {
        const date = readUnambiguousTimestamp(value)!;
        if (min !== undefined && date < new Date(min).getTime()) return `is ${quoted(value)}; allowed: from ${min}`;
        if (max !== undefined && date > new Date(max).getTime()) return `is ${quoted(value)}; allowed: until ${max}`;
    }
    return undefined;
}

type OwnValidate = (value: unknown, injector: Injector, ctx: RequestContext) => unknown;

/** The result of the shop's own `validate` function, which may be asynchronous. */
async function ownProblem(
    validate: OwnValidate,
    value: JsonValue,
    { injector, ctx }: Place,
): Promise<string | undefined> {
    const answer = await validate(value, injector, ctx);
    if (typeof answer === 'string') return answer;
    if (!Array.isArray(answer)) return undefined;
    const texts = answer as ReadonlyArray<{ languageCode: string; value: string }>;
    return (texts.find(text => text.languageCode === ctx.languageCode) ?? texts[0])?.value;
}

/** Values of custom fields by property, of a row that has them as `b0`, `b1` … where the alias is "b". */
export function customValues(alias: string, row: Row, fields: readonly CustomField[]): Record<string, JsonValue> {
    const values: Record<string, JsonValue> = {};
    fields.forEach((field, i) => (values[field.property] = field.fromColumn(row[alias + i])));
    return values;
}
