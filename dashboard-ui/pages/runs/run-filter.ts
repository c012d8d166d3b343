import type { Search } from '../../parts/use-search';
import { RANGES, windowOf } from '../logs/time-window';

type Equals = { readonly eq: string };

/** The filter of a list of runs, as the API takes it. */
export interface RunFilter {
    readonly status?: Equals;
    readonly outcome?: Equals;
    readonly triggerType?: Equals;
    readonly createdAt?: { readonly after: string };
}

/** The filter that the address of the page names. `status` also names the outcomes of completed runs. Words that mean nothing are left out. */
export function runFilter({ status, trigger, range }: Search, now: number): RunFilter {
    const isOutcome = status !== undefined && OUTCOMES.has(status);
    return {
        ...(status && { [isOutcome ? 'outcome' : 'status']: { eq: status } }),
        ...(trigger && { triggerType: { eq: trigger } }),
        ...(range !== undefined &&
            Object.hasOwn(RANGES, range) && {
                createdAt: { after: windowOf({ range, from: undefined, to: undefined }, now).from },
            }),
    };
}

const OUTCOMES: ReadonlySet<string> = new Set(['SUCCESS', 'PARTIAL', 'EMPTY']);
