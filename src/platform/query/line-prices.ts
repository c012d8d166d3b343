import { AdjustmentType } from '@vendure/common/lib/generated-types';
import type { Dialect } from '../../database/dialect';
import { column, name, raw, type Sql, sql } from '../../database/statement';
import type { Table } from '../../database/table';

/** Which price of an order line. */
interface LinePrice {
    /** `discounted`: with the discounts of the line; `prorated`: with its share of the order's discounts as well. */
    readonly discounts: 'none' | 'discounted' | 'prorated';
    readonly of: 'unit' | 'line';
    readonly isWithTax: boolean;
}

/** The names of the prices of a line, as its record and the admin API have them. */
export const LINE_PRICES: ReadonlyMap<string, LinePrice> = new Map(
    (['unit', 'line'] as const).flatMap(of =>
        (['none', 'discounted', 'prorated'] as const).flatMap(discounts =>
            [false, true].map(isWithTax => {
                const price = `${of === 'unit' ? 'Unit' : 'Line'}Price${isWithTax ? 'WithTax' : ''}`;
                const named = discounts === 'none' ? price[0]!.toLowerCase() + price.slice(1) : discounts + price;
                return [named, { discounts, of, isWithTax }] as const;
            }),
        ),
    ),
);

/**
 * A price of an order line as SQL. Vendure calculates it in the process from columns of the line; this is the same arithmetic in the same order, in
 * double precision, rounded to whole minor units as Vendure's own money strategies do it.
 */
export function linePriceSql(alias: string, table: Table, desired: LinePrice & { readonly dialect: Dialect }): Sql {
    const { dialect, discounts, of, isWithTax } = desired;
    const at = (property: string): Sql => column(alias, table.column(property).name);
    const double = raw({ postgres: 'DOUBLE PRECISION', mysql: 'DOUBLE', sqlite: 'REAL' }[dialect.kind]);
    const [quantity, placed] = [at('quantity'), at('orderPlacedQuantity')];
    const list = (property: string, key: string): Sql => elementsSql(at(property), { dialect, key, double });
    const rate = sql`(SELECT COALESCE(SUM(${raw('j.number')}), 0) FROM ${list('taxLines', 'taxRate')})`;
    const units = sql`(CASE WHEN ${placed} > ${quantity} THEN ${placed} ELSE ${quantity} END)`;
    const ofLine = discounts === 'discounted' ? sql` WHERE ${raw('j.type')} = ${AdjustmentType.PROMOTION}` : sql``;
    const discount = sql`(CASE WHEN ${quantity} = 0 THEN 0 ELSE
        (SELECT COALESCE(SUM(${raw('j.number')} / ${units}), 0) FROM ${list('adjustments', 'amount')}${ofLine}) END)`;
    const listed = sql`CAST(${at('listPrice')} AS ${double})`;
    const price = discounts === 'none' ? listed : sql`(${listed} + ${discount})`;
    const converted = isWithTax
        ? sql`CASE WHEN ${at('listPriceIncludesTax')} THEN ${price} ELSE ${price} + ${price} * (${rate} / 100) END`
        : sql`CASE WHEN ${at('listPriceIncludesTax')} THEN ${price} - (${price} - ${price} / ((100 + ${rate}) / 100)) ELSE ${price} END`;
    return of === 'unit' ? sql`FLOOR(${converted} + 0.5)` : sql`FLOOR((${converted}) * ${quantity} + 0.5)`;
}

/** The objects of a column with a JSON list, as rows `j` with a number of theirs and their type. */
function elementsSql(
    json: Sql,
    { dialect, key, double }: { readonly dialect: Dialect; readonly key: string; readonly double: Sql },
): Sql {
    const list = sql`COALESCE(${json}, '[]')`;
    switch (dialect.kind) {
        case 'postgres':
            return sql`(SELECT CAST(${raw(`e.value->>'${key}'`)} AS ${double}) AS ${name('number')}, ${raw("e.value->>'type'")} AS ${name('type')}
                FROM jsonb_array_elements(CAST(${list} AS jsonb)) AS ${raw('e(value)')}) ${raw('j')}`;
        case 'mysql':
            return sql`JSON_TABLE(${list}, '$[*]' COLUMNS (${name('number')} DOUBLE PATH ${raw(`'$.${key}'`)}, ${name('type')} VARCHAR(64) PATH '$.type')) AS ${raw('j')}`;
        case 'sqlite':
            return sql`(SELECT CAST(json_extract(value, ${raw(`'$.${key}'`)}) AS ${double}) AS ${name('number')}, json_extract(value, '$.type') AS ${name('type')}
                FROM json_each(${list})) ${raw('j')}`;
    }
}
