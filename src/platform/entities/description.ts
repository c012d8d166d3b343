import type { CustomFields, Permission, VendureEntity } from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { ChangedEntity } from '../effects/effect';
import type { Use } from './uses';

/** Text in the entity's own row; null, and nothing in its place, empty it. */
interface TextField {
    readonly kind: 'text';
    readonly holds: string;
}

/** Text of its own in each language, which must not be empty; a language that is new to an entity needs all of them. */
interface TranslatedField {
    readonly kind: 'translated';
    readonly holds: string;
}

/** True or false; `initially` where a new entity's record does not say. */
interface FlagField {
    readonly kind: 'flag';
    readonly holds: string;
    readonly initially: boolean;
}

/** Another entity, by its key; the column is named after the field ("facet" → facetId). Said once, and never changed. */
interface RefField {
    readonly kind: 'ref';
    readonly holds: string;
    readonly to: EntityDescription;
}

/** What a field of a record is; `holds` completes "Field of the record that holds the …". */
export type Field = TextField | TranslatedField | FlagField | RefField;

export const text = (holds: string): TextField => ({ kind: 'text', holds });
export const translated = (holds: string): TranslatedField => ({ kind: 'translated', holds });
export const flag = (holds: string, initially: boolean): FlagField => ({ kind: 'flag', holds, initially });
export const ref = (to: EntityDescription, holds: string): RefField => ({ kind: 'ref', holds, to });

/** What tells one entity of a kind from the others, on which no unique index may stand. */
interface Key<F extends string> {
    /** The field of the record, and the column. */
    readonly field: F;
    readonly holds: string;
    /** The reference within which it is one of its kind: that of a facet value to its facet. */
    readonly within?: string;
    /** Where a record has no key, one is made of this translated field; a reference may give that field's text as well. */
    readonly made?: { readonly of: string; by(text: string): string };
    /** Among whom it is one of its kind: those of the run's channel, or all of the shop. `index`: the database keeps it so. */
    readonly among: 'channel' | 'shop' | 'index';
}

/** Any one of a list is enough. */
export type AnyOf = readonly [Permission, ...Permission[]];

interface Permissions {
    readonly read: AnyOf;
    readonly create: AnyOf;
    readonly update: AnyOf;
    readonly delete: AnyOf;
}

/** What Flow has to know of a kind of entity to load it, refer to it and look it up; said here and nowhere else (docs/adr/0034). */
export interface EntityDescription<K extends string = string, F extends string = string> {
    /** As Vendure calls it, and events do. */
    readonly name: ChangedEntity;
    /** One and many, within a sentence: "facet value", "facet values". */
    readonly called: readonly [one: string, many: string];
    readonly type: EntityTarget<VendureEntity>;
    /** The entity of its translations, where it has any. */
    readonly texts?: EntityTarget<VendureEntity>;
    readonly key: Key<K>;
    /** Whether it belongs to channels: a new one to the run's and to the default one. */
    readonly isOfChannels: boolean;
    readonly customFields: keyof CustomFields;
    readonly permissions: Permissions;
    readonly fields: Readonly<Record<F, Field>>;
    /** What other rows say of it, and what that means for deleting it. */
    readonly uses: readonly Use[];
    /** One of them has to stay, as Vendure wants it. */
    readonly keepsLast?: boolean;
}

/** Describes a kind of entity. */
export function describeEntity<const K extends string, const F extends string>(
    description: EntityDescription<K, F>,
): EntityDescription<K, F> {
    return description;
}

/** What a record of a kind may have, by the names that the specification gives: its key, its fields, custom fields, translations. */
export function contentsOf({ key, fields, texts }: EntityDescription): Readonly<Record<string, string>> {
    return {
        [key.field]: key.holds,
        ...Object.fromEntries(Object.entries(fields).map(([name, { holds }]) => [name, holds])),
        ...(texts && { translations: 'texts by language' }),
        customFields: 'custom fields',
    };
}

/** The names of the fields of one kind. */
export function fieldsOf<T extends Field['kind']>({ fields }: EntityDescription, kind: T): readonly string[] {
    return Object.entries(fields).flatMap(([name, field]) => (field.kind === kind ? [name] : []));
}
