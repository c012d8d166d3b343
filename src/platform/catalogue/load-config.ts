import { z } from 'zod';
import { fieldArgument } from '../entities/entity-config';
import { type ListMode, listMode, listModeArgument, loadArguments, type Strategy } from '../entities/load-arguments';
import { entityAssetArguments } from '../entity-assets/read-assets';

/** The fields of a product record. */
export const PRODUCT_FIELDS = [
    'slug',
    'name',
    'description',
    'enabled',
    'translations',
    'facetValues',
    'assets',
    'featuredAsset',
    'channels',
    'optionGroups',
    'customFields',
    'variants',
] as const;
/** The fields of a variant, nested or at the top level. */
export const VARIANT_FIELDS = ['sku', 'price', 'prices', 'stock', 'taxCategory', 'trackInventory', 'options'] as const;

export type FieldName = (typeof PRODUCT_FIELDS)[number] | (typeof VARIANT_FIELDS)[number] | 'productSlug';

const CONTENT: Readonly<Record<FieldName, string>> = {
    slug: 'slug',
    name: 'name',
    description: 'description',
    enabled: 'whether it is enabled',
    translations: 'translations by language',
    facetValues: 'list of "facet:value", or values by facet',
    channels: 'list of channel tokens',
    optionGroups: 'list of option groups',
    customFields: 'custom fields',
    variants: 'list of variants',
    sku: 'SKU',
    price: 'price',
    prices: 'prices by currency',
    stock: 'stock level',
    taxCategory: 'tax category',
    trackInventory: 'inventory tracking',
    options: 'options by group',
    assets: 'list of assets',
    featuredAsset: 'featured asset',
    productSlug: 'slug of the product',
};

type FieldArguments<F extends FieldName> = { [K in F as `${K}Field`]: ReturnType<typeof fieldArgument> };

/** A `…Field` argument for each field, by which it can be renamed. */
export function fieldArguments<const F extends FieldName>(fields: readonly F[]): FieldArguments<F> {
    return Object.fromEntries(
        fields.map(field => [`${field}Field`, fieldArgument(field, CONTENT[field])]),
    ) as FieldArguments<F>;
}

/** What the loads of products and variants have in common. */
export const catalogueArguments = {
    strategy: loadArguments.strategy,
    allowDeletes: loadArguments.allowDeletes,
    createMissingFacetValues: z.boolean().default(false).meta({
        title: 'Create missing facet values',
        description: 'Creates missing facets and facet values. If off, a record with an unknown one is rejected.',
    }),
    ...entityAssetArguments,
    facetValuesMode: listModeArgument('facetValues'),
    sideEffects: loadArguments.sideEffects,
    history: loadArguments.history,
};

/** The modes of lists that a step was given. */
export interface CatalogueModes {
    readonly facetValuesMode?: ListMode | undefined;
    readonly channelsMode?: ListMode | undefined;
    readonly optionGroupsMode?: ListMode | undefined;
}

/** How the lists of products and variants are applied; a separate mode has precedence over the strategy. */
export interface ListModes {
    readonly facetValues: ListMode;
    readonly channels: ListMode;
    /** Undefined where they are joined, and emptied by null. */
    readonly optionGroups: ListMode | undefined;
}

export function listModesIn(
    { facetValuesMode, channelsMode, optionGroupsMode }: CatalogueModes,
    strategy: Strategy,
): ListModes {
    return {
        facetValues: listMode(facetValuesMode, strategy),
        channels: listMode(channelsMode, strategy),
        optionGroups: optionGroupsMode ?? (strategy === 'MERGE' ? 'MERGE' : undefined),
    };
}

/** What happens to a new variant whose record has no price in the channel's default currency. */
export type MissingPrice = 'REJECT' | 'DISABLE' | 'ZERO';

/** What all loads that create variants have in common. */
export const missingPriceArgument = {
    missingPrice: z.enum(['REJECT', 'DISABLE', 'ZERO']).default('REJECT').meta({
        title: 'Missing price',
        description:
            "What to do with a new variant without a price in the channel's default currency. REJECT: its record is rejected. DISABLE: it is created disabled. ZERO: it is created with the price 0 and may be sold for nothing.",
    }),
};

/** What all loads of prices have in common. */
export const priceArguments = {
    allowNegativePrices: z.boolean().default(false).meta({
        title: 'Allow negative prices',
        description: 'Loads prices below 0, which are otherwise rejected.',
    }),
};

/** The names that the fields of a record go by in one step. */
export type LoadFieldNames = Readonly<Record<FieldName, string>>;

/** Field names of a step: those renamed by an argument, the others by their own names. */
export function fieldNames(config: Readonly<Record<string, unknown>>): LoadFieldNames {
    const fields: readonly FieldName[] = [...PRODUCT_FIELDS, ...VARIANT_FIELDS, 'productSlug'];
    return Object.fromEntries(fields.map(field => [field, config[`${field}Field`] ?? field])) as LoadFieldNames;
}
