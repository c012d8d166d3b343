import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { digesting } from '../../core/pipeline/digest';
import { pipelineCodeProblem } from '../../core/pipeline/pipeline-code';
import type { FlowPipeline } from '../entities/pipeline';
import { FlowWorkingCopy } from '../entities/working-copy';
import { Pipelines } from './pipelines';
import { SecretDestinations } from '../secrets/secret-destinations';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { FIRST_DRAFT, readingDraft } from './draft';
import { assertMayEditCode } from './inline-code';
import { PipelineChanges, transitionConflict } from './pipeline-changes';
import { StoredChecks } from './stored-checks';
import { nameOf, readTextInput } from './text-input';

/** As the API's CreateFlowPipelineInput; null is left out. */
export interface CreateInput {
    readonly code: string;
    readonly name?: string | null;
    readonly description?: string | null;
    readonly enabled?: boolean | null;
    readonly definition?: unknown;
}

/** As the API's UpdateFlowPipelineInput; null is left out. */
export interface UpdateInput {
    readonly id: ID;
    readonly version: number;
    readonly code?: string | null;
    readonly name?: string | null;
    readonly description?: string | null;
    readonly definition?: unknown;
}

/** The editable definitions of pipelines: makes them, keeps them as they are written, and lets no edit undo another one. */
@Injectable()
export class WorkingCopies {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly pipelines: Pipelines,
        private readonly changes: PipelineChanges,
        private readonly checks: StoredChecks,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly destinations: SecretDestinations,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws INPUT_INVALID, DEFINITION_MALFORMED, FORBIDDEN for code that the caller may not bring in, SECRET_HOST_NOT_ALLOWED, CODE_TAKEN. */
    async create(ctx: RequestContext, input: CreateInput, { isHidden = false } = {}): Promise<FlowPipeline> {
        const code = codeOf(input.code);
        const row = {
            code,
            name: input.name == null ? code : nameOf(input.name),
            description: readTextInput('description', input.description),
            enabled: input.enabled ?? true,
            archived: false,
            codeFirst: false,
            hidden: isHidden,
            channelId: ctx.channelId,
            status: 'DRAFT',
            version: 1,
            hasChanges: true,
        };
        const definition = input.definition == null ? FIRST_DRAFT : await this.read(input.definition);
        await assertMayEditCode({ lane: this.taskQueue, registry: this.setup.registry }, ctx, {
            before: undefined,
            after: definition,
        });
        await this.destinations.assertMaySave(ctx, { before: undefined, after: definition });
        const { content } = await this.checks.draft(definition);
        return this.changes.create(ctx, row, content);
    }

    /**
     * `isShown` lists a pipeline that was hidden. A changed definition is a DRAFT again. What is as it was is not written. Throws what `create` does, PIPELINE_NOT_FOUND,
     * CODE_FIRST_READ_ONLY, REVISION_CONFLICT, PIPELINE_STATE_CONFLICT.
     */
    async update(ctx: RequestContext, input: UpdateInput, { isShown = false } = {}): Promise<FlowPipeline> {
        const { id, version } = input;
        const request = { id, version, action: 'edited' };
        const pipeline = await this.changes.open(ctx, request);
        const given = {
            ...(input.code != null && { code: codeOf(input.code) }),
            ...(input.name != null && { name: nameOf(input.name) }),
            ...(input.description != null && { description: readTextInput('description', input.description) }),
        };
        const renamed = Object.fromEntries(
            Object.entries(given).filter(([property, value]) => value !== pipeline[property as keyof typeof given]),
        );
        const definition =
            input.definition == null
                ? undefined
                : await this.rewritten(ctx, { id, definition: await this.read(input.definition) });
        if (Object.keys(renamed).length === 0 && !definition && !isShown) return pipeline;
        const draft = definition && (await this.checks.draft(definition));
        const changed = await this.changes.change(
            ctx,
            { ...request, ...(renamed['code'] != null && { code: renamed['code'] }) },
            ({ code, status }, newest) => {
                if (renamed['code'] !== undefined && newest)
                    throw transitionConflict(code, 'edited', 'its code is fixed since its first publication');
                const drafted = { status: 'DRAFT', submittedBy: null, submittedAt: null };
                return {
                    action: 'EDITED',
                    set: {
                        ...renamed,
                        ...(isShown && { hidden: false }),
                        ...(draft && {
                            hasChanges: !newest || draft.digest !== newest.digest,
                            ...(status === 'REVIEW' && drafted),
                        }),
                    },
                    ...(draft && { copy: draft.content }),
                };
            },
        );
        return changed.pipeline;
    }

    /** Throws as `update` does. */
    delete(ctx: RequestContext, { id, version }: Pick<UpdateInput, 'id' | 'version'>): Promise<void> {
        return this.changes.remove(ctx, { id, version, action: 'deleted', evenArchived: true });
    }

    /** Null if the pipeline is not in this channel or is defined in code. */
    async ofPipeline(ctx: RequestContext, pipelineId: ID): Promise<FlowWorkingCopy | null> {
        const pipeline = await this.pipelines.find(ctx, { id: pipelineId });
        return !pipeline || pipeline.codeFirst ? null : this.stored(pipelineId);
    }

    /** Undefined if it is equal to the stored definition, in any order of keys. */
    private async rewritten(
        ctx: RequestContext,
        { id, definition }: { readonly id: ID; readonly definition: JsonObject },
    ): Promise<JsonObject | undefined> {
        const stored = await this.stored(id);
        const { taskQueue } = this;
        const digestOf = (value: JsonObject): Promise<string> => taskQueue.done(digesting(value));
        if (stored && (await digestOf(stored.definition)) === (await digestOf(definition))) return undefined;
        await assertMayEditCode({ lane: this.taskQueue, registry: this.setup.registry }, ctx, {
            before: stored?.definition,
            after: definition,
        });
        await this.destinations.assertMaySave(ctx, { before: stored?.definition, after: definition });
        return definition;
    }

    private read(definition: unknown): Promise<JsonObject> {
        return this.taskQueue.done(readingDraft(definition, this.setup.options.definitions));
    }

    private stored(pipelineId: ID): Promise<FlowWorkingCopy | null> {
        return this.connection.rawConnection.getRepository(FlowWorkingCopy).findOne({ where: { pipelineId } });
    }
}

function codeOf(code: string): string {
    const problem = pipelineCodeProblem(code);
    if (problem !== undefined) throw flowError('INPUT_INVALID', { problem });
    return code;
}
