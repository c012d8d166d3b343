import { pathProblem } from '../data/path';
import { CUSTOM_FIELDS, shapeOfChoice } from './column-choice';
import { conversionsFor, isTaxUnknown } from './field-conversions';
import { columnPathOf } from './import-context';
import type { ImportPlan, ImportTarget, PlannedField, PlannedVariants } from './import-plan';
import type { ColumnType, ImportColumn, ImportProfile, RowGrouping } from './import-profile';
import type { FieldSuggestion, ImportShop, ImportSuggestion, TargetScore } from './import-suggestion';
import { matchColumns, detectExport, type KnownExport, type KnownField } from './known-exports';
import { compareNames, currencyOfShop, LEAST_KNOWN, matchTarget, nameColumns, shopFacetFor } from './match-columns';
import type { ColumnMatch, MatchedFile, NamedColumn, TargetMatch } from './match-columns';
import { readHeaderName } from './header-names';
import { type FieldShape, MATCH_FIELDS, TARGET_FIELDS } from './target-fields';

const TARGETS = Object.keys(TARGET_FIELDS) as readonly ImportTarget[];
/** Columns that are matched: as many as a plan can name. */
const MAX_MATCHED = 500;
const MOST_ALTERNATIVES = 3;
const LEAST_ALTERNATIVE = 0.3;

/**
 * Suggests what a file is imported as, which column fills which field, and the conversions that the values need. A target replaces the one that fits
 * best. The order of the columns has no influence. Of a file with more than 500 columns, the first 500 are matched.
 */
export function suggest(given: ImportProfile, shop: ImportShop, target?: ImportTarget): ImportSuggestion {
    const matched = matchedColumns(given);
    const profile = { ...given, columns: matched };
    const others = given.columns.filter(one => !matched.includes(one)).map(({ name }) => ({ column: name, uses: [] }));
    const language = languageOf(profile, shop);
    const columns = nameColumns(profile, shop);
    const file: MatchedFile = { columns, profile, shop, language };
    const matches = TARGETS.map(each => matchTarget(each, file));
    const known = detectExport(profile.columns.map(({ name }) => name));
    // Amounts in a currency that the shop lacks are not loaded, but they say what the file contains.
    const scored = { ...file, columns: columns.map(one => ({ ...one, currency: currencyOfShop(one, shop) })) };
    const targets = scoreTargets(
        TARGETS.map(each => matchTarget(each, scored)),
        scored,
        known,
    );
    const chosen = target ?? targets[0]!.target;
    const match = matches.find(each => each.target === chosen)!;
    const fields =
        known !== undefined && known.target === chosen
            ? completed(knownFields(known, file), matchedFields(match, file), known)
            : matchedFields(match, file);
    const variants =
        known !== undefined && known.target === chosen
            ? knownVariants(known, columns)
            : variantsOf(match, columns, profile);
    const planned = fields.filter(({ columns: names }) => names.length > 0);
    return {
        targets,
        plan: planOf({
            profile,
            shop,
            language,
            target: chosen,
            known: known?.target === chosen ? known : undefined,
            planned,
            variants,
        }),
        fields,
        unused: [...unusedColumns(file, { planned, variants, target: chosen }), ...others],
    };
}

/** The first columns that a plan can name: `constructor` is not the name of a field. */
function matchedColumns({ columns, facts }: ImportProfile): readonly ImportColumn[] {
    return columns
        .filter(({ name }) => pathProblem(columnPathOf(name, facts.format)) === undefined)
        .slice(0, MAX_MATCHED);
}

/** The language of texts without one in their header: that of the headers if the shop has it. */
function languageOf(profile: ImportProfile, shop: ImportShop): string {
    return profile.language !== undefined && shop.languages.includes(profile.language)
        ? profile.language
        : shop.defaultLanguage;
}

