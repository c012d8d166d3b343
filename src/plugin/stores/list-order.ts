import type { ListQueryOptions, VendureEntity } from '@vendure/core';
import type { FindOptionsOrder } from 'typeorm';

/**
 * The default order of a list. Vendure's ListQueryBuilder would give an `orderBy` precedence over the caller's sort. Rows that are equal in the
 * caller's order are sorted by id, so that each row is on exactly one page.
 */
export function withDefaultSort<E extends VendureEntity>(
    options: ListQueryOptions<E> | undefined | null,
    order: FindOptionsOrder<E>,
): FindOptionsOrder<E> {
    const sort = Object.entries(options?.sort ?? {}).filter(([, direction]) => Boolean(direction));
    const last = sort.at(-1);
    if (!last) return order;
    return (sort.some(([property]) => property === 'id') ? {} : { id: last[1] }) as FindOptionsOrder<E>;
}
