import { assignByScore } from './assignment';
import { headerKeyOf, readHeaderName, type HeaderName } from './header-names';
import { buildFieldSynonyms, scoreHeader, type FieldSynonyms } from './header-score';
import {
    CHANGING_WORDS,
    FREE_STOCK_WORDS,
    FIRST_PICTURE_WORDS,
    OTHER_PICTURE_WORDS,
    OWNER_WORDS,
    PICTURE_WORDS,
    LOCATION_WORDS,
    SHARED_SIGNS,
    SUPPLIER_WORDS,
    TAX_CODE_WORDS,
    TITLE_WORDS,
} from './header-terms';
import type { ImportTarget } from './import-plan';
import type { ImportColumn, ImportProfile } from './import-profile';
import type { Confidence, ImportShop, SuggestionReason } from './import-suggestion';
import { TARGET_FIELDS, type FieldShape, type TargetField } from './target-fields';
import { hasShortTexts, scoreValues, scoreValuesAlone, scoreWithoutHeader } from './value-score';
import { taxCategoryOf } from './field-conversions';

/** A column with what its name says. */
export interface NamedColumn {
    readonly column: ImportColumn;
    readonly name: HeaderName;
    readonly key: string;
    readonly currency?: string | undefined;
    readonly language?: string | undefined;
}

/** A field, or the part of a field for one language or currency, that takes a column. */
interface FieldSlot {
    readonly field: TargetField;
    /** The path in the plan: `name`, `name.de`, `price.USD`, `customFields.ean`. */
    readonly path: string;
    readonly names: FieldSynonyms;
    readonly language?: string | undefined;
    readonly currency?: string | undefined;
    /** Of a facet that the shop has. */
    readonly facetValues?: readonly string[];
}

interface PairScore {
    readonly score: number;
    readonly reason: SuggestionReason;
}

/** A column that was chosen for a slot. */
export interface ColumnMatch {
    readonly slot: FieldSlot;
    readonly column: NamedColumn;
    readonly score: number;
    readonly confidence: Confidence;
    readonly reason: SuggestionReason;
}

/** The columns that were chosen for the fields of a target. */
export interface TargetMatch {
    readonly target: ImportTarget;
    readonly slots: readonly FieldSlot[];
    readonly matches: readonly ColumnMatch[];
    /** The score of a column for a slot, 0 to 1. */
    scoreOf(column: NamedColumn, slot: FieldSlot): number;
}

/** A pair with a lower score is not assigned. */
const LEAST = 0.55;
const HIGH = 0.8;
/** The most columns that are chosen for one field. */
const MAX_MANY = 60;
/** How much better than the next candidate a match has to be for high confidence. */
const LEAD = 0.12;
const WEIGHTS = { header: 0.5, values: 0.25, shop: 0.2 } as const;
/** The most that a column gets if its header means something else. */
const OTHER_MEANING = 0.5;
const TAX_BONUS = 0.03;
/** The most that the main picture gets as one of several. */
const MAIN_PICTURE = 0.6;
/** A smaller share of known values says nothing. */
export const LEAST_KNOWN = 0.05;
const FEWEST_OF_SHOP = 0.5;
/** Of a description that is taken for the name. */
const MOVED = 0.75;

/** The columns of a profile with their names read, in the order of their names: the order of the file has no influence on the mapping. */
export function nameColumns(profile: ImportProfile, shop: ImportShop): readonly NamedColumn[] {
    return profile.columns
        .map(column => {
            const name = readHeaderName(column.name);
            const currency = currencyIn(shop, name.currency ?? column.currency);
            return {
                column,
                name,
                key: headerKeyOf(column.name),
                currency,
                language: name.language ?? column.language,
            };
        })
        .sort((a, b) => compareNames(a.column.name, b.column.name));
}

/** The currency of a column if the shop has it. */
export function currencyOfShop({ currency }: NamedColumn, { currencies }: ImportShop): string | undefined {
    return currency !== undefined && currencies.includes(currency) ? currency : undefined;
}

/** Names in the order of their letters, with numbers in the order of their value: `image 2` is before `image 10`. */
export function compareNames(a: string, b: string): number {
    const padded = (text: string) => text.replace(/\d+/g, digits => digits.padStart(12, '0'));
    const [x, y] = [padded(a), padded(b)];
    return x < y ? -1 : x > y ? 1 : 0;
}

