/** The fields that say how often workers claimed a run. */
export interface TakenUp {
    readonly attempt: number;
    readonly gateDecisions: ReadonlyArray<{ readonly verdict: string }>;
}

/** How often a worker stopped during a run. Each claim counts as an attempt, including the one that continues after a gate. */
export function takenOver({ attempt, gateDecisions }: TakenUp): number {
    const resumed = gateDecisions.filter(({ verdict }) => verdict === 'APPROVED').length;
    return Math.max(0, attempt - 1 - resumed);
}
