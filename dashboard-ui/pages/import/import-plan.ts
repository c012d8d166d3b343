/**
 * The plan of an import, which the server suggests and the wizard edits. The API sends it as `FlowJSON`. The same types are declared in
 * `src/core/import`; `test/import-plan-types.spec.ts` compares them.
 */

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The formats that an import reads. */
export type ImportFormat = 'CSV' | 'XLSX' | 'JSON' | 'NDJSON' | 'XML';

/** The sign that separates decimals: `1,299.00` has a point, `1.299,00` a comma. */
export type DecimalStyle = 'POINT' | 'COMMA';

/** How a file is read. Each fact is detected, can be changed by the user, and becomes a setting of the extractor. */
export interface ImportFacts {
    readonly format: ImportFormat;
    /** Of CSV, NDJSON and JSON, as the extractor's `encoding`: `utf-8`, `windows-1252` … */
    readonly encoding?: string;
    /** Of CSV. */
    readonly delimiter?: string;
    readonly quote?: string;
    /** Of CSV: blanks around cells are removed, and a quote after blanks opens a cell. Set if the file cannot be read otherwise. */
    readonly trim?: boolean;
    readonly decimals: DecimalStyle;
    /** The row with the names of columns, counted from 1 with empty rows, as the extractors count; null if the file has none. Default of JSON and XML: null. */
    readonly headerRow: number | null;
    /** Rows after the header that are not records, for example units. Empty rows do not count. */
    readonly skipAfterHeader: number;
    /** Rows at the end that are not records, for example totals. Empty rows do not count. */
    readonly footerRows: number;
    /** Of XLSX. */
    readonly sheet?: string;
    /** Of JSON and XML: the path of the list of records. */
    readonly recordPath?: string;
}

/** Rows that belong together, for example the variants of a product. */
export type RowGrouping =
    /** Rows with the same value in a column. */
    | { readonly kind: 'BY_COLUMN'; readonly column: string }
    /** A column with the SKU of the product that the row is a variant of. */
    | { readonly kind: 'PARENT'; readonly column: string; readonly key: string }
    /** Rows with an empty key continue the row above. */
    | { readonly kind: 'CONTINUING'; readonly column: string };

/** What a file can be imported as. */
export const IMPORT_TARGETS = [
    'PRODUCTS',
    'PRICES',
    'STOCK',
    'CUSTOMERS',
    'COLLECTIONS',
    'FACETS',
    'ASSETS',
    'ORDERS',
] as const;
export type ImportTarget = (typeof IMPORT_TARGETS)[number];

/** Where an import reads its file. */
export type ImportSource =
    | { readonly kind: 'FILE'; readonly fileId: string }
    | { readonly kind: 'URL'; readonly url: string; readonly connectionCode?: string }
    | { readonly kind: 'REMOTE'; readonly connectionCode: string; readonly path: string };

/** A conversion of a value between its column and its field. Shown as a chip; compiled into operators. */
export type Conversion =
    | { readonly type: 'TRIM' }
    /** Removes a text that most values share: a currency sign or a unit. */
    | { readonly type: 'REMOVE_TEXT'; readonly text: string; readonly of: 'CURRENCY' | 'UNIT' }
    /** Reads `1.299,–` as 1299. */
    | { readonly type: 'DASH_DECIMALS' }
    | { readonly type: 'NUMBER'; readonly decimals: DecimalStyle }
    /** Reads the first number in a text: 20 in `ca. 20 Stk`. */
    | { readonly type: 'NUMBER_IN_TEXT' }
    /** Decimal amount to the currency's smallest unit. */
    | { readonly type: 'TO_CENTS' }
    | { readonly type: 'REMOVE_TAX'; readonly percent: number }
    | { readonly type: 'ADD_TAX'; readonly percent: number }
    | { readonly type: 'STRIP_HTML' }
    /** Escaped: a separator after a backslash belongs to its part. */
    | { readonly type: 'SPLIT'; readonly separator: string; readonly escaped?: true }
    /** Words for yes and no, as in `ja`/`nein`, to true and false. */
    | { readonly type: 'BOOLEAN'; readonly yes: readonly string[]; readonly no: readonly string[] }
    | { readonly type: 'DATE'; readonly format: string }
    /** Converts a unit of measurement, for example `g` to `kg`. */
    | { readonly type: 'UNIT'; readonly from: string; readonly to: string }
    /** Words that are read as empty. */
    | { readonly type: 'EMPTY_WORDS'; readonly words: readonly string[] }
    /** Replaces values, for example names of tax categories. */
    | { readonly type: 'LOOKUP'; readonly values: Readonly<Record<string, string>> }
    /** The value of rows that have none. */
    | { readonly type: 'DEFAULT'; readonly value: JsonValue }
    | { readonly type: 'NEGATIVE_TO_ZERO' }
    | { readonly type: 'SLUGIFY' };

