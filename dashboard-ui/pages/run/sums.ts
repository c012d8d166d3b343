/** What a run counts over all of its records. */
export interface RunSums {
    readonly recordsRead: number;
    readonly recordsProcessed: number;
    readonly recordsLoaded: number;
    readonly recordsUnchanged: number;
    readonly recordsFiltered: number;
    readonly recordsRejected: number;
    readonly held: ReadonlyArray<{ readonly records: number }>;
}

/** What has become of a run's records: each part of the sum, `other` for those that have reached another end or are still on their way. */
export interface SumParts {
    readonly read: number;
    readonly loaded: number;
    readonly unchanged: number;
    readonly filtered: number;
    readonly rejected: number;
    readonly held: number;
    readonly other: number;
    /** Whether the parts come to what was read: a record that several steps load is counted by each of them, and so is each that a step makes of one. */
    readonly comesOut: boolean;
}

/** The sum that a reader can check: read = loaded + unchanged + filtered + rejected + held + what is left. */
export function sumOf({
    recordsRead,
    recordsLoaded,
    recordsUnchanged,
    recordsFiltered,
    recordsRejected,
    held,
}: RunSums): SumParts {
    const parts = {
        loaded: recordsLoaded,
        unchanged: recordsUnchanged,
        filtered: recordsFiltered,
        rejected: recordsRejected,
        held: held.reduce((sum, { records }) => sum + records, 0),
    };
    const told = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { read: recordsRead, ...parts, other: Math.max(0, recordsRead - told), comesOut: told <= recordsRead };
}
