import { z } from 'zod';
import { pathProblem } from '../data/path';
import { jsonValue } from '../schema/fields';
import { addIssue, parseWith, type SchemaIssue } from '../schema/issues';
import { columnPathOf, recordPathOf, STOCK_OF } from './import-context';
import type { Conversion, ImportPlan, ImportSource, PlannedVariants, Remedy } from './import-plan';
import type { ImportFacts, RowGrouping } from './import-profile';
import { clause, type FactText } from '../errors/rendered';

const MAX_FIELDS = 200;
const MAX_COLUMNS = 500;
const MAX_TEXT = 1000;
/** Of one list or object, for example the words of a lookup. */
const MAX_ENTRIES = 1000;
const MAX_CONVERSIONS = 50;
const MAX_REMEDIES = 200;
const MAX_ROWS = 10_000;

const text = z.string().max(MAX_TEXT);
const name = text.min(1);
const names = z.array(name).max(MAX_COLUMNS);
const words = z.array(text).max(MAX_ENTRIES);
/** Not a record of zod, which leaves out a value called "__proto__". */
const lookup = z.custom<Readonly<Record<string, string>>>(
    isLookup,
    `allowed: an object with at most ${MAX_ENTRIES} texts of at most ${MAX_TEXT} characters`,
);
const value = jsonValue().refine(
    json => (JSON.stringify(json) ?? '').length <= MAX_TEXT,
    `allowed: a JSON value of at most ${MAX_TEXT} characters`,
);
const decimals = z.enum(['POINT', 'COMMA']);
const percent = z.number().min(0).max(1000);
const count = z.number().int().min(0).max(MAX_ROWS);

const source = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('FILE'), fileId: name }),
    z.strictObject({ kind: z.literal('URL'), url: z.string().min(1).max(2048), connectionCode: name.optional() }),
    z.strictObject({ kind: z.literal('REMOTE'), connectionCode: name, path: name }),
]) satisfies z.ZodType<ImportSource>;

const facts = z.strictObject({
    format: z.enum(['CSV', 'XLSX', 'JSON', 'NDJSON', 'XML']),
    encoding: name.optional(),
    delimiter: z.string().length(1).optional(),
    quote: z.string().length(1).optional(),
    trim: z.boolean().optional(),
    decimals,
    headerRow: count.min(1).nullable(),
    skipAfterHeader: count,
    footerRows: count,
    sheet: name.optional(),
    recordPath: text.optional(),
}) satisfies z.ZodType<ImportFacts>;

const conversion = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('TRIM') }),
    z.strictObject({ type: z.literal('REMOVE_TEXT'), text: name.max(100), of: z.enum(['CURRENCY', 'UNIT']) }),
    z.strictObject({ type: z.literal('DASH_DECIMALS') }),
    z.strictObject({ type: z.literal('NUMBER'), decimals }),
    z.strictObject({ type: z.literal('NUMBER_IN_TEXT') }),
    z.strictObject({ type: z.literal('TO_CENTS') }),
    z.strictObject({ type: z.literal('REMOVE_TAX'), percent }),
    z.strictObject({ type: z.literal('ADD_TAX'), percent }),
    z.strictObject({ type: z.literal('STRIP_HTML') }),
    z.strictObject({ type: z.literal('SPLIT'), separator: name.max(100), escaped: z.literal(true).optional() }),
    z.strictObject({ type: z.literal('BOOLEAN'), yes: words, no: words }),
    z.strictObject({ type: z.literal('DATE'), format: name.max(128) }),
    z.strictObject({ type: z.literal('UNIT'), from: name, to: name }),
    z.strictObject({ type: z.literal('EMPTY_WORDS'), words }),
    z.strictObject({ type: z.literal('LOOKUP'), values: lookup }),
    z.strictObject({ type: z.literal('DEFAULT'), value }),
    z.strictObject({ type: z.literal('NEGATIVE_TO_ZERO') }),
    z.strictObject({ type: z.literal('SLUGIFY') }),
]) satisfies z.ZodType<Conversion>;

const field = z.strictObject({
    field: name,
    columns: names.optional(),
    value: value.optional(),
    conversions: z.array(conversion).max(MAX_CONVERSIONS),
});

const grouping = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('BY_COLUMN'), column: name }),
    z.strictObject({ kind: z.literal('PARENT'), column: name, key: name }),
    z.strictObject({ kind: z.literal('CONTINUING'), column: name }),
]) satisfies z.ZodType<RowGrouping>;

const variants = z.strictObject({
    grouping,
    pairs: z
        .array(
            z.strictObject({
                nameColumn: name,
                valueColumn: name,
                separator: name.max(10).optional(),
                escaped: z.literal(true).optional(),
            }),
        )
        .max(MAX_COLUMNS)
        .optional(),
    skuFallback: text.optional(),
    columns: z.strictObject({ option: name, columns: names.min(1), field: name }).optional(),
}) satisfies z.ZodType<PlannedVariants>;

