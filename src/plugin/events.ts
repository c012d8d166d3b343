import { type ID, type RequestContext, VendureEvent } from '@vendure/core';
import type { RunTotals } from '../core/progress/outcome';
import type { RunOutcome } from '../core/progress/state';

/** Which run an event is about. */
export interface FlowRunFacts {
    readonly runId: ID;
    readonly pipelineId: ID;
    readonly pipelineCode: string;
    readonly dryRun: boolean;
}

abstract class FlowRunEvent extends VendureEvent {
    constructor(
        /** The run's channel and the user that it acts for. */
        readonly ctx: RequestContext,
        readonly run: FlowRunFacts,
    ) {
        super();
    }
}

/** A worker has begun with a run; not published again when the run is resumed. */
export class FlowRunStarted extends FlowRunEvent {}

/** A run is stored as COMPLETED. */
export class FlowRunCompleted extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        readonly result: { readonly outcome: RunOutcome; readonly totals: RunTotals },
    ) {
        super(ctx, run);
    }
}

/** A run is stored as FAILED. */
export class FlowRunFailed extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        readonly error: { readonly code: string; readonly message: string; readonly stepKey: string | undefined },
    ) {
        super(ctx, run);
    }
}

/** A run is stored as CANCELLED. */
export class FlowRunCancelled extends FlowRunEvent {}

/** A run waits for a person: at a gate for its approval, or to be resumed after its workers died one after the other. */
export class FlowRunPaused extends FlowRunEvent {
    constructor(
        ctx: RequestContext,
        run: FlowRunFacts,
        /** Undefined where it waits at no gate. */
        readonly gate: { readonly stepKey: string; readonly timeoutAt: Date | undefined } | undefined,
        /** Why it paused, where that was not a gate. */
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
            /** Undefined when the gate decided by itself (TIMEOUT, THRESHOLD). */
            readonly decidedBy: ID | undefined;
        },
    ) {
        super(ctx, run);
    }
}

/** A gate lets its records go on. */
export class FlowGateApproved extends FlowGateEvent {}

/** A gate was refused; its records are dropped and the run is CANCELLED. */
export class FlowGateRejected extends FlowGateEvent {}

/** A revision is published and selected: the runs to come execute it. */
export class FlowPipelinePublished extends VendureEvent {
    constructor(
        /** The pipeline's channel and the publisher; without a user when the shop's code published it. */
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

/** A schedule failed to create its run five times in a row and rests until the process starts anew. */
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
