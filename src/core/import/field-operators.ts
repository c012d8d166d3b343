import type { JsonObject } from '../value/json';
import { pathOf } from '../data/path';
import { conversionOperators, dropEmpty, isSplit, operatorCall } from './conversion-operators';
import { columnPathOf, type FieldLocation, type ImportContext, locationOf } from './import-context';
import type { Conversion, ImportPlan, PlannedField, Remedy } from './import-plan';

/** A field of the plan with the columns that fill it and the operators that convert its value. */
export interface CompiledField {
    readonly field: PlannedField;
    readonly location: FieldLocation;
    /** Target paths with the paths of their columns. */
    readonly mapping: Readonly<Record<string, string>>;
    readonly operators: readonly JsonObject[];
    /** Fields that only the operators use. */
    readonly scratch: readonly string[];
}

/** Holds the columns of fields that several columns fill. */
const COLUMNS = '_columns';
/** A text that no cell has. */
const SEPARATOR = '␟';
/** The field with paths of categories. */
export const CATEGORIES = 'collections';
/** Fields whose value is a list. */
const LISTS = ['assets', 'facetValues', 'groups', 'tags', 'couponCodes', 'channels', 'customers'];

/** A remedy that is about one field; those of a whole import have none. */
function remediesOfField(field: string, remedies: readonly Remedy[]): readonly Remedy[] {
    return remedies.filter(remedy => 'field' in remedy && remedy.field === field);
}

/** The plan's fields. Fields whose rows are skipped come first, so that no other error of such a row rejects it. */
export function compiledFields(plan: ImportPlan, context: ImportContext): readonly CompiledField[] {
    const skips = ({ field }: PlannedField): number =>
        remediesOfField(field, plan.remedies).some(({ type }) => type === 'SKIP_ROWS') ? 0 : 1;
    return [...plan.fields].sort((a, b) => skips(a) - skips(b)).map(field => compiledField(field, plan, context));
}

function compiledField(field: PlannedField, plan: ImportPlan, context: ImportContext): CompiledField {
    const location = locationOf(field.field, plan, context);
    const remedies = remediesOfField(field.field, plan.remedies);
    const columns = field.columns ?? [];
    if (columns.length === 0) return constant(field, location);
    const paths = columns.map(column => columnPathOf(column, plan.facts.format));
    const isPath = plan.target === 'PRODUCTS' && field.field === CATEGORIES;
    const planned = isPath ? { ...field, conversions: withoutLevels(field.conversions) } : field;
    const source = sourceOf(planned, location.path, paths);
    const skipsEmpty = remedies.some(remedy => remedy.type === 'SKIP_ROWS' && remedy.when === 'EMPTY');
    const converted = conversionOperators({
        path: source.path,
        conversions: source.conversions,
        remedies,
        moneyDecimals: context.moneyDecimals,
    });
    return {
        field,
        location,
        mapping: source.mapping,
        operators: [...source.operators, ...converted, ...(skipsEmpty ? [dropEmpty(source.path)] : [])],
        scratch: source.scratch,
    };
}

/** The text between two levels of a path of categories. It is the last separator; the others are between several paths. */
export function levelDelimiterOf({ conversions }: PlannedField): string | undefined {
    return conversions.flatMap(one => (one.type === 'SPLIT' ? [one.separator] : [])).at(-1);
}

/** Paths stay texts until they become collections. */
function withoutLevels(conversions: readonly Conversion[]): readonly Conversion[] {
    const last = conversions.map(({ type }) => type).lastIndexOf('SPLIT');
    return conversions.filter((_, index) => index !== last);
}

/** The same value for all rows. */
function constant(field: PlannedField, location: FieldLocation): CompiledField {
    const { value } = field;
    const operators = value === undefined ? [] : [operatorCall('set', { path: location.path, value })];
    return { field, location, mapping: {}, operators, scratch: [] };
}

interface FieldSource {
    readonly mapping: Readonly<Record<string, string>>;
    /** The path of the value that is converted. */
    readonly path: string;
    readonly operators: readonly JsonObject[];
    readonly conversions: readonly Conversion[];
    readonly scratch: readonly string[];
}

/** One column fills the field itself, or the first element of its list. Several columns become one text, which is split into a list. */
function sourceOf(field: PlannedField, path: string, columns: readonly string[]): FieldSource {
    const { conversions } = field;
    const isList = LISTS.includes(path);
    const [first, ...others] = columns;
    if (others.length === 0) {
        const target = isList && !isSplit(conversions) ? `${path}.0` : path;
        return { mapping: { [target]: first! }, path: target, operators: [], conversions, scratch: [] };
    }
    const parts = columns.map((_, index) => `${COLUMNS}.${pathOf(field.field)}.${index}`);
    const split = conversions.find(({ type }) => type === 'SPLIT');
    const separator = split?.type === 'SPLIT' ? split.separator : isList || isFacet(field) ? SEPARATOR : ' ';
    const impliesSplit = !split && separator === SEPARATOR;
    return {
        mapping: Object.fromEntries(parts.map((part, index) => [part, columns[index]!])),
        path,
        operators: [operatorCall('concat', { sources: parts, target: path, separator })],
        conversions: impliesSplit ? [{ type: 'SPLIT', separator }, ...conversions] : conversions,
        scratch: [COLUMNS],
    };
}

function isFacet({ field }: PlannedField): boolean {
    return field.startsWith('facet:');
}