/** Targets that another field speaks against: a file with SKUs is not a list of collections. */
const AGAINST: Readonly<Partial<Record<ImportTarget, ReadonlyArray<readonly [field: string, factor: number]>>>> = {
    PRODUCTS: [
        ['code', 0.6],
        ['orderPlacedAt', 0.8],
        ['emailAddress', 0.5],
    ],
    PRICES: [
        ['name', 0.7],
        ['stock', 0.8],
        ['assets', 0.7],
        ['description', 0.8],
    ],
    STOCK: [
        ['price', 0.7],
        ['assets', 0.7],
        ['description', 0.8],
    ],
    CUSTOMERS: [
        ['sku', 0.4],
        ['code', 0.7],
    ],
    COLLECTIONS: [
        ['sku', 0.4],
        ['price', 0.4],
        ['stock', 0.6],
        ['emailAddress', 0.4],
        ['facet', 0.7],
    ],
    FACETS: [
        ['sku', 0.4],
        ['price', 0.4],
        ['emailAddress', 0.4],
    ],
    ASSETS: [
        ['stock', 0.6],
        ['name', 0.6],
        ['price', 0.5],
    ],
};
/** Fields that show what a file contains, and the target that is searched for them. */
const EVIDENCE: ReadonlyArray<readonly [field: string, target: ImportTarget]> = [
    ['sku', 'PRODUCTS'],
    ['name', 'PRODUCTS'],
    ['price', 'PRODUCTS'],
    ['stock', 'PRODUCTS'],
    ['assets', 'PRODUCTS'],
    ['description', 'PRODUCTS'],
    ['emailAddress', 'CUSTOMERS'],
    ['code', 'ORDERS'],
    ['orderPlacedAt', 'ORDERS'],
    ['facet', 'FACETS'],
];
const CERTAIN = 0.8;
/** Fields that are evidence with a lower score. */
const FAINT: Readonly<Record<string, number>> = { name: 0.7 };
const REQUIRED_WEIGHT = 0.65;
/** Of targets with a required field that has no column; products may be updated with fewer fields. */
const INCOMPLETE = 0.5;
/** Targets that only change what exists. */
const NEEDS_EXISTING: ReadonlySet<ImportTarget> = new Set(['PRICES', 'STOCK', 'ASSETS']);
/** Of such a target if the shop has almost none of the keys. */
const UNKNOWN_KEYS = 0.5;

function scoreTargets(
    matches: readonly TargetMatch[],
    { columns, shop }: MatchedFile,
    known: KnownExport | undefined,
): readonly TargetScore[] {
    const present = new Set(
        EVIDENCE.filter(([field, target]) =>
            matches
                .find(match => match.target === target)!
                .matches.some(({ slot, score }) => slot.field.field === field && score >= (FAINT[field] ?? CERTAIN)),
        ).map(([field]) => field),
    );
    const filled = Math.max(1, columns.filter(({ column }) => column.type !== 'EMPTY').length);
    const scores = matches.map(({ target, matches: found }): TargetScore => {
        const required = TARGET_FIELDS[target].filter(({ isRequired }) => isRequired === true);
        const best = (field: string) =>
            Math.max(0, ...found.filter(({ slot }) => slot.field.field === field).map(({ score }) => score));
        const share = required.reduce((sum, { field }) => sum + best(field), 0) / Math.max(1, required.length);
        const explained = found.reduce(
            (sum, { score, slot }) => sum + score * (slot.field.destination === 'CUSTOM' ? 0.5 : 1),
            0,
        );
        const against = (AGAINST[target] ?? []).filter(([field]) => present.has(field));
        const hasUnknownKeys =
            NEEDS_EXISTING.has(target) &&
            shop.known.some(
                ({ column, field, share: knownShare }) =>
                    knownShare < LEAST_KNOWN &&
                    found.some(({ slot, column: own }) => slot.field.field === field && own.column.name === column),
            );
        const isComplete = required.every(({ field }) => best(field) > 0);
        const factor = against.reduce(
            (product, [, value]) => product * value,
            (isComplete || target === 'PRODUCTS' ? 1 : INCOMPLETE) * (hasUnknownKeys ? UNKNOWN_KEYS : 1),
        );
        const score = (REQUIRED_WEIGHT * share + (1 - REQUIRED_WEIGHT) * Math.min(1, explained / filled)) * factor;
        return {
            target,
            score: known?.target === target ? 1 : score,
            columns: found.filter(({ slot }) => slot.field.isRequired === true).map(({ column }) => column.column.name),
        };
    });
    return scores.sort((a, b) => b.score - a.score);
}

/** The path in the plan of a match; undefined if the shop has no field for it. */
function pathOf(match: ColumnMatch, hasVariants: boolean, shop: ImportShop): string | undefined {
    const { slot, column } = match;
    const facet = () => `facet:${shopFacetFor(slot, column.column.name, shop) ?? titleOf(column)}`;
    switch (slot.field.destination) {
        case 'FIELD':
            return slot.path;
        case 'FACET':
            return facet();
        case 'CATEGORY':
            return column.column.type === 'PATH' ? 'collections' : facet();
        case 'OPTION':
            return hasVariants ? `option:${titleOf(column)}` : facet();
        default:
            return undefined;
    }
}

