import type { RunTotals } from '../../core/progress/outcome';

/** Only the totals of a run, as columns of its row. */
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
