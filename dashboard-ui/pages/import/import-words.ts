import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { useDisplayLocale } from '@vendure/dashboard';
import type { FileColumn, FileWarning } from './import.graphql';
import type { DecimalStyle, ImportFormat, ImportTarget } from './import-plan';

/** What a file is imported as. */
export function useTargetWords(): Readonly<Record<ImportTarget, string>> {
    const { t } = useLingui();
    return {
        PRODUCTS: t`Products and variants`,
        PRICES: t`Prices only`,
        STOCK: t`Stock only`,
        CUSTOMERS: t({ message: 'Customers', context: 'flow import' }),
        COLLECTIONS: t({ message: 'Collections', context: 'flow import' }),
        FACETS: t`Facets and values`,
        ASSETS: t({ message: 'Pictures', context: 'flow import' }),
        ORDERS: t`Historical orders`,
    };
}

/** What an import of a target does. */
export function useTargetHelp(): Readonly<Record<ImportTarget, string>> {
    const { t } = useLingui();
    return {
        PRODUCTS: t`Creates products and updates those that exist.`,
        PRICES: t`Changes the prices of variants that exist. Needs SKU and price.`,
        STOCK: t`Changes the stock of variants that exist. Needs SKU and quantity.`,
        CUSTOMERS: t`Creates customers and updates those that exist, found by e-mail address.`,
        COLLECTIONS: t`Creates collections and updates those that exist.`,
        FACETS: t`Creates facets and their values, and updates those that exist.`,
        ASSETS: t`Loads pictures from addresses.`,
        ORDERS: t`Creates orders of another system. No payments are made, and no e-mails are sent.`,
    };
}

/** The names of formats. */
export function useFormatWords(): Readonly<Record<ImportFormat, string>> {
    const { t } = useLingui();
    return {
        CSV: 'CSV',
        XLSX: t({ message: 'Excel', context: 'flow import' }),
        JSON: 'JSON',
        NDJSON: 'NDJSON',
        XML: 'XML',
    };
}

/** A number in each decimal style. */
export const DECIMAL_EXAMPLES: Readonly<Record<DecimalStyle, string>> = { POINT: '1,234.56', COMMA: '1.234,56' };

const ENCODING_NAMES: Readonly<Record<string, string>> = {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16 LE',
    'utf-16be': 'UTF-16 BE',
    'windows-1252': 'Windows-1252',
    'windows-1250': 'Windows-1250',
    'iso-8859-2': 'ISO-8859-2',
    'iso-8859-15': 'ISO-8859-15',
    macintosh: 'Mac Roman',
    ibm850: 'DOS 850',
};

/** The usual name of an encoding. */
export function encodingName(encoding: string): string {
    return ENCODING_NAMES[encoding] ?? encoding;
}

/** The names of separators of cells. */
export function useSeparatorWords(): (separator: string) => string {
    const { t } = useLingui();
    const words: Readonly<Record<string, string>> = {
        ',': t({ message: 'Comma', context: 'separator' }),
        ';': t({ message: 'Semicolon', context: 'separator' }),
        '\t': t({ message: 'Tab', context: 'separator' }),
        '|': t({ message: 'Pipe |', context: 'separator' }),
        ':': t({ message: 'Colon', context: 'separator' }),
        ' ': t({ message: 'Space', context: 'separator' }),
    };
    return separator => words[separator] ?? separator;
}

/** The types of columns. */
export function useTypeWords(): Readonly<Record<FileColumn['type'], string>> {
    const { t } = useLingui();
    return {
        BOOLEAN: t({ message: 'yes or no', context: 'column' }),
        INTEGER: t({ message: 'whole number', context: 'column' }),
        NUMBER: t({ message: 'number', context: 'column' }),
        PRICE: t({ message: 'price', context: 'column' }),
        PERCENT: t({ message: 'percent', context: 'column' }),
        DATE: t({ message: 'date', context: 'column' }),
        EMAIL: t({ message: 'e-mail address', context: 'column' }),
        URL: t({ message: 'web address', context: 'column' }),
        IMAGE_URL: t({ message: 'picture address', context: 'column' }),
        BARCODE: t({ message: 'barcode', context: 'column' }),
        COUNTRY: t({ message: 'country', context: 'column' }),
        HTML: t({ message: 'formatted text', context: 'column' }),
        PATH: t({ message: 'category path', context: 'column' }),
        LIST: t({ message: 'list', context: 'column' }),
        OPTION: t({ message: 'option', context: 'column' }),
        CODE: t({ message: 'code', context: 'column' }),
        TEXT: t({ message: 'text', context: 'column' }),
        EMPTY: t({ message: 'empty', context: 'column' }),
    };
}

/** What the values of a column are, in one or two words: `price, EUR`, `number, Stk`. */
export function useColumnWords(): (column: FileColumn) => string {
    const { t } = useLingui();
    const words = useTypeWords();
    const oneValue = t({ message: '1 value', context: 'column' });
    return ({ type, distinct, filled, unit, currency, language, dateFormat }) => {
        const isOneWord = distinct === 1 && filled > 1 && (type === 'TEXT' || type === 'OPTION' || type === 'CODE');
        const details = [currency, unit, language, type === 'DATE' ? dateFormat : null];
        return [isOneWord ? oneValue : words[type], ...details.filter(detail => detail !== null)].join(', ');
    };
}

