import { isJsonObject, type JsonObject } from '../../core/value/json';
import { VARIANT_GROUP } from './transform';

/** What a product was last loaded as. */
export interface KnownProduct {
    readonly slug: string;
    /** Its SKUs; it is found by the first. */
    readonly skus: readonly string[];
    /** It has the option group of variants, which it keeps. */
    readonly isGrouped: boolean;
}

/** What happens to products that are missing from the PIM. */
export type PrunedProduct = 'NONE' | 'DISABLE' | 'DELETE';

export function readKnown(value: unknown): KnownProduct | undefined {
    const stored = value as KnownProduct | undefined | null;
    return stored && Array.isArray(stored.skus) ? stored : undefined;
}

interface Following {
    readonly missing: PrunedProduct;
    readonly languages: readonly string[];
    /**
     * SKUs that the shop already has for other products of the PIM: a new product must not be matched by one of them.
     */
    readonly foreign?: ReadonlyMap<string, string> | undefined;
}

/**
 * Merges a product with its previous state: its identifying SKU comes first, whatever happened to that variant, and missing variants are disabled
 * or deleted.
 */
export function referencedProduct(
    product: JsonObject,
    known: KnownProduct | undefined,
    { missing, foreign = new Map() }: Following,
): { readonly data: JsonObject; readonly known: KnownProduct } {
    const slug = String(product['slug']);
    const { sku, price, stock, variants, optionGroups: _, ...rest } = product;
    // Without its variants it is found by its slug.
    if (sku === undefined && variants === undefined)
        return { data: product, known: { slug, skus: known?.skus ?? [], isGrouped: known?.isGrouped ?? false } };
    const listed = (variants ?? []) as readonly JsonObject[];
    const isGrouped = listed.length > 0 || known?.isGrouped === true;
    const flat = {
        ...(sku !== undefined && { sku }),
        ...(price !== undefined && { price }),
        ...(stock !== undefined && { stock }),
    };
    const before = known?.skus ?? [];
    const own =
        listed.length > 0 ? listed.map(({ pimId: _id, ...variant }) => variant) : [asVariant(flat, product, isGrouped)];
    const now = new Map(own.map(variant => [String(variant['sku']), variant]));
    const left = before.filter(one => !now.has(one));
    if (!isGrouped && left.length === 0)
        return { data: { ...rest, ...flat }, known: { slug, skus: [String(sku)], isGrouped } };
    // A single variant has no options, so it must be removed before another one replaces it.
    const wasAlone = known !== undefined && !known.isGrouped;
    const isDeleted = wasAlone || missing === 'DELETE';
    const [first] = before;
    const gone = left.flatMap((one): readonly JsonObject[] => {
        if (isDeleted) return [{ sku: one, __operation: 'DELETE' }];
        if (missing === 'DISABLE') return [{ sku: one, enabled: false }];
        return one === first ? [{ sku: one }] : [];
    });
    const all = [...own, ...gone];
    const rank = ({ sku }: JsonObject): number =>
        first === undefined ? Number(foreign.has(String(sku))) : Number(sku !== first);
    const ordered = [...all].sort((a, b) => rank(a) - rank(b));
    const skus = ordered.filter(one => one['__operation'] !== 'DELETE').map(one => String(one['sku']));
    return {
        data: { ...rest, ...(isGrouped && { optionGroups: [VARIANT_GROUP] }), variants: ordered },
        known: { slug, skus, isGrouped },
    };
}

/** The record for a missing product, with the field by which it is found. */
export function prunedProduct(
    id: string,
    { slug, skus: [sku] }: KnownProduct,
    { missing, bySku }: { readonly missing: 'DISABLE' | 'DELETE'; readonly bySku: boolean },
): JsonObject {
    const key: JsonObject = bySku && sku !== undefined ? { sku } : { slug };
    return { pimId: id, ...key, ...(missing === 'DELETE' ? { __operation: 'DELETE' } : { enabled: false }) };
}

/** The product itself as one of its variants. */
function asVariant(flat: JsonObject, { name, translations }: JsonObject, isGrouped: boolean): JsonObject {
    const named = isJsonObject(translations)
        ? Object.fromEntries(
              Object.entries(translations).map(([language, texts]) => [
                  language,
                  { name: (texts as JsonObject)['name']! },
              ]),
          )
        : undefined;
    return {
        ...flat,
        name: name!,
        ...(named && { translations: named }),
        ...(isGrouped && { options: { [VARIANT_GROUP]: flat['sku']! } }),
    };
}
