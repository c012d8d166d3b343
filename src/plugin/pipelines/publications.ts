import { Inject, Injectable } from '@nestjs/common';
import { EventBus, type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { digestingDefinition } from '../../core/pipeline/digest';
import type { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelinePublished } from '../events';
import { type AllowedByPublishing, SecretDestinations } from '../secrets/secret-destinations';
import { reportOpenWebhook } from '../triggers/webhook-trigger';
import type { RunPermit } from './availability';
import { PublishingRights } from './publishing-rights';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { DefinitionChecks } from './definition-check';
import { assertMayEditCode } from './inline-code';
import { type Changed, PipelineChanges, transitionConflict } from './pipeline-changes';
import { noChanges, type Versioned } from './reviews';
import { StoredChecks } from './stored-checks';
import { readTextInput } from './text-input';
import { WorkingCopies } from './working-copies';

/** The arguments of publishFlowPipeline, with undefined in place of null. */
type PublishRequest = Versioned & RunPermit & { readonly message?: string | null };

/** Decides what future runs execute: creates revisions and selects one of them. */
@Injectable()
export class Publications {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly changes: PipelineChanges,
        private readonly copies: WorkingCopies,
        private readonly checks: DefinitionChecks,
        private readonly stored: StoredChecks,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly events: EventBus,
        private readonly rights: PublishingRights,
        private readonly destinations: SecretDestinations,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Whether the user may publish a definition, before it is stored. Throws DEFINITION_INVALID, FORBIDDEN, SECRET_HOST_NOT_ALLOWED. */
    async assertMayPublish(
        ctx: RequestContext,
        { definition, allowSecretHosts }: Pick<PublishRequest, 'allowSecretHosts'> & { readonly definition: unknown },
    ): Promise<void> {
        await this.destinations.toPublish(ctx, { definition: await this.checked(ctx, definition), allowSecretHosts });
    }

    private async checked(ctx: RequestContext, definition: unknown): Promise<PipelineDefinition> {
        const sound = await this.checks.sound(ctx.channelId, definition);
        this.rights.assert(ctx, sound);
        return sound;
    }

    /** Makes the working copy the next revision. Throws DEFINITION_INVALID, FORBIDDEN, SECRET_HOST_NOT_ALLOWED, PIPELINE_STATE_CONFLICT, REVISION_CONFLICT. */
    async publish(
        ctx: RequestContext,
        { id, version, message: given, allowSecretHosts }: PublishRequest,
    ): Promise<FlowPipeline> {
        const request = { id, version, action: 'published' };
        const message = readTextInput('message', given);
        const pipeline = await this.changes.open(ctx, request);
        this.assertReviewed(ctx, pipeline);
        const copy = await this.copies.ofPipeline(ctx, id);
        if (!copy) throw flowError('PIPELINE_NOT_FOUND', {});
        const definition = await this.checked(ctx, copy.definition);
        await assertMayEditCode({ lane: this.taskQueue, registry: this.setup.registry }, ctx, {
            before: await this.newest(id),
            after: copy.definition,
        });
        const allowed = await this.destinations.toPublish(ctx, {
            definition,
            allowSecretHosts,
        });
        const { content } = await this.stored.draft(definition as unknown as JsonObject);
        const digest = await this.taskQueue.done(digestingDefinition(definition));
        const submittedBy = pipeline.status === 'REVIEW' ? pipeline.submittedBy : null;
        const changed = await this.changes.change(ctx, request, ({ code }, newest) => {
            if (digest === newest?.digest) throw noChanges(code, request.action, newest.number);
            return {
                action: 'PUBLISHED',
                set: {
                    status: 'DRAFT',
                    hasChanges: false,
                    submittedBy: null,
                    submittedAt: null,
                    reviewComment: null,
                    reviewedBy: null,
                },
                revision: { copy: content, digest, message, submittedBy },
                comment: message,
                allowed,
            };
        });
        if (changed.pipeline.enabled) reportOpenWebhook(changed.pipeline.code, definition);
        await this.announce(ctx, changed, message ?? undefined);
        return changed.pipeline;
    }

    /** Selects a revision of the pipeline. Throws REVISION_NOT_FOUND, DEFINITION_INVALID if it is no longer valid, FORBIDDEN, SECRET_HOST_NOT_ALLOWED. */
    async select(
        ctx: RequestContext,
        { id, revisionId, allowSecretHosts }: RunPermit & { readonly revisionId: ID },
    ): Promise<FlowPipeline> {
        const request = { id, action: 'set to another revision' };
        const { selectedRevisionId: selected } = await this.changes.open(ctx, request);
        const revision = await this.connection.rawConnection
            .getRepository(FlowPipelineRevision)
            .findOne({ where: { id: revisionId, pipelineId: id } });
        if (!revision) throw flowError('REVISION_NOT_FOUND', {});
        const isSelected = (selectedId: ID | null): boolean => String(selectedId) === String(revision.id);
        const isJudged = !isSelected(selected);
        let allowed: AllowedByPublishing | undefined;
        if (isJudged) {
            this.rights.assert(ctx, await this.checks.sound(ctx.channelId, revision.definition));
            await assertMayEditCode({ lane: this.taskQueue, registry: this.setup.registry }, ctx, {
                before: selected === null ? undefined : await this.definitionOf(selected),
                after: revision.definition,
            });
            allowed = await this.destinations.toPublish(ctx, {
                definition: revision.definition,
                allowSecretHosts,
            });
        }
        const { pipeline } = await this.changes.change(ctx, request, ({ code, selectedRevisionId }) => {
            if (isSelected(selectedRevisionId)) return undefined;
            const problem = 'another revision was selected in this moment; try again';
            if (!isJudged) throw flowError('PIPELINE_STATE_CONFLICT', { code, action: request.action, problem });
            const set = { selectedRevisionId: revision.id };
            return { action: 'REVISION_SELECTED', set, revisionId: revision.id, allowed };
        });
        if (isJudged && pipeline.enabled)
            reportOpenWebhook(pipeline.code, revision.definition as unknown as PipelineDefinition);
        return pipeline;
    }

    private async newest(pipelineId: ID): Promise<JsonObject | undefined> {
        const revisions = this.connection.rawConnection.getRepository(FlowPipelineRevision);
        return (await revisions.findOne({ where: { pipelineId }, order: { number: 'DESC' } }))?.definition;
    }

    private async definitionOf(id: ID): Promise<JsonObject | undefined> {
        const revisions = this.connection.rawConnection.getRepository(FlowPipelineRevision);
        return (await revisions.findOne({ where: { id } }))?.definition;
    }

    /** The option publishing.requireReview requires two different users. */
    private assertReviewed(ctx: RequestContext, { code, status, submittedBy }: FlowPipeline): void {
        if (!this.setup.options.publishing.requireReview) return;
        const refuse = (problem: string): Error =>
            transitionConflict(code, 'published', `${problem} (option publishing.requireReview)`);
        if (status !== 'REVIEW') throw refuse('it must be submitted for review first');
        if (String(submittedBy) === String(ctx.activeUserId))
            throw refuse('a user other than the submitter must publish it');
    }

    /** The revision is published, even if a subscriber fails. */
    private async announce(
        ctx: RequestContext,
        { pipeline, published }: Changed,
        message: string | undefined,
    ): Promise<void> {
        if (!published) return;
        const publication = {
            pipelineId: pipeline.id,
            pipelineCode: pipeline.code,
            revisionId: published.id,
            number: published.number,
            message,
        };
        try {
            await this.events.publish(new FlowPipelinePublished(ctx, publication));
        } catch (error) {
            Logger.error(`A subscriber of FlowPipelinePublished failed: ${String(error)}`, LOG_CONTEXT);
        }
    }
}
