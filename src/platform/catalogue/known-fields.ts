import type { KnownFields } from '../../core/adapter/loader';
import { type FieldName, type LoadFieldNames, fieldNames, PRODUCT_FIELDS, VARIANT_FIELDS } from './load-config';

type Inner = Partial<Record<FieldName, KnownFields>>;

/**
 * The names of these fields in a record, and the operation, which every load accepts; `inner` are the fields below
 * them.
 */
export function namedFields(names: LoadFieldNames, fields: readonly FieldName[], inner: Inner = {}): KnownFields {
    return new Map([['__operation', undefined], ...fields.map(field => [names[field], inner[field]] as const)]);
}

/** What a translation may have, in a product and in a variant. */
const textsOfVariant = (names: LoadFieldNames): KnownFields =>
    new Map([names.name, names.customFields].map(name => [name, undefined]));
const textsOfProduct = (names: LoadFieldNames): KnownFields =>
    new Map([...textsOfVariant(names), [names.slug, undefined], [names.description, undefined]]);

/** The fields of a variant in addition to those at the top level for a single variant. */
const OWN_FIELDS = [
    'name',
    'translations',
    'enabled',
    'facetValues',
    'assets',
    'featuredAsset',
    'customFields',
] as const;

/** The fields of a product record, as a step calls them; in nested variants and translations they are called the same. */
export function fieldsOfProduct(config: Readonly<Record<string, unknown>>): KnownFields {
    const fields: readonly FieldName[] = [...PRODUCT_FIELDS, ...VARIANT_FIELDS];
    const names = fieldNames(config);
    const variants = namedFields(names, [...VARIANT_FIELDS, ...OWN_FIELDS], { translations: textsOfVariant(names) });
    return namedFields(names, fields, { translations: textsOfProduct(names), variants });
}

/** The fields of a variant record, as a step calls them. */
export function fieldsOfVariant(config: Readonly<Record<string, unknown>>): KnownFields {
    const fields: readonly FieldName[] = [...VARIANT_FIELDS, ...OWN_FIELDS, 'productSlug'];
    const names = fieldNames(config);
    return namedFields(names, fields, { translations: textsOfVariant(names) });
}
