import { type ID, type RequestContext, VendureEvent } from '@vendure/core';
import type { RunTotals } from '../core/progress/outcome';
import type { RunOutcome } from '../core/progress/state';

/** The run that an event is about. */
export interface FlowRunFacts {
    readonly runId: ID;
    readonly pipelineId: ID;
    readonly pipelineCode: string;
    readonly dryRun: boolean;
}

abstract class FlowRunEvent extends VendureEvent {
    constructor(
        /** The run's channel and the user whose permissions it has. */
        readonly ctx: RequestContext,
        readonly run: FlowRunFacts,
    ) {
        super();
    }
}

/** A worker has started a run. Not published again when the run is resumed. */
export class FlowRunStarted extends FlowRunEvent {}

/** A run was stored as COMPLETED. */
export class FlowRunCompleted extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        readonly result: { readonly outcome: RunOutcome; readonly totals: RunTotals },
    ) {
        super(ctx, run);
    }
}

/** A run was stored as FAILED. */
export class FlowRunFailed extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | undefined },
    ) {
        super(ctx, run);
    }
}

/** A run was stored as CANCELLED. */
export class FlowRunCancelled extends FlowRunEvent {}

/** A run waits for a person: at a gate for its approval, or to be resumed after its workers died repeatedly. */
export class FlowRunPaused extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        /** Undefined if it does not wait at a gate. */
        readonly gate: { readonly stepKey: string; readonly timeoutAt: Date | undefined } | undefined,
        /** Why it paused, if not at a gate. */
        readonly error?: { readonly code: string; readonly message: string },
    ) {
        super(ctx, run);
    }
}

abstract class FlowGateEvent extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        readonly gate: {
            readonly stepKey: string;
            /** Undefined if the gate decided automatically (TIMEOUT, THRESHOLD). */
            readonly decidedBy: ID | undefined;
        },
    ) {
        super(ctx, run);
    }
}

/** A gate was approved; its records continue. */
export class FlowGateApproved extends FlowGateEvent {}

/** A gate was rejected; its records are dropped and the run is CANCELLED. */
export class FlowGateRejected extends FlowGateEvent {}

/** A revision was published and selected: new runs execute it. */
export class FlowPipelinePublished extends VendureEvent {
    constructor(
        /** The pipeline's channel and the publisher; without a user if the shop's code published it. */
        readonly ctx: RequestContext,
        readonly publication: {
            readonly pipelineId: ID;
            readonly pipelineCode: string;
            readonly revisionId: ID;
            /** 1, 2, 3 … within its pipeline. */
            readonly number: number;
            readonly message: string | undefined;
        },
    ) {
        super();
    }
}

/** A schedule failed to create its run five times in a row. It is suspended until the process restarts. */
export class ScheduleDeactivated extends VendureEvent {
    constructor(
        readonly ctx: RequestContext,
        readonly schedule: {
            readonly pipelineId: ID;
            readonly pipelineCode: string;
            readonly triggerKey: string;
            readonly failures: number;
            readonly lastError: string;
        },
    ) {
        super();
    }
}
