import type { RunTotals } from '../../core/progress/outcome';

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