function titleOf({ column }: NamedColumn): string {
    return column.name.trim();
}

function matchedFields(match: TargetMatch, file: MatchedFile): readonly FieldSuggestion[] {
    const { columns, profile, shop } = file;
    const hasVariants = variantsOf(match, columns, profile) !== undefined;
    const pictures = match.matches.filter(({ slot }) => slot.path === 'assets');
    const found = new Map<string, FieldSuggestion>();
    for (const each of [...match.matches].sort((a, b) => compareNames(a.column.column.name, b.column.column.name))) {
        const path = pathOf(each, hasVariants, shop);
        if (path === undefined || (each.slot.path === 'assets' && each !== pictures[0]) || found.has(path)) continue;
        const names =
            each.slot.path === 'assets' ? pictures.map(({ column }) => column.column.name) : [each.column.column.name];
        found.set(path, suggestionOf(each, { path, names: [...names].sort(compareNames), target: match }, file));
    }
    const empty = match.slots
        .filter(
            ({ field, path }) =>
                field.destination === 'FIELD' && path === field.field && !found.has(path) && !path.startsWith('facet:'),
        )
        .filter((slot, i, all) => all.findIndex(({ path }) => path === slot.path) === i)
        .map(slot => ({
            field: slot.path,
            isRequired: slot.field.isRequired === true,
            columns: [],
            score: 0,
            confidence: 'NONE' as const,
            reason: { code: 'NONE' as const, args: {} },
            alternatives: alternativesOf(match, columns, { path: slot.path, names: [] }),
            conversions: [],
        }));
    return orderFields([...found.values()], empty, match.target);
}

/** Required fields, then those with a column, then the others; each group in the order of the target's fields. */
function orderFields(
    found: readonly FieldSuggestion[],
    empty: readonly FieldSuggestion[],
    target: ImportTarget,
): readonly FieldSuggestion[] {
    const order = TARGET_FIELDS[target].map(({ field }) => field);
    const rank = ({ field }: FieldSuggestion) => {
        const index = order.findIndex(name => field === name || field.startsWith(`${name}.`));
        return index < 0 ? order.length : index;
    };
    const sorted = (fields: readonly FieldSuggestion[]) =>
        [...fields].sort((a, b) => rank(a) - rank(b) || compareNames(a.field, b.field));
    const all = [...found, ...empty];
    return [
        ...sorted(all.filter(({ isRequired }) => isRequired)),
        ...sorted(found.filter(({ isRequired }) => !isRequired)),
        ...sorted(empty.filter(({ isRequired }) => !isRequired)),
    ];
}

interface SuggestedPath {
    readonly path: string;
    readonly names: readonly string[];
    readonly target: TargetMatch;
}

function suggestionOf(
    match: ColumnMatch,
    { path, names, target }: SuggestedPath,
    { columns, profile, shop }: MatchedFile,
): FieldSuggestion {
    const { slot, column } = match;
    const isAmount = slot.field.shape === 'PRICE';
    const tax = slot.field.isMoney === true ? (column.name.tax ?? column.column.tax) : undefined;
    const context = { facts: profile.facts, shop, tax, isPath: path === 'collections' };
    const conversions = conversionsFor(column.column, slot.field.shape, context);
    const isUnclear = (isAmount && isTaxUnknown(context)) || lacksTaxCategories(match, shop);
    return {
        field: path,
        isRequired: slot.field.isRequired === true,
        columns: names,
        score: match.score,
        confidence: isUnclear ? 'NEEDS_A_LOOK' : match.confidence,
        reason: match.reason,
        alternatives: alternativesOf(target, columns, { path: slot.path, names }),
        conversions,
    };
}

/** Whether the shop has no tax category for a value of the column. */
function lacksTaxCategories({ slot, column }: ColumnMatch, shop: ImportShop): boolean {
    if (slot.field.shape !== 'TAX') return false;
    const conversions = conversionsFor(column.column, 'TAX', {
        facts: { format: 'CSV', decimals: 'POINT', headerRow: 1, skipAfterHeader: 0, footerRows: 0 },
        shop,
    });
    const known = new Set(conversions.flatMap(each => (each.type === 'LOOKUP' ? Object.keys(each.values) : [])));
    const names = new Set(shop.taxCategories.map(({ name }) => name));
    return column.column.examples.some(value => !known.has(value) && !names.has(value));
}

