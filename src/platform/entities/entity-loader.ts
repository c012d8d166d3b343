import type { z } from 'zod';
import {
    defineLoader,
    type Loader,
    type LoaderExample,
    type TableLoader,
    type TableSession,
} from '../../core/adapter/loader';
import { Faults, settleFaults, trimmedIn } from './faults';
import { oncePerBatch } from './once-per-batch';
import { deletingBy } from '../lookup/deleting';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import type { EntityDescription } from './description';
import { configOf, type EntityConfig, fieldNamesOf, knownFieldsOf, type SharedConfig } from './entity-config';
import { readEntity } from './entity-record';
import { EntityStore } from './entity-store';
import { lockKeysOf } from './locks';
import { EntityPlan } from './plan-entities';
import { overflowOf } from './overflow';
import { unitOfWork } from './unit-of-work';
import { writeEntities } from './write-entities';

interface Loaded<C extends string, D extends EntityDescription> {
    readonly code: C;
    readonly title: string;
    readonly category: string;
    readonly entity: D;
    readonly notes: readonly string[];
    readonly examples: ReadonlyArray<LoaderExample<z.input<EntityConfig<D>>>>;
}

const descriptions = new WeakMap<object, EntityDescription>();

/** What a loader loads, where that is described; undefined for others. */
export function descriptionOf(loader: Loader): EntityDescription | undefined {
    return descriptions.get(loader);
}

/**
 * The loader of a kind of entity, all of it from the kind's description: configuration, reading, locks, one bulk read a batch, what becomes
 * of each record, the write in as few statements whatever the batch's size, and what is made known (docs/adr/0034).
 */
export function entityLoader<const C extends string, const D extends EntityDescription>({
    code,
    title,
    category,
    entity,
    notes,
    examples,
}: Loaded<C, D>): TableLoader<C, EntityConfig<D>> & Loader {
    const { permissions, called, key } = entity;
    const loader = defineLoader({
        code,
        title,
        category,
        summary: `Creates, updates and deletes ${called[1]}.`,
        config: configOf(entity),
        notes: [
            ...notes,
            `A ${key.field} is read without the blanks round it.`,
            ...(entity.texts ? ["Texts outside `translations` are those of the run's language."] : []),
            "The operations CREATE and UPDATE mean UPSERT: whether one may be made or changed is said by the step's strategy.",
            `A record with the operation DELETE is rejected when the run's user lacks the permission ${permissions.delete.join(' or ')}.`,
        ],
        requires: [permissions.update, permissions.create],
        examples: examples as ReadonlyArray<LoaderExample<z.input<SharedConfig>>>,
        fields: config => knownFieldsOf(entity, config),
        async open(config, cx): Promise<TableSession> {
            const platform = vendureOf(cx);
            const store = new EntityStore(entity, platform);
            const channel = await readRunChannel(platform);
            const names = fieldNamesOf(entity, config);
            const rules = {
                store,
                channel,
                names,
                strategy: config.strategy,
                deleting: deletingBy(platform.ctx, permissions.delete),
            };
            const read = oncePerBatch(({ data }) => {
                const faults = new Faults();
                return { faults, desired: readEntity(data, rules, faults) };
            });
            const overflow = overflowOf(cx, called[1]);
            return {
                locks: batch => read(batch).flatMap(({ desired }) => lockKeysOf(entity, desired)),
                prepare: batch => settleFaults(read(batch)),
                *plan(batch) {
                    const work = unitOfWork(platform, cx.mode);
                    const changes = yield* new EntityPlan(rules, work).changes(read(batch));
                    if (cx.mode !== 'live') overflow(work.settle());
                    return {
                        changes,
                        apply: () =>
                            writeEntities({ store, channel, sideEffects: config.sideEffects }, work.of(entity)),
                    };
                },
                trimmed: batch => trimmedIn(read(batch)),
            };
        },
    });
    descriptions.set(loader, entity);
    // The names of its fields are known to the type of the description alone.
    return loader as unknown as TableLoader<C, EntityConfig<D>> & Loader;
}
