import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type Permission, RequestContext } from '@vendure/core';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { applyRemedy, removeRemedy } from '../../core/import/import-remedies';
import type { Conversion, ImportTarget, Remedy } from '../../core/import/import-plan';
import { detectExport } from '../../core/import/known-exports';
import type { ColumnChoice } from '../../core/import/column-choice';
import type { JsonValue } from '../../core/value/json';
import { PublicIds } from '../../platform/public-ids';
import type { FlowImportDraft } from '../entities/import-draft';
import type { FlowManagedFile } from '../entities/managed-file';
import type { FlowPipeline } from '../entities/pipeline';
import { type ImportAccess, importAccessOf } from '../imports/import-access';
import type { CauseGroup } from '../imports/import-causes';
import { type ImportCheck, ImportChecks } from '../imports/import-checks';
import { type FieldSamples, ImportConversions, type ImportMatches } from '../imports/import-conversions';
import { type DraftInput, expiryOfDraft, ImportDrafts } from '../imports/import-drafts';
import { type ImportFit, ImportOrigins } from '../imports/import-origins';
import {
    type CreateImportInput,
    ImportPipelines,
    type ImportResult,
    type ScheduleInput,
} from '../imports/import-pipelines';
import { planOf, parsedRemedy } from '../imports/import-plans';
import { type FileProfile, ImportProfiles } from '../imports/import-profiles';
import { ImportSources, type ServerFolder, type SourceInput } from '../imports/import-sources';
import { type FileSuggestion, ImportSuggestions } from '../imports/import-suggestions';
import { AllowOperation } from '../operation-rights';
import {
    flowPipelinePermission,
    manageFlowFilesPermission,
    readFlowFilesPermission,
    readFlowRunPermission,
} from '../permissions';
import { DataLoaders } from '../runs/data-loaders';
import { withApiErrors } from './api-error';
import { DecodedArgs } from './decoded-args';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { mayReadRecords } from './record-values';

/** Stands for a value of a record. */
const MASKED = '•••';
const READ_FILES = [readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission] as const;

interface SampleArgs {
    readonly profileId: string;
    readonly plan: unknown;
    readonly fields?: readonly string[] | null;
    readonly skip?: number | null;
    readonly take?: number | null;
}

