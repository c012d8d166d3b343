import { Inject, UseFilters } from '@nestjs/common';
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    RequestContext,
    type User,
} from '@vendure/core';
import { AllowOperation } from '../operation-rights';
import { redactedText, shownError } from '../../core/errors/redacted-text';
import { isReplayable, remedyOf } from '../../core/errors/remedies';
import type { JsonObject } from '../../core/value/json';
import { LazyBlobs } from '../responses/lazy-blobs';
import type { FlowPipeline } from '../entities/pipeline';
import { FlowRecordError } from '../entities/record-error';
import type { FlowPipelineRun } from '../entities/run';
import {
    manageFlowFilesPermission,
    readFlowFilesPermission,
    readFlowRunPermission,
    retryFlowRecordPermission,
} from '../permissions';
import { flowError } from '../../core/errors/flow-error';
import { type CorrectedRecords, RecordCsv } from '../record-errors/record-csv';
import { RecordErrorDecisions } from '../record-errors/decisions';
import type { RecordEdit } from '../record-errors/edits';
import {
    type GroupPage,
    RecordErrorGroupings,
    type RecordErrorGroup,
    type RecordErrorGroups,
} from '../record-errors/groups';
import { RecordErrors } from '../record-errors/record-errors';
import { type RecordRetry, RecordRetries, type ReplayRevision } from '../record-errors/retries';
import type { RecordErrorSelection } from '../record-errors/selection';
import { DataLoaders } from '../runs/data-loaders';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { withApiErrors, apiError } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { DecodedArgs } from './decoded-args';
import { assertMayRead, assertMaySearch, mayReadRecords } from './record-values';
import { untilClosed } from './request-closed';

const PAYLOAD = { entity: FlowRecordError, property: 'payload', as: 'FlowRecordError.payload' } as const;
const FAULTS = { entity: FlowRecordError, property: 'faults', as: 'FlowRecordError.faults' } as const;
const CORRECTION = { entity: FlowRecordError, property: 'correction', as: 'FlowRecordError.correction' } as const;
const DAY_MS = 86_400_000;

interface RetryArgs {
    readonly selection: RecordErrorSelection;
    readonly corrections?: ReadonlyArray<{ readonly id: ID; readonly payload: JsonObject }> | null;
    readonly edits?: readonly RecordEdit[] | null;
    readonly revision?: ReplayRevision | null;
}

/** Lists rejected records and their causes, and replays, ignores or reopens them. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class RecordErrorResolver {
    constructor(
        private readonly errors: RecordErrors,
        private readonly groups: RecordErrorGroupings,
        private readonly retries: RecordRetries,
        private readonly decisions: RecordErrorDecisions,
        private readonly csv: RecordCsv,
    ) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowRecordErrors(
        @Ctx() ctx: RequestContext,
        @Args()
        args: {
            options?: ListQueryOptions<FlowRecordError>;
            runId?: ID | null;
            selection?: RecordErrorSelection | null;
        },
    ): Promise<PaginatedList<FlowRecordError>> {
        assertMaySearch(ctx, args.options, 'message');
        assertMaySelect(ctx, args.selection);
        return this.errors.list(ctx, args);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowRecordErrorGroups(
        @Ctx() ctx: RequestContext,
        @Args() { selection, ...page }: GroupPage & { readonly selection?: RecordErrorSelection | null },
    ): Promise<RecordErrorGroups> {
        assertMaySelect(ctx, selection);
        return withApiErrors(() => this.groups.list(ctx, selection ?? {}, page));
    }

    @Mutation()
    @AllowOperation('retryFlowRecordErrors')
    retryFlowRecordErrors(@Ctx() ctx: RequestContext, @DecodedArgs() args: RetryArgs): Promise<RecordRetry> {
        const { selection, corrections, edits, revision } = args;
        assertMaySelect(ctx, selection);
        if (corrections || edits) assertMayRead(ctx, 'changing records');
        const byId = new Map((corrections ?? []).map(({ id, payload }) => [String(id), payload]));
        return withApiErrors(() => this.retries.retry(ctx, { selection, corrections: byId, edits, revision }));
    }

    @Query()
    @Allow(retryFlowRecordPermission.Permission)
    flowCorrectedRecords(
        @Ctx() ctx: RequestContext,
        @Args() { fileId }: { readonly fileId: ID },
    ): Promise<CorrectedRecords> {
        assertMayHandIn(ctx);
        return withApiErrors(() => this.csv.read(ctx, fileId, untilClosed(ctx.req?.res)));
    }

    @Mutation()
    @AllowOperation('retryFlowCorrectedRecords')
    retryFlowCorrectedRecords(
        @Ctx() ctx: RequestContext,
        @Args() { fileId, revision }: { readonly fileId: ID; readonly revision?: ReplayRevision | null },
    ): Promise<RecordRetry> {
        assertMayHandIn(ctx);
        return withApiErrors(async () => {
            const { payloads: corrections } = await this.csv.read(ctx, fileId, untilClosed(ctx.req?.res));
            const selection = { ids: [...corrections.keys()] };
            return this.retries.retry(ctx, { selection, corrections, revision });
        });
    }

    @Mutation()
    @Allow(retryFlowRecordPermission.Permission)
    ignoreFlowRecordErrors(
        @Ctx() ctx: RequestContext,
        @Args() { selection, note }: { readonly selection: RecordErrorSelection; readonly note: string },
    ): Promise<number> {
        assertMaySelect(ctx, selection);
        return withApiErrors(() => this.decisions.ignore(ctx, selection, note));
    }

    @Mutation()
    @Allow(retryFlowRecordPermission.Permission)
    reopenFlowRecordErrors(
        @Ctx() ctx: RequestContext,
        @Args() { selection }: { readonly selection: RecordErrorSelection },
    ): Promise<number> {
        assertMaySelect(ctx, selection);
        return withApiErrors(() => this.decisions.reopen(ctx, selection));
    }
}

function assertMaySelect(ctx: RequestContext, selection: RecordErrorSelection | null | undefined): void {
    if (selection?.text != null) assertMayRead(ctx, 'searching records by their messages');
}

/** Throws FORBIDDEN. A user who uploads a file reads it, and the records in it. */
function assertMayHandIn(ctx: RequestContext): void {
    assertMayRead(ctx, 'uploading corrected records');
    const permissions = [readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission];
    if (ctx.userHasPermissions(permissions)) return;
    const who = ctx.session?.user?.identifier ?? 'The caller';
    const what = 'uploading corrected records';
    throw apiError(flowError('FORBIDDEN', { who, permission: permissions.join(' or '), what }));
}

