import { Injectable } from '@nestjs/common';
import { type ID, type Permission, type RequestContext, TransactionalConnection } from '@vendure/core';
import { In } from 'typeorm';
import { headerKeyOf } from '../../core/import/header-names';
import type { ImportPlan, ImportTarget } from '../../core/import/import-plan';
import type { ImportFacts, ImportProfile } from '../../core/import/import-profile';
import type { ImportSuggestion } from '../../core/import/import-suggestion';
import { suggest } from '../../core/import/suggest';
import type { DefinitionInput } from '../../core/pipeline/definition';
import { digestingDefinition } from '../../core/pipeline/digest';
import { withDatabaseErrors } from '../../database/database-errors';
import { FlowImportMapping } from '../entities/import-mapping';
import { FlowImportOrigin } from '../entities/import-origin';
import { FlowPipeline } from '../entities/pipeline';
import { FlowWorkingCopy } from '../entities/working-copy';
import { flowPipelinePermission } from '../permissions';
import { DefinitionChecks } from '../pipelines/definition-check';
import { ProcessTaskQueue } from '../process-task-queue';
import type { StartRequest } from '../runs/run-starter';
import { digestOfPlan } from './import-plans';
import { type FileProfile, ImportProfiles } from './import-profiles';
import { ImportShops } from './import-shops';
import { sourceOf } from './import-suggestions';

/** How a file differs from the file that a pipeline was made for. */
interface ImportDifference {
    readonly code: 'COLUMN_MISSING' | 'COLUMN_ADDED' | 'TYPE_CHANGED' | 'ROWS_CHANGED' | 'FACT_CHANGED';
    readonly column: string | null;
    readonly field: string | null;
    readonly suggestion: string | null;
    readonly args: Readonly<Record<string, string | number>>;
}

/** A pipeline that was made by an import and whose columns fit a file. */
export interface ImportFit {
    readonly pipeline: FlowPipeline;
    readonly score: number;
    readonly isExact: boolean;
    readonly isEdited: boolean;
    readonly differences: readonly ImportDifference[];
    readonly plan: ImportPlan;
}

const MAX_ORIGINS = 200;
const MAX_FITS = 5;
const LEAST_SCORE = 0.6;
const MANY_ROWS = 2;
/** The length of the columns that store what was learned. */
const MAX_LEARNED = 255;
const COMPARED_FACTS = [
    'format',
    'delimiter',
    'sheet',
    'headerRow',
    'decimals',
    'recordPath',
] as const satisfies ReadonlyArray<keyof ImportFacts>;

