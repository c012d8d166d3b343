import type { JsonObject, JsonValue } from '../value/json';
import { pathOf } from '../data/path';
import { operatorCall } from './conversion-operators';
import type { PlannedVariants } from './import-plan';
import type { ImportFacts, RowGrouping } from './import-profile';

/** The list of rows in a record that an extractor has grouped. */
export const ROWS = 'rows';

/** What `rowsToProduct` fills: paths of the product or of a variant by the columns that fill them. */
export interface ProductRows {
    /** The column that all rows have in common. */
    readonly key: string;
    readonly product: Readonly<Record<string, string>>;
    readonly variant: Readonly<Record<string, string>>;
    /** A row is a variant if one of these columns is filled. */
    readonly variantWhen: readonly string[];
    /** The column by which variants name their product. */
    readonly parent: string | undefined;
    readonly options: readonly JsonObject[];
    readonly assets: readonly string[];
    readonly skuFallback: string | undefined;
}

/** Words that Shopify and others write as the option value of a product without options. */
const NO_OPTION = ['Title', 'Default Title'];

/** The settings of a table's extractor that name its rows. */
export function rowSettings({ headerRow, skipAfterHeader, footerRows }: ImportFacts): JsonObject {
    return {
        ...(headerRow === null && { hasHeader: false }),
        ...(headerRow !== null && headerRow > 1 && { headerRow }),
        ...(skipAfterHeader > 0 && { skipAfterHeader }),
        ...(footerRows > 0 && { skipAtEnd: footerRows }),
    };
}

/** The extractor's setting for rows that belong together. The rows of a parent and its variants may be apart. */
export function groupBySetting(grouping: RowGrouping): JsonValue {
    switch (grouping.kind) {
        case 'BY_COLUMN':
            return grouping.column;
        case 'CONTINUING':
            return { column: grouping.column, continued: true };
        case 'PARENT':
            return { column: grouping.column, fallback: grouping.key, apart: true };
    }
}

/** Rows of a group become a product with variants. */
export function rowsToProductCall(rows: ProductRows): JsonObject {
    const { key, product, variant, variantWhen, parent, options, assets, skuFallback } = rows;
    return operatorCall('rowsToProduct', {
        rows: ROWS,
        key,
        product,
        variantWhen,
        ...(parent !== undefined && { parent }),
        variant,
        ...(options.length > 0 && { options, noOption: NO_OPTION }),
        ...(assets.length > 0 && { assets }),
        ...(skuFallback !== undefined && { skuFallback }),
    });
}

/** Options whose names and values are columns. */
export function pairOptions({ pairs = [] }: PlannedVariants): readonly JsonObject[] {
    return pairs.map(({ nameColumn, valueColumn, separator, escaped }) => ({
        nameColumn: pathOf(nameColumn),
        valueColumn: pathOf(valueColumn),
        ...(separator !== undefined && { delimiter: separator }),
        ...(escaped && { escape: true }),
    }));
}

/** An option with a column of values. */
export function columnOption(name: string, valueColumn: string): JsonObject {
    return { name, valueColumn };
}

/** The fields of the rows that `columnsToRows` makes. */
export const COLUMN_NAME = '_column';
export const COLUMN_VALUE = '_value';

/** Columns such as S, M and L become rows, each with the name of its column and the value of its cell. */
export function columnsToRowsCall({ columns }: NonNullable<PlannedVariants['columns']>): JsonObject {
    return operatorCall('columnsToRows', {
        columns: columns.map(pathOf),
        nameField: COLUMN_NAME,
        valueField: COLUMN_VALUE,
        target: ROWS,
    });
}

/** The collections of a path such as `Men > Shoes`, the upper ones first. */
const CATEGORY_LIST = '_categories';
/** A path of categories: its field in the record, the facet whose values link products with collections, and the text between levels. */
export interface CategoryField {
    readonly path: string;
    readonly facet: string;
    readonly separator: string;
}

function facetPath({ facet }: CategoryField): string {
    return `facetValues.${pathOf(facet)}`;
}

/** Gives a product a facet value for each collection of its path: `Men` and `Men > Shoes`. */
export function categoryFacetValues(category: CategoryField): readonly JsonObject[] {
    const { path: source, separator } = category;
    return [
        operatorCall('categoryPath', { source, target: CATEGORY_LIST, separator, paths: facetPath(category) }),
        operatorCall('omit', { fields: [source, CATEGORY_LIST] }),
    ];
}

/** Makes a record of each collection that the facet values of products name: it holds the products with the value. */
export function collectionsOfProduct(category: CategoryField): readonly JsonObject[] {
    return [
        operatorCall('categoryPath', {
            source: facetPath(category),
            target: CATEGORY_LIST,
            separator: category.separator,
            pathField: 'path',
        }),
        operatorCall('expand', { path: CATEGORY_LIST }),
        operatorCall('template', { template: '${path}', target: 'identity' }),
        operatorCall('lowercase', { path: 'identity' }),
        operatorCall('deduplicateRecords', { key: 'identity' }),
        operatorCall('set', {
            path: 'filters',
            value: [{ code: 'facet-value-filter', args: { facetValueIds: [''], containsAny: true } }],
        }),
        operatorCall('template', {
            template: `${templateText(category.facet)}:\${path}`,
            target: 'filters.0.args.facetValueIds.0',
        }),
        operatorCall('omit', { fields: ['path', 'identity'] }),
    ];
}

/** A text as a template writes it literally. */
function templateText(text: string): string {
    return text.replaceAll('${', '$ {');
}
