import { byName, own } from '../data/own-properties';

/**
 * What happened to the records of one step. Always: in + expanded = out + filtered + rejected + held.
 * `created`, `updated`, `deleted` and `unchanged` say what became of the records that a load step settled. What hooks of the step add
 * is counted as expanded, what they leave out as filtered: `in` is what came to the step and `out` what left it, hooks included.
 */
export interface StepCounters {
    readonly in: number;
    readonly out: number;
    readonly expanded: number;
    readonly filtered: number;
    readonly rejected: number;
    readonly held: number;
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly unchanged: number;
}

/** By step key, which is a name that a user has given: to be read with `countsOf`. */
export type Counters = Readonly<Record<string, StepCounters>>;

export const NO_COUNTS: StepCounters = {
    in: 0,
    out: 0,
    expanded: 0,
    filtered: 0,
    rejected: 0,
    held: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    unchanged: 0,
};

/** The counters of a step; all zero if no record has come to it. */
export function countsOf(counters: Counters, stepKey: string): StepCounters {
    return own(counters, stepKey) ?? NO_COUNTS;
}

export function addCounts(a: StepCounters, b: Partial<StepCounters>): StepCounters {
    const sum: Record<string, number> = {};
    for (const key of Object.keys(NO_COUNTS) as Array<keyof StepCounters>) sum[key] = a[key] + (b[key] ?? 0);
    return sum as unknown as StepCounters;
}

export function addCounters(a: Counters, b: Counters): Counters {
    const sum = byName(a);
    for (const [step, counts] of Object.entries(b)) sum[step] = addCounts(countsOf(sum, step), counts);
    return sum;
}

/**
 * The counters of a worker, with those of sources and load steps of which more is stored than it knows; the same object
 * if there are none.
 */
export function withStored(counted: Counters, stored: Counters): Counters {
    let all: Record<string, StepCounters> | undefined;
    for (const [step, more] of Object.entries(stored)) {
        const known = countsOf(counted, step);
        if (more.in <= known.in && settledBy(more) <= settledBy(known)) continue;
        const most: Record<string, number> = {};
        for (const key of Object.keys(NO_COUNTS) as Array<keyof StepCounters>)
            most[key] = Math.max(known[key], more[key]);
        (all ??= byName(counted))[step] = most as unknown as StepCounters;
    }
    return all ?? counted;
}

function settledBy({ created, updated, deleted, unchanged, rejected }: StepCounters): number {
    return created + updated + deleted + unchanged + rejected;
}

/** How a batch's change from one number of records to another is counted. */
export function growth(from: number, to: number): Pick<StepCounters, 'expanded' | 'filtered'> {
    return { expanded: Math.max(0, to - from), filtered: Math.max(0, from - to) };
}
