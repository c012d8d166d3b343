import { Injectable } from '@nestjs/common';
import { type ID, type Permission, type RequestContext, TransactionalConnection } from '@vendure/core';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { compileImport } from '../../core/import/compile-import';
import type { ImportContext } from '../../core/import/import-context';
import type { ImportPlan } from '../../core/import/import-plan';
import { compileRepeatedImport, type ImportTrigger, importTriggerProblem } from '../../core/import/import-trigger';
import type { DefinitionInput } from '../../core/pipeline/definition';
import { withDatabaseErrors } from '../../database/database-errors';
import { PublicIds } from '../../platform/public-ids';
import type { FlowImportDraft } from '../entities/import-draft';
import { FlowManagedFile } from '../entities/managed-file';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRun } from '../entities/run';
import { flowPipelinePermission, publishFlowPipelinePermission, runFlowPipelinePermission } from '../permissions';
import type { RunPermit } from '../pipelines/availability';
import { Pipelines } from '../pipelines/pipelines';
import { Publications } from '../pipelines/publications';
import { requirement, unmetRequirements } from '../pipelines/requirements';
import { Reviews } from '../pipelines/reviews';
import { WorkingCopies } from '../pipelines/working-copies';
import { RunStarter } from '../runs/run-starter';
import { Runs } from '../runs/runs';
import { HiddenPipelines } from './hidden-pipelines';
import { ImportDrafts } from './import-drafts';
import { ImportOrigins } from './import-origins';
import { planOf } from './import-plans';
import { type FileProfile, ImportProfiles } from './import-profiles';
import { ImportShops } from './import-shops';

/** What happens to the pipeline of an import. */
export type ImportOutcome = 'CREATED' | 'SUBMITTED' | 'PUBLISHED' | 'STARTED';

/** The API's FlowImportTriggerInput. */
export interface TriggerInput {
    readonly cron: string;
    readonly timezone?: string | null;
    readonly folder?: ImportTrigger['folder'] | null;
}

/** The API's CreateFlowImportPipelineInput. */
export interface CreateImportInput {
    readonly draftId: ID;
    readonly version: number;
    readonly name?: string | null;
    readonly outcome: ImportOutcome;
    readonly trigger?: TriggerInput | null;
    readonly allowSecretHosts?: RunPermit['allowSecretHosts'];
}

/** The API's ScheduleFlowImportInput. */
export interface ScheduleInput {
    readonly pipelineId: ID;
    readonly version: number;
    readonly trigger?: TriggerInput | null;
    readonly url?: string | null;
    readonly connectionCode?: string | null;
    readonly allowSecretHosts?: RunPermit['allowSecretHosts'];
}

/** A pipeline, and the run that was started. */
export interface ImportResult {
    readonly pipeline: FlowPipeline;
    readonly run: FlowPipelineRun | null;
}

const MAX_NAME = 255;
const MAX_CODE = 50;
/** How often another code is tried, because each may be taken in the meantime. */
const CODE_TRIES = 4;