/** The plans of pipelines that imports have made, and what users have corrected in suggestions. */
@Injectable()
export class ImportOrigins {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly profiles: ImportProfiles,
        private readonly shops: ImportShops,
        private readonly checks: DefinitionChecks,
        private readonly taskQueue: ProcessTaskQueue,
    ) {}

    /** The plan that a pipeline of the channel was made of. */
    find(ctx: RequestContext, pipelineId: ID): Promise<FlowImportOrigin | null> {
        return withDatabaseErrors(() =>
            this.connection
                .getRepository(ctx, FlowImportOrigin)
                .findOne({ where: { pipelineId, channelId: ctx.channelId } }),
        );
    }

    /** Stores the plan of a pipeline. */
    async store(
        ctx: RequestContext,
        {
            pipelineId,
            plan,
            profile,
            definition,
        }: {
            readonly pipelineId: ID;
            readonly plan: ImportPlan;
            readonly profile?: ImportProfile;
            readonly definition: DefinitionInput;
        },
    ): Promise<void> {
        const repository = this.connection.getRepository(ctx, FlowImportOrigin);
        const digest = (await this.digestOf(definition)) ?? '';
        const file = profile && {
            columns: profile.columns.map(({ name, type }) => ({ name, type })),
            rows: profile.rows,
        };
        const known = await this.find(ctx, pipelineId);
        await withDatabaseErrors(async () => {
            if (known) await repository.update({ id: known.id as number }, { plan, digest, ...file } as object);
            else
                await repository.save(
                    new FlowImportOrigin({
                        channelId: ctx.channelId,
                        pipelineId,
                        plan,
                        digest,
                        columns: [],
                        rows: 0,
                        ...file,
                    } as object),
                );
        });
    }

    /** Whether the pipeline does what a plan says: then a run of it can read the file of the plan instead. */
    async unchanged(
        ctx: RequestContext,
        pipelineId: ID,
        plan: ImportPlan,
    ): Promise<{ readonly start: Pick<StartRequest, 'source'> } | undefined> {
        const origin = await this.find(ctx, pipelineId);
        if (!origin || plan.source.kind !== 'FILE' || withoutFile(origin.plan) !== withoutFile(plan)) return undefined;
        const [pipeline] = await this.connection.getRepository(ctx, FlowPipeline).findBy({ id: pipelineId });
        if (
            !pipeline ||
            pipeline.selectedRevisionId === null ||
            pipeline.hasChanges ||
            (await this.isEdited(ctx, origin))
        )
            return undefined;
        return { start: { source: { files: [{ stepKey: 'file', fileId: plan.source.fileId }] } } };
    }

    /** Pipelines whose columns fit a file, the best first. None for a caller who may not read pipelines, since a plan says what its pipeline does. */
    async fits(ctx: RequestContext, profileId: string): Promise<readonly ImportFit[]> {
        const file = await this.profiles.byId(ctx, profileId);
        if (!ctx.userHasPermissions([flowPipelinePermission.Read as Permission])) return [];
        const origins = await withDatabaseErrors(() =>
            this.connection.getRepository(ctx, FlowImportOrigin).find({
                where: { channelId: ctx.channelId },
                order: { updatedAt: 'DESC', id: 'DESC' },
                take: MAX_ORIGINS,
            }),
        );
        const keys = new Set(file.profile.columns.map(({ name }) => headerKeyOf(name)));
        const scored = origins
            .map(origin => ({ origin, score: scoreOf(origin, keys) }))
            .filter(({ score }) => score >= LEAST_SCORE)
            .sort((a, b) => b.score - a.score)
            .slice(0, MAX_FITS);
        if (scored.length === 0) return [];
        const pipelines = await this.connection.getRepository(ctx, FlowPipeline).findBy({
            id: In(scored.map(({ origin }) => origin.pipelineId)),
            channelId: ctx.channelId,
            hidden: false,
            archived: false,
        });
        const shop = await this.shops.of(ctx, file);
        const suggestions = new Map<ImportTarget, ImportSuggestion>();
        const fits: ImportFit[] = [];
        for (const { origin, score } of scored) {
            const pipeline = pipelines.find(({ id }) => id === origin.pipelineId);
            if (!pipeline) continue;
            const { target } = origin.plan;
            const suggestion = suggestions.get(target) ?? suggest(file.profile, shop, target);
            suggestions.set(target, suggestion);
            const differences = differencesOf(origin, file.profile, suggestion);
            fits.push({
                pipeline,
                score,
                isExact: !differences.some(({ code }) => code === 'COLUMN_MISSING'),
                isEdited: await this.isEdited(ctx, origin),
                differences,
                plan: this.planFor(origin, file, differences),
            });
        }
        return fits;
    }

    /** Keeps what the user has mapped in another way than it was suggested. Returns how many columns. */
    async learn(ctx: RequestContext, file: FileProfile, plan: ImportPlan): Promise<number> {
        const shop = await this.shops.of(ctx, file);
        const { fields } = suggest(file.profile, { ...shop, learned: {} }, plan.target);
        const learned = plan.fields.flatMap(({ field, columns = [] }) => {
            const suggested = fields.find(one => one.field === field);
            // Facets and options are named after their columns, so that there is nothing to learn.
            if (field.includes(':') || columns.length !== 1 || suggested?.columns.includes(columns[0]!)) return [];
            const header = headerKeyOf(columns[0]!);
            return header === '' || header.length > MAX_LEARNED || field.length > MAX_LEARNED
                ? []
                : [{ header, field }];
        });
        const repository = this.connection.getRepository(ctx, FlowImportMapping);
        for (const { header, field } of learned) {
            const where = { channelId: ctx.channelId, header };
            const row = new FlowImportMapping({ ...where, field });
            await withDatabaseErrors(async () => {
                const { affected } = await repository.update(where, { field });
                // Another import may learn the same name at this moment.
                if (affected === 0) await repository.save(row).catch(() => repository.update(where, { field }));
            });
        }
        return learned.length;
    }

    private async isEdited(ctx: RequestContext, { pipelineId, digest }: FlowImportOrigin): Promise<boolean> {
        const copy = await this.connection.getRepository(ctx, FlowWorkingCopy).findOne({ where: { pipelineId } });
        return copy === null || (await this.digestOf(copy.definition)) !== digest;
    }

    /** Undefined for a definition with errors. */
    private async digestOf(definition: unknown): Promise<string | undefined> {
        const { definition: checked } = await this.checks.byItself(definition);
        return checked && this.taskQueue.done(digestingDefinition(checked));
    }

    private planFor(
        { plan }: FlowImportOrigin,
        { file, profile }: FileProfile,
        differences: readonly ImportDifference[],
    ): ImportPlan {
        const replaced = new Map(
            differences.flatMap(({ code, column, suggestion }) =>
                code === 'COLUMN_MISSING' && column !== null && suggestion !== null
                    ? [[column, suggestion] as const]
                    : [],
            ),
        );
        const names = new Set(profile.columns.map(({ name }) => name));
        const fields = plan.fields.flatMap(field => {
            if (field.columns === undefined) return [field];
            const columns = field.columns
                .map(column => replaced.get(column) ?? column)
                .filter(column => names.has(column));
            return columns.length === 0 ? [] : [{ ...field, columns }];
        });
        // The detected encoding and header row are those of this file.
        return { ...plan, source: sourceOf(plan, this.profiles.publicId(file)), facts: profile.facts, fields };
    }
}

