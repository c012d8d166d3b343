import type { FileProfile } from '../import.graphql';
import type { Conversion, ImportPlan, ImportTarget, PlannedField } from '../import-plan';

/** The fields by which entities of a target can be found. */
export const MATCH_FIELDS: Readonly<Record<ImportTarget, readonly string[]>> = {
    PRODUCTS: ['sku', 'slug'],
    PRICES: ['sku'],
    STOCK: ['sku'],
    CUSTOMERS: ['emailAddress'],
    COLLECTIONS: ['slug'],
    FACETS: ['code'],
    ASSETS: ['sku', 'slug'],
    ORDERS: ['code'],
};

/** What can happen to entities that are missing from the file, by target. */
export const MISSING_ACTIONS: Readonly<Partial<Record<ImportTarget, ReadonlyArray<ImportPlan['missing']['action']>>>> =
    {
        PRODUCTS: ['NONE', 'DISABLE', 'STOCK_ZERO', 'DELETE'],
        STOCK: ['NONE', 'STOCK_ZERO'],
        CUSTOMERS: ['NONE', 'DELETE'],
        COLLECTIONS: ['NONE', 'DISABLE', 'DELETE'],
    };

/** A field of the plan, if the plan fills it. */
export function plannedField(plan: ImportPlan, field: string): PlannedField | undefined {
    return plan.fields.find(one => one.field === field);
}

/** The plan with a field that one column fills. The column leaves its former field, unless it is one of several there. */
export function withColumn(
    plan: ImportPlan,
    field: string,
    column: string,
    conversions: readonly Conversion[],
): ImportPlan {
    const next: PlannedField = { field, columns: [column], conversions };
    const others = plan.fields
        .filter(one => one.field !== field)
        .map(one => withoutColumn(one, column))
        .filter(one => one !== undefined);
    const at = plan.fields.findIndex(one => one.field === field);
    const place = at < 0 ? others.length : Math.min(at, others.length);
    return { ...plan, fields: [...others.slice(0, place), next, ...others.slice(place)] };
}

function withoutColumn(field: PlannedField, column: string): PlannedField | undefined {
    if (!field.columns?.includes(column)) return field;
    const columns = field.columns.filter(one => one !== column);
    return columns.length === 0 ? undefined : { ...field, columns };
}

/** The plan without a field. Decisions about the field go as well. */
export function withoutField(plan: ImportPlan, field: string): ImportPlan {
    return {
        ...plan,
        fields: plan.fields.filter(one => one.field !== field),
        remedies: plan.remedies.filter(remedy => !('field' in remedy) || remedy.field !== field),
    };
}

/** The plan with the same value of a field for all rows. */
export function withValue(plan: ImportPlan, field: string, value: string): ImportPlan {
    const next: PlannedField = { field, value, conversions: [] };
    const has = plan.fields.some(one => one.field === field);
    return {
        ...plan,
        fields: has ? plan.fields.map(one => (one.field === field ? next : one)) : [...plan.fields, next],
    };
}

/** The plan with other conversions of a field. */
export function withConversions(plan: ImportPlan, field: string, conversions: readonly Conversion[]): ImportPlan {
    return { ...plan, fields: plan.fields.map(one => (one.field === field ? { ...one, conversions } : one)) };
}

const FACET = 'facet:';
const OPTION = 'option:';

type GroupedFile = Pick<FileProfile, 'columns' | 'facts' | 'head' | 'headNumbers'>;

/**
 * The plan with a product for all rows that have the same value in a column, or for each row. Columns whose values differ within a product are
 * options instead of facets.
 */
export function withGrouping(plan: ImportPlan, file: GroupedFile, column: string | undefined): ImportPlan {
    const { variants, ...rest } = plan;
    if (column === undefined)
        return { ...rest, fields: plan.fields.map(one => (one.field.startsWith(OPTION) ? asFacet(one) : one)) };
    const same = variants?.grouping.column === column ? variants.grouping : undefined;
    const differs = differingColumns(file, column);
    return {
        ...plan,
        variants: { ...variants, grouping: same ?? { kind: 'BY_COLUMN', column } },
        fields: plan.fields.map(one =>
            one.field.startsWith(FACET) && one.columns?.length === 1 && differs.has(one.columns[0]!)
                ? asOption(one)
                : one,
        ),
    };
}

function asFacet(field: PlannedField): PlannedField {
    return { ...field, field: FACET + field.field.slice(OPTION.length) };
}

/** A variant has one value of an option. */
function asOption(field: PlannedField): PlannedField {
    const conversions = field.conversions.filter(({ type }) => type !== 'SPLIT');
    return { ...field, field: OPTION + field.field.slice(FACET.length), conversions };
}

/** The columns that have different values in the first rows with the same value of a column. */
function differingColumns({ columns, facts, head, headNumbers }: GroupedFile, column: string): ReadonlySet<string> {
    const { headerRow, skipAfterHeader } = facts;
    const rows = head.filter((_, at) => (headNumbers[at] ?? 0) > (headerRow ?? 0)).slice(skipAfterHeader);
    const key = columns.find(({ name }) => name === column)?.index ?? -1;
    const groups = new Map<string, ReadonlyArray<readonly string[]>>();
    for (const row of rows) {
        const value = row[key] ?? '';
        if (value !== '') groups.set(value, [...(groups.get(value) ?? []), row]);
    }
    const isDifferent = (index: number): boolean =>
        [...groups.values()].some(group => new Set(group.map(row => row[index] ?? '').filter(Boolean)).size > 1);
    return new Set(columns.filter(({ index }) => isDifferent(index)).map(({ name }) => name));
}

/** The columns that the plan uses, for fields and for variants. */
export function usedColumns({ fields, variants }: ImportPlan): ReadonlySet<string> {
    const { grouping } = variants ?? {};
    return new Set([
        ...fields.flatMap(({ columns = [] }) => columns),
        ...(grouping ? [grouping.column, ...(grouping.kind === 'PARENT' ? [grouping.key] : [])] : []),
        ...(variants?.pairs ?? []).flatMap(({ nameColumn, valueColumn }) => [nameColumn, valueColumn]),
        ...(variants?.columns?.columns ?? []),
    ]);
}
