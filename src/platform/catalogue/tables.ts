import {
    Product,
    ProductOption,
    ProductOptionGroup,
    ProductOptionGroupTranslation,
    ProductOptionTranslation,
    ProductVariant,
    ProductVariantPrice,
    StockLevel,
    StockMovement,
} from '@vendure/core';
import type { DataSource } from 'typeorm';
import { type Sql, type Name, column, name, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';

export type CatalogueTables = ReturnType<typeof catalogueTables>;

/** The tables of the catalogue that belong to no entity description: prices, stock, options. */
export function catalogueTables(dataSource: DataSource) {
    return {
        productGroups: joinTableOf(dataSource, Product, 'optionGroups'),
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

/** A column of an alias, by property. */
export function at(alias: string, table: Table, property: string): Sql {
    return column(alias, table.column(property).name);
}

/** `table AS alias` */
export function as(table: { readonly name: Name }, alias: string): Sql {
    return sql`${table.name} AS ${name(alias)}`;
}

export function sqlNameOf(part: Sql, alias: string): Sql {
    return sql`${part} AS ${name(alias)}`;
}
