import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, RequestContext } from '@vendure/core';
import type { Difference } from '../../core/pipeline/difference';
import type { DocumentFormat } from '../pipelines/document-text';
import { Documents, type TextDocument } from '../pipelines/documents';
import type { FlowPipeline } from '../entities/pipeline';
import { flowPipelinePermission } from '../permissions';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** Pipelines as text, and the differences between definitions. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class DocumentResolver {
    constructor(private readonly documents: Documents) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    exportFlowPipeline(
        @Ctx() ctx: RequestContext,
        @Args() args: { id: ID; revisionId?: ID | null; format?: DocumentFormat | null },
    ): Promise<TextDocument> {
        return withApiErrors(() => this.documents.export(ctx, args));
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelineDifferences(
        @Ctx() ctx: RequestContext,
        @Args() args: { pipelineId: ID; from?: ID | null; to?: ID | null },
    ): Promise<readonly Difference[]> {
        return withApiErrors(() => this.documents.differences(ctx, args));
    }

    /** Which of the two permissions is needed is only known once the document has been read. */
    @Mutation()
    @Allow(flowPipelinePermission.Create, flowPipelinePermission.Update)
    importFlowPipeline(
        @Ctx() ctx: RequestContext,
        @Args() args: { document: string; format: DocumentFormat; version?: number | null },
    ): Promise<FlowPipeline> {
        return withApiErrors(() => this.documents.import(ctx, args));
    }
}