/** What a plan does with any file. */
function withoutFile(plan: ImportPlan): string {
    return digestOfPlan({ ...plan, source: plan.source.kind === 'FILE' ? { kind: 'FILE', fileId: '' } : plan.source });
}

/** The share of all columns that are in both files. */
function scoreOf({ columns }: FlowImportOrigin, others: ReadonlySet<string>): number {
    const keys = new Set(columns.map(({ name }) => headerKeyOf(name)));
    const both = [...keys].filter(key => others.has(key)).length;
    return keys.size === 0 ? 0 : both / new Set([...keys, ...others]).size;
}

function differencesOf(
    { plan, columns, rows }: FlowImportOrigin,
    profile: ImportProfile,
    suggestion: ImportSuggestion,
): readonly ImportDifference[] {
    const names = new Set(profile.columns.map(({ name }) => name));
    const known = new Map(columns.map(({ name, type }) => [name, type]));
    const difference = (code: ImportDifference['code'], more: Partial<ImportDifference>): ImportDifference => ({
        code,
        column: null,
        field: null,
        suggestion: null,
        args: {},
        ...more,
    });
    const missing = plan.fields.flatMap(({ field, columns: used = [] }) =>
        used
            .filter(column => !names.has(column))
            .map(column => {
                const suggested = suggestion.fields
                    .find(one => one.field === field)
                    ?.columns.find(name => !known.has(name));
                return difference('COLUMN_MISSING', { column, field, suggestion: suggested ?? null });
            }),
    );
    const replacing = new Set(missing.map(one => one.suggestion));
    const added = profile.columns
        .filter(({ name }) => !known.has(name) && !replacing.has(name))
        .map(({ name: column }) => {
            const field = suggestion.fields.find(one => one.columns.includes(column))?.field;
            const use = suggestion.unused.find(one => one.column === column)?.uses[0];
            return difference('COLUMN_ADDED', { column, suggestion: field ?? use ?? null });
        });
    const types = profile.columns.flatMap(({ name: column, type }) => {
        const before = known.get(column);
        return before === undefined || before === type || type === 'EMPTY'
            ? []
            : [difference('TYPE_CHANGED', { column, args: { before, after: type } })];
    });
    const facts = COMPARED_FACTS.flatMap(fact => {
        const [before, after] = [String(plan.facts[fact] ?? ''), String(profile.facts[fact] ?? '')];
        return before === after ? [] : [difference('FACT_CHANGED', { args: { fact, before, after } })];
    });
    const isOther = rows > 0 && (profile.rows > rows * MANY_ROWS || profile.rows * MANY_ROWS < rows);
    return [
        ...missing,
        ...added,
        ...types,
        ...facts,
        ...(isOther ? [difference('ROWS_CHANGED', { args: { before: rows, after: profile.rows } })] : []),
    ];
}
