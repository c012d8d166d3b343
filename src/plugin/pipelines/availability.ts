import { Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import type { FlowPipeline } from '../entities/pipeline';
import type { PipelineAction } from '../entities/pipeline-event';
import { type ChangeRequest, PipelineChanges } from './pipeline-changes';

interface Switch {
    readonly property: 'enabled' | 'archived';
    readonly to: boolean;
    readonly action: PipelineAction;
}

/** Lets pipelines be started or not, puts them away and brings them back. What is so already is not written again. */
@Injectable()
export class Availability {
    constructor(private readonly changes: PipelineChanges) {}

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
        const { pipeline } = await this.changes.change(ctx, request, state =>
            state[property] === to ? undefined : { action, set: { [property]: to } },
        );
        return pipeline;
    }
}
