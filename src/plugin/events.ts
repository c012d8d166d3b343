import { type ID, type RequestContext, VendureEvent } from '@vendure/core';
import type { RunTotals } from '../core/run/outcome';
import type { RunOutcome } from '../core/run/state';

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
