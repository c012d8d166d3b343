import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext } from '@vendure/core';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { compileImport } from '../../core/import/compile-import';
import type { ImportPlan, Remedy } from '../../core/import/import-plan';
import type { ImportWarning } from '../../core/import/import-profile';
import { loadSteps } from '../../core/import/load-steps';
import type { StepCounters } from '../../core/progress/counters';
import { isTerminal } from '../../core/progress/state';
import { PublicIds } from '../../platform/public-ids';
import type { FlowImportDraft } from '../entities/import-draft';
import type { FlowPipelineRun } from '../entities/run';
import { RunStarter } from '../runs/run-starter';
import { Runs } from '../runs/runs';
import { HiddenPipelines } from './hidden-pipelines';
import { type Causes, ImportCauses } from './import-causes';
import { ImportDrafts } from './import-drafts';
import { ImportOrigins } from './import-origins';
import { digestOfPlan } from './import-plans';
import { ImportProfiles } from './import-profiles';
import { ImportShops } from './import-shops';
import { UnusualChanges } from './unusual-changes';

/** The result of a check so far. */
export interface ImportCheck extends Causes {
    readonly runId: ID;
    readonly run: FlowPipelineRun;
    readonly isCurrent: boolean;
    readonly rows: number;
    readonly totalRows: number;
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly unchanged: number;
    readonly rejected: number;
    readonly warnings: number;
    readonly applied: readonly Remedy[];
    readonly unusual: readonly ImportWarning[];
}

/** What is found after a check has ended. */
type Findings = Causes & Pick<ImportCheck, 'unusual'>;

const NOTHING: Findings = { causes: [], isCausesComplete: true, unusual: [] };
/** Findings that are kept, since pages poll them. */
const MAX_KEPT = 50;

/** Checks imports by dry runs of whole files. A draft has one check: a new one cancels the one before. */
@Injectable()
export class ImportChecks {
    private readonly kept = new Map<string, Promise<Findings>>();

    constructor(
        private readonly drafts: ImportDrafts,
        private readonly profiles: ImportProfiles,
        private readonly shops: ImportShops,
        private readonly hidden: HiddenPipelines,
        private readonly origins: ImportOrigins,
        private readonly causes: ImportCauses,
        private readonly unusual: UnusualChanges,
        private readonly starter: RunStarter,
        private readonly runs: Runs,
        private readonly ids: PublicIds,
    ) {}

    /** Starts a dry run. Throws IMPORT_DRAFT_NOT_FOUND, FILE_NOT_FOUND, and what saving and starting the pipeline throw. */
    async start(ctx: RequestContext, draftId: ID): Promise<ImportCheck> {
        const draft = await this.drafts.existing(ctx, draftId);
        const { plan, repeatedId, runId: earlier, filename } = draft;
        await this.profiles.of(ctx, { fileId: this.ids.encode(draft.fileId), facts: plan.facts });
        await this.hidden.cancelCheck(ctx, earlier);
        const definition = compileImport(plan, await this.shops.context(ctx));
        const same = repeatedId === null ? undefined : await this.origins.unchanged(ctx, repeatedId, plan);
        const pipelineId = same
            ? draft.pipelineId
            : (await this.hidden.store(ctx, draft.pipelineId, { name: filename, definition })).id;
        const runId = await this.starter.start({
            pipelineId: same ? repeatedId! : pipelineId!,
            channelId: ctx.channelId,
            actor: ctx.activeUserId ?? null,
            dryRun: true,
            ...(same ? same.start : { workingCopy: true }),
        });
        const checkedDigest = digestOfPlan(plan);
        const set = { pipelineId, runId, checkedDigest };
        const isStored = await this.drafts.setCheck(ctx, { id: draftId, earlier }, set);
        if (!isStored) {
            // Another check was started at the same time, or the draft was discarded.
            if (same || pipelineId === draft.pipelineId) await this.hidden.cancelCheck(ctx, runId);
            else await this.hidden.discard(ctx, { pipelineId: pipelineId!, runId });
        }
        const current = isStored ? { ...draft, ...set } : await this.drafts.existing(ctx, draftId);
        const check = await this.find(ctx, current as FlowImportDraft);
        if (!check) throw flowError('RUN_NOT_FOUND', {});
        return check;
    }

    /** Null if there was none, or if its run was deleted. */
    async find(ctx: RequestContext, draft: FlowImportDraft): Promise<ImportCheck | null> {
        const { plan, runId, checkedDigest } = draft;
        const run = runId === null ? null : await this.runs.find(ctx, runId);
        if (!run) return null;
        const totalRows = await this.rowsOf(ctx, draft);
        const counts = run.counters?.[loadKeyOf(plan)];
        const findings = isTerminal(run.status) ? await this.findings(ctx, { run, plan, counts }) : NOTHING;
        return {
            runId: run.id,
            run,
            isCurrent: checkedDigest === digestOfPlan(plan),
            rows: run.recordsRead,
            totalRows: totalRows ?? run.recordsRead,
            created: counts?.created ?? 0,
            updated: counts?.updated ?? 0,
            deleted: counts?.deleted ?? 0,
            unchanged: counts?.unchanged ?? 0,
            rejected: run.recordsRejected,
            warnings: await this.causes.countWarnings(ctx, run),
            applied: plan.remedies,
            ...findings,
        };
    }

    /** The records of the file; undefined if it was deleted since. */
    private async rowsOf(ctx: RequestContext, { fileId, plan }: FlowImportDraft): Promise<number | undefined> {
        try {
            const { profile } = await this.profiles.of(ctx, { fileId: this.ids.encode(fileId), facts: plan.facts });
            return profile.rows;
        } catch (error) {
            if (isFlowError(error) && (error.code === 'FILE_NOT_FOUND' || error.code === 'FILE_EXPIRED'))
                return undefined;
            throw error;
        }
    }

    private findings(
        ctx: RequestContext,
        {
            run,
            plan,
            counts,
        }: { readonly run: FlowPipelineRun; readonly plan: ImportPlan; readonly counts: StepCounters | undefined },
    ): Promise<Findings> {
        const key = `${run.id} ${digestOfPlan(plan)}`;
        const known = this.kept.get(key);
        if (known) return known;
        const read = this.read(ctx, { run, plan, counts });
        this.kept.set(key, read);
        read.catch(() => this.kept.delete(key));
        const [oldest] = this.kept.keys();
        if (this.kept.size > MAX_KEPT) this.kept.delete(oldest!);
        return read;
    }

    private async read(
        ctx: RequestContext,
        {
            run,
            plan,
            counts,
        }: { readonly run: FlowPipelineRun; readonly plan: ImportPlan; readonly counts: StepCounters | undefined },
    ): Promise<Findings> {
        const [context, known, existing] = await Promise.all([
            this.shops.context(ctx),
            this.shops.facts(ctx),
            this.shops.counts(ctx),
        ]);
        const { created = 0, updated = 0, unchanged = 0 } = counts ?? {};
        const causes = await this.causes.of(ctx, run, { plan, context, known });
        const unusual = await this.unusual.of(ctx, run, {
            loaded: created + updated + unchanged,
            existing: existing[plan.target] ?? 0,
        });
        return { ...causes, unusual };
    }
}

/** The step that loads the entities of the target; facets are loaded before their values. */
function loadKeyOf(plan: ImportPlan): string {
    return loadSteps(plan).at(-1)!.key;
}
