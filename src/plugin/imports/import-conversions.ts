import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import { compilePath, pathProblem } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { type CauseCode, importCauseOf } from '../../core/import/import-cause';
import {
    columnPathOf,
    fieldOfPath,
    type ImportContext,
    isTable,
    layoutOf,
    recordPathOf,
} from '../../core/import/import-context';
import type { ImportPlan, PlannedField } from '../../core/import/import-plan';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import type { ConvertedRecord } from '../test-runs/process/import-jobs';
import { ImportProfiles } from './import-profiles';
import { ImportShops, READING } from './import-shops';

/** Why a sample was chosen. */
type SampleKind = 'USUAL' | 'DIFFERENT' | 'REJECTED' | 'OTHER';

/** A value before and after its conversions. */
interface ImportSampleValue {
    readonly row: number;
    readonly kind: SampleKind;
    readonly before: readonly string[];
    readonly after: JsonValue;
    readonly causeCode: CauseCode | null;
}

/** Samples of one field, and how many there are. */
export interface FieldSamples {
    readonly field: string;
    readonly total: number;
    readonly samples: readonly ImportSampleValue[];
}

/** Which samples are requested. */
interface SampleRequest {
    readonly profileId: string;
    readonly plan: ImportPlan;
    readonly fields?: readonly string[] | null;
    readonly skip?: number | null;
    readonly take?: number | null;
}

/** How many records have a key that exists in the shop. */
export interface ImportMatches {
    readonly field: string;
    readonly column: string | null;
    readonly existing: number;
    readonly missing: number;
    readonly empty: number;
    readonly isSample: boolean;
}

const SAMPLED_RECORDS = 200;
const MATCHED_RECORDS = 5_000;
const DEFAULT_TAKE = 3;
const MAX_TAKE = 20;

/** Shows what the operators of a plan make of the values of a file. */
@Injectable()
export class ImportConversions {
    constructor(
        private readonly profiles: ImportProfiles,
        private readonly shops: ImportShops,
    ) {}

    /** Values of fields before and after. Throws INPUT_INVALID and what reading the file throws. */
    async samples(
        ctx: RequestContext,
        { profileId, plan, fields, skip, take }: SampleRequest,
    ): Promise<readonly FieldSamples[]> {
        const from = numberOf('skip', skip ?? 0, { least: 0, most: SAMPLED_RECORDS });
        const count = numberOf('take', take ?? DEFAULT_TAKE, { least: 1, most: MAX_TAKE });
        const { file } = await this.profiles.byId(ctx, profileId);
        const context = await this.shops.context(ctx);
        const wanted = new Set(fields ?? plan.fields.map(({ field }) => field));
        const planned = [...wanted].map(name => fieldNamed(name, plan));
        const records = await this.profiles.converted(file, { plan, context, limit: SAMPLED_RECORDS });
        return planned.map(field => {
            const all = ordered(valuesOf(field, { plan, context, records }));
            return { field: field.field, total: all.length, samples: all.slice(from, from + count) };
        });
    }

    /** How many records match something in the shop. Throws what `samples` throws. */
    async matches(
        ctx: RequestContext,
        { profileId, plan }: Pick<SampleRequest, 'profileId' | 'plan'>,
    ): Promise<ImportMatches> {
        if (!this.shops.mayRead(ctx, plan.target))
            throw flowError('FORBIDDEN', {
                who: ctx.session?.user?.identifier ?? 'The caller',
                permission: READING[plan.target].join(' or '),
                what: 'comparing a file with the shop',
            });
        const { file, profile } = await this.profiles.byId(ctx, profileId);
        const context = await this.shops.context(ctx);
        const field = plan.fields.find(one => one.field === plan.matchBy);
        const column = field?.columns?.[0] ?? null;
        const none = { field: plan.matchBy, column, existing: 0, missing: 0, empty: 0, isSample: false };
        if (field === undefined) return none;
        const records = await this.profiles.converted(file, { plan, context, limit: MATCHED_RECORDS });
        const path = recordPathOf(field.field, plan, context);
        const keys = records.flatMap(({ after }) => after.flatMap(record => keysAt(path, record)));
        const existing = await this.shops.existing(ctx, {
            target: plan.target,
            field: plan.matchBy,
            keys: [...new Set(keys.filter(key => key !== ''))],
        });
        const filled = keys.filter(key => key !== '');
        return {
            ...none,
            existing: filled.filter(key => existing.has(key)).length,
            missing: filled.filter(key => !existing.has(key)).length,
            empty: keys.length - filled.length,
            isSample: profile.rows > MATCHED_RECORDS,
        };
    }
}

