import {
    Product,
    ProductOption,
    ProductOptionGroup,
    ProductOptionGroupTranslation,
    ProductOptionTranslation,
    ProductTranslation,
    ProductVariant,
    ProductVariantPrice,
    ProductVariantTranslation,
    StockLevel,
    StockMovement,
} from '@vendure/core';
import type { DataSource } from 'typeorm';
import { joinTableOf, tableOf } from '../../database/table';

export type CatalogueTables = ReturnType<typeof catalogueTables>;

/** The tables that catalogue loads read and write. */
export function catalogueTables(dataSource: DataSource) {
    return {
        product: tableOf(dataSource, Product),
        productText: tableOf(dataSource, ProductTranslation),
        productChannels: joinTableOf(dataSource, Product, 'channels'),
        productFacetValues: joinTableOf(dataSource, Product, 'facetValues'),
        productGroups: joinTableOf(dataSource, Product, 'optionGroups'),
        variant: tableOf(dataSource, ProductVariant),
        variantText: tableOf(dataSource, ProductVariantTranslation),
        variantChannels: joinTableOf(dataSource, ProductVariant, 'channels'),
        variantFacetValues: joinTableOf(dataSource, ProductVariant, 'facetValues'),
        variantOptions: joinTableOf(dataSource, ProductVariant, 'options'),
        price: tableOf(dataSource, ProductVariantPrice),
        stockLevel: tableOf(dataSource, StockLevel),
        stockMovement: tableOf(dataSource, StockMovement),
        group: tableOf(dataSource, ProductOptionGroup),
        groupText: tableOf(dataSource, ProductOptionGroupTranslation),
        groupChannels: joinTableOf(dataSource, ProductOptionGroup, 'channels'),
        option: tableOf(dataSource, ProductOption),
        optionText: tableOf(dataSource, ProductOptionTranslation),
        optionChannels: joinTableOf(dataSource, ProductOption, 'channels'),
    };
}