function alternativesOf(
    match: TargetMatch,
    columns: readonly NamedColumn[],
    { path, names }: Pick<SuggestedPath, 'path' | 'names'>,
): FieldSuggestion['alternatives'] {
    const slot = match.slots.find(each => each.path === path);
    if (slot === undefined) return [];
    return columns
        .map(column => ({ column: column.column.name, score: match.scoreOf(column, slot) }))
        .filter(({ column, score }) => score >= LEAST_ALTERNATIVE && !names.includes(column))
        .sort((a, b) => b.score - a.score)
        .slice(0, MOST_ALTERNATIVES);
}

const PAIR_NAMES =
    /^(?:option|attribute|attribut|merkmal|eigenschaft|opcion|atributo|opzione|attributo|optie|kenmerk|opcja|atrybut|cecha|opcao) (\d+) (?:name|naam|nom|nombre|nome|nazwa)$/;
const PAIR_VALUES =
    /^(?:option|attribute|attribut|merkmal|eigenschaft|opcion|atributo|opzione|attributo|optie|kenmerk|opcja|atrybut|cecha|opcao) (\d+) (?:value|values|wert|werte|valeur|valor|valore|waarde|wartosc)(?: s)?$/;

/** Columns with the name of an option and columns with its value, by their number: `Option1 Name`, `Option1 Value`. */
function pairsOf(columns: readonly NamedColumn[]): NonNullable<PlannedVariants['pairs']> {
    return columns.flatMap(({ column, key }) => {
        const number = PAIR_NAMES.exec(key)?.[1];
        const value =
            number === undefined ? undefined : columns.find(other => PAIR_VALUES.exec(other.key)?.[1] === number);
        return value === undefined ? [] : [{ nameColumn: column.name, valueColumn: value.column.name }];
    });
}

/** How rows become products with variants: by the column that names the product, or by what the profile has found. */
function variantsOf(
    match: TargetMatch,
    columns: readonly NamedColumn[],
    profile: ImportProfile,
): PlannedVariants | undefined {
    if (match.target !== 'PRODUCTS' && match.target !== 'ORDERS') return undefined;
    const grouping = match.target === 'ORDERS' ? orderGrouping(match) : productGrouping(match, profile);
    if (grouping === undefined) return undefined;
    const pairs = match.target === 'PRODUCTS' ? pairsOf(columns) : [];
    return { grouping, ...(pairs.length > 0 ? { pairs } : {}) };
}

function orderGrouping(match: TargetMatch): RowGrouping | undefined {
    const code = match.matches.find(({ slot }) => slot.path === 'code')?.column.column;
    return code === undefined || code.uniqueness >= 1 ? undefined : { kind: 'BY_COLUMN', column: code.name };
}

function productGrouping(match: TargetMatch, profile: ImportProfile): RowGrouping | undefined {
    const group = match.matches.find(({ slot }) => slot.field.destination === 'GROUP')?.column.column;
    const detected = profile.groupings.find(({ column }) => column === group?.name);
    if (group !== undefined && group.uniqueness < 1) return detected ?? { kind: 'BY_COLUMN', column: group.name };
    return profile.groupings.find(grouping => isProductKey(grouping, match, profile)) ?? nameGrouping(match, profile);
}

/** SKUs of variants differ, and at least two rows have the same name. */
const VARIANT_SKUS = 0.98;
const VARIANT_NAMES = 0.6;

/** A name that repeats in neighbouring rows, each with an own SKU and other options. */
function nameGrouping(match: TargetMatch, { head, headNumbers, facts }: ImportProfile): RowGrouping | undefined {
    const columnOf = (path: string) => match.matches.find(({ slot }) => slot.path === path)?.column.column;
    const [name, sku] = [columnOf('name'), columnOf('sku')];
    const options = match.matches.filter(({ slot }) => slot.field.destination === 'OPTION');
    if (!name || !sku || options.length === 0) return undefined;
    if (sku.uniqueness < VARIANT_SKUS || name.uniqueness > VARIANT_NAMES) return undefined;
    const rows = head
        .filter((_, at) => headNumbers[at]! > (facts.headerRow ?? 0))
        .slice(facts.skipAfterHeader)
        .filter(row => (row[name.index] ?? '') !== '');
    const names = rows.map(row => row[name.index]!);
    const isNeighbour = names.filter((one, at) => one !== names[at - 1]).length === new Set(names).size;
    const variants = rows.map(row =>
        [name, ...options.map(({ column }) => column.column)].map(({ index }) => row[index] ?? '').join('\0'),
    );
    const isDistinct = new Set(variants).size === variants.length;
    return isNeighbour && isDistinct && new Set(names).size < names.length
        ? { kind: 'BY_COLUMN', column: name.name }
        : undefined;
}