/** `$` and `kr` mean the currency of the shop that is written so. */
function currencyIn(shop: ImportShop, currency: string | undefined): string | undefined {
    if (currency === undefined || shop.currencies.includes(currency)) return currency;
    const shared = SHARED_SIGNS.find(codes => codes.includes(currency));
    return shared?.find(code => shop.currencies.includes(code)) ?? currency;
}

/** A file whose columns are matched, and the shop. */
export interface MatchedFile {
    readonly columns: readonly NamedColumn[];
    readonly profile: ImportProfile;
    readonly shop: ImportShop;
    /** Of texts without a language in their header. */
    readonly language: string;
}

/** Chooses the columns for the fields of a target, so that the sum of all scores is highest. */
export function matchTarget(target: ImportTarget, file: MatchedFile): TargetMatch {
    const { columns, profile, shop, language } = file;
    const single = buildSlots(target, file);
    const hasHeader = !(profile.facts.headerRow === null && ['CSV', 'XLSX'].includes(profile.facts.format));
    const context = { profile, shop, hasHeader, language };
    const each = scoreAll(columns, single, context);
    // Fields that take several columns have a slot for each column that fits.
    const fitting = (i: number): number => Math.min(MAX_MANY, each.filter(row => row[i]!.score >= LEAST).length);
    const order = single.flatMap((slot, i) => new Array<number>(slot.field.isMany === true ? fitting(i) : 1).fill(i));
    const slots = order.map(i => single[i]!);
    const pairs = each.map(row => order.map(i => row[i]!));
    const scores = pairs.map(row => row.map(({ score }) => score));
    const assigned = moveDescription({ assigned: assignByScore(scores, LEAST), columns, slots, scores });
    const matches = assigned.flatMap((slot, i) =>
        slot < 0
            ? []
            : [
                  {
                      slot: slots[slot]!,
                      column: columns[i]!,
                      score: scores[i]![slot]!,
                      confidence: confidenceOf(i, slot, { assigned, scores, slots, columns }),
                      reason: pairs[i]![slot]!.reason,
                  },
              ],
    );
    return {
        target,
        slots: single,
        matches,
        scoreOf: (column, slot) => each[columns.indexOf(column)]?.[single.indexOf(slot)]?.score ?? 0,
    };
}

/** The slots of a target's fields: one for each language and currency of the headers. */
function buildSlots(target: ImportTarget, { columns, shop, language }: MatchedFile): readonly FieldSlot[] {
    const languages = new Set(columns.flatMap(({ language: code }) => (code === undefined ? [] : [code])));
    const others = [...languages].filter(code => code !== language && shop.languages.includes(code)).sort();
    const currencies = new Set(columns.flatMap(({ currency }) => (currency === undefined ? [] : [currency])));
    const foreign = [...currencies]
        .filter(code => code !== shop.defaultCurrency && shop.currencies.includes(code))
        .sort();
    return targetFields(target, shop).flatMap(({ field, names, facetValues }) => {
        const slot: FieldSlot = {
            field,
            path: field.field,
            names,
            ...(facetValues === undefined ? {} : { facetValues }),
        };
        if (field.isTranslated === true && field.destination === 'FIELD')
            return [slot, ...others.map(code => ({ ...slot, path: `${field.field}.${code}`, language: code }))];
        if (field.isMoney === true)
            return [slot, ...foreign.map(code => ({ ...slot, path: `${field.field}.${code}`, currency: code }))];
        return [slot];
    });
}

interface NamedField {
    readonly field: TargetField;
    readonly names: FieldSynonyms;
    readonly facetValues?: readonly string[];
}

/** The fields of a target with those that the shop adds: custom fields and facets. */
function targetFields(target: ImportTarget, shop: ImportShop): readonly NamedField[] {
    const base = TARGET_FIELDS[target].map(field => ({
        field,
        names: buildFieldSynonyms(field.synonyms, [field.field, field.synonyms], shop.synonyms?.[field.synonyms]),
    }));
    const custom = customFields(target, shop, base);
    const replaced = new Set(custom.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces])));
    const facets = target === 'PRODUCTS' ? facetFields(shop, base) : [];
    return [...base.filter(({ field }) => !replaced.has(field.field)), ...custom.map(({ named }) => named), ...facets];
}

