import type { z } from 'zod';
import {
    defineLoader,
    type Loader,
    type LoaderExample,
    type TableLoader,
    type TableSession,
} from '../../core/adapter/loader';
import { deletingBy, mayDelete } from '../lookup/deleting';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import type { EntityDescription } from './description';
import { childStoresOf } from './child-store';
import { describedSession } from './entity-session';
import {
    configOf,
    type EntityConfig,
    fieldNamesOf,
    knownFieldsOf,
    listModesOf,
    mayTakeChildren,
    type SharedConfig,
} from './entity-config';
import { type DesiredEntity, readEntity } from './entity-record';
import type { EntityState } from './entity-state';
import { EntityStore } from './entity-store';
import { type ListedEntity, missingByKey, missingFilterProblems, missingRequires } from './missing';
import type { ExtendedStep, EntityExtension, StepRules } from './entity-extension';

interface Loaded<C extends string, D extends EntityDescription, X extends z.ZodRawShape> {
    readonly code: C;
    readonly title: string;
    readonly category: string;
    readonly entity: D;
    readonly notes: readonly string[];
    readonly examples: ReadonlyArray<LoaderExample<z.input<EntityConfig<D, X>>>>;
    readonly refinement?: EntityExtension<EntityState, DesiredEntity, X>;
    /** The record for a missing entity, by action; its configuration then has a `missing` of `missingEntities`. */
    readonly missing?: ListedEntity & { readonly told: Parameters<typeof missingByKey>[1] };
}

const descriptions = new WeakMap<object, EntityDescription>();

/** The description of the entity that a loader loads; undefined if it has none. */
export function descriptionOf(loader: Loader): EntityDescription | undefined {
    return descriptions.get(loader);
}

/**
 * Builds the loader of a kind of entity from the kind's description: configuration, reading, locks, one bulk read a batch, and a decision about
 * each record. The write takes a constant number of statements for any batch size, followed by the published effects
 * (docs/adr/0012-entity-descriptions.md).
 */
export function entityLoader<
    const C extends string,
    const D extends EntityDescription,
    X extends z.ZodRawShape = Record<never, z.ZodType>,
>({
    code,
    title,
    category,
    entity,
    notes,
    examples,
    refinement,
    missing,
}: Loaded<C, D, X>): TableLoader<C, EntityConfig<D, X>> & Loader {
    const { permissions, called, key } = entity;
    const loader = defineLoader({
        code,
        title,
        category,
        summary: `Creates, updates and deletes ${called[1]}.`,
        config: configOf(entity, refinement?.config),
        notes: [
            ...notes,
            `Blanks around the ${key.holds} are removed.`,
            ...(entity.texts ? ["Texts outside `translations` are in the run's language."] : []),
            'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated.',
            `A record with the operation DELETE is rejected if the run's user lacks the permission ${permissions.delete.join(' or ')}.`,
        ],
        requires: [permissions.update, permissions.create],
        mayRequire: config => [
            ...mayDelete(permissions.delete)(config),
            ...mayTakeChildren(entity, config),
            ...(refinement?.mayRequire?.(config) ?? []),
        ],
        ...(missing && {
            missing: missingByKey(entity, missing.told, missing),
            requiresFor: missingRequires(missing.entity, permissions.delete),
            judge: (config: object, shop: unknown) => missingFilterProblems({ ...config }, missing.entity, shop),
        }),
        examples: examples as ReadonlyArray<LoaderExample<z.input<SharedConfig>>>,
        fields: config => knownFieldsOf(entity, config),
        customFieldsOf: String(entity.customFields),
        async open(config, cx): Promise<TableSession> {
            const platform = vendureOf(cx);
            const store = new EntityStore(entity, platform);
            const channel = await readRunChannel(platform);
            const names = fieldNamesOf(entity, config);
            const { strategy, allowDeletes, sideEffects } = config;
            const deleting = deletingBy(platform.ctx, permissions.delete, allowDeletes);
            const rules: StepRules = {
                ...{ store, channel, names, strategy, deleting, sideEffects },
                children: childStoresOf(store, config),
                modes: listModesOf(entity, config),
                mode: cx.mode,
                cx,
            };
            const refined: ExtendedStep | undefined = await refinement?.open(
                rules,
                config as unknown as z.output<z.ZodObject<X>>,
            );
            return describedSession(cx, { rules, refined }, (data, issues) => {
                const desired = readEntity(data, rules, issues);
                return refined?.read?.(data, desired, issues) ?? desired;
            });
        },
    });
    descriptions.set(loader, entity);
    // Only the type of the description knows the names of its fields.
    return loader as unknown as TableLoader<C, EntityConfig<D, X>> & Loader;
}