const KEY_TYPES: readonly ColumnType[] = ['CODE', 'BARCODE', 'INTEGER', 'TEXT', 'OPTION'];
const KEY_FIELDS = ['sku', 'slug', 'name'];

/** Whether the column of a detected grouping can name a product: it is not a price or a picture that is empty in some rows. */
function isProductKey({ column }: RowGrouping, match: TargetMatch, profile: ImportProfile): boolean {
    const type = profile.columns.find(({ name }) => name === column)?.type;
    const used = match.matches.find(each => each.column.column.name === column);
    return (
        type !== undefined &&
        KEY_TYPES.includes(type) &&
        (used === undefined || KEY_FIELDS.includes(used.slot.field.field))
    );
}

function knownFields(known: KnownExport, file: MatchedFile): readonly FieldSuggestion[] {
    const { columns } = file;
    const all = columns.map(({ column }) => column.name);
    const required = new Set(
        TARGET_FIELDS[known.target].filter(({ isRequired }) => isRequired === true).map(({ field }) => field),
    );
    return known.fields.flatMap(knownField => {
        const { field, columns: wanted, shape } = knownField;
        const matched = matchColumns(wanted, all);
        const groups: ReadonlyArray<readonly [string, readonly string[]]> =
            shape === 'IMAGE'
                ? [[field, [...matched].sort(compareNames)]]
                : wanted.some(name => name.endsWith('*'))
                  ? matched.flatMap(name => {
                        const path = localPath(field, name, file);
                        return path === undefined ? [] : [[path, [name]] as const];
                    })
                  : [[field, matched.slice(0, 1)]];
        return groups.map(([path, names]): FieldSuggestion => {
            const column = columns.find(each => each.column.name === names[0]);
            return {
                field: path,
                isRequired: required.has(path),
                columns: names,
                score: names.length > 0 ? 1 : 0,
                confidence: names.length > 0 ? 'HIGH' : 'NONE',
                reason:
                    names.length > 0
                        ? { code: 'KNOWN_EXPORT', args: { export: known.code } }
                        : { code: 'NONE', args: {} },
                alternatives: [],
                conversions:
                    column === undefined
                        ? []
                        : knownConversions(column, { ...knownField, shape: knownShape(knownField, path, file) }, file),
            };
        });
    });
}

/** Fields of a known export whose column has another name, as apps write them, are matched like those of other files. */
function completed(
    fields: readonly FieldSuggestion[],
    matched: readonly FieldSuggestion[],
    { variants, fields: known }: KnownExport,
): readonly FieldSuggestion[] {
    const pairs = (variants?.pairs ?? []).flatMap(({ nameColumn, valueColumn }) => [nameColumn, valueColumn]);
    const used = new Set([...fields.flatMap(({ columns }) => columns), ...pairs]);
    return fields.map(field => {
        if (field.columns.length > 0 || known.some(one => one.field === field.field && one.shape === 'IMAGE'))
            return field;
        const found = matched.find(one => one.field === field.field && one.columns.length > 0);
        return found && !found.columns.some(name => used.has(name)) ? found : field;
    });
}

/** A field of the shop's own has the shape of its type. */
function knownShape({ shape }: KnownField, path: string, { shop }: MatchedFile): FieldShape {
    return path.startsWith(CUSTOM_FIELDS) ? shapeOfChoice('PRODUCTS', path, shop) : shape;
}

function knownConversions(
    column: NamedColumn,
    { field, shape, conversions }: KnownField,
    { profile, shop }: MatchedFile,
): FieldSuggestion['conversions'] {
    return (
        conversions ??
        conversionsFor(column.column, shape, {
            facts: profile.facts,
            shop,
            ...(shape === 'PRICE' && readHeaderName(column.column.name).words.includes('excluded')
                ? { tax: 'WITHOUT' as const }
                : {}),
            isPath: field === 'collections',
            isKnownExport: true,
        })
    );
}

