import type { CustomFields, VendureEntity } from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { Id } from '../../database/write';
import type { AnyOf } from '../context';
import type { ChangedEntity } from '../effects/effect';
import type { Columns } from './columns';
import { EntityState } from './entity-state';
import type { ListMode } from './load-arguments';
import type { DeleteReference } from './delete-references';
import type { ValueField } from './value-fields';

/** A separate text in each language. A new language of an entity needs all of these fields, except those that may be empty. */
interface TranslatedField {
    readonly kind: 'translated';
    readonly holds: string;
    readonly mayBeEmpty: boolean;
}

/** Another entity, by its key; the column is named after the field ("facet" → facetId). Said once, and never changed. */
interface RefField {
    readonly kind: 'ref';
    readonly holds: string;
    readonly to: EntityDescription;
    /** A new one needs it, although its column may be empty. */
    readonly isRequired: boolean;
}

/** Several other entities, which are the members of one of its relations. */
interface MembersField {
    readonly kind: 'members';
    readonly holds: string;
    /** A function, because two kinds may be members of each other. */
    of(): EntityDescription;
}

/** What the refinement of its kind reads, plans and writes. */
interface RefinedField {
    readonly kind: 'refined';
    readonly holds: string;
}

/** Rows of another table that belong to the entity alone; the record has them as a list of objects. */
interface ChildrenField {
    readonly kind: 'children';
    readonly holds: string;
    readonly of: ChildDescription;
    /** The relation by which a child knows its owner: "customer". */
    readonly owner: string;
    /** The fields that distinguish the children of one owner. */
    readonly key: readonly [string, ...string[]];
    /** The mode of a list if neither its own mode nor the strategy decides. */
    readonly mode: ListMode;
}

/** A field that holds a list, which has a mode. */
type ListField = MembersField | ChildrenField;

/** The kind of a field of a record; `holds` completes "Field of the record that holds the …", or begins with `whether`. */
export type Field = ValueField | TranslatedField | RefField | MembersField | ChildrenField | RefinedField;

/** A kind of rows that belong to an entity, and are loaded and reported with it. */
export interface ChildDescription {
    /** Set if separate events report its changes. */
    readonly name?: ChangedEntity;
    readonly called: readonly [one: string, many: string];
    readonly type: EntityTarget<VendureEntity>;
    readonly customFields?: keyof CustomFields;
    readonly fields: Readonly<Record<string, ValueField | RefField>>;
    /** Switches that one child of an owner has at most. */
    readonly onlyOne?: readonly string[];
    /** What taking one away needs. */
    readonly deletedBy: AnyOf;
}

export const translated = (holds: string, { mayBeEmpty = false } = {}): TranslatedField => ({
    kind: 'translated',
    holds,
    mayBeEmpty,
});
export const refined = (holds: string): RefinedField => ({ kind: 'refined', holds });
export const ref = (to: EntityDescription, holds: string, { isRequired = false } = {}): RefField => ({
    kind: 'ref',
    holds,
    to,
    isRequired,
});
export const members = (of: EntityDescription | (() => EntityDescription), holds: string): MembersField => ({
    kind: 'members',
    holds,
    of: typeof of === 'function' ? of : () => of,
});
export const children = (
    of: ChildDescription,
    { mode = 'REPLACE', ...rest }: Pick<ChildrenField, 'owner' | 'key' | 'holds'> & { readonly mode?: ListMode },
): ChildrenField => ({ kind: 'children', of, mode, ...rest });

/** Whether a field is one column of its row. */
export function isValue(field: Field): field is ValueField {
    return !['translated', 'ref', 'members', 'children', 'refined'].includes(field.kind);
}

