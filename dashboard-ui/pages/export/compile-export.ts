import { type ExportEntity, type ExportField, type ExportPlan, type ExportShop, isFeedFormat } from './export-plan';

/** A value of a definition. */
type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };
type Config = { readonly [name: string]: Value };

/** The definition of a pipeline, as the API takes it. */
export interface ExportDefinition {
    readonly version: 1;
    readonly steps: ReadonlyArray<{ readonly key: string; readonly kind: string; readonly config: Config }>;
    readonly edges: ReadonlyArray<{ readonly from: string; readonly to: string }>;
    readonly throughput: Config;
}

/** The step that makes the columns, whose output the preview shows. */
export const COLUMNS_STEP = 'columns';
/** The step that writes the file. */
export const EXPORT_STEP = 'export';

const QUERIED: Readonly<Record<ExportEntity, string>> = {
    VARIANTS: 'PRODUCT_VARIANT',
    PRODUCTS: 'PRODUCT',
    CUSTOMERS: 'CUSTOMER',
    ORDERS: 'ORDER',
    COLLECTIONS: 'COLLECTION',
    FACET_VALUES: 'FACET_VALUE',
};
/** Records that are read at a time. */
const PAGE = 500;
/** Records that are written at a time. */
const BATCH = 2000;
/** Between several values in a cell. */
const SEPARATOR = '|';
/** Holds values while they are converted. */
const SCRATCH = '_export';

/**
 * The pipeline of a plan: it reads the shop, makes a record of the plan's columns, and writes the file. The same plan gives the same definition. It
 * has no scripts.
 */
export function compileExport(plan: ExportPlan, shop: ExportShop): ExportDefinition {
    const { dailyAt, timezone } = plan;
    const [hour, minute] = (dailyAt ?? '').split(':').map(Number);
    const triggers: ExportDefinition['steps'] = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        ...(dailyAt === undefined
            ? []
            : [
                  {
                      key: 'daily',
                      kind: 'TRIGGER',
                      config: { type: 'SCHEDULE', cron: `${minute ?? 0} ${hour ?? 0} * * *`, timezone },
                  },
              ]),
    ];
    return {
        version: 1,
        steps: [
            ...triggers,
            { key: 'shop', kind: 'EXTRACT', config: queryConfig(plan, shop) },
            {
                key: COLUMNS_STEP,
                kind: 'TRANSFORM',
                config: {
                    operators: isFeedFormat(plan.format) ? feedOperators(plan, shop) : columnOperators(plan, shop),
                },
            },
            { key: EXPORT_STEP, kind: 'SINK', config: sinkConfig(plan, shop) },
        ],
        edges: [
            ...triggers.map(({ key }) => ({ from: key, to: 'shop' })),
            { from: 'shop', to: COLUMNS_STEP },
            { from: COLUMNS_STEP, to: EXPORT_STEP },
        ],
        throughput: { batchSize: BATCH },
    };
}

/** The code under which the file of a pipeline is stored. */
export function exportCodeOf(pipelineCode: string): string {
    return `${pipelineCode}.${EXPORT_STEP}`;
}

/** The names of the columns in the file, in the order of the fields. No two are the same. */
export function columnNames({ fields, format, language }: ExportPlan, { defaultLanguage }: ExportShop): string[] {
    const names: string[] = [];
    for (const { column, source } of fields) {
        const isForeign = source.kind === 'TEXT' && language !== defaultLanguage;
        const full = isForeign ? `${column}_${language}` : column;
        const name = format === 'XML' ? elementName(full) : full;
        let free = name;
        for (let n = 2; names.includes(free); n++) free = `${name}_${n}`;
        names.push(free);
    }
    return names;
}

