/** What is exported. */
export const EXPORT_ENTITIES = ['VARIANTS', 'PRODUCTS', 'CUSTOMERS', 'ORDERS', 'COLLECTIONS', 'FACET_VALUES'] as const;
export type ExportEntity = (typeof EXPORT_ENTITIES)[number];

/** The formats of files and feeds. */
export const EXPORT_FORMATS = ['CSV', 'XLSX', 'JSON', 'NDJSON', 'XML', 'GOOGLE', 'META'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Where the file goes. The first three are managed files of Flow; the others go to a saved connection. */
export const EXPORT_DESTINATIONS = ['DOWNLOAD', 'FILE', 'FEED', 'SFTP', 'S3', 'HTTP'] as const;
export type ExportDestination = (typeof EXPORT_DESTINATIONS)[number];

/** How the value of a column is read from a record of the shop. */
export type FieldSource =
    | { readonly kind: 'VALUE'; readonly path: string }
    /** An amount in the smallest unit of the currency, written as a decimal number. */
    | { readonly kind: 'MONEY'; readonly path: string }
    /** A text in the language of the export. `owner` is the path of the entity that has it; empty for the record itself. */
    | { readonly kind: 'TEXT'; readonly owner: string; readonly property: string }
    /** A property of each element of a list, joined by `|`. A backslash is before each `|` within an element. `where` keeps the elements with this value. */
    | { readonly kind: 'LIST'; readonly path: string; readonly property: string; readonly where?: ElementFilter }
    /** A property of the first element of a list with this value. */
    | { readonly kind: 'FIRST'; readonly path: string; readonly property: string; readonly where: ElementFilter };

/** The elements of a list whose property has a value. */
export interface ElementFilter {
    readonly property: string;
    readonly value: string;
}

/** A column of the file. */
export interface ExportField {
    /** Its name in the file, without the language of texts. */
    readonly column: string;
    readonly source: FieldSource;
    /** Relations that are read for it. */
    readonly relations: readonly string[];
    /** The list whose elements become rows; `source` is read from the element. */
    readonly rows?: string;
}

/** Which entities are exported. */
export interface ExportFilters {
    /** Only what customers can see: enabled products and variants. */
    readonly isEnabled?: boolean;
    /** Products with this facet value, by codes. */
    readonly facetValue?: { readonly facet: string; readonly value: string };
    /** What has changed since a date (`2026-01-31`), or since the last run. */
    readonly updatedSince?: string;
}

/** What a feed needs in addition to the products. */
export interface FeedSettings {
    /** Address of a product; `${slug}` stands for its slug. */
    readonly productUrl: string;
    /** The beginning of the addresses of pictures. */
    readonly pictureUrl: string;
    /** ISO 3166: where the feed is shown. */
    readonly country: string;
    /** Code of the facet with the brand. */
    readonly brandFacet?: string;
    /** Path of the custom field with the GTIN: `customFields.gtin`, `product.customFields.gtin`. */
    readonly gtinField?: string;
}

/** Everything that the user decides in the wizard. */
export interface ExportPlan {
    readonly entity: ExportEntity;
    readonly filters: ExportFilters;
    readonly language: string;
    readonly fields: readonly ExportField[];
    readonly format: ExportFormat;
    /** Of CSV. */
    readonly delimiter: ',' | ';';
    readonly feed: FeedSettings;
    readonly destination: ExportDestination;
    readonly connectionCode: string;
    readonly folder: string;
    /** Empty: the code of the pipeline and the date. */
    readonly fileName: string;
    /** Each day at this time: `03:00`. Undefined: once. */
    readonly dailyAt?: string;
    readonly timezone: string;
}

/** What customers of some countries pay for the articles of a tax category. */
export interface ExportTaxRate {
    readonly category: string;
    readonly percent: number;
    /** ISO 3166. */
    readonly countries: readonly string[];
    /** Prices of the shop with tax include this one. */
    readonly isDefault: boolean;
}

/** What the plan and its pipeline depend on. */
export interface ExportShop {
    readonly languages: readonly string[];
    readonly defaultLanguage: string;
    readonly currency: string;
    readonly pricesIncludeTax: boolean;
    /** Decimals of the amounts that the shop stores. */
    readonly moneyDecimals: number;
    readonly taxRates: readonly ExportTaxRate[];
    readonly facets: ReadonlyArray<{
        readonly code: string;
        /** In the default language. */
        readonly name: string;
    }>;
    /** The names of the channel's stock locations. */
    readonly stockLocations: readonly string[];
    readonly customFields: ReadonlyArray<{
        /** As in Vendure's configuration: `Product`. */
        readonly entity: string;
        readonly name: string;
        readonly label: string;
    }>;
    /** The beginning of the addresses of pictures; empty if the shop has none. */
    readonly pictureUrl: string;
}

/** Whether a format is a feed with a fixed set of attributes. */
export function isFeedFormat(format: ExportFormat): boolean {
    return format === 'GOOGLE' || format === 'META';
}

/** Whether the file is stored in Flow. */
export function isManaged(destination: ExportDestination): boolean {
    return destination === 'DOWNLOAD' || destination === 'FILE' || destination === 'FEED';
}

/** The types of connections that a destination takes. */
export const CONNECTION_TYPES: Readonly<Partial<Record<ExportDestination, readonly string[]>>> = {
    SFTP: ['SFTP', 'FTP'],
    S3: ['OBJECT_STORAGE'],
    HTTP: ['HTTP', 'REST'],
};

/** Whether it is clear what is exported. */
export function isChosen({ fields, filters }: ExportPlan): boolean {
    return fields.length > 0 && filters.facetValue?.value !== '';
}

/** What a plan lacks before its export can be created. */
export function missingOf(plan: ExportPlan): 'FIELDS' | 'FEED' | 'CONNECTION' | 'TIME' | undefined {
    const { format, feed, destination, connectionCode, dailyAt } = plan;
    if (isFeedFormat(format)) {
        const isAddress = (text: string): boolean => /^https?:\/\/[^/]/.test(text);
        const isComplete = isAddress(feed.productUrl) && isAddress(feed.pictureUrl) && /^[A-Z]{2}$/.test(feed.country);
        if (!isComplete) return 'FEED';
    }
    if (!isChosen(plan)) return 'FIELDS';
    if (!isManaged(destination) && connectionCode === '') return 'CONNECTION';
    return dailyAt !== undefined && !/^([01]\d|2[0-3]):[0-5]\d$/.test(dailyAt) ? 'TIME' : undefined;
}