/** Makes pipelines of drafts, and repeats their imports. */
@Injectable()
export class ImportPipelines {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly drafts: ImportDrafts,
        private readonly profiles: ImportProfiles,
        private readonly shops: ImportShops,
        private readonly hidden: HiddenPipelines,
        private readonly origins: ImportOrigins,
        private readonly pipelines: Pipelines,
        private readonly copies: WorkingCopies,
        private readonly reviews: Reviews,
        private readonly publications: Publications,
        private readonly starter: RunStarter,
        private readonly runs: Runs,
        private readonly ids: PublicIds,
    ) {}

    /**
     * Makes the pipeline of a draft and ends the draft. Permissions are checked before anything is written. A new pipeline is listed once it is as
     * requested: if publishing fails, the next attempt uses it. Throws IMPORT_DRAFT_NOT_FOUND, REVISION_CONFLICT, FORBIDDEN, INPUT_INVALID, and what
     * saving, submitting, publishing and starting throw.
     */
    async create(ctx: RequestContext, input: CreateImportInput): Promise<ImportResult> {
        const { repeatedId } = await this.drafts.existing(ctx, input.draftId);
        assertMay(ctx, repeatedId === null ? 'Create' : 'Update', input.outcome);
        return this.drafts.claimed(ctx, { id: input.draftId, version: input.version }, draft =>
            this.created(ctx, draft, input),
        );
    }

    private async created(
        ctx: RequestContext,
        draft: FlowImportDraft,
        input: CreateImportInput,
    ): Promise<ImportResult> {
        const { plan, repeatedId } = draft;
        const file = await this.profiles.of(ctx, { fileId: this.ids.encode(draft.fileId), facts: plan.facts });
        const context = await this.shops.context(ctx);
        const definition = definitionOf(plan, input.trigger, context);
        await this.hidden.cancelCheck(ctx, draft.runId);
        const same =
            repeatedId !== null && input.trigger == null && (await this.origins.unchanged(ctx, repeatedId, plan));
        if (plan.source.kind === 'FILE' && !same) await this.keepFile(ctx, draft.fileId);
        const pipeline = same
            ? await this.existing(ctx, repeatedId!)
            : await this.stored(ctx, { draft, definition, file, input });
        const ended = same && input.outcome === 'STARTED' ? pipeline : await this.brought(ctx, pipeline, input);
        const run = input.outcome === 'STARTED' ? await this.started(ctx, ended.id, same ? same.start : {}) : null;
        await this.drafts.remove(ctx, draft.id);
        if (draft.pipelineId !== null && draft.pipelineId !== ended.id)
            await this.hidden.discard(ctx, { pipelineId: draft.pipelineId, runId: draft.runId });
        return { pipeline: ended, run };
    }

    /** Changes when an import is repeated, and publishes it. Throws PIPELINE_NOT_FOUND, and what `create` throws. */
    async schedule(
        ctx: RequestContext,
        { pipelineId, version, trigger, url, connectionCode, allowSecretHosts }: ScheduleInput,
    ): Promise<FlowPipeline> {
        assertMay(ctx, 'Update', 'PUBLISHED');
        const origin = await this.origins.find(ctx, pipelineId);
        const pipeline = await this.existing(ctx, pipelineId);
        if (!origin)
            throw flowError('PIPELINE_STATE_CONFLICT', {
                code: pipeline.code,
                action: 'scheduled',
                problem: 'it was not made by an import; schedule it in the editor',
            });
        const plan = planOf({
            ...origin.plan,
            ...(url != null && { source: { kind: 'URL', url, ...(connectionCode != null && { connectionCode }) } }),
        });
        const definition = definitionOf(plan, trigger, await this.shops.context(ctx));
        await this.publications.checked(ctx, definition);
        const changed = await this.copies.update(ctx, { id: pipelineId, version, definition });
        await this.origins.store(ctx, { pipelineId, plan, definition });
        if (!changed.hasChanges) return changed;
        return this.publications.publish(ctx, {
            id: pipelineId,
            version: changed.version,
            allowSecretHosts: allowSecretHosts ?? null,
        });
    }

    /** Stores the definition and the plan, and what the user has corrected. */
    private async stored(
        ctx: RequestContext,
        {
            draft,
            definition,
            file,
            input,
        }: {
            readonly draft: FlowImportDraft;
            readonly definition: DefinitionInput;
            readonly file: FileProfile;
            readonly input: CreateImportInput;
        },
    ): Promise<FlowPipeline> {
        const { plan, repeatedId } = draft;
        const name = (input.name ?? nameOf(draft.filename)).trim().slice(0, MAX_NAME);
        const pipeline =
            repeatedId === null
                ? await this.ofDraft(ctx, draft, { name, definition, isShown: input.outcome === 'CREATED' })
                : await this.changed(ctx, repeatedId, definition);
        await this.origins.store(ctx, { pipelineId: pipeline.id, plan, profile: file.profile, definition });
        await this.origins.learn(ctx, file, plan);
        return pipeline;
    }

    private async changed(ctx: RequestContext, id: ID, definition: DefinitionInput): Promise<FlowPipeline> {
        const { version } = await this.existing(ctx, id);
        return this.copies.update(ctx, { id, version, definition });
    }

    /** The pipeline of the checks, or of an attempt to create it that has failed; without one, a new one. Publishing and submitting show it. */
    private async ofDraft(
        ctx: RequestContext,
        { id: draftId, pipelineId }: FlowImportDraft,
        {
            name,
            definition,
            isShown,
        }: { readonly name: string; readonly definition: DefinitionInput; readonly isShown: boolean },
    ): Promise<FlowPipeline> {
        const known = pipelineId === null ? null : await this.pipelines.find(ctx, { id: pipelineId });
        // An earlier attempt has published it, but not started it.
        if (known && !known.hidden && ctx.userHasPermissions([flowPipelinePermission.Update as Permission]))
            return this.copies.update(ctx, { id: known.id, version: known.version, definition });
        let code = codeOf(name);
        for (let tries = 1; ; tries++) {
            try {
                if (known?.hidden) {
                    const { id, version } = known;
                    return await this.copies.update(ctx, { id, version, code, name, definition }, { isShown });
                }
                const made = await this.copies.create(ctx, { code, name, definition }, { isHidden: !isShown });
                await this.drafts.setPipeline(ctx, draftId, made.id);
                return made;
            } catch (error) {
                const suggestion =
                    isFlowError(error) && error.code === 'CODE_TAKEN' ? error.details?.['suggestion'] : undefined;
                if (typeof suggestion !== 'string' || tries === CODE_TRIES) throw error;
                code = suggestion;
            }
        }
    }

    /** Submits or publishes a pipeline that differs from its newest revision. */
    private brought(
        ctx: RequestContext,
        pipeline: FlowPipeline,
        { outcome, allowSecretHosts }: CreateImportInput,
    ): Promise<FlowPipeline> {
        const { id, version, hasChanges } = pipeline;
        if (outcome === 'CREATED' || !hasChanges) return Promise.resolve(pipeline);
        if (outcome === 'SUBMITTED') return this.reviews.submit(ctx, { id, version });
        return this.publications.publish(ctx, { id, version, allowSecretHosts: allowSecretHosts ?? null });
    }

    private async started(ctx: RequestContext, pipelineId: ID, more: object): Promise<FlowPipelineRun> {
        const runId = await this.starter.start({
            pipelineId,
            channelId: ctx.channelId,
            actor: ctx.activeUserId ?? null,
            dryRun: false,
            triggerKey: 'start',
            ...more,
        });
        const run = await this.runs.find(ctx, runId);
        if (!run) throw flowError('RUN_NOT_FOUND', {});
        return run;
    }

    private async existing(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        const pipeline = await this.pipelines.find(ctx, { id });
        if (!pipeline) throw flowError('PIPELINE_NOT_FOUND', {});
        return pipeline;
    }

    /** A pipeline may read its file at any time. */
    private async keepFile(ctx: RequestContext, id: ID): Promise<void> {
        await withDatabaseErrors(() =>
            this.connection
                .getRepository(ctx, FlowManagedFile)
                .update({ id: id as number, channelId: ctx.channelId }, { expiresAt: null }),
        );
    }
}

