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

/** What the values of a column are. `CODE` is an identifier such as a SKU, `OPTION` a value such as a size or a colour. */
export type ColumnType =
    | 'BOOLEAN'
    | 'INTEGER'
    | 'NUMBER'
    | 'PRICE'
    | 'PERCENT'
    | 'DATE'
    | 'EMAIL'
    | 'URL'
    | 'IMAGE_URL'
    | 'BARCODE'
    | 'COUNTRY'
    | 'HTML'
    | 'PATH'
    | 'LIST'
    | 'OPTION'
    | 'CODE'
    | 'TEXT'
    | 'EMPTY';

/** A column of a file and what its values have in common. */
export interface ImportColumn {
    /** 0-based. */
    readonly index: number;
    /** As in the file; `column1`, `column2` … without a header row. Names of one file are unique. */
    readonly name: string;
    readonly type: ColumnType;
    /** Filled values of the sample that do not fit the type. */
    readonly exceptions: number;
    readonly filled: number;
    readonly empties: number;
    /** Different values; null if there are more than are counted. */
    readonly distinct: number | null;
    /** The most frequent value, the one with the most different shape, the first exception; at most ten more. */
    readonly examples: readonly string[];
    /** A word that most values end with: `Stk`, `kg`. */
    readonly unit?: string;
    /** ISO 4217, from the values or the header. */
    readonly currency?: string;
    /** The text of the currency in the values: `€`, `EUR`. The shop decides which currency `$` and `kr` are. */
    readonly currencySign?: string;
    /** ISO 639-1, from the header: `name_de`. */
    readonly language?: string;
    readonly decimals?: DecimalStyle;
    /** From the header: with tax (`brutto`, `incl. VAT`) or without. */
    readonly tax?: 'WITH' | 'WITHOUT';
    /** Of dates: a pattern of the operator `dateParse`. */
    readonly dateFormat?: string;
    /** Of lists and paths: the text between two parts. */
    readonly separator?: string;
    /** Words that stand for an empty value here: `-`, `n/a`. */
    readonly emptyWords?: readonly string[];
    /** Share of filled values, 0 to 1, that are different from each other. */
    readonly uniqueness: number;
}

/** Rows that belong together, for example the variants of a product. */
export type RowGrouping =
    /** Rows with the same value in a column. */
    | { readonly kind: 'BY_COLUMN'; readonly column: string }
    /** A column with the SKU of the product that the row is a variant of. */
    | { readonly kind: 'PARENT'; readonly column: string; readonly key: string }
    /** Rows with an empty key continue the row above. */
    | { readonly kind: 'CONTINUING'; readonly column: string };

export interface ImportSheet {
    readonly name: string;
    readonly rows: number;
    readonly isHidden: boolean;
}

/** A warning about a file, rendered by the page: a code and its arguments. */
export interface ImportWarning {
    readonly code: string;
    readonly args: Readonly<Record<string, string | number>>;
    readonly column?: string;
}

/** What was detected about a file. */
export interface ImportProfile {
    readonly facts: ImportFacts;
    /** Other values of facts that are possible, the likeliest first. */
    readonly alternatives: {
        readonly encodings: readonly string[];
        readonly delimiters: readonly string[];
        readonly headerRows: readonly number[];
        readonly recordPaths: readonly string[];
    };
    readonly sheets: readonly ImportSheet[];
    /** Records of the whole file. */
    readonly rows: number;
    readonly columns: readonly ImportColumn[];
    /** The first rows as they are in the file, rows before the header included; at most 50 records. */
    readonly head: readonly (readonly string[])[];
    /** The number of each row of `head` in the file, counted as `headerRow` is. */
    readonly headNumbers: readonly number[];
    /** ISO 639-1 of the names of columns, if it is clear. */
    readonly language?: string;
    /** Groupings that fit, the likeliest first. */
    readonly groupings: readonly RowGrouping[];
    readonly warnings: readonly ImportWarning[];
}

/** The cells of a file after decoding and splitting. The reader has read the whole file; `rows` are its sample. */
export interface ImportSample {
    readonly facts: Omit<ImportFacts, 'decimals' | 'headerRow' | 'skipAfterHeader' | 'footerRows'> &
        Partial<ImportFacts>;
    readonly alternatives?: Partial<ImportProfile['alternatives']>;
    readonly sheets?: readonly ImportSheet[];
    /** The names of fields where the format has them (JSON, NDJSON, XML). */
    readonly fields?: readonly string[];
    /** Those of `fields` whose values are lists in the file. Their cells are JSON. */
    readonly lists?: readonly string[];
    /** All rows of the beginning (at least 100 where there are), then rows spread over the file, then the last ones. */
    readonly rows: readonly (readonly string[])[];
    /** The number of each row in the file, counted from 1 with empty rows. Default: the place in `rows`. */
    readonly numbers?: readonly number[];
    /** How many of `rows` are the beginning of the file without a gap. */
    readonly leading: number;
    /** How many of `rows` are the end of the file without a gap. */
    readonly trailing: number;
    /** Rows of the whole file, those of `rows` included. */
    readonly total: number;
    /** Counts over the whole file by column index, where the reader has counted them. */
    readonly counts?: ReadonlyArray<{ readonly empties: number; readonly distinct: number | null }>;
    readonly warnings?: readonly ImportWarning[];
}