/** A name that XML allows for an element. */
function elementName(text: string): string {
    const name = text.replace(/[^\p{L}\p{N}._-]+/gu, '_');
    return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

/** The path of a field with any name. */
function pathOf(name: string): string {
    return name.replace(/[.\\]/g, '\\$&');
}

function operator(op: string, args: Config): Config {
    return { op, args };
}

function queryConfig(plan: ExportPlan, shop: ExportShop): Config {
    const { entity, filters, language } = plan;
    const relations = [...new Set(relationsOf(plan, shop))].sort();
    const columnFilters = filtersOf(plan);
    return {
        adapterCode: 'platformQuery',
        entity: QUERIED[entity],
        ...(relations.length > 0 && { relations }),
        ...(columnFilters.length > 0 && { filters: columnFilters }),
        languageCode: language,
        ...(filters.updatedSince !== undefined && { updatedSince: filters.updatedSince }),
        batchSize: PAGE,
        // The rows of a product are next to each other.
        ...(entity === 'VARIANTS' && { sortBy: 'productId' }),
    };
}

function relationsOf(plan: ExportPlan, shop: ExportShop): readonly string[] {
    if (!isFeedFormat(plan.format)) return plan.fields.flatMap(({ relations }) => relations);
    const ofBrand = plan.feed.brandFacet === undefined ? [] : ['product.facetValues.facet'];
    const ofTax = taxPercents(plan, shop).length === 0 ? [] : ['taxCategory'];
    return ['product.featuredAsset', 'stockLevels', ...ofBrand, ...ofTax];
}

/** The percentages of tax categories: those that prices of the shop include, or that are added to them in the country of the feed. */
function taxPercents(
    { feed }: ExportPlan,
    { pricesIncludeTax, taxRates }: ExportShop,
): ReadonlyArray<{ readonly value: string; readonly result: number }> {
    const ofCountry = taxRates.filter(({ countries }) => countries.includes(feed.country));
    const rates =
        pricesIncludeTax || ofCountry.length === 0 ? taxRates.filter(({ isDefault }) => isDefault) : ofCountry;
    return rates.map(({ category, percent }) => ({ value: category, result: percent }));
}

function filtersOf({ entity, filters }: ExportPlan): readonly Config[] {
    const { isEnabled, facetValue } = filters;
    const hasSwitch = entity === 'VARIANTS' || entity === 'PRODUCTS';
    return [
        ...(isEnabled === true && hasSwitch ? [{ field: 'enabled', operator: 'eq', value: true }] : []),
        ...(isEnabled === true && entity === 'VARIANTS'
            ? [{ field: 'product.enabled', operator: 'eq', value: true }]
            : []),
        ...(isEnabled === true && entity === 'COLLECTIONS'
            ? [{ field: 'isPrivate', operator: 'eq', value: false }]
            : []),
        ...(facetValue && hasSwitch
            ? [
                  {
                      // A variant has the values of its product, too.
                      field: entity === 'VARIANTS' ? 'allFacetValues' : 'facetValues',
                      operator: 'eq',
                      value: `${facetValue.facet}:${facetValue.value}`,
                  },
              ]
            : []),
        // Carts are not orders yet.
        ...(entity === 'ORDERS' ? [{ field: 'orderPlacedAt', operator: 'ne', value: null }] : []),
    ];
}

/** A copy of a list with the elements that meet the conditions. */
function selected(target: string, source: string, conditions: readonly Config[]): readonly Config[] {
    return [
        operator('copy', { source, target }),
        operator('each', { path: target, operators: [operator('when', { conditions, action: 'keep' })] }),
    ];
}

interface Column {
    /** Where its value is when the columns are made. */
    readonly path: string;
    readonly operators: readonly Config[];
}

function columnOperators(plan: ExportPlan, shop: ExportShop): readonly Config[] {
    const names = columnNames(plan, shop);
    const rows = plan.fields.find(field => field.rows !== undefined)?.rows;
    const columns = plan.fields.map((field, index) =>
        field.rows === undefined ? columnOf(field, { index, plan, shop }) : undefined,
    );
    const ofRows = plan.fields.flatMap((field, index) =>
        field.rows === undefined ? [] : [{ name: names[index]!, ...columnOf(field, { index, plan, shop }) }],
    );
    return [
        ...columns.flatMap(column => column?.operators ?? []),
        ...(rows === undefined
            ? []
            : [
                  operator('each', {
                      path: rows,
                      operators: [
                          ...ofRows.flatMap(({ operators }) => operators),
                          operator('map', {
                              mapping: Object.fromEntries(ofRows.map(({ name, path }) => [pathOf(name), path])),
                          }),
                      ],
                  }),
                  // The element has the names of its columns, which no field of the record has.
                  operator('expand', { path: rows, mergeParent: true }),
              ]),
        operator('map', {
            mapping: Object.fromEntries(
                columns.map((column, index) => [pathOf(names[index]!), column?.path ?? pathOf(names[index]!)]),
            ),
        }),
    ];
}

interface ColumnContext {
    readonly index: number;
    readonly plan: ExportPlan;
    readonly shop: ExportShop;
}

function columnOf({ source }: ExportField, { index, plan, shop }: ColumnContext): Column {
    const scratch = `${SCRATCH}.c${index}`;
    switch (source.kind) {
        case 'VALUE':
            return { path: source.path, operators: [] };
        case 'MONEY':
            // A list with the amount, or an empty list without a price.
            return {
                path: `${scratch}.0`,
                operators: [
                    operator('copy', { source: source.path, target: `${scratch}.0` }),
                    operator('each', {
                        path: scratch,
                        operators: [
                            operator('when', { conditions: [{ field: '_item', cmp: 'isNotEmpty' }], action: 'keep' }),
                            operator('math', {
                                operation: 'divide',
                                source: '_item',
                                operand: 10 ** shop.moneyDecimals,
                                decimals: shop.moneyDecimals,
                            }),
                        ],
                    }),
                ],
            };
        case 'TEXT': {
            const prefix = source.owner === '' ? '' : `${source.owner}.`;
            const path = prefix + source.property;
            // A slug joins the rows of a product, so it is never left out.
            if (plan.language === shop.defaultLanguage || source.property === 'slug') return { path, operators: [] };
            // Entities without a translation are read with their first one, which is another language.
            return {
                path: scratch,
                operators: [
                    operator('copy', { source: path, target: scratch }),
                    operator('ifThenElse', {
                        condition: { field: `${prefix}languageCode`, cmp: 'ne', value: plan.language },
                        thenValue: null,
                        target: scratch,
                    }),
                ],
            };
        }
        case 'LIST': {
            const { path, property, where } = source;
            const from = where === undefined ? path : `${scratch}.list`;
            return {
                path: `${scratch}.text`,
                operators: [
                    ...(where === undefined
                        ? []
                        : selected(from, path, [{ field: where.property, cmp: 'eq', value: where.value }])),
                    operator('join', {
                        source: from,
                        field: property,
                        target: `${scratch}.text`,
                        delimiter: SEPARATOR,
                        escape: true,
                    }),
                ],
            };
        }
        case 'FIRST': {
            const { path, property, where } = source;
            return {
                path: `${scratch}.0.${property}`,
                operators: selected(scratch, path, [{ field: where.property, cmp: 'eq', value: where.value }]),
            };
        }
    }
}

/** A text as a template writes it literally. */
function templateText(text: string): string {
    return text.replaceAll('${', '$ {');
}

function feedOperators(plan: ExportPlan, shop: ExportShop): readonly Config[] {
    const { feed, format } = plan;
    const [before, ...after] = feed.productUrl.split('${slug}').map(templateText);
    const link =
        after.length === 0
            ? `${before!.replace(/\/*$/, '/')}\${product.slug}`
            : [before, ...after].join('${product.slug}');
    const picture = `${templateText(feed.pictureUrl).replace(/\/*$/, '/')}\${product.featuredAsset.preview}`;
    const brand = `${SCRATCH}.brand`;
    const inStock = `${SCRATCH}.inStock`;
    const percents = taxPercents(plan, shop);
    return [
        operator('template', { template: link, target: 'link' }),
        operator('template', { template: picture, target: 'image' }),
        operator('ifThenElse', {
            condition: { field: 'product.featuredAsset.preview', cmp: 'isEmpty' },
            thenValue: null,
            target: 'image',
        }),
        // Of one location that has some.
        ...selected(inStock, 'stockLevels', [{ field: 'stockOnHand', cmp: 'gt', value: 0 }]),
        operator('ifThenElse', {
            condition: { not: { field: `${inStock}.0.stockOnHand`, cmp: 'exists' } },
            thenValue: 0,
            target: `${inStock}.0.stockOnHand`,
        }),
        ...(feed.brandFacet === undefined
            ? []
            : selected(brand, 'product.facetValues', [{ field: 'facet.code', cmp: 'eq', value: feed.brandFacet }])),
        ...(percents.length === 0
            ? []
            : [operator('switch', { source: 'taxCategory.name', cases: percents, target: 'taxRate' })]),
        operator('map', {
            mapping: {
                id: 'sku',
                title: 'name',
                description: 'product.description',
                link: 'link',
                image_link: 'image',
                availability: `${inStock}.0.stockOnHand`,
                price: 'price',
                currencyCode: 'currencyCode',
                ...(percents.length > 0 && { taxRate: 'taxRate' }),
                ...(feed.brandFacet !== undefined && { brand: `${brand}.0.name` }),
                ...(feed.gtinField !== undefined && { gtin: feed.gtinField }),
                item_group_id: 'productId',
            },
        }),
        ...(format === 'META' ? [operator('set', { path: 'condition', value: 'new' })] : []),
        // Google rejects an item without a GTIN that does not say so.
        ...(format === 'GOOGLE'
            ? [
                  operator('ifThenElse', {
                      condition: { field: 'gtin', cmp: 'isEmpty' },
                      thenValue: 'no',
                      target: 'identifier_exists',
                  }),
              ]
            : []),
    ];
}

function sinkConfig(plan: ExportPlan, shop: ExportShop): Config {
    const { connectionCode, folder, fileName } = plan;
    const name = fileName.trim();
    return {
        adapterCode: 'fileExport',
        ...formatConfig(plan, shop),
        ...(name !== '' && { fileName: name }),
        ...(connectionCode !== '' && { connectionCode }),
        ...(connectionCode !== '' && folder.trim() !== '' && { folder: folder.trim() }),
    };
}

function formatConfig(plan: ExportPlan, shop: ExportShop): Config {
    const { format, feed, delimiter } = plan;
    const columns = columnNames(plan, shop).map(pathOf);
    switch (format) {
        case 'CSV':
            // Excel recognises UTF-8 by the mark.
            return { format, columns, ...(delimiter === ';' && { delimiter }), byteOrderMark: true };
        case 'XLSX':
            return { format, columns };
        case 'GOOGLE':
            return {
                format: 'XML',
                feed: 'googleMerchant',
                country: feed.country,
                pricesIncludeTax: shop.pricesIncludeTax,
                feedLink: originOf(feed.productUrl),
            };
        case 'META':
            return {
                format: 'CSV',
                feed: 'metaCatalog',
                country: feed.country,
                pricesIncludeTax: shop.pricesIncludeTax,
            };
        default:
            return { format };
    }
}

function originOf(address: string): string {
    return /^https?:\/\/[^/?#]+/.exec(address)?.[0] ?? address;
}
