import { BOOLEAN_WORDS, CURRENCY_SIGNS } from './header-terms';
import type { Conversion } from './import-plan';
import type { ImportColumn, ImportFacts } from './import-profile';
import type { ImportShop } from './import-suggestion';
import type { FieldShape } from './target-fields';

/** What the conversions of a column depend on in addition to the column. */
interface ConversionContext {
    readonly facts: ImportFacts;
    readonly shop: ImportShop;
    /** Whether the amounts have tax, if the file says so. */
    readonly tax?: 'WITH' | 'WITHOUT' | undefined;
    /** Whether the field is a path of categories, whose separator is between two levels. */
    readonly isPath?: boolean;
    /** Whether the file is an export of another shop, whose words for tax categories are known. */
    readonly isKnownExport?: boolean;
}

/** The conversions that the values of a column need for a field, in the order in which they are applied. */
export function conversionsFor(
    column: ImportColumn,
    shape: FieldShape,
    context: ConversionContext,
): readonly Conversion[] {
    const words = column.emptyWords ?? [];
    const cleaned: readonly Conversion[] = [
        { type: 'TRIM' },
        ...(words.length > 0 ? [{ type: 'EMPTY_WORDS', words } as const] : []),
    ];
    switch (shape) {
        case 'PRICE':
            return [
                ...cleaned,
                ...numberConversions(column, context),
                ...taxConversions(context),
                { type: 'TO_CENTS' },
            ];
        case 'NUMBER':
        case 'WHOLE_NUMBER':
            return [...cleaned, ...numberConversions(column, context)];
        case 'BOOLEAN':
            return [...cleaned, booleanConversion(column)];
        case 'DATE':
            return column.dateFormat === undefined
                ? cleaned
                : [...cleaned, { type: 'DATE', format: column.dateFormat }];
        case 'TAX':
            return [...cleaned, ...taxCategoryConversions(column, context)];
        case 'CATEGORY':
            return [...cleaned, ...splitConversions(column, context.isPath === true ? ['PATH', 'LIST'] : ['LIST'])];
        case 'TAGS':
        case 'IMAGE':
            return [...cleaned, ...splitConversions(column, ['LIST', 'IMAGE_URL', 'URL'])];
        case 'WORD':
        case 'SIZE':
            return [...cleaned, ...splitConversions(column, ['LIST'])];
        case 'NAME':
            return column.type === 'HTML' ? [...cleaned, { type: 'STRIP_HTML' }] : cleaned;
        default:
            return cleaned;
    }
}

function splitConversions(column: ImportColumn, types: ReadonlyArray<ImportColumn['type']>): readonly Conversion[] {
    const { separator } = column;
    return separator !== undefined && types.includes(column.type) ? [{ type: 'SPLIT', separator }] : [];
}

const DASHES = /[.,]\s*[-–—]+\s*\D*$/;

function numberConversions(column: ImportColumn, { facts }: ConversionContext): readonly Conversion[] {
    const currency = currencyTextOf(column);
    const { unit } = column;
    return [
        ...(currency === undefined ? [] : [{ type: 'REMOVE_TEXT', text: currency, of: 'CURRENCY' } as const]),
        ...(unit === undefined || unit === currency ? [] : [{ type: 'REMOVE_TEXT', text: unit, of: 'UNIT' } as const]),
        ...(column.examples.some(value => DASHES.test(value)) ? [{ type: 'DASH_DECIMALS' } as const] : []),
        { type: 'NUMBER', decimals: column.decimals ?? facts.decimals },
    ];
}

/** The currency as it is written in the values: `€` or `EUR`. */
function currencyTextOf(column: ImportColumn): string | undefined {
    const signs = [...CURRENCY_SIGNS.keys(), ...(column.currency === undefined ? [] : [column.currency]), 'kr.', 'kr'];
    return signs
        .filter(sign => column.examples.some(value => /\d/.test(value) && value.includes(sign)))
        .sort((a, b) => b.length - a.length)[0];
}