/**
 * A field that is filled. `field` is the path of the loader's record, with these forms: `name`, `name.de` (a language), `price.USD` (a currency),
 * `stock:Main` (a stock location), `facet:Brand`, `option:Colour`, `customFields.ean`, `collections` (paths of categories), `assets`.
 */
export interface PlannedField {
    readonly field: string;
    /** The columns that fill it; several for pictures and lists only. Absent with `value`. */
    readonly columns?: readonly string[];
    /** The same value for all rows. */
    readonly value?: JsonValue;
    readonly conversions: readonly Conversion[];
}

/** How the rows of a file become products with variants. */
export interface PlannedVariants {
    readonly grouping: RowGrouping;
    /** Options whose names and values are columns. Options with one column are fields `option:…`. */
    readonly pairs?: ReadonlyArray<{
        readonly nameColumn: string;
        readonly valueColumn: string;
        /** Between several names and values in one column: `|`. */
        readonly separator?: string;
        /** A separator after a backslash belongs to its name or value. */
        readonly escaped?: true;
    }>;
    /** SKU of variants without one: `${key}-${n}`. Absent: such rows are rejected. */
    readonly skuFallback?: string;
    /** Columns that become variants, for example sizes with a stock each. */
    readonly columns?: { readonly option: string; readonly columns: readonly string[]; readonly field: string };
}

/** A decision about rows that the check has found, chosen by the user. */
export type Remedy =
    | { readonly type: 'SKIP_ROWS'; readonly field: string; readonly when: 'EMPTY' | 'NOT_A_NUMBER' }
    /** Takes another field where one is empty, for example the SKU as name. */
    | { readonly type: 'USE_FIELD'; readonly field: string; readonly from: string }
    /** Texts that are not numbers, or negative numbers, become 0. Default: texts that are not numbers. Empty fields stay empty. */
    | { readonly type: 'TREAT_AS_ZERO'; readonly field: string; readonly when?: 'NOT_A_NUMBER' | 'NEGATIVE' }
    /** Texts that are not numbers are read as empty. */
    | { readonly type: 'LEAVE_EMPTY'; readonly field: string }
    | { readonly type: 'NUMBER_IN_TEXT'; readonly field: string }
    /** Reads texts that are not numbers in the style of the field in the other one. */
    | { readonly type: 'DECIMALS'; readonly field: string; readonly decimals: DecimalStyle }
    /** Creates new products without a price disabled. With a field, its texts that are not numbers are read as empty. */
    | { readonly type: 'CREATE_HIDDEN'; readonly field?: string }
    | { readonly type: 'CREATE_FACET_VALUES' }
    /** Creates customer groups that do not exist, before the customers. */
    | { readonly type: 'CREATE_GROUPS' }
    | { readonly type: 'LOOKUP'; readonly field: string; readonly values: Readonly<Record<string, string>> }
    | { readonly type: 'SKIP_UNKNOWN'; readonly field: string }
    | { readonly type: 'KEEP_LAST'; readonly field: string }
    | { readonly type: 'KEEP_FIRST'; readonly field: string }
    | { readonly type: 'SKIP_PICTURES' }
    | { readonly type: 'DATE_ORDER'; readonly field: string; readonly format: string };

/** Everything that the user decides in the wizard. `compileImport(plan)` makes the pipeline of it; the same plan gives the same pipeline. */
export interface ImportPlan {
    readonly version: 1;
    readonly source: ImportSource;
    readonly facts: ImportFacts;
    readonly target: ImportTarget;
    /** The known export that was recognised: `shopify-products`. */
    readonly knownExport?: string;
    /** Language of texts without one in their header. */
    readonly language?: string;
    /** The field by which entities of the shop are found: `sku`, `slug`, `emailAddress`. */
    readonly matchBy: string;
    readonly fields: readonly PlannedField[];
    readonly variants?: PlannedVariants;
    readonly prices: {
        /** Currency of fields without one. Absent: the channel's default. */
        readonly currency?: string;
        readonly missing: 'REJECT' | 'DISABLE';
    };
    readonly missing: {
        readonly action: 'NONE' | 'DISABLE' | 'STOCK_ZERO' | 'DELETE';
        /** At most this share of the shop's entities, 0 to 1. */
        readonly maxShare: number;
    };
    readonly createMissingFacetValues: boolean;
    readonly remedies: readonly Remedy[];
}
