import type { ListQueryOptions, VendureEntity } from '@vendure/core';
import type { FindOptionsOrder } from 'typeorm';

/** The order of a list that the caller did not sort: Vendure's ListQueryBuilder lets an `orderBy` win over the caller's wish. */
export function unlessSorted<E extends VendureEntity>(
    options: ListQueryOptions<E> | undefined | null,
    order: FindOptionsOrder<E>,
): FindOptionsOrder<E> {
    return Object.values(options?.sort ?? {}).some(Boolean) ? {} : order;
}
