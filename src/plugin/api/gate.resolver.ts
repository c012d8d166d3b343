import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, RequestContext, type User } from '@vendure/core';
import { AllowOperation } from '../operation-rights';
import { flowError } from '../../core/errors/flow-error';
import { REDACTED, shownError } from '../../core/errors/redacted-text';
import type { FlowGateDecision } from '../entities/gate-decision';
import type { FlowPipelineRun } from '../entities/run';
import { GateDecisions, type GateInput } from '../gates/gate-decisions';
import { type GatePreview, type GatePreviewInput, GatePreviews, type PreviewedRecord } from '../gates/gate-previews';
import { approveFlowGatePermission, readFlowRunPermission } from '../permissions';
import { DataLoaders } from '../runs/data-loaders';
import { errorOf, type RunError } from '../runs/run-view';
import { Runs } from '../runs/runs';
import { plannedChange } from '../test-runs/step-test';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { mayReadRecords } from './record-values';

interface OfRun {
    readonly runId: ID;
}

/** Shows the records that gates hold, and receives the decisions of users. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class GateResolver {
    constructor(
        private readonly runs: Runs,
        private readonly decisions: GateDecisions,
        private readonly previews: GatePreviews,
    ) {}

    @Query()
    @Allow(readFlowRunPermission.Permission, approveFlowGatePermission.Permission)
    flowGatePreview(@Ctx() ctx: RequestContext, @Args() args: OfRun & GatePreviewInput): Promise<PreviewView> {
        return withApiErrors(async () =>
            previewOf(await this.previews.preview(await this.run(ctx, args), args), mayReadRecords(ctx)),
        );
    }

    @Mutation()
    @AllowOperation('approveFlowGate')
    approveFlowGate(@Ctx() ctx: RequestContext, @Args() args: OfRun & GateInput): Promise<FlowPipelineRun> {
        return withApiErrors(async () => {
            await this.decisions.approve(ctx, await this.run(ctx, args), args);
            return this.run(ctx, args);
        });
    }

    @Mutation()
    @AllowOperation('rejectFlowGate')
    rejectFlowGate(@Ctx() ctx: RequestContext, @Args() args: OfRun & GateInput): Promise<FlowPipelineRun> {
        return withApiErrors(async () => {
            await this.decisions.reject(ctx, await this.run(ctx, args), args);
            return this.run(ctx, args);
        });
    }

    private async run(ctx: RequestContext, { runId }: OfRun): Promise<FlowPipelineRun> {
        const run = await this.runs.find(ctx, runId);
        if (!run) throw flowError('RUN_NOT_FOUND', {});
        return run;
    }
}

/** The fields of a decision that are not columns. */
@Resolver('FlowGateDecision')
export class GateDecisionFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    decidedBy(@Ctx() ctx: RequestContext, @Parent() { actorId }: FlowGateDecision): Promise<User | null> {
        return this.dataLoaders.user(ctx, actorId);
    }
}

interface PreviewView {
    readonly items: ReadonlyArray<ReturnType<typeof heldRecordOf>>;
    readonly totalItems: number;
    readonly error: RunError | null;
}

function previewOf({ items, totalItems, error }: GatePreview, isReader: boolean): PreviewView {
    const stopped = {
        errorCode: error?.error.code ?? null,
        errorMessage: error?.error.message ?? null,
        errorFacts: error?.error.facts ?? null,
        errorStepKey: error?.stepKey ?? null,
    };
    return { items: items.map(item => heldRecordOf(item, isReader)), totalItems, error: errorOf(stopped, isReader) };
}

/** Hides the values of records from users who may not read them. */
function heldRecordOf({ sourceKey, seq, place, data, changes, rejected }: PreviewedRecord, isReader: boolean) {
    return {
        sourceKey,
        seq,
        place: place ?? null,
        record: isReader ? data : null,
        changes: changes
            .map(plannedChange)
            .map(change => (isReader ? change : { ...change, key: REDACTED, before: null, after: null })),
        rejected: rejected.map(reject => ({
            stepKey: reject.stepKey,
            path: reject.path ?? null,
            ...shownError(reject, isReader),
        })),
    };
}
