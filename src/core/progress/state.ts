/** The whole machine of a run. The store makes a move in one write, which finds the run only in the state that it moves from. */
export const RUN_STATUSES = ['PENDING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const NEXT: Record<RunStatus, readonly RunStatus[]> = {
    PENDING: ['RUNNING', 'CANCELLED', 'FAILED'],
    RUNNING: ['PENDING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'],
    PAUSED: ['PENDING', 'CANCELLED'],
    COMPLETED: [],
    FAILED: [],
    CANCELLED: [],
};

export function canTransition(from: RunStatus, to: RunStatus): boolean {
    return NEXT[from].includes(to);
}

export function isTerminal(status: RunStatus): boolean {
    return NEXT[status].length === 0;
}

/** Supplements the status of a completed run: no problems, some records rejected, or nothing read. */
const RUN_OUTCOMES = ['SUCCESS', 'PARTIAL', 'EMPTY'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];
