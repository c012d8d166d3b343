import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { Conversion, ImportPlan, ImportTarget, PlannedField } from '../../core/import/import-plan';
import type { ImportProfile } from '../../core/import/import-profile';
import type { FieldSuggestion, ImportShop, ImportSuggestion } from '../../core/import/import-suggestion';
import { loadSteps } from '../../core/import/load-steps';
import { type ColumnChoice, conversionsOfChoice } from '../../core/import/column-choice';
import { suggest } from '../../core/import/suggest';
import { show } from '../../core/value/show';
import { requirementsToPublish, unmetRequirements } from '../pipelines/requirements';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type FileProfile, ImportProfiles } from './import-profiles';
import { ImportShops } from './import-shops';

/** What is suggested for a file, and the shop that it is suggested for. */
export interface FileSuggestion extends ImportSuggestion {
    readonly file: FileProfile;
    readonly shop: ImportShop;
    readonly isTargetClear: boolean;
}

/** How far the best target has to be ahead of the next one, so that it needs no question. */
const CLEAR_LEAD = 0.3;

/** Suggests target, mapping and conversions for files. */
@Injectable()
export class ImportSuggestions {
    constructor(
        private readonly profiles: ImportProfiles,
        private readonly shops: ImportShops,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** With a plan: what it says about the file, instead of a new mapping. Throws what reading the file throws. */
    async of(
        ctx: RequestContext,
        {
            profileId,
            target,
            plan,
        }: { readonly profileId: string; readonly target?: ImportTarget | null; readonly plan?: ImportPlan },
    ): Promise<FileSuggestion> {
        const file = await this.profiles.byId(ctx, profileId);
        const shop = await this.shops.of(ctx, file);
        const found = suggest(file.profile, shop, target ?? plan?.target);
        const [best, next] = found.targets;
        const suggestion = plan && plan.target === found.plan.target ? describe(found, plan, file.profile) : found;
        return {
            ...suggestion,
            plan: { ...suggestion.plan, source: sourceOf(suggestion.plan, this.profiles.publicId(file.file)) },
            file,
            shop,
            isTargetClear:
                found.plan.knownExport !== undefined || (best?.score ?? 0) - (next?.score ?? 0) >= CLEAR_LEAD,
        };
    }

    /** The conversions that a column needs for a field that the user chooses. Throws what reading the file throws, and if it has no such column. */
    async conversions(
        ctx: RequestContext,
        { profileId, ...chosen }: ColumnChoice & { readonly profileId: string },
    ): Promise<readonly Conversion[]> {
        const file = await this.profiles.byId(ctx, profileId);
        const conversions = conversionsOfChoice(file.profile, await this.shops.of(ctx, file), chosen);
        if (!conversions)
            throw flowError('INPUT_INVALID', {
                problem: `column is ${show(chosen.column)}; allowed: a column of the file`,
            });
        return conversions;
    }

    /** The permissions that publishing and running an import of a target needs and the caller lacks, in words. */
    missingPermissions(ctx: RequestContext, plan: ImportPlan, target: ImportTarget): readonly string[] {
        const steps = loadSteps({ ...plan, target }).map(({ key, config }) => ({ key, kind: 'LOAD' as const, config }));
        const definition = { steps, capabilities: { requires: [] } } as unknown as Parameters<
            typeof requirementsToPublish
        >[0];
        return requirementsToPublish(definition, this.setup.registry)
            .filter(one => unmetRequirements(ctx, [one]) !== undefined)
            .map(({ permission }) => permission);
    }
}

/** A plan reads the stored file, unless its source is read again at each import. */
export function sourceOf({ source }: ImportPlan, fileId: string): ImportPlan['source'] {
    return source.kind === 'FILE' ? { kind: 'FILE', fileId } : source;
}

/** A plan of a user for a file: fields whose columns the file has, and suggestions for the others. */
function describe(found: ImportSuggestion, plan: ImportPlan, { columns, facts }: ImportProfile): ImportSuggestion {
    const names = new Set(columns.map(({ name }) => name));
    const planned = plan.fields.flatMap((field): readonly PlannedField[] => {
        if (field.columns === undefined) return [field];
        const kept = field.columns.filter(column => names.has(column));
        return kept.length === 0 ? [] : [{ ...field, columns: kept }];
    });
    const used = new Set(planned.flatMap(field => field.columns ?? []));
    const own = planned.map(field => suggestionOf(field, found));
    const others = found.fields
        .filter(({ field }) => !planned.some(one => one.field === field))
        .map(field => (field.columns.length === 0 ? field : withoutColumns(field)));
    const unused = columns.filter(({ name }) => !used.has(name)).map(({ name }) => usesOf(name, found));
    return {
        ...found,
        plan: { ...plan, facts, fields: planned },
        fields: [...own.filter(one => one.isRequired), ...own.filter(one => !one.isRequired), ...others],
        unused,
    };
}

function suggestionOf({ field, columns = [], conversions }: PlannedField, found: ImportSuggestion): FieldSuggestion {
    const suggested = found.fields.find(one => one.field === field);
    if (suggested && String(suggested.columns) === String(columns)) return { ...suggested, conversions };
    return {
        field,
        isRequired: suggested?.isRequired ?? false,
        columns,
        score: 1,
        confidence: 'HIGH',
        reason: { code: 'CHOSEN', args: {} },
        alternatives: suggested?.alternatives ?? [],
        conversions,
    };
}

/** The suggested columns of a field that the plan does not fill. */
function withoutColumns(field: FieldSuggestion): FieldSuggestion {
    const { columns, score } = field;
    return {
        ...field,
        columns: [],
        score: 0,
        confidence: 'NONE',
        reason: { code: 'NONE', args: {} },
        alternatives: [...columns.map(column => ({ column, score })), ...field.alternatives],
        conversions: [],
    };
}

function usesOf(column: string, found: ImportSuggestion): ImportSuggestion['unused'][number] {
    const known = found.unused.find(one => one.column === column);
    if (known) return known;
    const fields = found.fields.filter(({ columns }) => columns.includes(column)).map(({ field }) => field);
    return { column, uses: fields };
}
