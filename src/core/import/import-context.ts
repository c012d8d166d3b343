import { pathOf, pathProblem } from '../data/path';
import type { ImportFormat } from './import-profile';
import type { ImportPlan, ImportTarget, PlannedField } from './import-plan';

/** What compiling a plan needs to know about the shop. Without a value, the plan is compiled for any shop. */
export interface ImportContext {
    /** The language of the channel: texts in it are fields of the record, all others are in `translations`. */
    readonly defaultLanguage?: string;
    /** The currency of the channel: prices in it are in `price`, all others are in `prices`. */
    readonly defaultCurrency?: string;
    /** Decimals of the amounts that the shop stores. Default: 2. */
    readonly moneyDecimals?: number;
    /** The types of saved connections by their codes: `SFTP`, `OBJECT_STORAGE`. */
    readonly connections?: Readonly<Record<string, string>>;
}

/** A field's path, and whether it is a path of the record or of one of its variants. */
export interface FieldLocation {
    readonly owner: 'RECORD' | 'VARIANT';
    /** From the owner. */
    readonly path: string;
}

/** How the records of a plan are built from rows. */
type RecordLayout =
    /** One row, one record. A product has one variant, whose fields are those of the record. */
    | 'ROWS'
    /** One row, one product with a list of one variant. */
    | 'ONE_VARIANT'
    /** Rows that belong together become a product with variants. */
    | 'PRODUCTS'
    /** Rows that belong together become an order with lines. */
    | 'ORDERS';

/** What the fields with the stock of one location begin with. */
export const STOCK_OF = 'stock:';
const VARIANT_FIELDS = ['sku', 'price', 'prices', 'stock', 'taxCategory', 'trackInventory', 'options'];
const FIRST_VARIANT = 'variants.0.';
/** A list of an order and where its elements begin. */
const FIRST_LINE = 'lines.0.';
const MONEY = /^price\.([A-Z]{3})$/;
const TRANSLATED = /^(name|slug|description|customFields\.[^.]+)\.([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$/;
const TEXTS = ['name', 'slug', 'description'];
const TRANSLATED_TARGETS: ReadonlySet<ImportTarget> = new Set(['PRODUCTS', 'COLLECTIONS', 'FACETS']);

/** How the records of a plan are built. Only tables have rows that can be joined. */
export function layoutOf({ target, facts, variants, fields }: ImportPlan): RecordLayout {
    if (variants && isTable(facts.format)) {
        if (target === 'PRODUCTS') return 'PRODUCTS';
        if (target === 'ORDERS') return 'ORDERS';
    }
    const hasVariants = target === 'PRODUCTS' && fields.some(({ field }) => field.startsWith(FIRST_VARIANT));
    return hasVariants ? 'ONE_VARIANT' : 'ROWS';
}

/** Whether rows of cells are read, not objects. */
export function isTable(format: ImportFormat): boolean {
    return format === 'CSV' || format === 'XLSX';
}

/** Where a field of a plan is in the loader's record. */
export function locationOf(field: string, plan: ImportPlan, context: ImportContext): FieldLocation {
    const isOfVariant = field.startsWith(FIRST_VARIANT);
    const path = pathInRecord(isOfVariant ? field.slice(FIRST_VARIANT.length) : field, plan, context);
    const layout = layoutOf(plan);
    if (layout === 'PRODUCTS' || layout === 'ONE_VARIANT') {
        const isVariantField = VARIANT_FIELDS.some(name => path === name || path.startsWith(`${name}.`));
        return { owner: isOfVariant || isVariantField ? 'VARIANT' : 'RECORD', path };
    }
    if (layout === 'ORDERS' && path.startsWith(FIRST_LINE))
        return { owner: 'VARIANT', path: path.slice(FIRST_LINE.length) };
    return { owner: 'RECORD', path };
}

/** The path of a field in a record as it reaches the loader. Fields of variants have the path of the first one. */
export function recordPathOf(field: string, plan: ImportPlan, context: ImportContext): string {
    const { owner, path } = locationOf(field, plan, context);
    if (owner === 'RECORD') return path;
    return (layoutOf(plan) === 'ORDERS' ? FIRST_LINE : FIRST_VARIANT) + path;
}

/** The field whose path an error names; undefined if no field of the plan has it. Indexes of elements do not matter. */
export function fieldOfPath(path: string, plan: ImportPlan, context: ImportContext): PlannedField | undefined {
    const wanted = withoutIndexes(path);
    const paths = plan.fields.map(field => ({
        field,
        path: withoutIndexes(recordPathOf(field.field, plan, context)),
    }));
    const [best] = paths
        .filter(one => wanted === one.path || wanted.startsWith(`${one.path}.`) || one.path.startsWith(`${wanted}.`))
        .sort((a, b) => b.path.length - a.path.length);
    return best?.field;
}

function withoutIndexes(path: string): string {
    return path.replace(/\.\d+(?=\.|$)/g, '');
}

/** The path of a column in a record of the extractor. Tables have names with any signs, other formats have paths. */
export function columnPathOf(column: string, format: ImportFormat): string {
    return isTable(format) || pathProblem(column) !== undefined ? pathOf(column) : column;
}

function pathInRecord(field: string, plan: ImportPlan, context: ImportContext): string {
    const [kind, name] = splitOnce(field);
    if (name !== undefined && kind === 'facet') return `facetValues.${pathOf(name)}`;
    if (name !== undefined && kind === 'option') return `options.${pathOf(name)}`;
    if (field.startsWith(STOCK_OF)) return `stock.${pathOf(field.slice(STOCK_OF.length))}`;
    if (field === 'price' && plan.target !== 'ORDERS') return pricePath(plan, context);
    const currency = MONEY.exec(field)?.[1];
    if (currency !== undefined) return `prices.${currency}`;
    if (!TRANSLATED_TARGETS.has(plan.target)) return field;
    const [, text, language] = TRANSLATED.exec(field) ?? [];
    const own = context.defaultLanguage ?? plan.language;
    if (text !== undefined && language !== undefined) return textPath(text, language.replace('-', '_'), own);
    return TEXTS.includes(field) && plan.language !== undefined ? textPath(field, plan.language, own) : field;
}

function splitOnce(field: string): readonly [string, string?] {
    const at = field.indexOf(':');
    return at < 0 ? [field] : [field.slice(0, at), field.slice(at + 1)];
}

function pricePath({ prices }: ImportPlan, { defaultCurrency }: ImportContext): string {
    const { currency } = prices;
    return currency === undefined || currency === defaultCurrency ? 'price' : `prices.${currency}`;
}

/** Texts in the language of the channel are fields of the record. */
function textPath(text: string, language: string, own: string | undefined): string {
    return language === own ? text : `translations.${language}.${text}`;
}