const ENTITIES: Readonly<
    Partial<Record<ImportTarget, ReadonlyArray<{ readonly entity: string; readonly prefix: string }>>>
> = {
    PRODUCTS: [
        { entity: 'Product', prefix: 'customFields' },
        { entity: 'ProductVariant', prefix: 'variants.0.customFields' },
    ],
    CUSTOMERS: [{ entity: 'Customer', prefix: 'customFields' }],
    COLLECTIONS: [{ entity: 'Collection', prefix: 'customFields' }],
};

/** Custom fields of the shop. One with the meaning of a known field, such as `gtin`, has its synonyms and takes its place. */
function customFields(
    target: ImportTarget,
    shop: ImportShop,
    base: readonly NamedField[],
): ReadonlyArray<{ readonly named: NamedField; readonly replaces?: string }> {
    const concepts = base.filter(({ field }) => field.destination !== 'FIELD' && field.destination !== 'GROUP');
    return (ENTITIES[target] ?? []).flatMap(({ entity, prefix }) =>
        shop.customFields
            .filter(custom => custom.entity === entity)
            .map(({ name, label, type }) => {
                const keys = [headerKeyOf(name), headerKeyOf(label)].map(text => text.replaceAll(' ', ''));
                const meant = concepts.find(({ names }) =>
                    keys.some(key => names.exact.has(key) || names.byJoined.has(key)),
                );
                const field: TargetField = {
                    field: `${prefix}.${name}`,
                    synonyms: meant?.field.synonyms ?? name,
                    shape: meant?.field.shape ?? shapeOfCustom(type),
                    destination: 'FIELD',
                    ...(type === 'localeString' || type === 'localeText' ? { isTranslated: true } : {}),
                };
                const names = buildFieldSynonyms(field.synonyms, [name, label], shop.synonyms?.[field.synonyms]);
                return { named: { field, names }, ...(meant === undefined ? {} : { replaces: meant.field.field }) };
            }),
    );
}

function shapeOfCustom(type: string): TargetField['shape'] {
    if (type === 'int' || type === 'float') return 'NUMBER';
    if (type === 'boolean') return 'BOOLEAN';
    if (type === 'datetime') return 'DATE';
    return type === 'string' || type === 'localeString' ? 'NAME' : 'LONG_TEXT';
}

/** Facets of the shop that are not the meaning of a known field. */
function facetFields(shop: ImportShop, base: readonly NamedField[]): readonly NamedField[] {
    return shop.facets
        .filter(
            ({ name }) =>
                facetConcept(
                    name,
                    base.map(({ names, field }) => ({ names, field })),
                ) === undefined,
        )
        .map(({ name, values }) => ({
            field: { field: `facet:${name}`, synonyms: '', shape: 'TAGS', destination: 'FIELD' } as const,
            names: buildFieldSynonyms('', [name]),
            facetValues: values,
        }));
}

function facetConcept(name: string, base: readonly NamedField[]): NamedField | undefined {
    const key = headerKeyOf(name).replaceAll(' ', '');
    return base.find(
        ({ field, names }) =>
            ['FACET', 'CATEGORY', 'OPTION'].includes(field.destination) &&
            (names.exact.has(key) || names.byJoined.has(key)),
    );
}

/** The facet of the shop that has the meaning of a field, such as `Marke` of the brand. */
export function shopFacetFor(slot: FieldSlot, header: string, shop: ImportShop): string | undefined {
    const key = headerKeyOf(header);
    const same = shop.facets.find(({ name }) => headerKeyOf(name) === key);
    if (same !== undefined) return same.name;
    if (slot.field.isMany === true) return undefined;
    return shop.facets.find(({ name }) => {
        const joined = headerKeyOf(name).replaceAll(' ', '');
        return slot.names.exact.has(joined) || slot.names.byJoined.has(joined);
    })?.name;
}

/** Scores all pairs, and corrects what other columns show. */
function scoreAll(
    columns: readonly NamedColumn[],
    slots: readonly FieldSlot[],
    context: PairContext,
): readonly (readonly PairScore[])[] {
    const file = { columns, slots, context };
    const plain = columns.map(column => slots.map(slot => scorePair(column, slot, context)));
    return withRetailPrice(withFreeStock(withGroup(withSupplierNumber(plain, file), file), file), file);
}

interface ScoredFile {
    readonly columns: readonly NamedColumn[];
    readonly slots: readonly FieldSlot[];
    readonly context: PairContext;
}

