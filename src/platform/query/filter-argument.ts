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
                description:
                    'A field of the entity, such as sku, name or customFields.season, or of one of its relations.',
            }),
            operator: z
                .enum(FILTER_OPERATORS)
                .meta({ title: 'Operator', description: 'How it is compared.', aliases: {} }),
            value: jsonValue().meta({
                title: 'Value',
                description: `The value to compare with. For the operator in: a list of at most ${MAX_LISTED} values.`,
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
    'Filters can also use related values: facetValues of products and variants as "facet:value" (codes), variants.sku and stock of products, product.slug, product.enabled and stock of variants, allFacetValues of variants (those of the product included), parent.slug of collections, groups of customers (names), customer.emailAddress and the prices of lines of orders (lines.unitPrice, lines.proratedLinePriceWithTax and so on). A filter matches if one of several values fits; ne matches if none does. Slugs of all languages count, stock is the sum of all locations of the channel, and prices are in the smallest unit.',
];
