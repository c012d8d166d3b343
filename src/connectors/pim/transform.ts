import { recordInvalid, valueInvalid } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { buildTranslations, extractLocalizedValue, generateSlug, type PimTexts, pimText } from './localized';
import { amountIn, flagOf, wholeIn } from './node-values';
import { type AssetMapping, type CategoryMapping, type ProductMapping, USUAL_MAPPING } from './mapping';

/** The languages of texts, and the one outside of `translations`. */
interface TextOptions {
    /** Of the response; default `en`. */
    readonly defaultLanguage?: string | undefined;
    /** The channel's languages, its default language first. Default: none. */
    readonly languages?: readonly string[] | undefined;
    /** The base URL of file paths: https://pim.example.com. Default: the `_origin` of the node. */
    readonly baseUrl?: string | undefined;
}

export interface ProductOptions extends TextOptions {
    readonly mapping?: Partial<ProductMapping> | undefined;
    /** If false, the product becomes one variant, whatever variants it has. */
    readonly includeVariants?: boolean | undefined;
    /** False leaves SKU, price, stock and variants out. */
    readonly syncVariants?: boolean | undefined;
    /**
     * Includes unpublished variants as disabled ones. Without it they are left out, unless no variant is published:
     * then all are included as disabled.
     */
    readonly includeUnpublished?: boolean | undefined;
}

export interface CategoryOptions extends TextOptions {
    readonly mapping?: Partial<CategoryMapping> | undefined;
    /** Children directly below this path are at the top level. */
    readonly rootPath?: string | undefined;
}

export interface AssetOptions {
    readonly mapping?: Partial<AssetMapping> | undefined;
    readonly baseUrl?: string | undefined;
}

/** The option group of products that have variants at the PIM, which knows no options. */
export const VARIANT_GROUP = 'Variant';

/**
 * Converts a product of the PIM to the input of productUpsert, plus its `pimId`: slug, name, description, translations, enabled, and SKU, price and
 * stock of its one variant or a list of variants. Prices become whole minor units. Throws RECORD_INVALID with the field.
 */
export function transformProduct(node: JsonObject, options: ProductOptions = {}): JsonObject {
    const pimId = pimIdOf(node);
    const { includeVariants = true, syncVariants = true, languages = [] } = options;
    const mapping = { ...USUAL_MAPPING.product, ...options.mapping };
    const { nameField: name, slugField: slug, descriptionField: description } = mapping;
    const texts = textsOf(node, { name, slug, description }, options);
    const slugText = texts.slug ?? generateSlug(fieldText(node, 'urlKey', options) ?? '');
    const given = slugText === '' ? undefined : slugText;
    const enabled = flagOf(node, mapping.enabledField);
    const { assetsField } = mapping;
    return {
        pimId,
        slug: given ?? sluggedBy(texts.name, node),
        name: texts.name,
        ...(texts.description !== undefined && { description: texts.description }),
        ...translationsOf(node, { name, slug, description }, languages),
        ...(enabled !== undefined && { enabled }),
        ...(assetsField !== null &&
            node[assetsField] !== undefined && { assets: picturesOf(node, assetsField, options) }),
        ...(syncVariants && sellableOf(node, { ...options, mapping, includeVariants })),
    };
}

/**
 * Converts a category of the PIM to the input of collectionUpsert, plus its `pimId`; `parent` is the slug of the parent category. Throws
 * RECORD_INVALID with the field.
 */
export function transformCategory(node: JsonObject, options: CategoryOptions = {}): JsonObject {
    const pimId = pimIdOf(node);
    const mapping = { ...USUAL_MAPPING.category, ...options.mapping };
    const { nameField: name, slugField: slug, descriptionField: description, parentField, positionField } = mapping;
    const texts = textsOf(node, { name, slug, description }, options);
    const published = flagOf(node, 'published');
    const position = wholeIn(node, positionField) ?? wholeIn(node, 'index');
    const { languages = [] } = options;
    return {
        pimId,
        slug: categorySlug(node, options),
        name: texts.name,
        ...(texts.description !== undefined && { description: texts.description }),
        ...translationsOf(node, { name, slug, description }, languages),
        ...(parentField !== null &&
            node[parentField] !== undefined && { parent: parentSlug(node[parentField], options) }),
        ...(position !== undefined && { position }),
        ...(published !== undefined && { isPrivate: !published }),
    };
}

