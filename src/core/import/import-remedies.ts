import { similarWords } from '../data/similar-words';
import { canonicalJson, type JsonObject } from '../value/json';
import { STOCK_OF } from './import-context';
import { type CauseCode, type ImportCause, MAX_VALUE } from './import-cause';
import type { ImportPlan, PlannedField, Remedy } from './import-plan';
import type { DecimalStyle } from './import-profile';
import type { ImportShop } from './import-suggestion';

/** What exists in the shop, for remedies that replace an unknown value. */
export type KnownValues = Partial<Pick<ImportShop, 'taxCategories' | 'facets' | 'collections'>>;

interface Found {
    readonly cause: ImportCause;
    readonly plan: ImportPlan;
    /** Of the plan. */
    readonly field: PlannedField;
    readonly value: string | undefined;
    readonly known: KnownValues;
}

/** How many existing values are offered in place of an unknown one. */
const MAX_REPLACEMENTS = 5;

const BY_CODE: Readonly<Partial<Record<CauseCode, (found: Found) => readonly Remedy[]>>> = {
    EMPTY: ({ field, plan }) => [...otherField(field, plan), skip(field, 'EMPTY')],
    NOT_A_NUMBER: numberRemedies,
    NO_PRICE: ({ field, plan }) =>
        plan.target === 'PRODUCTS' ? [{ type: 'CREATE_HIDDEN' }, skip(field, 'EMPTY')] : [skip(field, 'EMPTY')],
    UNKNOWN_FACET_VALUE: found => [{ type: 'CREATE_FACET_VALUES' }, ...replacements(found, valuesOfFacet(found))],
    UNKNOWN_TAX_CATEGORY: taxRemedies,
    UNKNOWN_SKU: ({ field }) => [{ type: 'SKIP_UNKNOWN', field: field.field }],
    UNKNOWN: unknownRemedies,
    DUPLICATE: duplicateRemedies,
    EMAIL: duplicateRemedies,
    PICTURE: () => [{ type: 'SKIP_PICTURES' }],
    NEGATIVE: ({ field }) => (isStock(field) ? [{ type: 'TREAT_AS_ZERO', field: field.field, when: 'NEGATIVE' }] : []),
    DATE: dateRemedies,
};

/** What the user can decide about rows that were rejected for a cause, the likeliest first. Remedies of the plan are not offered again. */
export function remediesOf(cause: ImportCause, plan: ImportPlan, known: KnownValues = {}): readonly Remedy[] {
    const field = plan.fields.find(one => one.field === cause.args['field']);
    if (!field) return [];
    const value = cause.args['value'];
    const offered = BY_CODE[cause.code]?.({ cause, plan, field, value, known }) ?? [];
    return offered.filter(remedy => !plan.remedies.some(applied => isSame(applied, remedy)));
}

/** The plan with a remedy. It replaces remedies that decide the same question in another way; undo is `removeRemedy`. */
export function applyRemedy(plan: ImportPlan, remedy: Remedy): ImportPlan {
    if (plan.remedies.some(applied => isSame(applied, remedy))) return plan;
    const questions = questionsOf(remedy);
    const kept = plan.remedies.filter(applied => !questionsOf(applied).some(question => questions.includes(question)));
    return { ...plan, remedies: [...kept, remedy] };
}

/** The plan without a remedy. */
export function removeRemedy(plan: ImportPlan, remedy: Remedy): ImportPlan {
    if (!plan.remedies.some(applied => isSame(applied, remedy))) return plan;
    return { ...plan, remedies: plan.remedies.filter(applied => !isSame(applied, remedy)) };
}

/** Remedies have one answer to each of these questions: the later one. */
function questionsOf(remedy: Remedy): readonly string[] {
    switch (remedy.type) {
        case 'SKIP_ROWS':
            return [`${remedy.when} ${remedy.field}`];
        case 'USE_FIELD':
            return [`EMPTY ${remedy.field}`];
        case 'TREAT_AS_ZERO':
            return [`${remedy.when ?? 'NOT_A_NUMBER'} ${remedy.field}`];
        case 'LEAVE_EMPTY':
            return [`NOT_A_NUMBER ${remedy.field}`];
        case 'CREATE_HIDDEN':
            return remedy.field === undefined ? ['EMPTY price'] : [`NOT_A_NUMBER ${remedy.field}`];
        case 'KEEP_FIRST':
        case 'KEEP_LAST':
            return [`KEEP ${remedy.field}`];
        case 'LOOKUP':
            return Object.keys(remedy.values).map(value => `LOOKUP ${remedy.field} ${value}`);
        case 'DECIMALS':
        case 'DATE_ORDER':
        case 'NUMBER_IN_TEXT':
        case 'SKIP_UNKNOWN':
            return [`${remedy.type} ${remedy.field}`];
        case 'CREATE_FACET_VALUES':
        case 'CREATE_GROUPS':
        case 'SKIP_PICTURES':
            return [remedy.type];
    }
}

function isSame(a: Remedy, b: Remedy): boolean {
    return canonicalJson(a as unknown as JsonObject) === canonicalJson(b as unknown as JsonObject);
}

function skip({ field }: PlannedField, when: 'EMPTY' | 'NOT_A_NUMBER'): Remedy {
    return { type: 'SKIP_ROWS', field, when };
}

