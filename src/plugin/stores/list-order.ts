import type { ListQueryOptions, VendureEntity } from '@vendure/core';
import type { FindOptionsOrder } from 'typeorm';

/**
 * The order of a list that the caller did not sort: Vendure's ListQueryBuilder lets an `orderBy` win over what the caller asked for. Rows that
 * the caller's order leaves equal follow their ids, so that no row is on two pages or on none.
 */
export function unlessSorted<E extends VendureEntity>(
    options: ListQueryOptions<E> | undefined | null,
    order: FindOptionsOrder<E>,
): FindOptionsOrder<E> {
    const sort = Object.entries(options?.sort ?? {}).filter(([, direction]) => Boolean(direction));
    const last = sort.at(-1);
    if (!last) return order;
    return (sort.some(([property]) => property === 'id') ? {} : { id: last[1] }) as FindOptionsOrder<E>;
}