/** The tax category of products that have none in the file. */
function defaultTaxCategory({ taxCategories }: ImportShop): ImportShop['taxCategories'][number] | undefined {
    return taxCategories.find(({ isDefault }) => isDefault) ?? taxCategories[0];
}

function defaultPercentOf(shop: ImportShop): number | null {
    return defaultTaxCategory(shop)?.percent ?? null;
}

function taxConversions({ shop, tax }: ConversionContext): readonly Conversion[] {
    const percent = defaultPercentOf(shop);
    if (tax === undefined || percent === null || percent === 0) return [];
    if (tax === 'WITH' && !shop.pricesIncludeTax) return [{ type: 'REMOVE_TAX', percent }];
    if (tax === 'WITHOUT' && shop.pricesIncludeTax) return [{ type: 'ADD_TAX', percent }];
    return [];
}

/** Whether the amounts have to be converted, but the rate is not known. */
export function isTaxUnknown({ shop, tax }: ConversionContext): boolean {
    const differs = (tax === 'WITH' && !shop.pricesIncludeTax) || (tax === 'WITHOUT' && shop.pricesIncludeTax);
    return differs && defaultPercentOf(shop) === null;
}

function booleanConversion(column: ImportColumn): Conversion {
    const seen = new Set(column.examples.map(value => value.trim().toLowerCase()));
    const pairs = BOOLEAN_WORDS.filter(([yes, no]) => seen.has(yes) || (no !== '' && seen.has(no)));
    const best = pairs.filter(([yes, no]) => seen.has(yes) && seen.has(no));
    const used = best.length > 0 ? best : pairs.length > 0 ? pairs : BOOLEAN_WORDS.slice(0, 3);
    const unique = (words: readonly string[]) => [...new Set(words.filter(word => word !== ''))];
    return { type: 'BOOLEAN', yes: unique(used.map(([yes]) => yes)), no: unique(used.map(([, no]) => no)) };
}

/** Words of other shops for the tax category that products have if nothing else is set. */
const USUAL_TAX = /^(?:default|standard|taxable|taxable goods|normal|full)$/i;
/** The tax category of the variant's product. */
const TAX_OF_PRODUCT = 'parent';

/** The names of the shop's tax categories for the values of a column: the same name, or the same rate. */
function taxCategoryConversions(
    column: ImportColumn,
    { shop, isKnownExport = false }: ConversionContext,
): readonly Conversion[] {
    const usual = defaultTaxCategory(shop)?.name;
    const replaced = column.examples.flatMap(value => {
        const isUsual = isKnownExport && USUAL_TAX.test(value.trim());
        const name = taxCategoryOf(value, shop) ?? (isUsual ? usual : undefined);
        return name === undefined || name === value ? [] : [[value, name] as const];
    });
    const isOfProduct = isKnownExport && column.examples.includes(TAX_OF_PRODUCT);
    return [
        ...(isOfProduct ? [{ type: 'EMPTY_WORDS', words: [TAX_OF_PRODUCT] } as const] : []),
        ...(replaced.length > 0 ? [{ type: 'LOOKUP', values: Object.fromEntries(replaced) } as const] : []),
    ];
}

/** The fewest letters of a part of a name. */
const PART_LENGTH = 4;

/** The tax category that a value means: a name such as `Standard Tax`, a part of one name, or a rate such as `19 %` or `0.19`. */
export function taxCategoryOf(value: string, shop: ImportShop): string | undefined {
    const text = value.trim().toLowerCase();
    const named = shop.taxCategories.find(({ name }) => name.toLowerCase() === text);
    if (named !== undefined) return named.name;
    const [found, another] = shop.taxCategories.filter(({ name }) => name.toLowerCase().includes(text));
    if (found !== undefined && another === undefined && text.length >= PART_LENGTH) return found.name;
    const digits = /\d+(?:[.,]\d+)?/.exec(text)?.[0];
    if (digits === undefined) return undefined;
    const rate = Number(digits.replace(',', '.'));
    return shop.taxCategories.find(
        ({ percent }) => percent !== null && (percent === rate || (rate < 1 && percent === rate * 100)),
    )?.name;
}