/**
 * Converts an asset of the PIM to the input of assetImport, plus its `pimId`: its full address and its name. Throws RECORD_INVALID with the field.
 */
export function transformAsset(node: JsonObject, options: AssetOptions = {}): JsonObject {
    const pimId = pimIdOf(node);
    const { urlField, filenameField } = { ...USUAL_MAPPING.asset, ...options.mapping };
    const url = addressOf(pimText(node[urlField]), node, options.baseUrl);
    if (url === undefined)
        throw valueInvalid(urlField, node[urlField], 'is not an address; allowed: a path of the PIM, or a whole URL');
    const name = pimText(node[filenameField]);
    return { pimId, url, ...(name !== undefined && { name }) };
}

/** The id of a node, as text. */
export function pimIdOf({ id }: JsonObject): string {
    const text = pimText(id);
    if (text === undefined) throw valueInvalid('id', id, 'is not an ID of the PIM');
    return text;
}

interface OwnTexts {
    readonly name: string;
    readonly slug: string | undefined;
    readonly description: string | undefined;
}

/** Those in the channel's own language, or else in that of the response. */
function textsOf(node: JsonObject, fields: PimTexts, options: TextOptions): OwnTexts {
    const { languages: [own] = [] } = options;
    const inOwn = own === undefined ? undefined : buildTranslations(node, fields, [own])[own];
    const name = inOwn?.name ?? fieldText(node, fields.name, options) ?? pimText(node['key']);
    if (name === undefined) throw recordInvalid(fields.name, 'is missing, and so is the key; one of them is the name');
    const slug = generateSlug(textIn(inOwn?.['slug']) ?? fieldText(node, fields.slug, options) ?? '');
    return {
        name,
        slug: slug === '' ? undefined : slug,
        description:
            textIn(inOwn?.['description']) ?? fieldText(node, fields.description, options) ?? emptyIn(node, fields),
    };
}

/** What was emptied at the PIM is to be empty. */
function emptyIn(node: JsonObject, { description }: PimTexts): '' | undefined {
    return typeof description === 'string' && Object.hasOwn(node, description) ? '' : undefined;
}

function textIn(value: JsonValue | undefined): string | undefined {
    return typeof value === 'string' ? value : undefined;
}

function fieldText(
    node: JsonObject,
    field: string | null | undefined,
    { defaultLanguage = 'en', languages: [own] = [] }: TextOptions,
): string | undefined {
    if (field === null || field === undefined || !Object.hasOwn(node, field)) return undefined;
    return extractLocalizedValue(node[field], own ?? defaultLanguage, defaultLanguage);
}

/** In the languages other than the channel's default one. */
function translationsOf(node: JsonObject, fields: PimTexts, [, ...others]: readonly string[]): JsonObject {
    const translations = buildTranslations(node, fields, others);
    return Object.keys(translations).length === 0 ? {} : { translations };
}

function sluggedBy(name: string, node: JsonObject): string {
    const slug = generateSlug(name) || generateSlug(pimText(node['key']) ?? '');
    if (slug === '') throw valueInvalid('name', name, 'has no letter or digit for a slug');
    return slug;
}

interface VariantsOptions extends ProductOptions {
    readonly mapping: ProductMapping;
    readonly includeVariants: boolean;
}

function sellableOf(node: JsonObject, options: VariantsOptions): JsonObject {
    const { variantsField } = options.mapping;
    const variants = options.includeVariants && variantsField !== null ? variantsIn(node, variantsField, options) : [];
    if (variants.length === 0) return sold(node, options, '');
    return { optionGroups: [VARIANT_GROUP], variants };
}

function variantsIn(node: JsonObject, field: string, options: VariantsOptions): readonly JsonObject[] {
    const list = node[field];
    if (list === undefined || list === null) return [];
    if (!Array.isArray(list)) throw valueInvalid(field, list, 'is not a list of variants');
    const { mapping, includeUnpublished = false } = options;
    const all = (list as readonly JsonValue[]).flatMap((one, i) => {
        // Children of other classes are empty objects.
        if (!isJsonObject(one) || (one['id'] === undefined && one[mapping.skuField] === undefined)) return [];
        const path = `${field}.${i}.`;
        return [{ node: one, path, isShown: flagOf(one, mapping.enabledField, path) !== false }];
    });
    const isWanted = includeUnpublished ? () => true : ({ isShown }: { readonly isShown: boolean }) => isShown;
    const desired = all.filter(isWanted);
    // Where none is published none is to be sold, and neither is the product in their place.
    return (desired.length === 0 ? all : desired).map(one => variantOf(one.node, options, one.path));
}

