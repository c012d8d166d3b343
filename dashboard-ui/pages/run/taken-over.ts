/** What tells how often workers took a run up. */
export interface TakenUp {
    readonly attempt: number;
    readonly gateDecisions: ReadonlyArray<{ readonly verdict: string }>;
}

/** How often a worker went away while it was at a run: each worker that takes it up counts, and so does the one that goes on behind a gate. */
export function takenOver({ attempt, gateDecisions }: TakenUp): number {
    const resumed = gateDecisions.filter(({ verdict }) => verdict === 'APPROVED').length;
    return Math.max(0, attempt - 1 - resumed);
}