/** A name can be the SKU. */
function otherField({ field }: PlannedField, { fields }: ImportPlan): readonly Remedy[] {
    const isName = field === 'name' || field.startsWith('name.');
    const from = isName ? fields.find(one => one.field === 'sku' || one.field.endsWith('.sku')) : undefined;
    return from ? [{ type: 'USE_FIELD', field, from: from.field }] : [];
}

function isStock({ field }: PlannedField): boolean {
    return field === 'stock' || field.endsWith('.stock') || field.startsWith(STOCK_OF);
}

function isPrice({ field }: PlannedField): boolean {
    return field === 'price' || field.startsWith('price.') || field.endsWith('.price');
}

/** A price is never 0 because of a text. */
function numberRemedies({ field, plan, value }: Found): readonly Remedy[] {
    const name = field.field;
    const style = otherStyle(field, value);
    return [
        ...(style ? [{ type: 'DECIMALS' as const, field: name, decimals: style }] : []),
        ...(hasOneNumber(value) ? [{ type: 'NUMBER_IN_TEXT' as const, field: name }] : []),
        ...(isPrice(field) && plan.target === 'PRODUCTS' ? [{ type: 'CREATE_HIDDEN' as const, field: name }] : []),
        ...(isStock(field) ? [{ type: 'TREAT_AS_ZERO' as const, field: name }] : []),
        ...(isPrice(field) ? [] : [{ type: 'LEAVE_EMPTY' as const, field: name }]),
        skip(field, 'NOT_A_NUMBER'),
    ];
}

const NUMBERS: Readonly<Record<DecimalStyle, RegExp>> = {
    POINT: /^[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/,
    COMMA: /^[-+]?(\d{1,3}([. ]\d{3})+|\d+)(,\d+)?$/,
};

/** The other decimal style if the value is a number in it, without the texts that the field removes. */
function otherStyle({ conversions }: PlannedField, value = ''): DecimalStyle | undefined {
    const number = conversions.find(({ type }) => type === 'NUMBER');
    const style = number?.type === 'NUMBER' ? number.decimals : 'POINT';
    const other = style === 'POINT' ? 'COMMA' : 'POINT';
    const text = conversions
        .flatMap(one => (one.type === 'REMOVE_TEXT' ? [one.text] : []))
        .reduce((rest, removed) => rest.replaceAll(removed, ''), value)
        .trim();
    return NUMBERS[other].test(text) && !NUMBERS[style].test(text) ? other : undefined;
}

/** `10-20` and `2 x 5` have two. */
function hasOneNumber(value = ''): boolean {
    return value.match(/\d+(?:[.,]\d+)*/g)?.length === 1;
}

function valuesOfFacet({ field, known: { facets = [] } }: Found): readonly string[] {
    const name = field.field.replace(/^facet:/, '');
    return facets.find(facet => facet.name.toLowerCase() === name.toLowerCase())?.values ?? [];
}

/** One remedy for each of some existing values, the most similar first. */
function replacements({ field, value }: Found, existing: readonly string[]): readonly Remedy[] {
    // A longer value is shown shortened, so that a replacement would not find it.
    if (value === undefined || value.length > MAX_VALUE) return [];
    const prefix = `${field.field.replace(/^facet:/, '')}:`;
    const unknown = value.startsWith(prefix) ? value.slice(prefix.length) : value;
    const ordered = [...new Set([...similarWords(unknown, existing), ...existing])].slice(0, MAX_REPLACEMENTS);
    return ordered.map((name): Remedy => ({ type: 'LOOKUP', field: field.field, values: { [unknown]: name } }));
}

const PERCENT = /(\d+(?:[.,]\d+)?)\s*%?/;

/** By the rate first, then by the name. */
function taxRemedies(found: Found): readonly Remedy[] {
    const { field, value = '', known } = found;
    const categories = known.taxCategories ?? [];
    if (value.length > MAX_VALUE) return [];
    const rate = PERCENT.exec(value)?.[1];
    const percent = rate === undefined ? undefined : Number(rate.replace(',', '.'));
    const byRate = categories.filter(category => percent !== undefined && category.percent === percent);
    const others = categories.filter(category => !byRate.includes(category)).map(({ name }) => name);
    return [
        ...byRate.map(({ name }): Remedy => ({ type: 'LOOKUP', field: field.field, values: { [value]: name } })),
        ...replacements(found, others),
    ];
}

function unknownRemedies(found: Found): readonly Remedy[] {
    const { field, known } = found;
    if (field.field === 'groups') return [{ type: 'CREATE_GROUPS' }];
    if (field.field === 'parent') return replacements(found, known.collections ?? []);
    return field.field === 'customer' ? [{ type: 'SKIP_UNKNOWN', field: field.field }] : [];
}

function duplicateRemedies({ field }: Found): readonly Remedy[] {
    return [
        { type: 'KEEP_LAST', field: field.field },
        { type: 'KEEP_FIRST', field: field.field },
    ];
}

/** The format with day and month exchanged. */
function dateRemedies({ field, plan }: Found): readonly Remedy[] {
    const conversion = field.conversions.find(({ type }) => type === 'DATE');
    const chosen = plan.remedies.find(one => one.type === 'DATE_ORDER' && one.field === field.field);
    const format =
        chosen?.type === 'DATE_ORDER' ? chosen.format : conversion?.type === 'DATE' ? conversion.format : undefined;
    const exchanged = format?.replace(/DD|MM/g, part => (part === 'DD' ? 'MM' : 'DD'));
    if (exchanged === undefined || exchanged === format) return [];
    return [{ type: 'DATE_ORDER', field: field.field, format: exchanged }];
}
