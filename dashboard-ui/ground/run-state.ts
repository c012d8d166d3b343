/** The state of a run as users see it: its status, and for completed runs the outcome. */
export type RunState = 'PENDING' | 'RUNNING' | 'PAUSED' | 'FAILED' | 'CANCELLED' | 'SUCCESS' | 'PARTIAL' | 'EMPTY';

/** A run as far as its state goes. */
export interface RunWithState {
    readonly status: 'PENDING' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
    readonly outcome: 'SUCCESS' | 'PARTIAL' | 'EMPTY' | null;
}

/** Of a completed run its outcome, of all others their status. */
export function stateOf({ status, outcome }: RunWithState): RunState {
    return status === 'COMPLETED' ? (outcome ?? 'SUCCESS') : status;
}

/** Whether nothing about it will change any more. */
export function hasEnded({ status }: Pick<RunWithState, 'status'>): boolean {
    return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';
}
