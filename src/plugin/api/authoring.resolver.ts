import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, RequestContext } from '@vendure/core';
import { AllowOperation } from '../operation-rights';
import { Availability, type RunPermit } from '../pipelines/availability';
import { Publications } from '../pipelines/publications';
import { RequestChecks } from '../pipelines/request-checks';
import { Reviews, type Versioned } from '../pipelines/reviews';
import { type CreateInput, type UpdateInput, WorkingCopies } from '../pipelines/working-copies';
import type { FlowPipeline } from '../entities/pipeline';
import { flowPipelinePermission, reviewFlowPipelinePermission } from '../permissions';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { type IssueView, issueView } from './issue-view';
import { DecodedArgs } from './decoded-args';

/** Changes working copies and submits them for review. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class AuthoringResolver {
    constructor(
        private readonly copies: WorkingCopies,
        private readonly reviews: Reviews,
        private readonly checks: RequestChecks,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    validateFlowPipeline(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { definition }: { definition: unknown },
    ): Promise<readonly IssueView[]> {
        return withApiErrors(async () => (await this.checks.check(ctx, definition)).issues.map(issueView));
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    createFlowPipeline(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { input }: { input: CreateInput },
    ): Promise<FlowPipeline> {
        return withApiErrors(async () => this.copies.create(ctx, input));
    }

    @Mutation()
    @Allow(flowPipelinePermission.Update)
    updateFlowPipeline(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { input }: { input: UpdateInput },
    ): Promise<FlowPipeline> {
        return withApiErrors(() => this.copies.update(ctx, input));
    }

    @Mutation()
    @Allow(flowPipelinePermission.Delete)
    deleteFlowPipeline(@Ctx() ctx: RequestContext, @Args() args: Versioned): Promise<{ readonly result: 'DELETED' }> {
        return withApiErrors(async () => {
            await this.copies.delete(ctx, args);
            return { result: 'DELETED' };
        });
    }

    @Mutation()
    @Allow(flowPipelinePermission.Update)
    submitFlowPipeline(@Ctx() ctx: RequestContext, @Args() args: Versioned): Promise<FlowPipeline> {
        return withApiErrors(() => this.reviews.submit(ctx, args));
    }

    @Mutation()
    @Allow(reviewFlowPipelinePermission.Permission)
    rejectFlowPipeline(
        @Ctx() ctx: RequestContext,
        @Args() args: Versioned & { comment: string },
    ): Promise<FlowPipeline> {
        return withApiErrors(() => this.reviews.reject(ctx, args));
    }
}

/** Operations that decide which revisions run. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class PublicationResolver {
    constructor(
        private readonly publications: Publications,
        private readonly availability: Availability,
    ) {}

    @Mutation()
    @AllowOperation('publishFlowPipeline')
    publishFlowPipeline(
        @Ctx() ctx: RequestContext,
        @Args() args: Versioned & RunPermit & { message?: string | null },
    ): Promise<FlowPipeline> {
        return withApiErrors(() => this.publications.publish(ctx, args));
    }

    @Mutation()
    @AllowOperation('selectFlowPipelineRevision')
    selectFlowPipelineRevision(
        @Ctx() ctx: RequestContext,
        @Args() args: RunPermit & { revisionId: ID },
    ): Promise<FlowPipeline> {
        return withApiErrors(() => this.publications.select(ctx, args));
    }

    @Mutation()
    @AllowOperation('enableFlowPipeline')
    enableFlowPipeline(@Ctx() ctx: RequestContext, @Args() args: RunPermit): Promise<FlowPipeline> {
        return withApiErrors(() => this.availability.enable(ctx, args));
    }

    @Mutation()
    @AllowOperation('disableFlowPipeline')
    disableFlowPipeline(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipeline> {
        return withApiErrors(() => this.availability.disable(ctx, id));
    }

    @Mutation()
    @AllowOperation('archiveFlowPipeline')
    archiveFlowPipeline(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipeline> {
        return withApiErrors(() => this.availability.archive(ctx, id));
    }

    @Mutation()
    @AllowOperation('restoreFlowPipeline')
    restoreFlowPipeline(@Ctx() ctx: RequestContext, @Args() args: RunPermit): Promise<FlowPipeline> {
        return withApiErrors(() => this.availability.restore(ctx, args));
    }
}
