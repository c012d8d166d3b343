import { Inject, Injectable } from '@nestjs/common';
import {
    ForbiddenError,
    type ID,
    type Permission,
    type RequestContext,
    RequestContextCacheService,
} from '@vendure/core';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { type Difference, findingDifferences } from '../../core/pipeline/difference';
import { responseLimitOf } from '../responses/response-limit';
import { OncePerOperation } from '../responses/once-per-operation';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRevision } from '../entities/revision';
import { flowPipelinePermission } from '../permissions';
import { Pipelines } from './pipelines';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type DocumentFormat, readingDocumentText, writingDocumentText } from './document-text';
import { WorkingCopies } from './working-copies';

/** The API's FlowPipelineDocument. */
export interface TextDocument {
    readonly filename: string;
    readonly mimeType: string;
    readonly content: string;
}

interface ExportRequest {
    readonly id: ID;
    readonly revisionId?: ID | null;
    readonly format?: DocumentFormat | null;
}

interface DifferenceRequest {
    readonly pipelineId: ID;
    readonly from?: ID | null;
    readonly to?: ID | null;
}

interface ImportRequest {
    readonly document: string;
    readonly format: DocumentFormat;
    readonly version?: number | null;
}

const FORMATS = {
    JSON: { ending: 'json', mimeType: 'application/json' },
    YAML: { ending: 'yaml', mimeType: 'application/yaml' },
} as const satisfies Record<DocumentFormat, object>;

/** The most different documents that one request may export, and the most pairs of definitions that it may compare. */
const MAX_EXPORTS = 20;
const MAX_COMPARISONS = 20;

/** Exports, imports and compares definitions as text. */
@Injectable()
export class Documents {
    constructor(
        private readonly pipelines: Pipelines,
        private readonly copies: WorkingCopies,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly cache: RequestContextCacheService,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * The working copy, or the given revision. Throws PIPELINE_NOT_FOUND, REVISION_NOT_FOUND, and INPUT_INVALID for a document that YAML cannot represent, or
     * if the request exports too many.
     */
    export(ctx: RequestContext, requested: ExportRequest): Promise<TextDocument> {
        const { id, revisionId, format } = requested;
        const made = this.cache.get(
            ctx,
            'flow-exports',
            () => new OncePerOperation<TextDocument>(MAX_EXPORTS, 'exports'),
        );
        return made.make(JSON.stringify([String(id), String(revisionId ?? ''), format ?? 'JSON']), () =>
            oneByOne(ctx, 'exportFlowPipeline', () => this.exported(ctx, requested)),
        );
    }

    private async exported(ctx: RequestContext, { id, revisionId, format }: ExportRequest): Promise<TextDocument> {
        const pipeline = await this.pipeline(ctx, id);
        const revision = revisionId == null ? undefined : await this.revision(ctx, pipeline, revisionId);
        const definition = revision ? revision.definition : await this.current(ctx, pipeline);
        const { code, name, description } = pipeline;
        const { ending, mimeType } = FORMATS[format ?? 'JSON'];
        return {
            filename: `${code}${revision ? `.r${revision.number}` : ''}.${ending}`,
            mimeType,
            content: await this.taskQueue.done(
                writingDocumentText({ code, name, description: description ?? '', definition }, format ?? 'JSON'),
            ),
        };
    }

    /**
     * The differences between two revisions. Default: from the live revision to the working copy, or from nothing if none is published. Throws
     * PIPELINE_NOT_FOUND, REVISION_NOT_FOUND, and INPUT_INVALID if the request compares too many.
     */
    differences(ctx: RequestContext, requested: DifferenceRequest): Promise<readonly Difference[]> {
        const { pipelineId, from, to } = requested;
        const made = this.cache.get(
            ctx,
            'flow-comparisons',
            () => new OncePerOperation<readonly Difference[]>(MAX_COMPARISONS, 'comparisons'),
        );
        return made.make(JSON.stringify([pipelineId, from, to].map(id => String(id ?? ''))), () =>
            oneByOne(ctx, 'flowPipelineDifferences', () => this.compared(ctx, requested)),
        );
    }

    private async compared(
        ctx: RequestContext,
        { pipelineId, from, to }: DifferenceRequest,
    ): Promise<readonly Difference[]> {
        const pipeline = await this.pipeline(ctx, pipelineId);
        const before = await this.published(ctx, pipeline, from ?? pipeline.selectedRevisionId);
        const after = to == null ? await this.current(ctx, pipeline) : await this.published(ctx, pipeline, to);
        return this.taskQueue.done(findingDifferences(before, after, this.setup.registry));
    }

    /**
     * Creates the pipeline of the document, or changes the working copy of the pipeline with its code. Throws INPUT_INVALID, Vendure's ForbiddenError, and the
     * errors of `WorkingCopies`.
     */
    async import(ctx: RequestContext, { document, format, version }: ImportRequest): Promise<FlowPipeline> {
        const { code, name, description, definition } = await this.taskQueue.done(
            readingDocumentText(document, format),
        );
        const existing = await this.pipelines.find(ctx, { code });
        if (!existing) {
            assertMay(ctx, flowPipelinePermission.Create as Permission);
            if (version != null) {
                const problem = `version is ${version}, but the channel has no pipeline "${code}"; leave version out to make it`;
                throw flowError('INPUT_INVALID', { problem });
            }
            return this.copies.create(ctx, { code, name, description, definition });
        }
        assertMay(ctx, flowPipelinePermission.Update as Permission);
        if (version == null) {
            const problem = `version is missing; the channel has a pipeline "${code}", so allowed: the version of it that you have read`;
            throw flowError('INPUT_INVALID', { problem });
        }
        return this.copies.update(ctx, { id: existing.id, version, name, description, definition });
    }

    private async pipeline(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        const pipeline = await this.pipelines.find(ctx, { id });
        if (!pipeline) throw flowError('PIPELINE_NOT_FOUND', {});
        return pipeline;
    }

    private async revision(
        ctx: RequestContext,
        { id: pipelineId }: FlowPipeline,
        id: ID,
    ): Promise<FlowPipelineRevision> {
        const revision = await this.pipelines.revision(ctx, id);
        if (!revision || String(revision.pipelineId) !== String(pipelineId)) throw flowError('REVISION_NOT_FOUND', {});
        return revision;
    }

    /** The working copy, or the definition of the live revision if there is none. Throws PIPELINE_NOT_FOUND. */
    async definition(ctx: RequestContext, id: ID): Promise<JsonObject> {
        return this.current(ctx, await this.pipeline(ctx, id));
    }

    /** An empty definition if no revision is given. */
    private async published(ctx: RequestContext, pipeline: FlowPipeline, id: ID | null): Promise<JsonObject> {
        return id === null ? {} : (await this.revision(ctx, pipeline, id)).definition;
    }

    /** The working copy, or the definition that runs execute if there is none, as in code-first pipelines. */
    private async current(ctx: RequestContext, pipeline: FlowPipeline): Promise<JsonObject> {
        const copy = await this.copies.ofPipeline(ctx, pipeline.id);
        return copy ? copy.definition : this.published(ctx, pipeline, pipeline.selectedRevisionId);
    }
}

/** Reads one definition after the other, so that a request never holds more of them in memory than one operation needs. */
function oneByOne<T>({ req }: RequestContext, what: string, work: () => Promise<T>): Promise<T> {
    return responseLimitOf(req).reading(what, () => Promise.resolve(0), work);
}

function assertMay(ctx: RequestContext, permission: Permission): void {
    if (!ctx.userHasPermissions([permission])) throw new ForbiddenError();
}
