import { pathOf } from '../data/path';
import type { JsonObject } from '../value/json';
import type { DefinitionInput, EdgeDefinition, StepDefinition } from '../pipeline/definition';
import { eachCall, filledFrom, operatorCall, splitCall } from './conversion-operators';
import { extractConfig } from './extract-step';
import { CATEGORIES, type CompiledField, compiledFields, levelDelimiterOf } from './field-operators';
import { columnPathOf, type ImportContext, layoutOf, recordPathOf } from './import-context';
import type { Conversion, ImportPlan, ImportTarget, PlannedField, PlannedVariants } from './import-plan';
import { loadSteps, WITHOUT_DELETES } from './load-steps';
import { OWN_EXPORT } from './known-exports';
import {
    categoryFacetValues,
    type CategoryField,
    collectionsOfProduct,
    COLUMN_NAME,
    COLUMN_VALUE,
    columnOption,
    columnsToRowsCall,
    pairOptions,
    type ProductRows,
    ROWS,
    rowsToProductCall,
} from './row-operators';

const TRANSFORM_KEYS: Readonly<Record<ImportTarget, string>> = {
    PRODUCTS: 'to-product',
    PRICES: 'to-price',
    STOCK: 'to-stock',
    CUSTOMERS: 'to-customer',
    COLLECTIONS: 'to-collection',
    FACETS: 'to-facet-value',
    ASSETS: 'to-picture',
    ORDERS: 'to-order',
};

/** Fields without which no record of the target can be loaded. Those that no column fills are not checked. */
const REQUIRED: Readonly<Record<ImportTarget, readonly string[]>> = {
    PRODUCTS: ['sku', 'name'],
    PRICES: ['sku', 'price'],
    STOCK: ['sku', 'stock'],
    CUSTOMERS: ['emailAddress'],
    COLLECTIONS: ['name'],
    FACETS: ['facet', 'name'],
    ASSETS: ['sku', 'slug', 'url', 'assets'],
    ORDERS: ['code'],
};

const LEVEL_SEPARATOR = '>';
const OPTION = 'option:';

/** The parts of a pipeline in their order; each follows the one before it, if it does not name another. */
interface PlannedStep extends StepDefinition {
    readonly after?: string;
}

/**
 * The pipeline of a plan: it reads the source, builds records of the plan's fields, checks required fields, and loads the records. The same plan
 * gives the same definition. It has no scripts.
 */
export function compileImport(given: ImportPlan, context: ImportContext = {}): DefinitionInput {
    const plan = withColumnValue(given);
    const loads = loadSteps(plan);
    const rules = requiredRules(plan, context);
    const main: readonly PlannedStep[] = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: extractConfig(plan, context) },
        {
            key: TRANSFORM_KEYS[plan.target],
            kind: 'TRANSFORM',
            config: { operators: recordOperators(plan, context) },
        },
        ...(rules.length === 0 ? [] : [checkStep('check', rules)]),
        ...unknownSteps(plan, context),
        ...repeatedSteps(plan, context),
    ];
    const steps = [
        ...main,
        ...groupSteps(plan, main.at(-1)!.key),
        ...loads.map(({ key, config }, index): PlannedStep => ({
            key,
            kind: 'LOAD',
            config,
            after: index === 0 ? main.at(-1)!.key : loads[index - 1]!.key,
        })),
        ...collectionSteps(plan),
    ];
    return {
        version: 1,
        steps: steps.map(({ key, kind, config }): StepDefinition => ({ key, kind, config })),
        edges: steps.flatMap((step, index) => edgesTo(step, steps[index - 1])),
    };
}

/** The field of columns that become variants has one column: the value of its row. */
function withColumnValue(plan: ImportPlan): ImportPlan {
    const field = plan.variants?.columns?.field;
    if (field === undefined || layoutOf(plan) !== 'PRODUCTS') return plan;
    const number: Conversion = { type: 'NUMBER', decimals: plan.facts.decimals };
    const usual: readonly Conversion[] = field.startsWith('price') ? [number, { type: 'TO_CENTS' }] : [number];
    const conversions = plan.fields.find(one => one.field === field)?.conversions ?? usual;
    const others = plan.fields.filter(one => one.field !== field);
    return { ...plan, fields: [...others, { field, columns: [COLUMN_VALUE], conversions }] };
}

function edgesTo({ key, after }: PlannedStep, previous: PlannedStep | undefined): readonly EdgeDefinition[] {
    const from = after ?? previous?.key;
    return from === undefined ? [] : [{ from, to: key }];
}

function checkStep(key: string, rules: readonly JsonObject[]): PlannedStep {
    return { key, kind: 'VALIDATE', config: { errorHandlingMode: 'ACCUMULATE', rules } };
}