const remedy = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('SKIP_ROWS'), field: name, when: z.enum(['EMPTY', 'NOT_A_NUMBER']) }),
    z.strictObject({ type: z.literal('USE_FIELD'), field: name, from: name }),
    z.strictObject({
        type: z.literal('TREAT_AS_ZERO'),
        field: name,
        when: z.enum(['NOT_A_NUMBER', 'NEGATIVE']).optional(),
    }),
    z.strictObject({ type: z.literal('LEAVE_EMPTY'), field: name }),
    z.strictObject({ type: z.literal('NUMBER_IN_TEXT'), field: name }),
    z.strictObject({ type: z.literal('DECIMALS'), field: name, decimals }),
    z.strictObject({ type: z.literal('CREATE_HIDDEN'), field: name.optional() }),
    z.strictObject({ type: z.literal('CREATE_FACET_VALUES') }),
    z.strictObject({ type: z.literal('CREATE_GROUPS') }),
    z.strictObject({ type: z.literal('LOOKUP'), field: name, values: lookup }),
    z.strictObject({ type: z.literal('SKIP_UNKNOWN'), field: name }),
    z.strictObject({ type: z.literal('KEEP_LAST'), field: name }),
    z.strictObject({ type: z.literal('KEEP_FIRST'), field: name }),
    z.strictObject({ type: z.literal('SKIP_PICTURES') }),
    z.strictObject({ type: z.literal('DATE_ORDER'), field: name, format: name.max(128) }),
]) satisfies z.ZodType<Remedy>;

const plan = z
    .strictObject({
        version: z.literal(1),
        source,
        facts,
        target: z.enum(['PRODUCTS', 'PRICES', 'STOCK', 'CUSTOMERS', 'COLLECTIONS', 'FACETS', 'ASSETS', 'ORDERS']),
        knownExport: name.optional(),
        language: z
            .string()
            .regex(/^[a-z]{2,3}([-_][A-Za-z]{2,4})?$/, 'allowed: a language code such as de or pt_BR')
            .optional(),
        matchBy: name,
        fields: z.array(field).min(1).max(MAX_FIELDS),
        variants: variants.optional(),
        prices: z.strictObject({
            currency: z
                .string()
                .regex(/^[A-Z]{3}$/, 'allowed: a currency code such as EUR')
                .optional(),
            missing: z.enum(['REJECT', 'DISABLE']),
        }),
        missing: z.strictObject({
            action: z.enum(['NONE', 'DISABLE', 'STOCK_ZERO', 'DELETE']),
            maxShare: z.number().min(0).max(1),
        }),
        createMissingFacetValues: z.boolean(),
        remedies: z.array(remedy).max(MAX_REMEDIES),
    })
    .superRefine((given, cx) => {
        checkFields(given, cx);
        checkColumns(given, cx);
    }) satisfies z.ZodType<ImportPlan>;

function isLookup(given: unknown): boolean {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
    const entries = Object.entries(given);
    const isText = (one: unknown): boolean => typeof one === 'string' && one.length <= MAX_TEXT;
    return entries.length <= MAX_ENTRIES && entries.every(([from, to]) => from !== '' && isText(from) && isText(to));
}

/** Every field has a source and can be written, and none is filled twice. */
function checkFields(given: ImportPlan, cx: z.RefinementCtx): void {
    const seen = new Set<string>();
    for (const [index, one] of given.fields.entries()) {
        const report = (key: string, allowed: FactText): void => addIssue(cx, allowed, ['fields', index, key]);
        const problem = pathProblem(recordPathOf(one.field, given, {}));
        if (problem !== undefined) report('field', clause`allowed: the path of a field of a record; it ${problem}`);
        else if (seen.has(one.field)) report('field', clause`allowed: each field once`);
        else if (isStockOfAll(one.field, given))
            report('field', clause`allowed: the stock of each location, or one stock without a location`);
        seen.add(one.field);
        const columns = one.columns ?? [];
        if ((columns.length === 0) === (one.value === undefined))
            report('columns', clause`allowed: columns or a value, one of them`);
        for (const column of columns) {
            const invalid =
                column.length > MAX_TEXT ? undefined : pathProblem(columnPathOf(column, given.facts.format));
            if (invalid !== undefined) report('columns', clause`allowed: names of columns; "${column}" ${invalid}`);
        }
    }
}

/** A record has one number, or one for each location. */
function isStockOfAll(field: string, { fields }: ImportPlan): boolean {
    const isPlain = (name: string): boolean => name === 'stock' || name === 'variants.0.stock';
    return isPlain(field) && fields.some(one => one.field.startsWith(STOCK_OF));
}

function checkColumns(given: ImportPlan, cx: z.RefinementCtx): void {
    const columns = given.fields.reduce((sum, one) => sum + (one.columns?.length ?? 0), 0);
    if (columns <= MAX_COLUMNS) return;
    addIssue(cx, clause`allowed: at most ${MAX_COLUMNS} columns in all fields together`, ['fields']);
}

const partialFacts = facts.partial();

/** Facts that a user has set, or what is wrong with them. Their paths begin with `facts`. */
export function parseFacts(
    json: unknown,
):
    | { readonly ok: true; readonly value: Partial<ImportFacts> }
    | { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
    return parseWith(partialFacts, json, 'facts');
}

/** A remedy from outside, or what is wrong with it. Its paths begin with `remedy`. */
export function parseRemedy(
    json: unknown,
): { readonly ok: true; readonly value: Remedy } | { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
    return parseWith(remedy, json, 'remedy');
}

/** A plan from outside, or what is wrong with it. Each issue has the path of its value. */
export function parsePlan(
    json: unknown,
): { readonly ok: true; readonly value: ImportPlan } | { readonly ok: false; readonly issues: readonly SchemaIssue[] } {
    return parseWith(plan, json);
}
