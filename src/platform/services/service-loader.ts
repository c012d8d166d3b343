import type { z } from 'zod';
import {
    defineServiceLoader,
    type Loader,
    type LoaderExample,
    type ServiceLoader,
    type ServiceSession,
} from '../../core/adapter/loader';
import type { loadArguments, Strategy } from '../entities/load-arguments';
import { overflowOf } from '../entities/overflow';
import { deletingBy, mayDelete } from '../lookup/deleting';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import { ServiceChannels } from './service-channels';
import { namesOf, type ServiceConfig, serviceConfigOf } from './service-config';
import type { ServiceEntity } from './service-entity';
import type { ServiceField } from './service-field';
import { ServiceLoaderSession } from './service-session';

interface Loaded<C extends string, F extends string> {
    readonly code: C;
    readonly title: string;
    readonly category: string;
    readonly entity: ServiceEntity<F>;
    readonly notes: readonly string[];
    readonly examples: ReadonlyArray<LoaderExample<Partial<z.input<ServiceConfig<F>>>>>;
}

const entities = new WeakMap<object, ServiceEntity>();

/** What a loader loads by a service; undefined for others. */
export function serviceEntityOf(loader: object): ServiceEntity | undefined {
    return entities.get(loader);
}

/** A loader that has the service of a kind of entity write its records, one by one. */
export function serviceLoader<const C extends string, F extends string>({
    entity,
    notes,
    examples,
    ...words
}: Loaded<C, F>): ServiceLoader<C, ServiceConfig<F>> & Loader {
    const { called, key, permissions } = entity;
    const loader = defineServiceLoader({
        ...words,
        summary: `Creates, updates and deletes ${called[1]}.`,
        config: serviceConfigOf(entity) as z.ZodObject<
            Pick<typeof loadArguments, 'strategy' | 'allowDeletes'>,
            z.core.$strict
        >,
        notes: [
            ...notes,
            `Blanks around the ${key} are removed. A ${key} that several ${called[1]} have is rejected.`,
            "Vendure's own service writes each record in a separate transaction and publishes its events and jobs. An entity that already matches the record is not written.",
            'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated.',
            `A record with the operation DELETE is rejected if the run's user lacks the permission ${permissions.delete.join(' or ')}.`,
        ],
        requires: [permissions.update, permissions.create],
        mayRequire: mayDelete(permissions.delete),
        examples: examples as ReadonlyArray<LoaderExample<{ strategy?: Strategy }>>,
        fields: config =>
            new Map(['__operation', ...Object.values(namesOf(entity, config))].map(name => [name, undefined])),
        async open(config, cx): Promise<ServiceSession> {
            const platform = vendureOf(cx);
            const names = namesOf(entity, config);
            const channel = await readRunChannel(platform);
            const assigned = Object.values<ServiceField>(entity.fields).find(({ kind }) => kind === 'channels');
            return new ServiceLoaderSession(entity, {
                platform,
                names,
                mode: cx.mode,
                channel,
                channels:
                    assigned?.kind === 'channels' ? await ServiceChannels.read(platform, channel, assigned) : undefined,
                strategy: config.strategy,
                deleting: deletingBy(platform.ctx, permissions.delete, config.allowDeletes),
                overflow: overflowOf(cx, called[1]),
            });
        },
    });
    entities.set(loader, entity);
    // Only the type of the description knows the names of its fields.
    return loader as unknown as ServiceLoader<C, ServiceConfig<F>> & Loader;
}