/** What distinguishes one entity of a kind from the others; it may have no unique index. */
interface Key<F extends string> {
    /** The field of the record, and the column. */
    readonly field: F;
    readonly holds: string;
    /** The column belongs to the translations; its value in the run's language counts. */
    readonly isTranslated?: boolean;
    /** The reference within which it is one of its kind: that of a facet value to its facet. */
    readonly within?: string;
    /**
     * The translated field that is its name. A record without a key is found by it, and a reference may give it; the key of a new one is made of it.
     * Where `nameWithin` names a field, names are compared among those that have the same there.
     */
    readonly made?: { readonly of: string; by(text: string): string; readonly nameWithin?: string };
    /** Among whom it is one of its kind: those of the run's channel, or all of the shop. `index`: the database keeps it so. */
    readonly among: 'channel' | 'shop' | 'index';
    /** What is compared: in small letters, whichever the column has. */
    normal?(text: string): string;
}

interface Permissions {
    readonly read: AnyOf;
    readonly create: AnyOf;
    readonly update: AnyOf;
    readonly delete: AnyOf;
}

/** How an entity is held while it is worked on. */
type StateClass<S extends EntityState> = new (
    id: Id | undefined,
    columns: Columns,
    key: string,
    isInChannel?: boolean,
) => S;

/**
 * Everything that Flow needs to load, refer to and look up a kind of entity. It is defined only here
 * (docs/adr/0012-entity-descriptions.md).
 */
export interface EntityDescription<
    S extends EntityState = EntityState,
    K extends string = string,
    F extends string = string,
    L extends string = never,
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
    readonly fields: Readonly<Record<F, Field>> & Readonly<Record<L, ListField>>;
    /** Further columns of its row that no record names, but that its refinement reads. */
    readonly further?: readonly string[];
    readonly state: StateClass<S>;
    /** How many of them a dry run remembers at most, of kinds that take much memory. */
    readonly mostPlanned?: number;
    /** The references from other rows to it, and their effect on its deletion. Softly deleted entities are not checked. */
    readonly uses: readonly DeleteReference[];
    /** Vendure requires that one of them stays. */
    readonly keepsLast?: boolean;
    /** A delete removes one from the run's channel, and deletes it if that is its last channel. */
    readonly leavesChannel?: boolean;
}

type Described<S extends EntityState, K extends string, D extends Fields> = Omit<
    EntityDescription<S, K>,
    'state' | 'fields'
> & { readonly fields: D };
type Fields = Readonly<Record<string, Field>>;
type Of<S extends EntityState, K extends string, D extends Fields> = EntityDescription<
    S,
    K,
    Extract<keyof D, string>,
    ListsOf<D>
>;
/** The names of the fields that are lists. */
type ListsOf<D extends Fields> = { [F in Extract<keyof D, string>]: D[F] extends ListField ? F : never }[Extract<
    keyof D,
    string
>];

/** Describes a kind of entity. */
export function describeEntity<const K extends string, const D extends Fields>(
    description: Described<EntityState, K, D>,
): Of<EntityState, K, D> {
    return { ...description, state: EntityState } as unknown as Of<EntityState, K, D>;
}

/** Describes a kind of entity of which more is known, while it is worked on, than its fields. */
export function describeAs<S extends EntityState, const K extends string, const D extends Fields>(
    state: StateClass<S>,
    description: Described<S, K, D>,
): Of<S, K, D> {
    return { ...description, state } as unknown as Of<S, K, D>;
}

/** What a record of a kind may have, by its field names: its key, its fields, custom fields, translations. */
export function contentsOf({ key, fields, texts }: EntityDescription): Readonly<Record<string, string>> {
    return {
        [key.field]: key.holds,
        ...Object.fromEntries(Object.entries(fields).map(([name, { holds }]) => [name, holds])),
        ...(texts && { translations: 'translations by language' }),
        customFields: 'custom fields',
    };
}

/** The names of the fields of one kind. */
export function fieldsOf<T extends Field['kind']>({ fields }: EntityDescription, kind: T): readonly string[] {
    return Object.entries(fields).flatMap(([name, field]) => (field.kind === kind ? [name] : []));
}

/** The fields that hold a list. */
export function listFieldsOf({ fields }: EntityDescription): ReadonlyArray<readonly [name: string, field: ListField]> {
    return Object.entries(fields).flatMap(([name, field]) =>
        field.kind === 'members' || field.kind === 'children' ? [[name, field] as const] : [],
    );
}
