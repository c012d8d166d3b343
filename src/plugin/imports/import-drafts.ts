import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { IsNull, LessThan } from 'typeorm';
import { flowError } from '../../core/errors/flow-error';
import type { ImportPlan } from '../../core/import/import-plan';
import { withDatabaseErrors } from '../../database/database-errors';
import { FlowImportDraft, type ImportStep } from '../entities/import-draft';
import { FlowManagedFile } from '../entities/managed-file';
import type { FlowPipeline } from '../entities/pipeline';
import { flowPipelinePermission } from '../permissions';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { PipelineChanges } from '../pipelines/pipeline-changes';
import { requirement, unmetRequirements } from '../pipelines/requirements';
import { ImportOrigins } from './import-origins';
import { ImportProfiles } from './import-profiles';
import { planOf } from './import-plans';
import { sourceOf } from './import-suggestions';
import { HiddenPipelines } from './hidden-pipelines';

/** The API's SaveFlowImportDraftInput. */
export interface DraftInput {
    readonly id?: ID | null;
    readonly version?: number | null;
    readonly profileId: string;
    readonly plan: unknown;
    readonly step: ImportStep;
    readonly pipelineId?: ID | null;
}

/** How long a draft is kept after its last change. */
const DRAFT_DAYS = 30;
const DAY_MS = 86_400_000;
/** Of a user in a channel. */
const MAX_DRAFTS = 50;
/** Drafts that are deleted by one statement. */
const PURGED = 200;
const FIRST_MS = 120_000;
const EVERY_MS = 3_600_000;

