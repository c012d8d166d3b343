import { z } from 'zod';
import { jsonValue } from '../../core/schema/fields';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import type { AnyOf } from '../context';
import { permissionsToRead, type QueriedEntity } from './entities';
import { FILTER_OPERATORS, MAX_LISTED } from './filters';
import { relationsOfFilters } from './linked-fields';

const MAX_FILTERS = 50;

/** Conditions on entities of the shop, as every adapter takes them. */
export const filtersArgument = z
    .array(
        z.strictObject({
            field: z.string().min(1).max(200).meta({
                title: 'Field',
                description: 'A field of the entity: sku, name, customFields.season; or of what it leads to.',
            }),
            operator: z
                .enum(FILTER_OPERATORS)
                .meta({ title: 'Operator', description: 'How it is compared.', aliases: {} }),
            value: jsonValue().meta({
                title: 'Value',
                description: `What it is compared with: one value, or for the operator in a list of at most ${MAX_LISTED}.`,
                widget: 'json',
            }),
        }),
    )
    .max(MAX_FILTERS);

/** The permissions that a comparison needs in addition to that of reading the entity: filters reveal the compared values. */
export function permissionsToFilter(entity: QueriedEntity, filters: JsonValue | undefined): readonly AnyOf[] {
    const fields = Array.isArray(filters)
        ? (filters as readonly JsonValue[]).map(filter => (isJsonObject(filter) ? filter['field'] : undefined))
        : [];
    return permissionsToRead(entity, relationsOfFilters(entity, fields));
}

/** The notes about filters. */
export const FILTER_NOTES: readonly string[] = [
    'eq, ne and in are case-sensitive, like and contains are not (on SQLite for the letters A to Z). In like, % stands for any text and _ for one character; a backslash escapes them. ne also matches missing values; eq and ne take null.',
    'Filters also compare what belongs to an entity: facetValues of products and variants as "facet:value" by their codes, variants.sku and stock of products, product.slug and stock of variants, parent.slug of collections, groups of customers by their names, customer.emailAddress and the prices of lines of orders (lines.unitPrice, lines.proratedLinePriceWithTax and so on). They hold where one of several fits, ne where none does. Slugs are those of any language, stock is that at all locations of the channel, prices are whole minor units.',
];
