import { Permission } from '@vendure/core';
import { unpadded } from '../../core/data/unpadded';
import { pathOf } from '../../core/data/path';
import { explained } from '../../core/errors/record-invalid';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import type { ShopReference, TaxCategoryFacts } from '../lookup/reference';
import type { DesiredVariant, FacetReference, DesiredLevel } from './desired';
import { known, quoted } from '../entities/record-issues';
import { foldName } from '../../core/data/fold-name';
import { readsDelete } from '../entities/operation';
import type { LoadFieldNames } from './load-config';
import type { FieldReader, PriceRange, TextLimit } from '../entities/read-field';
import { type ReadTexts, readTexts, type TextFields } from '../entities/read-texts';
import { type DesiredAssets, NO_ASSETS, readAssets } from '../entity-assets/read-assets';
import type { ImageOptions } from '../asset-import/requested-image';

/** What is needed to read a record. */
export interface RecordRules {
    readonly reference: ShopReference;
    readonly product: TextFields;
    readonly variant: TextFields;
    /** How addresses of pictures are read; undefined for loads that take none. */
    readonly pictures: ImageOptions | undefined;
    /** The limit of the SKU's column. */
    readonly skuLimit: TextLimit | undefined;
    readonly prices: PriceRange;
    /** Largest number that the stock column takes. */
    readonly maxStock: number;
}

const TRACKING = ['TRUE', 'FALSE', 'INHERIT'];

interface VariantPlace {
    readonly names: LoadFieldNames;
    readonly isFlat: boolean;
}

/** Reads a variant from a variant record, from a product record's list, or from a product record's top level. */
export function readVariant(
    reader: FieldReader,
    rules: RecordRules,
    { names, isFlat }: VariantPlace,
): DesiredVariant | undefined {
    const before = reader.faults.count;
    const { reference } = rules;
    if (!reader.has(names.sku)) reader.wrong(names.sku, 'is missing; a variant is found by its SKU');
    const sku = reader.key(names.sku, rules.skuLimit);
    const { texts, custom } = isFlat
        ? NOTHING
        : readTexts(reader, { fields: rules.variant, names, channel: channelOf(rules) });
    const isDelete = !isFlat && readsDelete(reader, reference.deleting);
    const gallery = isFlat ? NO_ASSETS : assetsIn(reader, rules, names);
    const variant = {
        isDelete,
        path: reader.path(''),
        names,
        isFlat,
        sku: sku ?? '',
        texts,
        enabled: isFlat ? undefined : reader.flag(names.enabled),
        prices: pricesIn(reader, rules, names),
        stock: stockIn(reader, rules, names.stock),
        taxCategory: readTaxCategory(reader, reference, names.taxCategory),
        trackInventory: readTracking(reader, names.trackInventory),
        options: readOptions(reader, names.options),
        facetValues: isFlat ? undefined : readFacetValues(reader, names.facetValues),
        gallery: isDelete ? NO_ASSETS : gallery,
        custom,
        productSlug: isFlat ? undefined : reader.unpadded(names.productSlug),
    };
    return reader.faults.count > before ? undefined : variant;
}

/** The run's channel, as far as reading texts needs it. */
export function channelOf({ reference: { channel, language, languages } }: Pick<RecordRules, 'reference'>) {
    return { code: channel.code, language, languages };
}

/** The assets that a record gives. */
export function assetsIn(reader: FieldReader, { pictures }: RecordRules, names: LoadFieldNames): DesiredAssets {
    return pictures ? readAssets(reader, names, pictures) : NO_ASSETS;
}

const NOTHING: ReadTexts = { texts: new Map(), custom: undefined };

/** The prices in a record, by currency; null removes one. */
export function pricesIn(
    reader: FieldReader,
    { reference, prices: range }: Pick<RecordRules, 'reference' | 'prices'>,
    names: Pick<LoadFieldNames, 'price' | 'prices'>,
): ReadonlyMap<string, number | null> {
    const { channel } = reference;
    const prices = new Map<string, number | null>();
    const price = reader.money(names.price, range);
    if (price !== undefined) prices.set(channel.defaultCurrency, price);
    const inside = reader.inside(names.prices);
    for (const currency of Object.keys(inside?.data ?? {})) {
        if (!channel.currencies.includes(currency))
            inside!.wrong(currency, `is not a currency of channel ${channel.code}; ${known(channel.currencies)}`);
        // In its default currency a channel cannot do without a price.
        const isNone = inside!.data[currency] === null && currency !== channel.defaultCurrency;
        const value = isNone ? null : inside!.money(currency, range);
        if (value === undefined) continue;
        if (prices.has(currency) && prices.get(currency) !== value)
            inside!.wrong(currency, `is ${value}, but ${names.price} is ${prices.get(currency)}`);
        prices.set(currency, value);
    }
    return prices;
}

