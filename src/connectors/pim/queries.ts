import { listingQuery, type PimEntity } from '../../adapters/extractors/pim-listing';
import { USUAL_MAPPING } from './mapping';
import type { PimOptions } from './options';

/** The query of a pipeline: a custom one, or one that is built from the mapping. */
export function queryFor(entityType: PimEntity, options: PimOptions): string {
    const { query, className, listingField, responseField } = options.queries[entityType];
    if (query !== undefined) return query;
    const listing = listingField ?? (className === undefined ? undefined : `get${upperFirst(className)}Listing`);
    return listingQuery({
        entityType,
        listingField: listing,
        responseField,
        selection: selectionOf(entityType, options),
    });
}

/** The response field of that query; undefined if it has the usual name of the listing of `entityType`. */
export function responseFieldFor(entityType: PimEntity, { queries }: PimOptions): string | undefined {
    const { query, className, listingField, responseField } = queries[entityType];
    if (responseField !== undefined || query !== undefined) return responseField;
    return listingField ?? (className === undefined ? undefined : `get${upperFirst(className)}Listing`);
}

/** The substitutes for a missing SKU and slug. */
const SKU_ELSE = 'itemNumber';
const SLUG_ELSE = 'urlKey';
const IF_ANY = '@optional(quiet: true)';

function selectionOf(entityType: PimEntity, options: PimOptions): string {
    switch (entityType) {
        case 'product':
            return within(options.queries.product.fragmentType, productSelection(options));
        case 'category':
            return within(options.queries.category.fragmentType, categorySelection(options));
        case 'asset': {
            const { urlField, filenameField } = options.mapping.asset;
            const fields = new Set(['id', urlField, filenameField, 'mimetype', 'modificationDate @optional']);
            return within(options.queries.asset.fragmentType ?? 'asset', [...fields].join(' '));
        }
    }
}

function productSelection(options: PimOptions): string {
    const { mapping, sync, pipelines, queries } = options;
    const { nameField, slugField, descriptionField, assetsField } = mapping.product;
    const type = queries.product.fragmentType ?? `object_${upperFirst(queries.product.className ?? 'Product')}`;
    const system = 'id key fullpath published objectType @optional';
    const localised = localisedFields('product', { nameField, slugField, descriptionField });
    const sells = pipelines.productSync.syncVariants;
    const hasVariants = sync.includeVariants && mapping.product.variantsField !== null;
    const variant = `id key published ${soldFields(options)} ${localisedFields('product', { nameField })}`;
    return [
        system,
        localised,
        slugField === SLUG_ELSE ? '' : `${SLUG_ELSE} ${IF_ANY} @languages`,
        sells ? soldFields(options) : '',
        `parent @optional { ... on ${type} { id } }`,
        sells && hasVariants ? `${variantsIn(mapping.product.variantsField)} { ... on ${type} { ${variant} } }` : '',
        assetsField === null ? '' : `${assetsField} { ... on asset { id fullpath } }`,
    ].join(' ');
}

/** The variants that an object of the PIM has are among its children; a relation of another name is a field of the class. */
function variantsIn(field: string | null | undefined): string {
    return field === undefined
        ? `${USUAL_MAPPING.product.variantsField!}: children(objectTypes: ["variant"])`
        : String(field);
}

function soldFields({ mapping }: PimOptions): string {
    const { skuField, priceField, stockQuantityField, enabledField } = mapping.product;
    const usual = USUAL_MAPPING.product;
    return [
        ownField(skuField, usual.skuField),
        skuField === SKU_ELSE ? '' : `${SKU_ELSE} ${IF_ANY}`,
        ownField(priceField, usual.priceField),
        ownField(stockQuantityField, usual.stockQuantityField),
        enabledField === 'published' ? '' : ownField(enabledField, usual.enabledField),
    ].join(' ');
}

function categorySelection(options: PimOptions): string {
    const { mapping, queries } = options;
    const { nameField, slugField, descriptionField, parentField, positionField } = mapping.category;
    const usual = USUAL_MAPPING.category;
    const type = queries.category.fragmentType ?? `object_${upperFirst(queries.category.className ?? 'Category')}`;
    const texts = (fields: Parameters<typeof localisedFields>[1]): string => localisedFields('category', fields);
    const parent = `id key fullpath published ${texts({ nameField, slugField })}`;
    return [
        'id key fullpath published index @optional',
        texts({ nameField, slugField, descriptionField }),
        positionField === 'index' ? '' : ownField(positionField, usual.positionField),
        parentField === null ? '' : `${parentField} { ... on ${type} { ${parent} } }`,
    ].join(' ');
}

/** In every language. A field with its default name may be missing in the schema; a configured field may not. */
function localisedFields(
    entity: 'product' | 'category',
    fields: Readonly<Partial<Record<'nameField' | 'slugField' | 'descriptionField', string | null>>>,
): string {
    const usual = USUAL_MAPPING[entity];
    return Object.entries(fields)
        .map(([name, field]) => {
            const text = ownField(field, usual[name as 'nameField']);
            return text === '' ? '' : `${text} @languages`;
        })
        .join(' ');
}

function ownField(field: string | null, usual: string | null): string {
    if (field === null) return '';
    return field === usual ? `${field} @optional` : field;
}

function within(type: string | undefined, selection: string): string {
    return type === undefined ? selection : `... on ${type} { ${selection} }`;
}

function upperFirst(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
