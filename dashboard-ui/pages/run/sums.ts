/** What a run counts over all of its records. */
export interface RunSums {
    readonly recordsRead: number;
    readonly recordsProcessed: number;
    readonly recordsLoaded: number;
    readonly recordsUnchanged: number;
    readonly recordsFiltered: number;
    readonly recordsRejected: number;
    readonly held: ReadonlyArray<{ readonly records: number }>;
    readonly steps: ReadonlyArray<{
        readonly kind: string;
        readonly counters: { readonly created: number; readonly updated: number; readonly deleted: number };
    }>;
}

/** What has become of a run's records: each part of the sum, `other` for those that were not processed, reached no load or sink, or are still on their way. */
export interface SumParts {
    readonly read: number;
    readonly loaded: number;
    /** What sinks have delivered or removed. */
    readonly exported: number;
    readonly unchanged: number;
    readonly filtered: number;
    readonly rejected: number;
    readonly held: number;
    readonly other: number;
    /** Whether the parts come to what was read: a record that several steps load is counted by each of them, and so is each that a step makes of one. */
    readonly comesOut: boolean;
}

/** The sum that a reader can check: read = loaded + exported + unchanged + filtered + rejected + held + what is left. */
export function sumOf({
    recordsRead,
    recordsLoaded,
    recordsUnchanged,
    recordsFiltered,
    recordsRejected,
    held,
    steps,
}: RunSums): SumParts {
    const parts = {
        loaded: recordsLoaded,
        exported: exportedBy(steps),
        unchanged: recordsUnchanged,
        filtered: recordsFiltered,
        rejected: recordsRejected,
        held: held.reduce((sum, { records }) => sum + records, 0),
    };
    const told = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { read: recordsRead, ...parts, other: Math.max(0, recordsRead - told), comesOut: told <= recordsRead };
}

function exportedBy(steps: RunSums['steps']): number {
    return steps
        .filter(({ kind }) => kind === 'SINK')
        .reduce((sum, { counters: { created, updated, deleted } }) => sum + created + updated + deleted, 0);
}
