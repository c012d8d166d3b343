import { type ConfigService, CustomerGroup, Seller, TaxCategory, type VendureEntity, Zone } from '@vendure/core';
import type { ObjectType } from 'typeorm';
import { readUnambiguousTimestamp } from '../../core/data/timestamp';
import type { JsonValue } from '../../core/value/json';
import { customerGroup } from '../entity-descriptions/customer';
import type { AnyOf } from '../context';
import type { EntityDescription } from '../entities/description';
import { known, quoted } from '../entities/record-issues';
import { type FieldReader, type TextLimit, invalidText } from '../entities/read-field';
import type { OperationDefinitions } from '../operations/read-operation';

/** The kind of entity that a field names instead of its id. */
export interface ReferencedKind {
    readonly type: ObjectType<VendureEntity & { readonly name: string; readonly deletedAt?: Date | null }>;
    readonly called: string;
    /** Set if loads create and delete such entities: a dry run sees the planned ones. */
    readonly described?: EntityDescription;
}

interface Described {
    /** Completes "Field of the record that holds the …", or begins with `whether`. */
    readonly holds: string;
    /** A new entity's record has to say it. */
    readonly isNeeded?: boolean;
    /** The default for a new entity. */
    readonly initially?: JsonValue;
}

/** A plain value, or the name of another entity. */
export interface ScalarField extends Described {
    readonly kind: 'value';
    /** The value as the entity has it; of what is named, the name. */
    readonly read: (reader: FieldReader, field: string, limit: TextLimit | undefined) => JsonValue | undefined;
    /** What it names. Services are handed the id, as `…Id`. */
    readonly names?: ReferencedKind;
    /** A column's text, whose length is limited. */
    readonly isText?: boolean;
    /** There is one for each language. */
    readonly isTranslated?: boolean;
    /** The entity's own name of the field, if it differs from its service's. */
    readonly property?: string;
    /** What the service is handed in the place of JSON. */
    readonly handed?: (value: JsonValue) => unknown;
}

/** Configurable operations: what a shop lets people choose and fill in. */
export interface OperationsField extends Described {
    readonly kind: 'operations';
    /** A list, which null empties; otherwise one. */
    readonly isList: boolean;
    /** There may be none. */
    readonly mayBeNone?: boolean;
    definitions(config: ConfigService): OperationDefinitions;
}

/** Texts in further languages, by language; those of the run's language are outside. */
interface TranslationsField extends Described {
    readonly kind: 'translations';
}

/** The assigned channels. The permissions are those that its service requires in the other channel. */
export interface ChannelsField extends Described {
    readonly kind: 'channels';
    readonly toAssign: AnyOf;
    readonly toRemove: AnyOf;
}

/** One field of a record that is loaded by a service, and the property of the entity that has it. */
export type ServiceField = ScalarField | OperationsField | TranslationsField | ChannelsField;

type Said = Pick<Described, 'isNeeded' | 'initially'>;

/** Text without the blanks round it. */
export const unpaddedText = (holds: string, said: Said = { isNeeded: true }): ScalarField => ({
    kind: 'value',
    holds,
    ...said,
    isText: true,
    read: (reader, field, limit) => reader.key(field, limit),
});

export const booleanValue = (holds: string, said: Said): ScalarField => ({
    kind: 'value',
    holds,
    ...said,
    read: (reader, field) => reader.flag(field),
});

/** A whole number that a column of 32 bits takes. */
export const integerValue = (holds: string, said: Said): ScalarField => ({
    kind: 'value',
    holds,
    ...said,
    read: (reader, field) => reader.whole(field, 2_147_483_647),
});

/** Text that every language has its own of. */
export const translatedText = (holds: string, said: Said = {}): ScalarField => ({
    kind: 'value',
    holds,
    ...said,
    isText: true,
    isTranslated: true,
    read: (reader, field, limit) =>
        said.isNeeded === true ? reader.text(field, limit) : reader.emptiableText(field, limit),
});

/** A translated text that entities are found by. */
export const translatedKey = (holds: string): ScalarField => ({ ...unpaddedText(holds), isTranslated: true });

/** The same field, which null empties. */
export const clearable = (field: ScalarField): ScalarField => ({
    ...field,
    isNeeded: false,
    read: (reader, name, limit) => (reader.data[name] === null ? null : field.read(reader, name, limit)),
});