/** Profiles of files, suggestions for them, and the drafts of users. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class ImportResolver {
    constructor(
        private readonly profiles: ImportProfiles,
        private readonly suggestions: ImportSuggestions,
        private readonly conversions: ImportConversions,
        private readonly drafts: ImportDrafts,
        private readonly origins: ImportOrigins,
        private readonly ids: PublicIds,
    ) {}

    @Query()
    @Allow(...READ_FILES)
    flowImportProfile(
        @Ctx() ctx: RequestContext,
        @Args() { fileId, facts }: { fileId: ID; facts?: unknown },
    ): Promise<object> {
        return withApiErrors(async () =>
            profileView(await this.profiles.of(ctx, { fileId: this.ids.encode(fileId), facts }), mayReadRecords(ctx)),
        );
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportSuggestion(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { profileId, target, plan }: { profileId: string; target?: ImportTarget | null; plan?: unknown },
    ): Promise<object> {
        return withApiErrors(async () => {
            assertMayReadFiles(ctx);
            const given = plan == null ? undefined : planOf(plan);
            const suggestion = await this.suggestions.of(ctx, {
                profileId,
                target: target ?? null,
                ...(given && { plan: given }),
            });
            return this.suggestionView(ctx, suggestion);
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportMatches(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { profileId, plan }: { profileId: string; plan: unknown },
    ): Promise<ImportMatches> {
        return withApiErrors(async () => {
            assertMayReadFiles(ctx);
            return this.conversions.matches(ctx, { profileId, plan: planOf(plan) });
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportSamples(@Ctx() ctx: RequestContext, @DecodedArgs() args: SampleArgs): Promise<readonly FieldSamples[]> {
        return withApiErrors(async () => {
            assertMayReadFiles(ctx);
            const samples = await this.conversions.samples(ctx, { ...args, plan: planOf(args.plan) });
            return mayReadRecords(ctx) ? samples : samples.map(maskedSamples);
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportConversions(
        @Ctx() ctx: RequestContext,
        @Args() args: ColumnChoice & { readonly profileId: string },
    ): Promise<readonly Conversion[]> {
        return withApiErrors(async () => {
            assertMayReadFiles(ctx);
            return this.suggestions.conversions(ctx, args);
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportDrafts(@Ctx() ctx: RequestContext): Promise<readonly FlowImportDraft[]> {
        return withApiErrors(() => this.drafts.list(ctx));
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportDraft(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowImportDraft | null> {
        return withApiErrors(() => this.drafts.find(ctx, id));
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    saveFlowImportDraft(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { input }: { input: DraftInput },
    ): Promise<FlowImportDraft> {
        return withApiErrors(() => {
            assertMayReadFiles(ctx);
            return this.drafts.save(ctx, input);
        });
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    discardFlowImportDraft(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<boolean> {
        return withApiErrors(() => this.drafts.discard(ctx, id));
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    applyFlowImportRemedy(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { draftId, version, remedy }: { draftId: ID; version: number; remedy: unknown },
    ): Promise<FlowImportDraft> {
        return withApiErrors(() => {
            const given = parsedRemedy(remedy);
            return this.drafts.changePlan(ctx, { id: draftId, version }, plan => applyRemedy(plan, given));
        });
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    undoFlowImportRemedy(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { draftId, version, remedy }: { draftId: ID; version: number; remedy: unknown },
    ): Promise<FlowImportDraft> {
        return withApiErrors(() => {
            const given = parsedRemedy(remedy);
            return this.drafts.changePlan(ctx, { id: draftId, version }, plan => removeRemedy(plan, given));
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create)
    flowImportFits(
        @Ctx() ctx: RequestContext,
        @Args() { profileId }: { profileId: string },
    ): Promise<readonly ImportFit[]> {
        return withApiErrors(async () => {
            assertMayReadFiles(ctx);
            return this.origins.fits(ctx, profileId);
        });
    }

    @Query()
    @Allow(flowPipelinePermission.Create, ...READ_FILES)
    flowImportAccess(@Ctx() ctx: RequestContext): ImportAccess {
        return importAccessOf(ctx);
    }

    private suggestionView(ctx: RequestContext, suggestion: FileSuggestion): object {
        const { plan, targets, fields, unused, shop, isTargetClear } = suggestion;
        const labels = new Map(shop.customFields.map(({ name, label }) => [`customFields.${name}`, label]));
        return {
            plan,
            isTargetClear,
            targets: targets.map(one => ({
                ...one,
                missingPermissions: this.suggestions.missingPermissions(ctx, plan, one.target),
                existing: shop.counts[one.target] ?? null,
            })),
            fields: fields.map(({ reason, ...field }) => ({
                ...field,
                label: labels.get(field.field) ?? null,
                reasonCode: reason.code,
                reasonArgs: reason.args,
            })),
            unused,
            shop: {
                ...shop,
                facets: shop.facets.map(({ name }) => name),
                customFields: shop.customFields.map(({ name, label, type }) => ({
                    field: `customFields.${name}`,
                    label,
                    type,
                })),
            },
        };
    }
}

/** Reads sources, checks drafts and makes pipelines of them. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class ImportActionResolver {
    constructor(
        private readonly sources: ImportSources,
        private readonly drafts: ImportDrafts,
        private readonly checks: ImportChecks,
        private readonly pipelines: ImportPipelines,
    ) {}

    @Mutation()
    @Allow(manageFlowFilesPermission.Permission)
    storeFlowImportSource(
        @Ctx() ctx: RequestContext,
        @Args() { input }: { input: SourceInput },
    ): Promise<FlowManagedFile> {
        return withApiErrors(() => {
            const create = flowPipelinePermission.Create;
            if (input.text == null && !ctx.userHasPermissions([create]))
                throw flowError('FORBIDDEN', { who: callerOf(ctx), permission: create, what: 'reading a source' });
            return this.sources.store(ctx, input);
        });
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    listFlowImportFolder(
        @Ctx() ctx: RequestContext,
        @Args() { connectionCode, path }: { connectionCode: string; path?: string | null },
    ): Promise<ServerFolder> {
        return withApiErrors(() => this.sources.list(ctx, connectionCode, path));
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowImportCheck(@Ctx() ctx: RequestContext, @Args() { draftId }: { draftId: ID }): Promise<ImportCheck | null> {
        return withApiErrors(async () => this.checks.find(ctx, await this.drafts.existing(ctx, draftId)));
    }

    @Mutation()
    @AllowOperation('checkFlowImport')
    checkFlowImport(@Ctx() ctx: RequestContext, @Args() { draftId }: { draftId: ID }): Promise<ImportCheck> {
        return withApiErrors(() => {
            assertMayReadFiles(ctx);
            return this.checks.start(ctx, draftId);
        });
    }

    @Mutation()
    @Allow(flowPipelinePermission.Create)
    createFlowImportPipeline(
        @Ctx() ctx: RequestContext,
        @Args() { input }: { input: CreateImportInput },
    ): Promise<ImportResult> {
        return withApiErrors(() => {
            assertMayReadFiles(ctx);
            return this.pipelines.create(ctx, input);
        });
    }

    @Mutation()
    @AllowOperation('scheduleFlowImport')
    scheduleFlowImport(@Ctx() ctx: RequestContext, @Args() { input }: { input: ScheduleInput }): Promise<FlowPipeline> {
        return withApiErrors(() => this.pipelines.schedule(ctx, input));
    }
}

/** The fields of a cause that are not the same for all callers. */
@Resolver('FlowImportCause')
export class ImportCauseFieldResolver {
    @ResolveField()
    value(@Ctx() ctx: RequestContext, @Parent() { value }: CauseGroup): string | null {
        return value === null || mayReadRecords(ctx) ? value : MASKED;
    }

