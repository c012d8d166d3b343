/** Which rows of a list a pager shows. */
export interface PagerState {
    /** The numbers of its first and last row, from 1. */
    readonly first: number;
    readonly last: number;
    readonly isFirst: boolean;
    readonly isLast: boolean;
}

/** The state of a pager whose page begins after `skip` rows. */
export function pagerState({
    skip,
    take,
    total,
}: {
    readonly skip: number;
    readonly take: number;
    readonly total: number;
}): PagerState {
    const last = Math.min(skip + take, total);
    return { first: skip + 1, last, isFirst: skip === 0, isLast: last === total };
}
