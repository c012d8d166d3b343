import type { KnownFields } from '../../core/adapter/loader';
import {
    type FieldName,
    type FieldNames,
    fieldNames,
    PLAIN_NAMES,
    PRODUCT_FIELDS,
    VARIANT_FIELDS,
} from './load-config';

type Inner = Partial<Record<FieldName, KnownFields>>;

/** The names that these fields of a record go by, and the operation, which every load takes; `inner` are the fields below them. */
export function namedFields(names: FieldNames, fields: readonly FieldName[], inner: Inner = {}): KnownFields {
    return new Map([['__operation', undefined], ...fields.map(field => [names[field], inner[field]] as const)]);
}

const TEXTS_OF_VARIANT: KnownFields = new Map([
    ['name', undefined],
    ['customFields', undefined],
]);
const TEXTS_OF_PRODUCT: KnownFields = new Map([...TEXTS_OF_VARIANT, ['slug', undefined], ['description', undefined]]);

/** What a variant has beside what stands at the top level for one variant. */
const OWN_FIELDS = ['name', 'translations', 'enabled', 'facetValues', 'customFields'] as const;

const NESTED = namedFields(PLAIN_NAMES, [...VARIANT_FIELDS, ...OWN_FIELDS], { translations: TEXTS_OF_VARIANT });

/** The fields of a product record, as a step calls them. */
export function fieldsOfProduct(config: Readonly<Record<string, unknown>>): KnownFields {
    const fields: readonly FieldName[] = [...PRODUCT_FIELDS, ...VARIANT_FIELDS, 'assets'];
    return namedFields(fieldNames(config), fields, { translations: TEXTS_OF_PRODUCT, variants: NESTED });
}

/** The fields of a variant record, as a step calls them. */
export function fieldsOfVariant(config: Readonly<Record<string, unknown>>): KnownFields {
    const fields: readonly FieldName[] = [...VARIANT_FIELDS, ...OWN_FIELDS, 'productSlug'];
    return namedFields(fieldNames(config), fields, { translations: TEXTS_OF_VARIANT });
}
