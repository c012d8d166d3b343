import type { CustomFields, Permission, VendureEntity } from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { Id } from '../../database/write';
import type { ChangedEntity } from '../effects/effect';
import type { Columns } from './columns';
import { EntityState } from './entity-state';
import type { Use } from './uses';

/** Text in the entity's own row; null, and nothing in its place, empty it. */
interface TextField {
    readonly kind: 'text';
    readonly holds: string;
}

/** Text of its own in each language. A language that is new to an entity needs all of them, save those that may be empty. */
interface TranslatedField {
    readonly kind: 'translated';
    readonly holds: string;
    readonly mayBeEmpty: boolean;
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

/** Several other entities, which are the members of one of its relations. */
interface MembersField {
    readonly kind: 'members';
    readonly holds: string;
    readonly of: EntityDescription;
}

/** What a field of a record is; `holds` completes "Field of the record that holds the …". */
export type Field = TextField | TranslatedField | FlagField | RefField | MembersField;

export const text = (holds: string): TextField => ({ kind: 'text', holds });
export const translated = (holds: string, { mayBeEmpty = false } = {}): TranslatedField => ({
    kind: 'translated',
    holds,
    mayBeEmpty,
});
export const flag = (holds: string, initially: boolean): FlagField => ({ kind: 'flag', holds, initially });
export const ref = (to: EntityDescription, holds: string): RefField => ({ kind: 'ref', holds, to });
export const members = (of: EntityDescription, holds: string): MembersField => ({ kind: 'members', holds, of });

/** What tells one entity of a kind from the others, on which no unique index may stand. */
interface Key<F extends string> {
    /** The field of the record, and the column. */
    readonly field: F;
    readonly holds: string;
    /** The column is that of its translations; what stands there in the run's language is meant. */
    readonly isTranslated?: boolean;
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

/** How an entity is held while it is worked on. */
export type StateClass<S extends EntityState> = new (
    id: Id | undefined,
    columns: Columns,
    key: string,
    isInChannel?: boolean,
) => S;

/** What Flow has to know of a kind of entity to load it, refer to it and look it up; said here and nowhere else (docs/adr/0034). */
export interface EntityDescription<
    S extends EntityState = EntityState,
    K extends string = string,
    F extends string = string,
> {
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
    /** Further properties of its own row, which no record names but what refines its loads goes by. */
    readonly further?: readonly string[];
    readonly state: StateClass<S>;
    /** What other rows say of it, and what that means for deleting it. Those that are deleted softly are not asked. */
    readonly uses: readonly Use[];
    /** One of them has to stay, as Vendure wants it. */
    readonly keepsLast?: boolean;
}

type Described<S extends EntityState, K extends string, F extends string> = Omit<EntityDescription<S, K, F>, 'state'>;

/** Describes a kind of entity. */
export function describeEntity<const K extends string, const F extends string>(
    description: Described<EntityState, K, F>,
): EntityDescription<EntityState, K, F> {
    return { ...description, state: EntityState };
}

/** Describes a kind of entity of which more is known, while it is worked on, than its fields. */
export function describeAs<S extends EntityState, const K extends string, const F extends string>(
    state: StateClass<S>,
    description: Described<S, K, F>,
): EntityDescription<S, K, F> {
    return { ...description, state };
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
