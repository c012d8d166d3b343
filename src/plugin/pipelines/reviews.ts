import { Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { digestingDefinition } from '../../core/pipeline/digest';
import type { FlowPipeline } from '../entities/pipeline';
import { ProcessTaskQueue } from '../process-task-queue';
import { DefinitionChecks } from './definition-check';
import { PipelineChanges, transitionConflict } from './pipeline-changes';
import { requiredText } from './text-input';
import { WorkingCopies } from './working-copies';

/** A pipeline, and the version that the user has read. */
export interface Versioned {
    readonly id: ID;
    readonly version: number;
}

/** Submits working copies for a review, and rejects them. */
@Injectable()
export class Reviews {
    constructor(
        private readonly changes: PipelineChanges,
        private readonly copies: WorkingCopies,
        private readonly checks: DefinitionChecks,
        private readonly taskQueue: ProcessTaskQueue,
    ) {}

    /** DRAFT to REVIEW. Throws DEFINITION_INVALID with all issues. */
    async submit(ctx: RequestContext, { id, version }: Versioned): Promise<FlowPipeline> {
        const request = { id, version, action: 'submitted' };
        const { code, status } = await this.changes.open(ctx, request);
        if (status !== 'DRAFT') throw transitionConflict(code, request.action, 'it is under review already');
        const copy = await this.copies.ofPipeline(ctx, id);
        if (!copy) throw flowError('PIPELINE_NOT_FOUND', {});
        const definition = await this.checks.sound(ctx.channelId, copy.definition);
        const digest = await this.taskQueue.done(digestingDefinition(definition));
        const { pipeline } = await this.changes.change(ctx, request, (_, newest) => {
            if (digest === newest?.digest) throw noChanges(code, request.action, newest.number);
            return {
                action: 'SUBMITTED',
                set: {
                    status: 'REVIEW',
                    submittedBy: ctx.activeUserId ?? null,
                    submittedAt: this.changes.now,
                    reviewComment: null,
                    reviewedBy: null,
                },
            };
        });
        return pipeline;
    }

    /** REVIEW back to DRAFT. Throws INPUT_INVALID if the reason is missing. */
    async reject(
        ctx: RequestContext,
        { id, version, comment: given }: Versioned & { readonly comment: string },
    ): Promise<FlowPipeline> {
        const request = { id, version, action: 'sent back' };
        const comment = requiredText('comment', given);
        const { pipeline } = await this.changes.change(ctx, request, ({ code, status }) => {
            if (status !== 'REVIEW') throw transitionConflict(code, request.action, 'it is not under review');
            return {
                action: 'REJECTED',
                set: {
                    status: 'DRAFT',
                    submittedBy: null,
                    submittedAt: null,
                    reviewComment: comment,
                    reviewedBy: ctx.activeUserId ?? null,
                },
                comment,
            };
        });
        return pipeline;
    }
}

/** The error for a working copy that does the same as the newest revision. */
export function noChanges(code: string, action: string, newest: number): Error {
    return transitionConflict(code, action, `its working copy does the same as revision ${newest}, which is published`);
}