type Scores = readonly (readonly PairScore[])[];

/** If no column is the number of the article, the supplier's number is. */
function withSupplierNumber(scores: Scores, { columns, slots, context }: ScoredFile): Scores {
    const sku = slots.findIndex(({ path }) => path === 'sku');
    const isSku = (row: readonly PairScore[]) =>
        row[sku]!.score >= LEAST && row.every(({ score }) => score <= row[sku]!.score);
    if (sku < 0 || scores.some(isSku)) return scores;
    return scores.map((row, i) => {
        const { column, name } = columns[i]!;
        const own = withoutWords(name, SUPPLIER_WORDS);
        if (own === undefined || column.uniqueness < ALL_DIFFERENT) return row;
        const found = scorePair({ ...columns[i]!, name: own }, slots[sku]!, context);
        return row.map((pair, j) =>
            j === sku && found.score > pair.score ? { ...found, score: Math.min(found.score, MOVED) } : pair,
        );
    });
}

/** Almost all values differ. */
const ALL_DIFFERENT = 0.95;

/** The name without some words; undefined if it has none of them, or nothing else. */
function withoutWords(name: HeaderName, words: ReadonlySet<string>): HeaderName | undefined {
    const rest = (all: readonly string[]) => all.filter(word => !words.has(word));
    const stripped = rest(name.stripped);
    if (stripped.length === 0 || stripped.length === name.stripped.length) return undefined;
    return { ...name, words: rest(name.words), withoutLanguage: rest(name.withoutLanguage), stripped };
}

/** A number that several rows of a product share is the product's, not that of one article. */
function withGroup(scores: Scores, { columns, slots }: ScoredFile): Scores {
    const group = slots.findIndex(({ field }) => field.destination === 'GROUP');
    if (group < 0) return scores;
    const isNumber = slots.map(({ field }) => field.destination === 'CUSTOM' && field.shape === 'CODE');
    return scores.map((row, i) =>
        columns[i]!.column.uniqueness < ALL_DIFFERENT && row[group]!.score >= LEAST
            ? row.map((pair, j) => (isNumber[j] ? { ...pair, score: Math.min(pair.score, OTHER_MEANING) } : pair))
            : row,
    );
}

/** What can be sold is the stock if a file also says what is there. */
function withFreeStock(scores: Scores, { columns, slots }: ScoredFile): Scores {
    const stock = slots.findIndex(({ path }) => path === 'stock');
    const isFree = columns.map(({ name }) => name.words.some(word => FREE_STOCK_WORDS.has(word)));
    if (stock < 0 || !scores.some((row, i) => isFree[i] && row[stock]!.score >= LEAST)) return scores;
    return scores.map((row, i) =>
        isFree[i]
            ? row
            : row.map((pair, j) => (j === stock ? { ...pair, score: Math.min(pair.score, OTHER_MEANING) } : pair)),
    );
}

/** If no column is a price, recommended retail prices are: their words are those of the price then. */
function withRetailPrice(scores: Scores, { columns, slots, context }: ScoredFile): Scores {
    const compare = slots.findIndex(({ field }) => field.synonyms === 'comparePrice');
    const isPrice = slots.map(({ field }) => field.isMoney === true);
    const hasPrice = scores.some(row => {
        const best = Math.max(...row.map(({ score }) => score));
        return row.some(({ score }, j) => isPrice[j] && score >= LEAST && score >= best);
    });
    if (compare < 0 || hasPrice) return scores;
    return scores.map((row, i) =>
        row.map((pair, j) => {
            if (j === compare) return NONE;
            if (!isPrice[j]) return pair;
            const moved = scorePair(columns[i]!, { ...slots[j]!, names: slots[compare]!.names }, context);
            return moved.score > pair.score ? moved : pair;
        }),
    );
}

interface PairContext extends Pick<MatchedFile, 'profile' | 'shop' | 'language'> {
    readonly hasHeader: boolean;
}