/** Throws FORBIDDEN before anything is written. */
function assertMay(ctx: RequestContext, change: 'Create' | 'Update', outcome: ImportOutcome): void {
    const publish = requirement(publishFlowPipelinePermission.Permission, 'publishing the import');
    const run = requirement(runFlowPipelinePermission.Permission, 'starting the import');
    const needs = [
        requirement(flowPipelinePermission[change], 'saving the import'),
        ...(outcome === 'SUBMITTED' ? [requirement(flowPipelinePermission.Update, 'submitting the import')] : []),
        ...(outcome === 'PUBLISHED' || outcome === 'STARTED' ? [publish] : []),
        ...(outcome === 'STARTED' ? [run] : []),
    ];
    const missing = unmetRequirements(
        ctx,
        needs as ReadonlyArray<(typeof needs)[number] & { readonly permission: Permission }>,
    );
    if (missing) throw flowError('FORBIDDEN', { who: ctx.session?.user?.identifier ?? 'The caller', ...missing });
}

/** Throws INPUT_INVALID. */
function definitionOf(
    plan: ImportPlan,
    given: TriggerInput | null | undefined,
    context: ImportContext,
): DefinitionInput {
    if (given == null) return compileImport(plan, context);
    const { cron, timezone, folder } = given;
    const trigger: ImportTrigger = { cron, ...(timezone != null && { timezone }), ...(folder != null && { folder }) };
    const problem = importTriggerProblem(plan, trigger, context);
    if (problem !== undefined)
        throw flowError('INPUT_INVALID', {
            problem: problem.startsWith('.') ? `trigger${problem}` : `trigger ${problem}`,
        });
    return compileRepeatedImport(plan, trigger, context);
}

/** The name of a pipeline from that of its file: `preisliste_mueller.csv` → `preisliste mueller`. */
function nameOf(filename: string): string {
    const name = filename
        .replace(/\.[a-z0-9]{1,6}$/i, '')
        .replace(/[_\s]+/g, ' ')
        .trim();
    return name === '' ? 'Import' : name;
}

/** A code from a name: lowercase letters and digits with single hyphens between them. */
function codeOf(name: string): string {
    const code = name
        .normalize('NFKD')
        .replace(/ß/g, 'ss')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, MAX_CODE)
        .replace(/-+$/, '');
    return code === '' ? 'import' : code;
}