    @ResolveField()
    remedies(@Ctx() ctx: RequestContext, @Parent() { remedies }: CauseGroup): readonly Remedy[] {
        // The texts of a replacement are values of rows.
        return mayReadRecords(ctx) ? remedies : remedies.filter(({ type }) => type !== 'LOOKUP');
    }
}

/** The fields of a draft that are not columns. */
@Resolver('FlowImportDraft')
export class ImportDraftFieldResolver {
    constructor(
        private readonly profiles: ImportProfiles,
        private readonly checks: ImportChecks,
        private readonly dataLoaders: DataLoaders,
        private readonly ids: PublicIds,
    ) {}

    @ResolveField()
    async profile(@Ctx() ctx: RequestContext, @Parent() { fileId, plan }: FlowImportDraft): Promise<object | null> {
        if (!ctx.userHasPermissions([...READ_FILES])) return null;
        return withApiErrors(async () => {
            try {
                const facts = plan.facts;
                return profileView(
                    await this.profiles.of(ctx, { fileId: this.ids.encode(fileId), facts }),
                    mayReadRecords(ctx),
                );
            } catch (error) {
                if (isFlowError(error) && (error.code === 'FILE_NOT_FOUND' || error.code === 'FILE_EXPIRED'))
                    return null;
                throw error;
            }
        });
    }

    @ResolveField()
    async check(@Ctx() ctx: RequestContext, @Parent() draft: FlowImportDraft): Promise<ImportCheck | null> {
        if (!ctx.userHasPermissions([readFlowRunPermission.Permission])) return null;
        return withApiErrors(() => this.checks.find(ctx, draft));
    }

    @ResolveField()
    async pipeline(
        @Ctx() ctx: RequestContext,
        @Parent() { repeatedId }: FlowImportDraft,
    ): Promise<FlowPipeline | null> {
        return repeatedId === null ? null : this.dataLoaders.pipeline(ctx, repeatedId);
    }

    @ResolveField()
    expiresAt(@Parent() draft: FlowImportDraft): Date {
        return expiryOfDraft(draft);
    }
}

/** Fields of drafts in lists that are not columns. */
@Resolver('FlowImportDraftSummary')
export class ImportDraftSummaryFieldResolver {
    @ResolveField()
    expiresAt(@Parent() draft: FlowImportDraft): Date {
        return expiryOfDraft(draft);
    }
}

/** Throws FORBIDDEN. What is suggested for a file shows values of it. */
function assertMayReadFiles(ctx: RequestContext): void {
    if (ctx.userHasPermissions([...READ_FILES] as Permission[])) return;
    throw flowError('FORBIDDEN', {
        who: callerOf(ctx),
        permission: READ_FILES.join(' or '),
        what: 'an import of a file',
    });
}

function callerOf({ session }: RequestContext): string {
    return session?.user?.identifier ?? 'The caller';
}

function profileView({ id, file, profile }: FileProfile, isReadable: boolean): object {
    const { facts, columns, head, headNumbers } = profile;
    const masked = (text: string): string => (text === '' ? '' : MASKED);
    return {
        ...profile,
        id,
        fileId: file.id,
        filename: file.filename,
        size: file.size,
        head: isReadable
            ? head
            : head.map((row, index) => (headNumbers[index] === facts.headerRow ? row : row.map(masked))),
        columns: isReadable ? columns : columns.map(column => ({ ...column, examples: column.examples.map(masked) })),
        knownExport: detectExport(columns.map(({ name }) => name))?.code ?? null,
    };
}

function maskedSamples({ samples, ...field }: FieldSamples): FieldSamples {
    const masked = (value: JsonValue): JsonValue => (value === null ? null : MASKED);
    return {
        ...field,
        samples: samples.map(({ before, after, ...sample }) => ({
            ...sample,
            before: before.map(text => (text === '' ? '' : MASKED)),
            after: masked(after),
        })),
    };
}