/** The stock that a record gives: a plain number for one location, or a number for each. */
export function stockIn(
    reader: FieldReader,
    { reference, maxStock, plainLocation: location = reference.defaultLocation }: StockRules,
    field: string,
): readonly DesiredLevel[] {
    const value = reader.data[field];
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null) {
        const quantity = reader.whole(field, maxStock);
        if (quantity === undefined) return [];
        if (!location) {
            reader.wrong(field, 'has nowhere to go: the shop has no stock location');
            return [];
        }
        return [{ locationId: location.id, location: location.name, quantity, isPlain: true }];
    }
    const levels: DesiredLevel[] = [];
    const inside = reader.inside(field);
    for (const name of Object.keys(inside?.data ?? {})) {
        const { channel } = reference;
        const location =
            channel.locations.find(l => l.name === name) ??
            channel.locations.find(l => l.publicId === name) ??
            channel.locations.find(l => String(l.id) === name) ??
            channel.locations.find(l => foldName(l.name) === foldName(name));
        if (!location)
            inside!.wrong(
                name,
                `is not a stock location of channel ${channel.code}; ${known(channel.locations.map(l => l.name))}`,
            );
        else if (levels.some(level => level.locationId === location.id))
            inside!.wrong(name, `names the stock location ${quoted(location.name)} a second time`);
        const quantity = inside!.data[name] === null ? null : inside!.whole(name, maxStock);
        if (location && quantity !== undefined)
            levels.push({ locationId: location.id, location: location.name, quantity, isPlain: false });
    }
    return levels;
}

interface StockRules extends Pick<RecordRules, 'reference' | 'maxStock'> {
    /** The location for a plain number. Default: the shop's first location. */
    readonly plainLocation?: ShopReference['defaultLocation'];
}

function readTaxCategory(
    reader: FieldReader,
    { taxCategories }: ShopReference,
    field: string,
): TaxCategoryFacts | undefined {
    const name = reader.text(field);
    if (name === undefined) return undefined;
    const found =
        taxCategories.find(category => category.name === name) ??
        taxCategories.find(category => foldName(category.name) === foldName(name));
    return (
        found ??
        reader.wrong(
            field,
            explained('is {value}, which is not a tax category; {known}', {
                value: quoted(name),
                known: known(taxCategories.map(category => category.name)),
            }),
        )
    );
}

function readTracking(reader: FieldReader, field: string): string | undefined {
    const value = reader.data[field];
    if (value === undefined) return undefined;
    const flag = typeof value === 'boolean' ? String(value).toUpperCase() : value;
    if (TRACKING.includes(flag as string)) return flag as string;
    return reader.refuseFlag(field, `, or the texts ${TRACKING.join(', ')}`);
}

function readOptions(reader: FieldReader, field: string): ReadonlyMap<string, string> | undefined {
    const inside = reader.inside(field);
    if (!inside) return undefined;
    const options = new Map<string, string>();
    for (const group of Object.keys(inside.data)) {
        const option = inside.key(group);
        const name = unpadded(group);
        if (name === '') inside.wrong(group, 'has no name; allowed: the name or code of an option group');
        else if (options.has(name)) inside.wrong(group, 'comes twice; blanks round it make no difference');
        else if (option !== undefined) options.set(name, option);
        if (name !== group) reader.faults.trimmed ??= { path: inside.path(group), value: group };
    }
    return options;
}

/** The facet values that a record names: a list of "facet:value", or an object with one value or a list for each facet. */
export function readFacetValues(reader: FieldReader, field: string): readonly FacetReference[] | undefined {
    if (isJsonObject(reader.data[field])) return readValuesByFacet(reader, field);
    const texts = reader.texts(field);
    if (!texts) return undefined;
    const list = reader.path(field);
    const found: FacetReference[] = [];
    for (const [place, text] of texts.entries()) {
        const at = text.indexOf(':');
        const facet = unpadded(text.slice(0, at));
        const value = unpadded(text.slice(at + 1));
        if (at > 0 && facet !== '' && value !== '')
            found.push({ list, place, text: `${facet}:${value}`, facet, value });
        else reader.faults.add(`${list}.${place}`, `is ${quoted(text)}; allowed: "facet:value"`, text as JsonValue);
    }
    return found;
}

function readValuesByFacet(reader: FieldReader, field: string): readonly FacetReference[] {
    const inside = reader.inside(field)!;
    const found = new Map<string, FacetReference>();
    for (const [name, given] of Object.entries(inside.data)) {
        const place = pathOf(name);
        const facet = unpadded(name);
        const list = inside.path(place);
        if (given === null) continue;
        if (facet === '' || facet.includes(':')) {
            const allowed = 'allowed: the code or name of a facet, without a colon';
            reader.faults.add(list, `is the facet ${quoted(name)}; ${allowed}`, given);
            continue;
        }
        const add = (value: string, at: Pick<FacetReference, 'list' | 'place'>): void => {
            const text = `${facet}:${value}`;
            if (!found.has(text)) found.set(text, { ...at, text, facet, value });
        };
        if (Array.isArray(given))
            for (const [i, value] of inside.texts(name)?.entries() ?? []) add(value, { list, place: i });
        else {
            const value = inside.key(name);
            if (value !== undefined) add(value, { list: reader.path(field), place });
        }
    }
    return [...found.values()];
}

/**
 * The permissions of a load that creates and changes products: both. Those for products alone are not sufficient, because it also writes option
 * groups, facets, prices and stock. The permission to delete is checked for each record.
 */
export const CATALOGUE_PERMISSIONS: readonly string[] = [Permission.UpdateCatalog, Permission.CreateCatalog];