/** The path of a field with the language or currency at the end of a header; undefined if the shop does not have it. */
function localPath(field: string, header: string, { shop, language }: MatchedFile): string | undefined {
    if (field.endsWith('*')) {
        const prefix = field.slice(0, -1);
        if (header.length === prefix.length || !header.startsWith(prefix)) return undefined;
        const isOffered = ({ entity, name }: ImportShop['customFields'][number]): boolean =>
            entity === 'Product' && `${CUSTOM_FIELDS}${name}` === header;
        return prefix !== CUSTOM_FIELDS || shop.customFields.some(isOffered) ? header : undefined;
    }
    const name = readHeaderName(header);
    if (field === 'price') {
        if (name.currency === undefined || name.currency === shop.defaultCurrency) return field;
        return shop.currencies.includes(name.currency) ? `${field}.${name.currency}` : undefined;
    }
    if (name.language === undefined || name.language === language) return field;
    return shop.languages.includes(name.language) ? `${field}.${name.language}` : undefined;
}

function knownVariants(known: KnownExport, columns: readonly NamedColumn[]): PlannedVariants | undefined {
    const { variants } = known;
    if (variants === undefined) return undefined;
    const nameIn = (wanted: string) =>
        matchColumns(
            [wanted],
            columns.map(({ column }) => column.name),
        )[0];
    const column = nameIn(variants.grouping.column);
    if (column === undefined) return undefined;
    const key = variants.grouping.kind === 'PARENT' ? nameIn(variants.grouping.key) : undefined;
    const pairs = (variants.pairs ?? []).flatMap(({ nameColumn, valueColumn, ...more }) => {
        const [name, value] = [nameIn(nameColumn), nameIn(valueColumn)];
        return name === undefined || value === undefined ? [] : [{ ...more, nameColumn: name, valueColumn: value }];
    });
    return {
        ...variants,
        grouping: { ...variants.grouping, column, ...(key === undefined ? {} : { key }) } as RowGrouping,
        ...(variants.pairs === undefined ? {} : { pairs }),
    };
}

interface PlanParts {
    readonly profile: ImportProfile;
    readonly shop: ImportShop;
    readonly language: string;
    readonly target: ImportTarget;
    readonly known: KnownExport | undefined;
    readonly planned: readonly FieldSuggestion[];
    readonly variants: PlannedVariants | undefined;
}

/** The share of a shop's entities that may be missing from a file. */
const MAX_MISSING = 0.1;

/** The plan of the suggestion. Its source is not known here: the caller sets it. */
function planOf({ profile, shop, language, target, known, planned, variants }: PlanParts): ImportPlan {
    const mapped = new Set(planned.map(({ field }) => field));
    const matchBy = known?.matchBy ?? MATCH_FIELDS[target].find(field => mapped.has(field)) ?? MATCH_FIELDS[target][0]!;
    const fields = planned.map(({ field, columns, conversions }): PlannedField => ({ field, columns, conversions }));
    return {
        version: 1,
        source: { kind: 'FILE', fileId: '' },
        facts: profile.facts,
        target,
        ...(known === undefined ? {} : { knownExport: known.code }),
        language,
        matchBy,
        fields,
        ...(variants === undefined ? {} : { variants }),
        prices: { currency: shop.defaultCurrency, missing: 'REJECT' },
        missing: { action: 'NONE', maxShare: MAX_MISSING },
        createMissingFacetValues: planned.some(({ field }) => field.startsWith('facet') || field === 'collections'),
        remedies: [],
    };
}

function unusedColumns(
    { columns, shop }: MatchedFile,
    { planned, variants, target }: Pick<PlanParts, 'planned' | 'variants' | 'target'>,
): ImportSuggestion['unused'] {
    const used = new Set(planned.flatMap(({ columns: names }) => names));
    if (variants !== undefined) {
        used.add(variants.grouping.column);
        for (const { nameColumn, valueColumn } of variants.pairs ?? []) used.add(nameColumn).add(valueColumn);
    }
    const taken = new Set(planned.map(({ field }) => field));
    const custom = shop.customFields
        .filter(({ entity }) => entity === ENTITY_OF[target])
        .map(({ name }) => `customFields.${name}`)
        .filter(path => !taken.has(path));
    return [...columns]
        .sort((a, b) => a.column.index - b.column.index)
        .filter(({ column }) => !used.has(column.name))
        .map(named => ({
            column: named.column.name,
            uses: [
                ...(target === 'PRODUCTS' && named.column.type !== 'EMPTY' ? [`facet:${titleOf(named)}`] : []),
                ...(target === 'PRODUCTS' && variants !== undefined ? [`option:${titleOf(named)}`] : []),
                ...custom,
            ],
        }));
}

const ENTITY_OF: Readonly<Partial<Record<ImportTarget, string>>> = {
    PRODUCTS: 'Product',
    CUSTOMERS: 'Customer',
    COLLECTIONS: 'Collection',
};
