import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type Requirement, requirementsToPublish, unmetRequirements } from './requirements';

/**
 * The rights that publishing a revision needs. Every action that lets a revision run later (enabling, selecting, restoring, replaying, resuming, starting it
 * from a hook) needs the same rights: automated runs act for the publisher, and must not do what that user could not do alone.
 */
@Injectable()
export class PublishingRights {
    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** The first right that the user lacks. Throws ADAPTER_NOT_FOUND. */
    missing(ctx: RequestContext, definition: object): Pick<Requirement, 'permission' | 'what'> | undefined {
        return unmetRequirements(ctx, requirementsToPublish(definition as PipelineDefinition, this.setup.registry));
    }

    /** Throws FORBIDDEN with the first right that the user lacks, and ADAPTER_NOT_FOUND. */
    assert(ctx: RequestContext, definition: object): void {
        const who = ctx.session?.user?.identifier ?? 'The caller';
        const missing = this.missing(ctx, definition);
        if (missing) throw flowError('FORBIDDEN', { who, ...missing });
    }

    /** The same as `assert`, for a published revision. A pipeline without one runs nothing. */
    async assertForRevision(ctx: RequestContext, id: ID | null): Promise<void> {
        if (id === null) return;
        const revision = await this.connection.rawConnection
            .getRepository(FlowPipelineRevision)
            .findOne({ where: { id } });
        if (revision) this.assert(ctx, revision.definition);
    }

    /** The same as `assert`, for what a run executes: its revision, or the working copy of a dry run. */
    async assertForRun(
        ctx: RequestContext,
        { id, revisionId }: Pick<FlowPipelineRun, 'id' | 'revisionId'>,
    ): Promise<void> {
        if (revisionId !== null) return this.assertForRevision(ctx, revisionId);
        const run = await this.connection.rawConnection
            .getRepository(FlowPipelineRun)
            .findOne({ where: { id }, select: { id: true, definition: true } });
        if (run?.definition) this.assert(ctx, run.definition);
    }
}