/** How often something may happen. */
export const limitOfUses = (holds: string): ScalarField =>
    clearable({
        ...integerValue(holds, {}),
        read(reader, field) {
            const value = reader.whole(field, 2_147_483_647);
            return value !== undefined && value < 0 ? reader.refuse(field, 'allowed: 0 or more') : value;
        },
    });

/** A point in time, to the second, as all databases keep it; null takes it away. */
export const pointInTime = (holds: string): ScalarField =>
    clearable({
        kind: 'value',
        holds,
        handed: value => (value === null ? null : new Date(value as string)),
        read(reader, field) {
            const { data } = reader;
            const value = data[field];
            if (value === undefined) return undefined;
            const time = readUnambiguousTimestamp(value) ?? NaN;
            const whole = new Date(Math.floor(time / 1000) * 1000);
            if (whole.getUTCFullYear() >= 1000 && whole.getUTCFullYear() <= 9999) return whole.toISOString();
            return reader.refuse(field, 'allowed: a date and time as in "2026-07-01T00:00:00Z"');
        },
    });

/** Texts in further languages. */
export const inLanguages: TranslationsField = {
    kind: 'translations',
    holds: 'translations by language',
};

/** The assigned channels in addition to the run's own and the default one. */
export const assignedChannels = (rights: Pick<ChannelsField, 'toAssign' | 'toRemove'>): ChannelsField => ({
    kind: 'channels',
    holds: 'list of channel tokens',
    ...rights,
});

/** A list of operations of the kind that `definitions` reads from the shop's configuration. */
export const operationsOf = (
    holds: string,
    definitions: OperationsField['definitions'],
    said: Said,
): OperationsField => ({ kind: 'operations', holds, isList: true, definitions, ...said });

/** A single operation; with `mayBeNone`, null removes it. */
export const operationOf = (
    holds: string,
    definitions: OperationsField['definitions'],
    said: Said & Pick<OperationsField, 'mayBeNone'>,
): OperationsField => ({ kind: 'operations', holds, isList: false, definitions, ...said });

/** A share of a hundred with two decimals, as tax rates are. */
export const percentage = (holds: string): ScalarField => ({
    kind: 'value',
    holds,
    isNeeded: true,
    read(reader, field) {
        const value = reader.data[field];
        if (value === undefined) return undefined;
        const isFit = typeof value === 'number' && value >= 0 && value < 1000 && Number(value.toFixed(2)) === value;
        if (isFit) return value === 0 ? 0 : value;
        const hint = typeof value === 'string' ? ' (the operator toNumber makes numbers of text)' : '';
        return reader.refuse(field, `allowed: a percentage from 0 to 999.99 with two decimals at most${hint}`);
    },
});

/** One of the codes of a list that Vendure has. */
export const codeOf = (holds: string, allowed: readonly string[]): ScalarField => ({
    kind: 'value',
    holds,
    isNeeded: true,
    read(reader, field) {
        const value = reader.unpadded(field);
        if (value === undefined || allowed.includes(value)) return value;
        return reader.wrong(field, `is ${quoted(value)}; ${known(allowed)}`);
    },
});

/** Some of the codes of a list that Vendure has. */
export const codesOf = (holds: string, allowed: readonly string[]): ScalarField => ({
    kind: 'value',
    holds,
    read(reader, field) {
        if (reader.data[field] === null) return reader.wrong(field, 'cannot be emptied');
        const values = reader.texts(field);
        const at = values?.findIndex(value => !allowed.includes(value)) ?? -1;
        if (at < 0) return values;
        reader.faults.add(`${reader.path(field)}.${at}`, invalidText(values![at], known(allowed)), values![at]);
        return undefined;
    },
});

/** What a thing is called of which there are several in the shop. */
const named =
    (names: ReferencedKind) =>
    (holds: string, said: Said): ScalarField => ({
        kind: 'value',
        holds,
        ...said,
        names,
        read: (reader, field) => reader.key(field),
    });

export const zoneName = named({ type: Zone, called: 'zone' });
export const taxCategoryName = named({ type: TaxCategory, called: 'tax category' });
export const customerGroupName = named({ type: CustomerGroup, called: 'customer group', described: customerGroup });
export const sellerName = named({ type: Seller, called: 'seller' });
