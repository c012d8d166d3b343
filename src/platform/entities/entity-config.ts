import { z } from 'zod';
import { GROUPS } from '../../core/schema/groups';
import type { KnownFields } from '../../core/adapter/loader';
import type { PossibleRight } from '../../core/adapter/base';
import type { JsonObject } from '../../core/value/json';
import { type ListMode, listMode, listModeArgument, loadArguments, type Strategy } from './load-arguments';
import { contentsOf, type EntityDescription, listFieldsOf } from './description';

/** The `…Field` argument that renames a field; `holds` names its content, or says what it answers: `whether …`. */
export const fieldArgument = (field: string, holds: string) =>
    z
        .string()
        .min(1)
        .max(100)
        .default(field)
        .meta({
            title: `Field of ${field}`,
            group: GROUPS.names,
            description: `Field of the record that ${holds.startsWith('whether ') ? 'says' : 'holds the'} ${holds}.`,
        });

type Modes<F extends string> = { [K in F as `${K}Mode`]: ReturnType<typeof listModeArgument> };

type Renames<F extends string> = { [K in F as `${K}Field`]: ReturnType<typeof fieldArgument> };

/** The fields of a record that a load of such an entity reads. */
type FieldOf<D extends EntityDescription> =
    | D['key']['field']
    | Extract<keyof D['fields'], string>
    | 'customFields'
    | (D extends { readonly texts: unknown } ? 'translations' : never);

type ListOf<D extends EntityDescription> =
    D extends EntityDescription<infer _S, infer _K, infer _F, infer L> ? Extract<L, string> : never;

/** What all loads of entities have in common. */
export type SharedConfig = typeof shared;

const shared = z.strictObject(loadArguments);

/** The configuration of a load of one kind of entity: the method, the field names, and the published events. */
export type EntityConfig<D extends EntityDescription, X extends z.ZodRawShape = Record<never, z.ZodType>> = z.ZodObject<
    (typeof shared)['shape'] & Renames<FieldOf<D>> & Modes<ListOf<D>> & X,
    z.core.$strict
>;

/** That configuration, with a `…Field` argument for each field, by which it can be renamed, and further ones. */
export function configOf(entity: EntityDescription, further: z.ZodRawShape = {}): SharedConfig {
    const { strategy, allowDeletes, sideEffects, history } = shared.shape;
    const renames = Object.entries(contentsOf(entity)).map(
        ([field, holds]) => [`${field}Field`, fieldArgument(field, holds)] as const,
    );
    const modes = listFieldsOf(entity).map(([field]) => [`${field}Mode`, listModeArgument(field)] as const);
    return z.strictObject({
        strategy,
        allowDeletes,
        ...further,
        ...Object.fromEntries([...renames, ...modes]),
        sideEffects,
        history,
    }) as unknown as SharedConfig;
}

/** The modes that a step gives to lists, by field. */
export function listModesOf(
    entity: EntityDescription,
    config: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, ListMode> {
    return new Map(
        listFieldsOf(entity).flatMap(([field]) => {
            const mode = config[`${field}Mode`] as ListMode | undefined;
            return mode ? [[field, mode] as const] : [];
        }),
    );
}

/** The rights that taking children away needs, of lists that a step lets records shorten. */
export function mayTakeChildren(entity: EntityDescription, config: JsonObject): readonly PossibleRight[] {
    return listFieldsOf(entity).flatMap(([field, list]) => {
        if (list.kind !== 'children') return [];
        const own = config[`${field}Mode`] as ListMode | undefined;
        const mode = listMode(own, config['strategy'] as Strategy, list.mode);
        const reason = `records take ${list.of.called[1]} away; set ${field}Mode to MERGE or SKIP to keep them`;
        return mode === 'REPLACE' || mode === 'REMOVE' ? [{ need: list.of.deletedBy, reason }] : [];
    });
}

/** The names that the fields of a record go by in one step, at the top level and in translations. */
export type FieldNames = Readonly<Record<string, string>>;

export function fieldNamesOf(entity: EntityDescription, config: Readonly<Record<string, unknown>>): FieldNames {
    return Object.fromEntries(
        Object.keys(contentsOf(entity)).map(field => [field, (config[`${field}Field`] as string | undefined) ?? field]),
    );
}

/** The fields that a step reads, by their names in its configuration. */
export function knownFieldsOf(entity: EntityDescription, config: Readonly<Record<string, unknown>>): KnownFields {
    const names = fieldNamesOf(entity, config);
    const translated = Object.entries(entity.fields).flatMap(([field, { kind }]) =>
        kind === 'translated' ? [field] : [],
    );
    const texts: KnownFields = new Map([...translated, 'customFields'].map(field => [names[field]!, undefined]));
    const parts = new Map<string, KnownFields>([['translations', texts]]);
    for (const [field, list] of listFieldsOf(entity))
        if (list.kind === 'children')
            parts.set(field, new Map([...Object.keys(list.of.fields), 'customFields'].map(name => [name, undefined])));
    return new Map([
        ['__operation', undefined],
        ...Object.entries(names).map(([field, name]) => [name, parts.get(field)] as const),
    ]);
}