/** The values at a path, in all variants if the path is one of a variant; an empty text if there is none. */
function keysAt(path: string, record: JsonObject): readonly string[] {
    const [, list, rest] = /^(variants|lines)\.0\.(.+)$/.exec(path) ?? [];
    const owners = list === undefined ? [record] : elementsOf(record[list]);
    return owners.map(owner => {
        const value = compilePath(rest ?? path).get(owner);
        return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    });
}

function elementsOf(value: JsonValue | undefined): readonly JsonObject[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function fieldNamed(name: string, plan: ImportPlan): PlannedField {
    const field = plan.fields.find(one => one.field === name);
    if (field) return field;
    throw flowError('INPUT_INVALID', {
        problem: `fields contains ${show(name)}; allowed: fields of the plan: ${plan.fields.map(one => one.field).join(', ')}`,
    });
}

function numberOf(
    name: string,
    value: number,
    { least, most }: { readonly least: number; readonly most: number },
): number {
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw flowError('INPUT_INVALID', { problem: `${name} is ${show(value)}; allowed: ${least} to ${most}` });
}

interface ConvertedFile {
    readonly plan: ImportPlan;
    readonly context: ImportContext;
    readonly records: readonly ConvertedRecord[];
}

type Sampled = Omit<ImportSampleValue, 'kind'> & { readonly shape: string };

/** The values of a field in all records, as they are in the file and as the loader receives them. */
function valuesOf(field: PlannedField, { plan, context, records }: ConvertedFile): readonly Sampled[] {
    const path = compilePath(recordPathOf(field.field, plan, context));
    return records.map(({ place, before, after, rejectedAt }, index): Sampled => {
        const isOwn = rejectedAt !== undefined && fieldOfPath(rejectedAt, plan, context) === field;
        const cause = isOwn
            ? importCauseOf({ stepKey: 'to-record', path: rejectedAt, payload: before }, plan, context)
            : undefined;
        const texts = cellsOf(field, { plan, before });
        return {
            row: rowOf(place) ?? index + 1,
            before: texts,
            after: after[0] === undefined ? null : (path.get(after[0]) ?? null),
            causeCode: cause?.code ?? null,
            shape: shapeOf(texts),
        };
    });
}

function cellsOf(
    { columns = [] }: PlannedField,
    { plan, before }: { readonly plan: ImportPlan; readonly before: JsonObject },
): readonly string[] {
    const layout = layoutOf(plan);
    const rows = layout === 'PRODUCTS' || layout === 'ORDERS' ? elementsOf(before['rows']) : [];
    return columns.map(column => {
        const path = columnPathOf(column, plan.facts.format);
        if (isTable(plan.facts.format)) {
            const cells = [before, ...rows].map(row => (Object.hasOwn(row, column) ? row[column] : undefined));
            return textOf(cells.find(cell => !isEmpty(cell)));
        }
        return pathProblem(path) === undefined ? textOf(compilePath(path).get(before)) : '';
    });
}

function isEmpty(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || value === '';
}

function textOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Values with the same shape look alike: digits and letters do not matter, and neither do their numbers. */
function shapeOf(texts: readonly string[]): string {
    return texts
        .join('|')
        .replace(/\p{L}+/gu, 'a')
        .replace(/\d+/g, '0')
        .slice(0, 100);
}

/** The number of the row in a place such as `line 17` or `Sheet1!A17`. */
function rowOf(place: string | null): number | undefined {
    const digits = place === null ? undefined : /(\d+)\D*$/.exec(place)?.[1];
    return digits === undefined ? undefined : Number(digits);
}

/** The most frequent shape, the rarest one, a rejected value, then all others in the order of the file. Rows without a value are the last ones. */
function ordered(values: readonly Sampled[]): readonly ImportSampleValue[] {
    const filled = values.filter(({ before }) => before.some(text => text !== ''));
    const counts = new Map<string, number>();
    for (const { shape, causeCode } of filled) if (causeCode === null) counts.set(shape, (counts.get(shape) ?? 0) + 1);
    const shapes = [...counts].sort(([, a], [, b]) => b - a).map(([shape]) => shape);
    const accepted = (shape: string | undefined): Sampled | undefined =>
        filled.find(value => value.causeCode === null && value.shape === shape);
    const usual = accepted(shapes[0]);
    const different = shapes.length > 1 ? accepted(shapes.at(-1)) : undefined;
    const rejected = values.find(({ causeCode }) => causeCode !== null);
    const kindOf = (value: Sampled): SampleKind =>
        value === usual ? 'USUAL' : value === different ? 'DIFFERENT' : value.causeCode === null ? 'OTHER' : 'REJECTED';
    const first = [usual, different, rejected].filter(value => value !== undefined);
    const empty = values.filter(value => !filled.includes(value));
    const others = [...filled, ...empty].filter(value => !first.includes(value));
    return [...first, ...others].map(value => {
        const { shape: _, ...sample } = value;
        return { ...sample, kind: kindOf(value) };
    });
}