/** The fields of a rejected record that are not columns. Hides the content of records from users who may not read it. */
@Resolver('FlowRecordError')
export class RecordErrorFieldResolver {
    constructor(
        private readonly large: LazyBlobs,
        private readonly dataLoaders: DataLoaders,
        private readonly errors: RecordErrors,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() { pipelineId }: FlowRecordError): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, pipelineId);
    }

    @ResolveField()
    groupId(@Parent() { cause }: FlowRecordError): string {
        return cause;
    }

    @ResolveField()
    async payload(@Ctx() ctx: RequestContext, @Parent() { id }: FlowRecordError): Promise<JsonObject | null> {
        return mayReadRecords(ctx) ? withApiErrors(() => this.large.of(ctx, PAYLOAD, id)) : null;
    }

    @ResolveField()
    async correction(@Ctx() ctx: RequestContext, @Parent() { id }: FlowRecordError): Promise<JsonObject | null> {
        return mayReadRecords(ctx) ? withApiErrors(() => this.large.of(ctx, CORRECTION, id)) : null;
    }

    @ResolveField()
    message(@Ctx() ctx: RequestContext, @Parent() error: FlowRecordError): string {
        return shownError(error, mayReadRecords(ctx)).message;
    }

    @ResolveField()
    facts(@Ctx() ctx: RequestContext, @Parent() error: FlowRecordError): JsonObject | null {
        return shownError(error, mayReadRecords(ctx)).facts;
    }

    @ResolveField()
    async faults(@Ctx() ctx: RequestContext, @Parent() { id }: FlowRecordError): Promise<FlowRecordError['faults']> {
        const issues = await withApiErrors(() => this.large.of(ctx, FAULTS, id));
        if (mayReadRecords(ctx) || !issues) return issues;
        return issues.map(({ message, ...issue }) => ({ ...issue, message: redactedText(String(message)) }));
    }

    @ResolveField()
    decidedBy(@Ctx() ctx: RequestContext, @Parent() { decidedBy }: FlowRecordError): Promise<User | null> {
        return this.dataLoaders.user(ctx, decidedBy);
    }

    @ResolveField()
    async replayRun(
        @Ctx() ctx: RequestContext,
        @Parent() { replayRunId }: FlowRecordError,
    ): Promise<FlowPipelineRun | null> {
        return replayRunId === null ? null : this.dataLoaders.run(ctx, replayRunId);
    }

    @ResolveField()
    async refusedAgainAs(
        @Ctx() ctx: RequestContext,
        @Parent() error: FlowRecordError,
    ): Promise<FlowRecordError | null> {
        return error.state === 'REJECTED' ? this.errors.refusedAgain(ctx, error) : null;
    }

    @ResolveField()
    keptUntil(@Parent() { createdAt }: FlowRecordError): Date | null {
        const { recordErrorsDays } = this.setup.options.retention;
        return recordErrorsDays === 0 ? null : new Date(createdAt.getTime() + recordErrorsDays * DAY_MS);
    }
}

/** The fields of a group that are not part of its key. */
@Resolver('FlowRecordErrorGroup')
export class RecordErrorGroupFieldResolver {
    @ResolveField()
    remedy(@Parent() { code }: RecordErrorGroup): string {
        return remedyOf(code);
    }

    @ResolveField()
    isReplayable(@Parent() { code }: RecordErrorGroup): boolean {
        return isReplayable(code);
    }
}

/** What users can do about an error. */
@Resolver('FlowRunError')
export class RunErrorFieldResolver {
    @ResolveField()
    remedy(@Parent() { code }: { readonly code: string }): string {
        return remedyOf(code);
    }
}

/** The pipelines of a group. */
@Resolver('FlowRecordErrorPipelineCount')
export class RecordErrorPipelineFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    pipeline(
        @Ctx() ctx: RequestContext,
        @Parent() { pipelineId }: { readonly pipelineId: ID },
    ): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, pipelineId);
    }
}

/** The runs that replay records. */
@Resolver('FlowRecordRetry')
export class RecordRetryFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    async runs(@Ctx() ctx: RequestContext, @Parent() { runIds }: RecordRetry): Promise<readonly FlowPipelineRun[]> {
        const runs = await Promise.all(runIds.map(id => this.dataLoaders.run(ctx, id)));
        return runs.filter(run => run !== null);
    }
}