const NO_WORDS: ReadonlySet<string> = new Set();
/** Words that say nothing in the headers of some fields. */
const NEUTRAL_BY_SHAPE: Readonly<Partial<Record<FieldShape, ReadonlySet<string>>>> = {
    IMAGE: new Set([...PICTURE_WORDS, ...OTHER_PICTURE_WORDS]),
    NAME: OWNER_WORDS,
    LONG_TEXT: OWNER_WORDS,
    TAX: TAX_CODE_WORDS,
    BOOLEAN: LOCATION_WORDS,
    WHOLE_NUMBER: FREE_STOCK_WORDS,
    WORD: TITLE_WORDS,
    SIZE: TITLE_WORDS,
    CATEGORY: TITLE_WORDS,
};

const NONE: PairScore = { score: 0, reason: { code: 'NONE', args: {} } };

function scorePair(named: NamedColumn, slot: FieldSlot, context: PairContext): PairScore {
    const { column } = named;
    const { field } = slot;
    const { learned: all } = context.shop;
    const learned = Object.hasOwn(all, named.key) ? all[named.key] : undefined;
    if (learned !== undefined)
        return learned === slot.path ? { score: 1, reason: { code: 'LEARNED', args: { column: column.name } } } : NONE;
    if (!fitsLanguageAndCurrency(named, slot, context)) return NONE;
    const values = scoreValues(column, field.shape);
    if (values === undefined || values === null) return NONE;
    const args = { column: column.name, filled: column.filled, fits: column.filled - column.exceptions };
    if (!context.hasHeader) return { score: scoreWithoutHeader(column, field.field), reason: { code: 'VALUES', args } };
    const name = withoutPrefix(named.name, field.prefixes);
    if (name === undefined) return NONE;
    const header = scoreHeader(name, slot.names, {
        language: context.profile.language,
        isMany: field.isMany,
        neutral: NEUTRAL_BY_SHAPE[field.shape] ?? NO_WORDS,
    });
    const shop = shopShare(named, slot, context.shop);
    const reason = { code: header.reason.code, args: { ...header.reason.args, ...args } };
    if (shop !== undefined && shop >= FEWEST_OF_SHOP && isIdentity(field.field)) {
        const score = Math.max(combine(header.score, values, shop), 0.6 + 0.35 * shop);
        return { score, reason: header.score >= HIGH ? reason : { code: 'SHOP', args: { ...args, share: shop } } };
    }
    if (header.score === 0) {
        const score = named.name.words.some(word => CHANGING_WORDS.has(word) && !PICTURE_WORDS.has(word))
            ? 0
            : scoreValuesAlone(column, field.field);
        return { score, reason: { code: 'VALUES', args } };
    }
    const score = Math.min(
        combine(header.score, values, shop) + taxBonus(named, field, context.shop),
        field.field === 'assets' && name.words.some(word => FIRST_PICTURE_WORDS.has(word)) ? MAIN_PICTURE : 1,
    );
    return { score: header.score <= 0.3 ? Math.min(score, OTHER_MEANING) : Math.min(1, score), reason };
}

function isIdentity(field: string): boolean {
    return ['sku', 'slug', 'emailAddress', 'code'].includes(field);
}

function combine(header: number, values: number, shop: number | undefined): number {
    const weight = WEIGHTS.header + WEIGHTS.values + (shop === undefined ? 0 : WEIGHTS.shop);
    return (WEIGHTS.header * header + WEIGHTS.values * values + WEIGHTS.shop * (shop ?? 0)) / weight;
}

/** The column with the tax that the channel stores is better than its counterpart. */
function taxBonus({ name, column }: NamedColumn, field: TargetField, shop: ImportShop): number {
    const tax = name.tax ?? column.tax;
    if (field.isMoney !== true || tax === undefined) return 0;
    return (tax === 'WITH') === shop.pricesIncludeTax ? TAX_BONUS : -TAX_BONUS;
}

function fitsLanguageAndCurrency(named: NamedColumn, slot: FieldSlot, { shop, language }: PairContext): boolean {
    if (slot.field.isTranslated === true) {
        const code = named.language;
        if (slot.language === undefined ? code !== undefined && code !== language : code !== slot.language)
            return false;
    }
    if (slot.field.isMoney === true) {
        const code = named.currency ?? shop.defaultCurrency;
        if (code !== (slot.currency ?? shop.defaultCurrency)) return false;
    }
    return true;
}

