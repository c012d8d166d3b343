import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, pathProblem } from '../data/path';
import type { Reject } from '../ports/ports';
import { REPEATED_STEP, UNKNOWN_STEP } from './compile-import';
import { columnPathOf, fieldOfPath, type ImportContext, isTable } from './import-context';
import type { ImportPlan, PlannedField } from './import-plan';

/** What is wrong with rows that were rejected. */
export type CauseCode =
    /** A required field is empty. */
    | 'EMPTY'
    | 'NOT_A_NUMBER'
    /** A new product has no price. */
    | 'NO_PRICE'
    | 'UNKNOWN_FACET_VALUE'
    | 'UNKNOWN_TAX_CATEGORY'
    | 'UNKNOWN_SKU'
    /** A country, group, location, collection or customer. */
    | 'UNKNOWN'
    | 'DUPLICATE'
    | 'SAME_OPTIONS'
    | 'PICTURE'
    | 'NEGATIVE'
    | 'DATE'
    /** A row that is too short or too long, or whose group has such a row. */
    | 'ROW'
    | 'LANGUAGE'
    | 'CURRENCY'
    | 'EMAIL'
    /** The user decided to skip it. */
    | 'SKIPPED'
    | 'OTHER';

/** Why rows were rejected, rendered by the page. */
export interface ImportCause {
    readonly code: CauseCode;
    /** In the record; undefined for a whole row. */
    readonly path?: string;
    /** `field` of the plan, `column` and `value` of the row, where they are known. */
    readonly args: Readonly<Record<string, string>>;
}

/** The longest value that a cause shows whole: names in the shop are not longer. */
export const MAX_VALUE = 255;

/** What is known about a rejected record. */
export type ImportReject = Pick<Reject, 'stepKey' | 'path' | 'faults' | 'payload'>;

/** The cause of a rejection, derived from the step, the path and the values, not from texts. */
export function importCauseOf(reject: ImportReject, plan: ImportPlan, context: ImportContext = {}): ImportCause {
    const { stepKey, payload } = reject;
    if (stepKey === 'file') return { code: 'ROW', args: {} };
    const [issue] = reject.faults ?? [];
    const path = issue?.path ?? reject.path;
    if (path === undefined) return { code: 'OTHER', args: {} };
    const isRow = stepKey.startsWith('to-');
    const inRecord = isRow ? undefined : valueAt(path, payload);
    const field = facetOf(path, inRecord, plan) ?? fieldOfPath(path, plan, context);
    const value = isRow ? cellOf(field, plan, payload) : inRecord;
    const code = issue
        ? codeOfRule(stepKey, issue.rule)
        : isRow
          ? codeOfConversion(field)
          : codeOfLoad({ path, value, plan });
    return { code, path, args: argumentsOf(field, value) };
}

function argumentsOf(field: PlannedField | undefined, value: JsonValue | undefined): Readonly<Record<string, string>> {
    const [column] = field?.columns ?? [];
    return {
        ...(field && { field: field.field }),
        ...(column !== undefined && { column }),
        ...(isScalar(value) && { value: shortened(String(value)) }),
    };
}

function shortened(text: string): string {
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A facet value may be in a list whose path does not name its facet, but then the value does. */
function facetOf(path: string, value: JsonValue | undefined, { fields }: ImportPlan): PlannedField | undefined {
    if (typeof value !== 'string' || !path.startsWith('facetValues')) return undefined;
    return fields.find(({ field }) => field.startsWith('facet:') && value.startsWith(`${field.slice(6)}:`));
}

function valueAt(path: string, record: JsonObject): JsonValue | undefined {
    return pathProblem(path) === undefined ? compilePath(path).get(record) : undefined;
}

/** The value in the row that was converted; not known for a row of a group. */
function cellOf(field: PlannedField | undefined, { facts }: ImportPlan, row: JsonObject): JsonValue | undefined {
    const [column] = field?.columns ?? [];
    if (column === undefined) return undefined;
    return isTable(facts.format)
        ? Object.hasOwn(row, column)
            ? row[column]
            : undefined
        : valueAt(columnPathOf(column, facts.format), row);
}

function codeOfRule(stepKey: string, rule: string): CauseCode {
    if (stepKey === UNKNOWN_STEP || stepKey === REPEATED_STEP) return 'SKIPPED';
    return rule === 'required' || rule === 'length' ? 'EMPTY' : 'OTHER';
}

function codeOfConversion(field: PlannedField | undefined): CauseCode {
    const types = new Set(field?.conversions.map(({ type }) => type));
    if (types.has('DATE')) return 'DATE';
    return types.has('NUMBER') || types.has('TO_CENTS') || types.has('UNIT') || types.has('REMOVE_TAX')
        ? 'NOT_A_NUMBER'
        : 'OTHER';
}

interface LoadedValue {
    readonly path: string;
    readonly value: JsonValue | undefined;
    readonly plan: ImportPlan;
}

/** By the first pattern that fits the path, without the variant or line that it is in. */
const BY_PATH: ReadonlyArray<readonly [RegExp, (loaded: LoadedValue) => CauseCode]> = [
    [/^price$/, ({ value }) => amountCode(value, 'OTHER')],
    [/^prices\./, ({ value }) => amountCode(value, 'CURRENCY')],
    [/^facetValues/, () => 'UNKNOWN_FACET_VALUE'],
    [/^taxCategory$/, () => 'UNKNOWN_TAX_CATEGORY'],
    [/^sku$/, ({ value, plan }) => skuCode(value, plan)],
    [/(^|\.)country$|^groups|^stock\.|^parent$|^customer$/, () => 'UNKNOWN'],
    [/assets|featuredAsset|^url$|^base64$/, () => 'PICTURE'],
    [/^options/, () => 'SAME_OPTIONS'],
    [/^translations\.[^.]+$/, () => 'LANGUAGE'],
    [/^stock$|^quantity$/, ({ value }) => amountCode(value, 'OTHER')],
    [/^emailAddress$/, ({ value }) => (isNothing(value) ? 'EMPTY' : 'EMAIL')],
];

function codeOfLoad(loaded: LoadedValue): CauseCode {
    const path = loaded.path.replace(/^(variants|lines)\.\d+\./, '');
    const rule = BY_PATH.find(([pattern]) => pattern.test(path));
    if (rule) return rule[1](loaded);
    return isNothing(loaded.value) ? 'EMPTY' : 'OTHER';
}

function amountCode(value: JsonValue | undefined, otherwise: CauseCode): CauseCode {
    if (isNothing(value)) return 'NO_PRICE';
    if (typeof value !== 'number') return 'NOT_A_NUMBER';
    return value < 0 ? 'NEGATIVE' : otherwise;
}

/** Products are created with their SKUs; all other targets write variants that exist. */
function skuCode(value: JsonValue | undefined, { target }: ImportPlan): CauseCode {
    if (isNothing(value)) return 'EMPTY';
    return target === 'PRODUCTS' ? 'DUPLICATE' : 'UNKNOWN_SKU';
}

function isNothing(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
