import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { FlowPipeline } from '../entities/pipeline';
import type { PipelineAction } from '../entities/pipeline-event';
import { FlowPipelineRevision } from '../entities/revision';
import { tellOpenWebhook } from '../triggers/webhook-trigger';
import { type ChangeRequest, PipelineChanges } from './pipeline-changes';

interface Switch {
    readonly property: 'enabled' | 'archived';
    readonly to: boolean;
    readonly action: PipelineAction;
}

/** Lets pipelines be started or not, puts them away and brings them back. What is so already is not written again. */
@Injectable()
export class Availability {
    constructor(
        private readonly changes: PipelineChanges,
        private readonly connection: TransactionalConnection,
    ) {}

    enable(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        return this.turn(ctx, { id, action: 'enabled' }, { property: 'enabled', to: true, action: 'ENABLED' });
    }

    disable(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        return this.turn(ctx, { id, action: 'disabled' }, { property: 'enabled', to: false, action: 'DISABLED' });
    }

    archive(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        return this.turn(
            ctx,
            { id, action: 'archived', evenArchived: true },
            { property: 'archived', to: true, action: 'ARCHIVED' },
        );
    }

    restore(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        return this.turn(
            ctx,
            { id, action: 'restored', evenArchived: true },
            { property: 'archived', to: false, action: 'RESTORED' },
        );
    }

    private async turn(
        ctx: RequestContext,
        request: ChangeRequest,
        { property, to, action }: Switch,
    ): Promise<FlowPipeline> {
        let isTurned = false;
        const { pipeline } = await this.changes.change(ctx, request, state => {
            isTurned = state[property] !== to;
            return isTurned ? { action, set: { [property]: to } } : undefined;
        });
        if (isTurned && pipeline.enabled && !pipeline.archived) await this.tellOpen(pipeline);
        return pipeline;
    }

    private async tellOpen({ code, selectedRevisionId: id }: FlowPipeline): Promise<void> {
        if (id === null) return;
        const revisions = this.connection.rawConnection.getRepository(FlowPipelineRevision);
        const revision = await revisions.findOne({ where: { id } });
        if (revision) tellOpenWebhook(code, revision.definition as unknown as PipelineDefinition);
    }
}