/** The names of facts about a file. */
export function useFactWords(): (fact: string) => string {
    const { t } = useLingui();
    const words: Readonly<Record<string, string>> = {
        format: t`Format`,
        encoding: t`Encoding`,
        delimiter: t`Separator`,
        decimals: t`Decimals`,
        headerRow: t`Column names`,
        sheet: t`Sheet`,
        recordPath: t`Records at`,
    };
    return fact => words[fact] ?? fact;
}

/** What is unusual about a file or a check. A code that is not known is shown with its arguments. */
export function useWarningText(): (warning: FileWarning) => string {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    return ({ code, column, args }) => {
        const values = (args ?? {}) as Readonly<Record<string, unknown>>;
        const text = (name: string): string => String(values[name] ?? '');
        const amount = (name: string): number => Number(values[name] ?? 0);
        const written = (name: string): string => amount(name).toLocaleString(bcp47Tag);
        const name = column ?? '';
        switch (code) {
            case 'NO_HEADER':
                return t`The row with the column names was not found. If there is one, click its number.`;
            case 'DUPLICATE_COLUMN': {
                const original = text('name');
                return t`Two columns are named ${original}. The second one is shown as ${name}.`;
            }
            case 'ROW_WIDTHS':
                return t`${plural(amount('count'), { one: '# row has', other: '# rows have' })} more or fewer cells than there are columns. Such rows are rejected in the check.`;
            case 'BARCODE_CHECK_DIGITS': {
                const [wrong, total] = [written('wrong'), written('total')];
                return t`${name}: ${wrong} of ${total} values have a wrong check digit.`;
            }
            case 'BARCODE_SHORTENED':
                return t`${name}: Excel shortened these numbers (${plural(amount('count'), { one: '# value', other: '# values' })}). The digits cannot be restored. Format the column as text and export the file again.`;
            case 'DATE_ORDER': {
                const [format, other] = [text('format'), text('other')];
                return t`${name}: day and month can be read in two ways. They are read as ${format}, not as ${other}.`;
            }
            case 'DATE_WITHOUT_FORMAT':
                return t`${name}: the dates are not all written in the same way.`;
            case 'DATE_SERIAL_NUMBERS':
                return t`${name}: the dates are day numbers of a spreadsheet. Format the column as a date and export the file again.`;
            case 'DECIMALS_UNCLEAR': {
                const example = DECIMAL_EXAMPLES[text('decimals') === 'COMMA' ? 'COMMA' : 'POINT'];
                return t`${name}: the numbers can be read in two ways. They are read like ${example}; change “Decimals” if that is wrong.`;
            }
            case 'CURRENCY_UNCLEAR': {
                const sign = text('sign');
                return t`${name}: ${sign} is the sign of several currencies.`;
            }
            case 'SEVERAL_CURRENCIES': {
                const currencies = text('currencies');
                return t`${name}: the values have several currencies (${currencies}).`;
            }
            case 'CELLS_WITHOUT_VALUE':
                return t`${plural(amount('count'), { one: '# cell has a formula without a stored value and is', other: '# cells have formulas without stored values and are' })} read as empty. Open the file in Excel, save it, and upload it again.`;
            case 'ELEMENTS_NOT_RECORDS':
                return t`${plural(amount('count'), { one: '# element of the list is not a record and is', other: '# elements of the list are not records and are' })} rejected.`;
            case 'DUPLICATE_KEYS':
                return t`${plural(amount('count'), { one: '# key occurs', other: '# keys occur' })} more than once in the file. The last row counts.`;
            case 'MANY_PRICE_CHANGES': {
                const [count, total] = [written('count'), written('total')];
                return t`${count} of ${total} prices change by more than 50 %.`;
            }
            case 'VERY_LOW_PRICES':
                return t`${plural(amount('count'), { one: '# price is', other: '# prices are' })} lower than 1 % of the median price.`;
            case 'MANY_DISABLED': {
                const [count, total] = [written('count'), written('total')];
                return t`${count} of ${total} products would be disabled.`;
            }
            default:
                return [name, code, JSON.stringify(values)].filter(part => part !== '').join(': ');
        }
    };
}

/** The systems whose exports are recognised, by the codes of the server. */
export const KNOWN_EXPORT_NAMES: Readonly<Record<string, string>> = {
    'shopify-products': 'Shopify',
    'shopify-orders': 'Shopify',
    'shopify-customers': 'Shopify',
    'woocommerce-products': 'WooCommerce',
    'magento2-products': 'Magento 2',
    'prestashop-products': 'PrestaShop',
    'bigcommerce-products': 'BigCommerce',
    'vendure-products': 'Vendure',
    'flow-products': 'Flow',
    'akeneo-products': 'Akeneo',
    'google-merchant': 'Google Merchant Center',
    'amazon-flat-file': 'Amazon',
};