/** The operators of the step that builds the records of the loader. */
function recordOperators(plan: ImportPlan, context: ImportContext): readonly JsonObject[] {
    const fields = compiledFields(plan, context);
    const built = builtRecord(plan, fields);
    const category = plan.fields.find(({ field }) => field === CATEGORIES);
    const scratch = [...new Set(fields.flatMap(({ scratch: names }) => names))];
    return [
        ...built,
        ...(category && plan.target === 'PRODUCTS' ? categoryFacetValues(categoryOf(category)) : []),
        ...otherFieldOperators(plan, context),
        ...duplicateOperators(plan, context),
        ...(scratch.length === 0 ? [] : [operatorCall('omit', { fields: scratch })]),
    ];
}

/** Whether a column or a value fills a field: a remedy for another field has no effect. */
function hasField({ fields }: ImportPlan, name: string): boolean {
    return fields.some(({ field }) => field === name);
}

function otherFieldOperators(plan: ImportPlan, context: ImportContext): readonly JsonObject[] {
    return plan.remedies.flatMap(remedy => {
        if (remedy.type !== 'USE_FIELD' || !hasField(plan, remedy.field) || !hasField(plan, remedy.from)) return [];
        return filledFrom(recordPathOf(remedy.field, plan, context), recordPathOf(remedy.from, plan, context));
    });
}

function builtRecord(plan: ImportPlan, fields: readonly CompiledField[]): readonly JsonObject[] {
    switch (layoutOf(plan)) {
        case 'PRODUCTS':
            return groupedProduct(plan.variants!, fields);
        case 'ORDERS':
            return groupedOrder(plan.variants!, fields);
        case 'ONE_VARIANT':
            return flatRecord(fields.map(withVariantPaths));
        case 'ROWS':
            return flatRecord(fields);
    }
}

function flatRecord(fields: readonly CompiledField[]): readonly JsonObject[] {
    return [operatorCall('map', { mapping: mappingOf(fields) }), ...fields.flatMap(({ operators }) => operators)];
}

function mappingOf(fields: readonly CompiledField[]): Readonly<Record<string, string>> {
    return Object.fromEntries(fields.flatMap(({ mapping }) => Object.entries(mapping)));
}

/** The operators of a variant's fields work on the elements of the list. */
function withVariantPaths(field: CompiledField): CompiledField {
    if (field.location.owner === 'RECORD') return field;
    const mapping = Object.fromEntries(
        Object.entries(field.mapping).map(([target, column]) => [`variants.0.${target}`, column]),
    );
    const operators = field.operators.length === 0 ? [] : [eachCall('variants', field.operators)];
    return { ...field, mapping, operators, scratch: [] };
}

function owned(fields: readonly CompiledField[], owner: 'RECORD' | 'VARIANT'): readonly CompiledField[] {
    return fields.filter(({ location }) => location.owner === owner);
}

/** The columns of product pictures become a list over all rows of the group, without rows that repeat a picture. */
function groupedProduct(variants: PlannedVariants, fields: readonly CompiledField[]): readonly JsonObject[] {
    const rows = variants.columns ? rowsOfColumns(variants.columns, fields) : rowsOfGroup(variants, fields);
    const variant = owned(fields, 'VARIANT').filter(one => rows.isVariantField(one));
    return [
        ...(variants.columns ? [columnsToRowsCall(variants.columns)] : []),
        rowsToProductCall({
            ...rows,
            product: mappingOf(owned(fields, 'RECORD').filter(one => !isAssets(one))),
            assets: fields.filter(isAssets).flatMap(columnPaths),
            skuFallback: variants.skuFallback ?? rows.skuFallback,
        }),
        ...owned(fields, 'RECORD').flatMap(one => (isAssets(one) ? assetOperators(one) : one.operators)),
        ...(variant.some(({ operators }) => operators.length > 0)
            ? [eachCall('variants', variantOperators(variant))]
            : []),
    ];
}

interface VariantRows extends Omit<ProductRows, 'product' | 'assets'> {
    /** Whether a column of the rows fills the field; a variant gets its others from `skuFallback`. */
    readonly isVariantField: (field: CompiledField) => boolean;
}

function isAssets({ location }: CompiledField): boolean {
    return location.owner === 'RECORD' && location.path === 'assets';
}

function columnPaths({ field }: CompiledField): readonly string[] {
    return (field.columns ?? []).map(column => columnPathOf(column, 'CSV'));
}

