import type { RunTotals } from '../../core/run/outcome';

/** The totals of a run and nothing else, as its row has them. */
export function storedTotals({
    recordsRead,
    recordsProcessed,
    recordsLoaded,
    recordsUnchanged,
    recordsFiltered,
    recordsRejected,
}: RunTotals): RunTotals {
    return { recordsRead, recordsProcessed, recordsLoaded, recordsUnchanged, recordsFiltered, recordsRejected };
}
