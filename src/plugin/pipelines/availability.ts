import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { FlowPipeline } from '../entities/pipeline';
import type { PipelineAction } from '../entities/pipeline-event';
import { FlowPipelineRevision } from '../entities/revision';
import { type AllowedByPublishing, SecretDestinations, type SecretHost } from '../secrets/secret-destinations';
import { reportOpenWebhook } from '../triggers/webhook-trigger';
import { flowError } from '../../core/errors/flow-error';
import { type ChangeRequest, PipelineChanges } from './pipeline-changes';
import { PublishingRights } from './publishing-rights';

interface Switch {
    readonly property: 'enabled' | 'archived';
    readonly to: boolean;
    readonly action: PipelineAction;
    /** It lets the selected revision run, which needs the rights of publishing that. */
    readonly letsRun?: boolean;
}

/** A pipeline whose selected revision may run from now on. */
export interface RunPermit {
    readonly id: ID;
    /** The hosts that the user has confirmed and that the revision may now send secrets to. */
    readonly allowSecretHosts?: readonly SecretHost[] | null;
}

/** Enables, disables, archives and restores pipelines. Nothing is written if the pipeline already has that state. */
@Injectable()
export class Availability {
    constructor(
        private readonly changes: PipelineChanges,
        private readonly connection: TransactionalConnection,
        private readonly rights: PublishingRights,
        private readonly destinations: SecretDestinations,
    ) {}

    /** Throws FORBIDDEN and SECRET_HOST_NOT_ALLOWED, as publishing the selected revision would. */
    enable(ctx: RequestContext, { id, allowSecretHosts }: RunPermit): Promise<FlowPipeline> {
        return this.turn(
            ctx,
            { id, action: 'enabled', allowSecretHosts },
            { property: 'enabled', to: true, action: 'ENABLED', letsRun: true },
        );
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

    /** Throws FORBIDDEN and SECRET_HOST_NOT_ALLOWED, as publishing the selected revision would. */
    restore(ctx: RequestContext, { id, allowSecretHosts }: RunPermit): Promise<FlowPipeline> {
        return this.turn(
            ctx,
            { id, action: 'restored', evenArchived: true, allowSecretHosts },
            { property: 'archived', to: false, action: 'RESTORED', letsRun: true },
        );
    }

    private async turn(
        ctx: RequestContext,
        { allowSecretHosts, ...request }: ChangeRequest & Pick<RunPermit, 'allowSecretHosts'>,
        { property, to, action, letsRun }: Switch,
    ): Promise<FlowPipeline> {
        let isTurned = false;
        const before = letsRun ? await this.changes.open(ctx, request) : undefined;
        const isChecked = before !== undefined && before[property] !== to;
        const allowed = isChecked ? await this.mayRun(ctx, before.selectedRevisionId, allowSecretHosts) : undefined;
        const { pipeline } = await this.changes.change(ctx, request, state => {
            isTurned = state[property] !== to;
            const isSame = isChecked && String(state.selectedRevisionId) === String(before.selectedRevisionId);
            if (isTurned && letsRun && !isSame)
                throw flowError('PIPELINE_STATE_CONFLICT', {
                    code: state.code,
                    action: request.action,
                    problem: 'someone else changed it at the same time; try again',
                });
            return isTurned
                ? {
                      action,
                      set: { [property]: to },
                      allowed,
                      ...(allowed && { revisionId: state.selectedRevisionId! }),
                  }
                : undefined;
        });
        if (isTurned && pipeline.enabled && !pipeline.archived) await this.logOpen(pipeline);
        return pipeline;
    }

    /** Throws FORBIDDEN and SECRET_HOST_NOT_ALLOWED. A pipeline without a revision runs nothing. */
    private async mayRun(
        ctx: RequestContext,
        id: ID | null,
        allowSecretHosts: RunPermit['allowSecretHosts'],
    ): Promise<AllowedByPublishing | undefined> {
        const revision = id === null ? null : await this.revision(id);
        if (!revision) return undefined;
        const { definition } = revision;
        this.rights.assert(ctx, definition);
        return this.destinations.toPublish(ctx, { definition, allowSecretHosts });
    }

    private revision(id: ID): Promise<FlowPipelineRevision | null> {
        return this.connection.rawConnection.getRepository(FlowPipelineRevision).findOne({ where: { id } });
    }

    private async logOpen({ code, selectedRevisionId: id }: FlowPipeline): Promise<void> {
        if (id === null) return;
        const revision = await this.revision(id);
        if (revision) reportOpenWebhook(code, revision.definition as unknown as PipelineDefinition);
    }
}
