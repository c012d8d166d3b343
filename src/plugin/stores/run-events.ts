import { raw, sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import type { RunStatus } from '../../core/progress/state';
import type { GateVerdict } from '../entities/gate-decision';
import { nowMs } from './database-clock';
import type { StoreEnv } from './store-env';

/** The events of a run that are effects as well, by the names of their classes (ADR 11). */
export const RUN_EVENTS = [
    'FlowRunCompleted',
    'FlowRunFailed',
    'FlowRunCancelled',
    'FlowRunPaused',
    'FlowGateApproved',
    'FlowGateRejected',
] as const;
export type RunEventKind = (typeof RUN_EVENTS)[number];

/** What an event says that cannot be read from the run later. */
export interface RunEvent {
    readonly kind: RunEventKind;
    /** Empty for the end of a run. */
    readonly stepKey: string;
    readonly payload: { readonly decidedBy?: Id };
}

/** The committing process publishes an event at once. An event that still exists after this time was left by a dead process. */
export const PUBLISHED_WITHIN_MS = 60_000;

const OF_ENDS: Partial<Record<RunStatus, RunEventKind>> = {
    COMPLETED: 'FlowRunCompleted',
    FAILED: 'FlowRunFailed',
    CANCELLED: 'FlowRunCancelled',
};
const OF_GATES: Record<GateVerdict, RunEventKind> = { APPROVED: 'FlowGateApproved', REJECTED: 'FlowGateRejected' };

/** How runs end. */
export const ENDS: readonly RunEventKind[] = Object.values(OF_ENDS);

/** Undefined for a run that has not ended. */
export function endEvent(status: RunStatus): RunEvent | undefined {
    const kind = OF_ENDS[status];
    return kind && { kind, stepKey: '', payload: {} };
}

/** A run waits at a step. */
export function pauseEvent(stepKey: string): RunEvent {
    return { kind: 'FlowRunPaused', stepKey, payload: {} };
}

/** A decision about a gate; `decidedBy` is empty if no user has decided. */
export function gateEvent(
    outcome: GateVerdict,
    { stepKey, actorId }: { readonly stepKey: string; readonly actorId?: Id | null },
): RunEvent {
    return { kind: OF_GATES[outcome], stepKey, payload: actorId == null ? {} : { decidedBy: actorId } };
}

/** The row of an event, for the transaction that the event reports. */
export function runEventRow({ database }: StoreEnv, runId: Id, event: RunEvent): Row {
    const nextTryAt = sql`${nowMs(database.dialect)} + ${raw(String(PUBLISHED_WITHIN_MS))}`;
    return { runId, ...event, nextTryAt };
}