/** Each row of a group is a variant, or a picture of the product. Options with one column are named by their field. */
function rowsOfGroup(variants: PlannedVariants, fields: readonly CompiledField[]): VariantRows {
    const isOption = ({ field }: CompiledField): boolean => field.field.startsWith(OPTION);
    const variant = mappingOf(owned(fields, 'VARIANT').filter(one => !isOption(one)));
    const options = [
        ...fields
            .filter(isOption)
            .flatMap(one => columnPaths(one).map(path => columnOption(one.field.field.slice(OPTION.length), path))),
        ...pairOptions(variants),
    ];
    const identifying = Object.entries(variant).flatMap(([target, path]) =>
        target === 'sku' || target === 'price' || target.startsWith('prices.') ? [path] : [],
    );
    const values = options.map(({ valueColumn }) => String(valueColumn));
    return {
        key: columnPathOf(variants.grouping.column, 'CSV'),
        variant,
        variantWhen: [...new Set([...identifying, ...values])],
        parent: variants.grouping.kind === 'PARENT' ? columnPathOf(variants.grouping.column, 'CSV') : undefined,
        options,
        skuFallback: undefined,
        isVariantField: () => true,
    };
}

/** Each column is a variant. Its SKU is that of the row with the name of the column, since the row has only one. */
function rowsOfColumns(
    { option }: NonNullable<PlannedVariants['columns']>,
    fields: readonly CompiledField[],
): VariantRows {
    const isSku = ({ location }: CompiledField): boolean => location.path === 'sku';
    return {
        key: fields.filter(isSku).flatMap(columnPaths)[0] ?? COLUMN_NAME,
        variant: mappingOf(owned(fields, 'VARIANT').filter(one => !isSku(one))),
        variantWhen: [COLUMN_VALUE],
        parent: undefined,
        options: [columnOption(option, COLUMN_NAME)],
        skuFallback: `\${key}-\${options.${pathOf(option)}}`,
        isVariantField: one => !isSku(one),
    };
}

function variantOperators(variant: readonly CompiledField[]): readonly JsonObject[] {
    const scratch = [...new Set(variant.flatMap(one => one.scratch))];
    return [
        ...variant.flatMap(({ operators }) => operators),
        ...(scratch.length === 0 ? [] : [operatorCall('omit', { fields: scratch })]),
    ];
}

/** A cell may have several pictures: the list becomes one text, which is split again. */
function assetOperators({ field, location: { path } }: CompiledField): readonly JsonObject[] {
    const split = field.conversions.find(({ type }) => type === 'SPLIT');
    if (split?.type !== 'SPLIT') return [];
    return [
        operatorCall('join', { source: path, target: path, delimiter: split.separator }),
        splitCall(path, split),
        operatorCall('unique', { source: path }),
    ];
}

/** Fields of the order are those of its first row; each row is a line. */
function groupedOrder({ grouping }: PlannedVariants, fields: readonly CompiledField[]): readonly JsonObject[] {
    const key = columnPathOf(grouping.column, 'CSV');
    const order = owned(fields, 'RECORD');
    const lines = owned(fields, 'VARIANT');
    const mapping = Object.fromEntries(
        Object.entries(mappingOf(order)).map(([target, column]) => [
            target,
            column === key ? column : `${ROWS}.0.${column}`,
        ]),
    );
    const ofLine = [operatorCall('map', { mapping: mappingOf(lines) }), ...lines.flatMap(one => one.operators)];
    return [
        operatorCall('map', { mapping: { ...mapping, ...(lines.length > 0 && { lines: ROWS }) } }),
        ...order.flatMap(({ operators }) => operators),
        ...(lines.length > 0 ? [eachCall('lines', ofLine)] : []),
    ];
}

function categoryOf(field: PlannedField): CategoryField {
    const separator = levelDelimiterOf(field)?.trim() ?? '';
    const [column = 'Category'] = field.columns ?? [];
    return { path: CATEGORIES, facet: column, separator: separator === '' ? LEVEL_SEPARATOR : separator };
}

/** Collections are loaded after the products, since their filters name the products' facet values. */
function collectionSteps(plan: ImportPlan): readonly PlannedStep[] {
    const category = plan.fields.find(({ field }) => field === CATEGORIES);
    if (!category || plan.target !== 'PRODUCTS') return [];
    return [
        {
            key: 'to-collections',
            kind: 'TRANSFORM',
            config: { operators: collectionsOfProduct(categoryOf(category)) },
        },
        {
            key: 'collections',
            kind: 'LOAD',
            config: {
                adapterCode: 'collectionUpsert',
                createMissingParents: true,
                ...WITHOUT_DELETES,
                history: true,
            },
        },
    ];
}

