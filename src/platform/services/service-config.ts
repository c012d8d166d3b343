import { z } from 'zod';
import { fieldArgument } from '../entities/entity-config';
import { loadArguments } from '../entities/load-arguments';
import type { ServiceEntity } from './service-entity';

/** The configuration of a load by a service: how, and by what names. */
export type ServiceConfig<F extends string> = z.ZodObject<
    Pick<typeof loadArguments, 'strategy' | 'allowDeletes'> & {
        readonly [K in F | 'customFields' as `${K}Field`]: ReturnType<typeof fieldArgument>;
    },
    z.core.$strict
>;

/** The names that the fields of a record go by in one step. */
export type RecordNames = Readonly<Record<string, string>>;

/** What a record may have. */
function contentsOf({ fields }: ServiceEntity): RecordNames {
    const held = Object.entries(fields).map(([field, { holds }]) => [field, holds] as const);
    return { ...Object.fromEntries(held), customFields: 'custom fields' };
}

/** That configuration, with a `…Field` argument for each field, by which it can be renamed. */
export function serviceConfigOf(entity: ServiceEntity): z.ZodObject {
    const renames = Object.entries(contentsOf(entity)).map(
        ([field, holds]) => [`${field}Field`, fieldArgument(field, holds)] as const,
    );
    return z.strictObject({
        strategy: loadArguments.strategy,
        allowDeletes: loadArguments.allowDeletes,
        ...Object.fromEntries(renames),
    });
}

/** The names of the fields in a step's configuration. */
export function namesOf(entity: ServiceEntity, config: Readonly<Record<string, unknown>>): RecordNames {
    return Object.fromEntries(
        Object.keys(contentsOf(entity)).map(field => [field, (config[`${field}Field`] as string | undefined) ?? field]),
    );
}