/** The name without the word that a field's headers have to have; undefined if it does not have one. */
function withoutPrefix(name: HeaderName, prefixes: readonly string[] | undefined): HeaderName | undefined {
    if (prefixes === undefined) return name;
    const prefix = name.words.find(word => prefixes.includes(word));
    if (prefix === undefined) return undefined;
    const rest = (words: readonly string[]) =>
        words.filter(word => word !== prefix && word !== 'address' && word !== 'to');
    const words = rest(name.words);
    if (words.length === 0) return { ...name, words: ['address'], withoutLanguage: ['address'], stripped: ['address'] };
    return { ...name, words, withoutLanguage: rest(name.withoutLanguage), stripped: rest(name.stripped) };
}

/** The share of a column's values that the shop has; undefined if that is not known. */
function shopShare({ column }: NamedColumn, slot: FieldSlot, shop: ImportShop): number | undefined {
    const known = shop.known.find(({ column: name, field }) => name === column.name && field === slot.field.field);
    // A new supplier's articles are not in the shop: that says nothing about the column.
    if (known !== undefined) return known.share < LEAST_KNOWN ? undefined : known.share;
    const share = (has: (value: string) => boolean) =>
        column.examples.length === 0 ? undefined : column.examples.filter(has).length / column.examples.length;
    if (slot.facetValues !== undefined && slot.facetValues.length > 0) {
        const values = new Set(slot.facetValues.map(value => value.toLowerCase()));
        return share(value => values.has(value.trim().toLowerCase()));
    }
    if (slot.field.shape === 'TAX' && shop.taxCategories.length > 0) {
        const found = share(value => taxCategoryOf(value, shop) !== undefined);
        return found === undefined || found === 0 ? undefined : found;
    }
    return undefined;
}

/** Takes a short description for the name if no other column is the name. */
function moveDescription({
    assigned,
    columns,
    slots,
    scores,
}: Assignment & { readonly scores: number[][] }): readonly number[] {
    const find = (field: string) => assigned.findIndex(slot => slot >= 0 && slots[slot]!.field.field === field);
    const from = assigned.findIndex(slot => slots[slot]?.path === 'description');
    const to = slots.findIndex(({ path }) => path === 'name');
    if (from < 0 || to < 0 || find('name') >= 0 || !slots.some(({ path }) => path === 'sku')) return assigned;
    if (!hasShortTexts(columns[from]!.column)) return assigned;
    scores[from]![to] = Math.max(scores[from]![to]!, MOVED);
    return assigned.map((slot, i) => (i === from ? to : slot));
}

interface Assignment {
    readonly assigned: readonly number[];
    readonly scores: readonly (readonly number[])[];
    readonly slots: readonly FieldSlot[];
    readonly columns: readonly NamedColumn[];
}

/** High if the score is high and no other free candidate of the column or of the field comes near. */
function confidenceOf(row: number, slot: number, { assigned, scores, slots, columns }: Assignment): Confidence {
    const score = scores[row]![slot]!;
    const { field } = slots[slot]!;
    if (score < HIGH) return 'NEEDS_A_LOOK';
    if (field.destination === 'CATEGORY') return 'NEEDS_A_LOOK';
    const isFreeColumn = (other: number) =>
        assigned[other]! < 0 || scores[other]![assigned[other]!]! < scores[other]![slot]!;
    const isFreeSlot = (other: number) => {
        const user = assigned.indexOf(other);
        return user < 0 || scores[user]![other]! < scores[row]![other]!;
    };
    const rivalColumns = columns.map((other, i) =>
        i === row || !isFreeColumn(i) || isTaxPair(columns[row]!, other, field) ? 0 : scores[i]![slot]!,
    );
    const rivalSlots = slots.map((other, j) =>
        j === slot || other.field.field === field.field || !isFreeSlot(j) || isPricePair(other, slots[slot]!)
            ? 0
            : scores[row]![j]!,
    );
    const rival = Math.max(0, ...(field.isMany === true ? [] : rivalColumns), ...rivalSlots);
    return score - rival >= LEAD ? 'HIGH' : 'NEEDS_A_LOOK';
}

function isTaxPair(a: NamedColumn, b: NamedColumn, field: TargetField): boolean {
    const [x, y] = [a.name.tax ?? a.column.tax, b.name.tax ?? b.column.tax];
    return field.isMoney === true && x !== undefined && y !== undefined && x !== y;
}

function isPricePair(a: FieldSlot, b: FieldSlot): boolean {
    const names = [a.field.synonyms, b.field.synonyms];
    return names.includes('price') && names.includes('comparePrice');
}