/** Groups are loaded in a branch before the customers. */
function groupSteps({ target, remedies, fields }: ImportPlan, after: string): readonly PlannedStep[] {
    const creates = remedies.some(({ type }) => type === 'CREATE_GROUPS');
    if (target !== 'CUSTOMERS' || !creates || !fields.some(({ field }) => field === 'groups')) return [];
    const operators = [
        operatorCall('expand', { path: 'groups' }),
        operatorCall('map', { mapping: { name: '_item' } }),
        operatorCall('deduplicateRecords', { key: 'name' }),
    ];
    return [
        { key: 'to-groups', kind: 'TRANSFORM', config: { operators }, after },
        {
            key: 'groups',
            kind: 'LOAD',
            config: { adapterCode: 'customerGroupUpsert', ...WITHOUT_DELETES, history: true },
        },
    ];
}

function requiredRules(plan: ImportPlan, context: ImportContext): readonly JsonObject[] {
    const isGrouped = layoutOf(plan) === 'PRODUCTS';
    const isRequired = ({ field }: PlannedField): boolean => {
        const [name] = field.split('.');
        // Each row of a group may be a variant; the loader checks their SKUs.
        return REQUIRED[plan.target].includes(name!) && !(isGrouped && name === 'sku');
    };
    const paths = plan.fields
        .filter(one => isRequired(one) && !isOfOtherLanguage(one, plan, context) && !isOptionalText(one, plan))
        .map(({ field }) => recordPathOf(field, plan, context));
    return [
        ...[...new Set(paths)].map(field => ({ type: 'required', spec: { field } })),
        ...(isGrouped ? [{ type: 'length', spec: { field: 'variants', required: true, minLength: 1 } }] : []),
    ];
}

/** Flow's own export in another language leaves out what is not translated. */
function isOptionalText({ field }: PlannedField, { knownExport }: ImportPlan): boolean {
    return knownExport === OWN_EXPORT && field.includes('.');
}

/** A text is required in the language of the channel; if no column has it, in all languages of the file. */
function isOfOtherLanguage({ field }: PlannedField, plan: ImportPlan, context: ImportContext): boolean {
    const [name] = field.split('.');
    if (name === field) return false;
    if (name === 'price') return plan.fields.some(other => other.field === name);
    return plan.fields.some(other => recordPathOf(other.field, plan, context) === name);
}

/** Records that repeat an earlier one are rejected in a step of this name, so that the check can count them as skipped. */
export const REPEATED_STEP = 'first';

/** Records with an unknown SKU are rejected in a step of this name, so that the check can count them as skipped. */
export const UNKNOWN_STEP = 'known';

const ENTITIES: Readonly<Partial<Record<string, { readonly entity: string; readonly by: string }>>> = {
    sku: { entity: 'PRODUCT_VARIANT', by: 'sku' },
    slug: { entity: 'PRODUCT', by: 'slug' },
    emailAddress: { entity: 'CUSTOMER', by: 'emailAddress' },
    customer: { entity: 'CUSTOMER', by: 'emailAddress' },
    'lines.0.sku': { entity: 'PRODUCT_VARIANT', by: 'sku' },
    taxCategory: { entity: 'TAX_CATEGORY', by: 'name' },
    groups: { entity: 'CUSTOMER_GROUP', by: 'name' },
    parent: { entity: 'COLLECTION', by: 'slug' },
};

function unknownSteps(plan: ImportPlan, context: ImportContext): readonly PlannedStep[] {
    const rules = plan.remedies.flatMap(remedy => {
        const entity = remedy.type === 'SKIP_UNKNOWN' ? ENTITIES[remedy.field] : undefined;
        if (remedy.type !== 'SKIP_UNKNOWN' || !entity || !hasField(plan, remedy.field)) return [];
        return [{ type: 'reference', spec: { field: recordPathOf(remedy.field, plan, context), ...entity } }];
    });
    return rules.length === 0 ? [] : [checkStep(UNKNOWN_STEP, rules)];
}

/** The first of several records counts, in whatever batch the others are. */
function repeatedSteps(plan: ImportPlan, context: ImportContext): readonly PlannedStep[] {
    const rules = plan.remedies.flatMap(remedy =>
        remedy.type === 'KEEP_FIRST' && hasField(plan, remedy.field)
            ? [{ type: 'unique', spec: { field: recordPathOf(remedy.field, plan, context) } }]
            : [],
    );
    return rules.length === 0 ? [] : [checkStep(REPEATED_STEP, rules)];
}

/** The last of several records of a batch counts; those of later batches update it. */
function duplicateOperators(plan: ImportPlan, context: ImportContext): readonly JsonObject[] {
    return plan.remedies.flatMap(remedy =>
        remedy.type === 'KEEP_LAST' && hasField(plan, remedy.field)
            ? [
                  operatorCall('deduplicateRecords', {
                      key: recordPathOf(remedy.field, plan, context),
                      keep: 'LAST',
                  }),
              ]
            : [],
    );
}