function variantOf(node: JsonObject, options: VariantsOptions, path: string): JsonObject {
    const { mapping, languages = [] } = options;
    const { nameField: name, enabledField } = mapping;
    const pimId = pimText(node['id']);
    const enabled = flagOf(node, enabledField, path);
    const variant = sold(node, options, path);
    return {
        ...(pimId !== undefined && { pimId }),
        ...variant,
        name: textsOf({ key: variant['sku']!, ...node }, { name }, options).name,
        ...translationsOf(node, { name }, languages),
        ...(enabled !== undefined && { enabled }),
        options: { [VARIANT_GROUP]: pimText(node['key']) ?? String(variant['sku']) },
    };
}

/** SKU, price and stock. */
function sold(node: JsonObject, { mapping, ...options }: VariantsOptions, path: string): JsonObject {
    const { skuField, priceField, stockQuantityField } = mapping;
    const sku = fieldText(node, skuField, options) ?? pimText(node['itemNumber']) ?? pimText(node['key']);
    if (sku === undefined)
        throw recordInvalid(path + skuField, 'is missing, and so are itemNumber and key; one of them is the SKU');
    const price = amountIn(node, priceField, { path, places: 2, what: 'price' });
    const stock = amountIn(node, stockQuantityField, { path, places: 0, what: 'stock level' });
    return { sku, ...(price !== undefined && { price }), ...(stock !== undefined && { stock }) };
}

/** By the slug field, else by the key. */
function categorySlug(node: JsonObject, options: CategoryOptions = {}, path = ''): string {
    const { slugField } = { ...USUAL_MAPPING.category, ...options.mapping };
    const { languages: [own] = [] } = options;
    const inOwn = own === undefined ? undefined : buildTranslations(node, { name: slugField ?? 'key' }, [own])[own];
    const given = inOwn?.name ?? fieldText(node, slugField, options) ?? pimText(node['key']) ?? '';
    const slug = generateSlug(given);
    if (slug === '') throw recordInvalid(path + (slugField ?? 'key'), 'is missing, and no slug can be made of the key');
    return slug;
}

/** null at the top level, because folders are not categories. */
function parentSlug(parent: JsonValue | undefined, options: CategoryOptions): string | null {
    const text = pimText(parent);
    if (text !== undefined) return generateSlug(text);
    if (!isJsonObject(parent) || parent['id'] === undefined) return null;
    const { fullpath } = parent;
    const root = options.rootPath?.replace(/\/+$/, '');
    return root !== undefined && fullpath === root ? null : categorySlug(parent, options, 'parent.');
}

function picturesOf(node: JsonObject, field: string, { baseUrl }: TextOptions): readonly string[] {
    const given = node[field];
    const all = Array.isArray(given) ? (given as readonly JsonValue[]) : [given];
    return all.flatMap(one => {
        const picture = isJsonObject(one) && isJsonObject(one['image']) ? one['image'] : one;
        const place = isJsonObject(picture) ? pimText(picture['fullpath']) : pimText(picture);
        return addressOf(place, node, baseUrl) ?? [];
    });
}

/** A full address unchanged; a path of the PIM after its origin, with each part encoded. */
function addressOf(
    place: string | undefined,
    { _origin }: JsonObject,
    baseUrl: string | undefined,
): string | undefined {
    if (place === undefined) return undefined;
    if (/^https?:\/\//i.test(place)) return URL.canParse(place) ? place : undefined;
    const base = baseUrl ?? pimText(_origin);
    if (base === undefined || !URL.canParse(base)) return undefined;
    const path = place
        .split('/')
        .map(part => encodeURIComponent(Buffer.from(part).toString()))
        .join('/');
    return `${new URL(base).origin}/${path.replace(/^\/+/, '')}`;
}