/** The unfinished imports of users. A user sees only their own drafts, in the active channel. */
@Injectable()
export class ImportDrafts {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly profiles: ImportProfiles,
        private readonly changes: PipelineChanges,
        private readonly origins: ImportOrigins,
        private readonly hidden: HiddenPipelines,
        periodicJobs: PeriodicJobs,
    ) {
        periodicJobs.add({
            name: 'Import drafts',
            firstMs: FIRST_MS,
            everyMs: EVERY_MS,
            jitter: 0.5,
            leader: 'import-drafts',
            work: async () => {
                await this.purge(Date.now());
                await this.hidden.purge();
            },
        });
    }

    list(ctx: RequestContext): Promise<FlowImportDraft[]> {
        return withDatabaseErrors(() =>
            this.repository(ctx).find({ where: own(ctx), order: { updatedAt: 'DESC', id: 'DESC' }, take: MAX_DRAFTS }),
        );
    }

    find(ctx: RequestContext, id: ID): Promise<FlowImportDraft | null> {
        return withDatabaseErrors(() => this.repository(ctx).findOne({ where: { ...own(ctx), id } }));
    }

    /** Throws IMPORT_DRAFT_NOT_FOUND. */
    async existing(ctx: RequestContext, id: ID): Promise<FlowImportDraft> {
        const draft = await this.find(ctx, id);
        if (!draft) throw flowError('IMPORT_DRAFT_NOT_FOUND', {});
        return draft;
    }

    /**
     * Throws INPUT_INVALID, FILE_NOT_FOUND, FILE_EXPIRED, IMPORT_DRAFT_NOT_FOUND and REVISION_CONFLICT. For a pipeline that cannot be imported again:
     * PIPELINE_NOT_FOUND, FORBIDDEN, CODE_FIRST_READ_ONLY and PIPELINE_STATE_CONFLICT.
     */
    async save(
        ctx: RequestContext,
        { id, version, profileId, plan: given, step, pipelineId }: DraftInput,
    ): Promise<FlowImportDraft> {
        const file = await this.profiles.fileOf(ctx, profileId);
        const parsed = planOf(given);
        this.profiles.assertFacts(parsed);
        const plan = { ...parsed, source: sourceOf(parsed, this.profiles.publicId(file)) };
        await this.keepFile(ctx, file);
        const set = { step, fileId: file.id, filename: file.filename, plan };
        if (id != null) {
            if (pipelineId != null)
                throw flowError('INPUT_INVALID', { problem: 'pipelineId can be set for a new draft only' });
            if (version == null)
                throw flowError('INPUT_INVALID', {
                    problem: 'version is missing; allowed: the version of the draft that you have read',
                });
            return this.change(ctx, { id, version, set });
        }
        const repeatedId = pipelineId == null ? null : (await this.repeated(ctx, pipelineId)).id;
        await this.makeRoom(ctx);
        const draft = new FlowImportDraft({
            ...own(ctx),
            ...(set as object),
            repeatedId,
            pipelineId: null,
            runId: null,
            checkedDigest: null,
        });
        return withDatabaseErrors(() => this.repository(ctx).save(draft));
    }

    /** Stores columns if the draft still has this version. Throws IMPORT_DRAFT_NOT_FOUND and REVISION_CONFLICT. */
    async change(
        ctx: RequestContext,
        { id, version, set }: { readonly id: ID; readonly version: number; readonly set: Partial<FlowImportDraft> },
    ): Promise<FlowImportDraft> {
        const { affected } = await withDatabaseErrors(() =>
            this.repository(ctx).update({ ...own(ctx), id, version }, { ...(set as object), version: version + 1 }),
        );
        const draft = await this.existing(ctx, id);
        if (affected === 0) throw conflict(draft, version);
        return draft;
    }

    /** Changes the plan. Throws what `change` throws. */
    async changePlan(
        ctx: RequestContext,
        { id, version }: { readonly id: ID; readonly version: number },
        changed: (plan: ImportPlan) => ImportPlan,
    ): Promise<FlowImportDraft> {
        const draft = await this.existing(ctx, id);
        if (draft.version !== version) throw conflict(draft, version);
        return this.change(ctx, { id, version, set: { plan: planOf(changed(draft.plan)) } });
    }

    /**
     * Does something for a draft that must not be done twice: another attempt with the same version fails. If it fails, the draft has its version again.
     * Throws what `change` throws.
     */
    async claimed<T>(
        ctx: RequestContext,
        { id, version }: { readonly id: ID; readonly version: number },
        work: (draft: FlowImportDraft) => Promise<T>,
    ): Promise<T> {
        const draft = await this.change(ctx, { id, version, set: {} });
        try {
            return await work(draft);
        } catch (error) {
            await withDatabaseErrors(() =>
                this.repository(ctx).update({ ...own(ctx), id, version: version + 1 }, { version }),
            );
            throw error;
        }
    }

    /** Stores the pipeline of a draft. The plan stays the same, and so does the version. */
    async setPipeline(ctx: RequestContext, id: ID, pipelineId: ID): Promise<void> {
        await withDatabaseErrors(() => this.repository(ctx).update({ ...own(ctx), id }, { pipelineId }));
    }

    /** Stores the last check if the one before is still `earlier`. Returns false if another check was started meanwhile. */
    async setCheck(
        ctx: RequestContext,
        { id, earlier }: { readonly id: ID; readonly earlier: ID | null },
        set: Pick<FlowImportDraft, 'pipelineId' | 'runId' | 'checkedDigest'>,
    ): Promise<boolean> {
        const where = { ...own(ctx), id, runId: earlier ?? IsNull() };
        const { affected } = await withDatabaseErrors(() => this.repository(ctx).update(where, { ...set }));
        return affected !== 0;
    }

    /** Deletes a draft, and the pipeline of its checks as soon as these have ended. False if there was none. */
    async discard(ctx: RequestContext, id: ID): Promise<boolean> {
        const draft = await this.find(ctx, id);
        if (!draft) return false;
        await this.remove(ctx, id);
        if (draft.pipelineId !== null)
            await this.hidden.discard(ctx, { pipelineId: draft.pipelineId, runId: draft.runId });
        return true;
    }

    /** Deletes a draft whose pipeline stays. */
    async remove(ctx: RequestContext, id: ID): Promise<void> {
        await withDatabaseErrors(() => this.repository(ctx).delete({ ...own(ctx), id }));
    }

    /** Deletes drafts that have not been changed for 30 days. Returns how many. */
    async purge(now: number): Promise<number> {
        const drafts = this.connection.rawConnection.getRepository(FlowImportDraft);
        const old = await drafts.find({
            where: { updatedAt: LessThan(new Date(now - DRAFT_DAYS * DAY_MS)) },
            select: { id: true },
            take: PURGED,
        });
        if (old.length > 0) await drafts.delete(old.map(({ id }) => id) as number[]);
        return old.length;
    }

    /** A pipeline of the channel that an import has made and that the caller may edit. The import changes it if the plan is another one. */
    private async repeated(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        const missing = unmetRequirements(ctx, [requirement(flowPipelinePermission.Update, 'importing again')]);
        if (missing) throw flowError('FORBIDDEN', { who: ctx.session?.user?.identifier ?? 'The caller', ...missing });
        const pipeline = await this.changes.open(ctx, { id, action: 'imported again' });
        if (pipeline.hidden) throw flowError('PIPELINE_NOT_FOUND', {});
        if (await this.origins.find(ctx, id)) return pipeline;
        const problem = 'it was not made by an import; start a new import instead';
        throw flowError('PIPELINE_STATE_CONFLICT', { code: pipeline.code, action: 'imported again', problem });
    }

    /** The file exists for as long as the draft. */
    private async keepFile(ctx: RequestContext, { id, expiresAt }: FlowManagedFile): Promise<void> {
        const until = new Date(Date.now() + (DRAFT_DAYS + 1) * DAY_MS);
        if (expiresAt === null || expiresAt.getTime() > until.getTime() - DAY_MS) return;
        await withDatabaseErrors(() =>
            this.connection.getRepository(ctx, FlowManagedFile).update({ id: id as number }, { expiresAt: until }),
        );
    }

    private async makeRoom(ctx: RequestContext): Promise<void> {
        for (const { id } of (await this.list(ctx)).slice(MAX_DRAFTS - 1)) await this.discard(ctx, id);
    }

    private repository(ctx: RequestContext) {
        return this.connection.getRepository(ctx, FlowImportDraft);
    }
}

/** When a draft is deleted. */
export function expiryOfDraft({ updatedAt }: FlowImportDraft): Date {
    return new Date(updatedAt.getTime() + DRAFT_DAYS * DAY_MS);
}

/** Throws FORBIDDEN for a caller without a user, who has no drafts. */
function own({ channelId, activeUserId }: RequestContext): { readonly channelId: ID; readonly userId: ID } {
    if (activeUserId !== undefined) return { channelId, userId: activeUserId };
    throw flowError('FORBIDDEN', { who: 'The caller', permission: 'CreateFlowPipeline', what: 'an import' });
}

function conflict({ filename, version: current }: FlowImportDraft, given: number): Error {
    return flowError(
        'REVISION_CONFLICT',
        { what: 'Import', code: filename, current, given },
        { details: { current, given } },
    );
}
