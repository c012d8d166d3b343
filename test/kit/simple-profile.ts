import type { ColumnType, ImportColumn, ImportProfile } from '../../src/core/import/import-profile';

/** How a fixture is read; a profile of the plugin detects the same. */
export interface Reading {
    readonly delimiter: string;
    readonly decimals: 'POINT' | 'COMMA';
    readonly headerRow: number | null;
    readonly skipAfterHeader: number;
}

/** A small profile of a CSV text whose reading is known. It stands for the detection of the plugin in tests of the matching. */
export function simpleProfile(text: string, reading: Reading, language: string | undefined): ImportProfile {
    const rows = splitCsv(text, reading.delimiter);
    const first = reading.headerRow === null ? 0 : reading.headerRow + reading.skipAfterHeader;
    const width = Math.max(...rows.slice(first).map(row => row.length));
    const header = reading.headerRow === null ? [] : rows[reading.headerRow - 1]!;
    const names = Array.from({ length: width }, (_, i) => header[i] || `column${i + 1}`);
    const records = rows.slice(first);
    const columns = names.map((name, index) =>
        columnOf(
            name,
            index,
            records.map(row => row[index] ?? ''),
            reading.decimals,
        ),
    );
    return {
        facts: {
            format: 'CSV',
            encoding: 'utf-8',
            delimiter: reading.delimiter,
            quote: '"',
            decimals: reading.decimals,
            headerRow: reading.headerRow,
            skipAfterHeader: reading.skipAfterHeader,
            footerRows: 0,
        },
        alternatives: { encodings: [], delimiters: [], headerRows: [], recordPaths: [] },
        sheets: [],
        rows: records.length,
        columns,
        head: rows.slice(0, 50),
        ...(language === undefined ? {} : { language }),
        groupings: [],
        warnings: [],
    };
}

/** The cells of a CSV text. */
export function splitCsv(text: string, delimiter: string): readonly (readonly string[])[] {
    const rows: string[][] = [[]];
    let cell = '';
    let isQuoted = false;
    for (let i = 0; i < text.length; i++) {
        const sign = text[i]!;
        if (isQuoted) {
            if (sign !== '"') cell += sign;
            else if (text[i + 1] === '"') cell += text[++i]!;
            else isQuoted = false;
        } else if (sign === '"' && cell === '') isQuoted = true;
        else if (sign === delimiter || sign === '\n') {
            rows.at(-1)!.push(cell);
            cell = '';
            if (sign === '\n') rows.push([]);
        } else if (sign !== '\r') cell += sign;
    }
    return rows.filter(row => row.length > 0);
}

const NUMBER = /^-?(?:\d{1,3}(?:[.,' ]\d{3})+|\d+)(?:[.,]\d+)?$/;
const CURRENCY = /€|\$|£|zł|\b(?:EUR|USD|GBP|PLN|CHF)\b/g;
const BOOLEAN = /^(?:yes|no|true|false|ja|nein|nee|oui|non|s[ií]|sì|no|tak|nie|sim|não|y|n)$/i;
const DATES: ReadonlyArray<readonly [RegExp, string]> = [
    [/^\d{4}-\d{2}-\d{2}$/, 'YYYY-MM-DD'],
    [/^\d{4}-\d{2}-\d{2}[T ].*$/, 'ISO'],
    [/^\d{1,2}\.\d{1,2}\.\d{4}$/, 'DD.MM.YYYY'],
    [/^\d{1,2}\/\d{1,2}\/\d{4}$/, 'DD/MM/YYYY'],
    [/^\d{1,2}-\d{1,2}-\d{4}$/, 'DD-MM-YYYY'],
];

function columnOf(name: string, index: number, values: readonly string[], decimals: 'POINT' | 'COMMA'): ImportColumn {
    const filled = values.map(value => value.trim()).filter(value => value !== '');
    const distinct = new Set(filled);
    const unit = unitOf(filled);
    const bare = unit === undefined ? filled : filled.map(value => value.replace(new RegExp(`\\s*${unit}\\.?$`), ''));
    const { type, exceptions } = typeOf(bare);
    const separator = separatorOf(type, bare);
    const dateFormat = type === 'DATE' ? DATES.find(([pattern]) => pattern.test(bare[0]!))?.[1] : undefined;
    const currency = type === 'PRICE' && filled.some(value => value.includes('€')) ? 'EUR' : undefined;
    return {
        index,
        name,
        type,
        exceptions,
        filled: filled.length,
        empties: values.length - filled.length,
        distinct: distinct.size,
        examples: [...distinct].sort().slice(0, 13),
        uniqueness: filled.length === 0 ? 0 : distinct.size / filled.length,
        ...(unit === undefined ? {} : { unit }),
        ...(currency === undefined ? {} : { currency }),
        ...(['PRICE', 'NUMBER'].includes(type) ? { decimals } : {}),
        ...(dateFormat === undefined ? {} : { dateFormat }),
        ...(separator === undefined ? {} : { separator }),
    };
}

function unitOf(values: readonly string[]): string | undefined {
    const units = values.map(value => /^-?[\d.,]+\s*(\p{L}{1,6}\.?)$/u.exec(value)?.[1]);
    const [unit] = units;
    if (unit === undefined || /^(?:EUR|USD|GBP|PLN|CHF)$/.test(unit)) return undefined;
    return units.filter(each => each === unit).length >= values.length * 0.8 ? unit.replace('.', '') : undefined;
}

function typeOf(values: readonly string[]): { readonly type: ColumnType; readonly exceptions: number } {
    if (values.length === 0) return { type: 'EMPTY', exceptions: 0 };
    const share = (matches: (value: string) => boolean) => values.filter(matches).length;
    const tests: ReadonlyArray<readonly [ColumnType, (value: string) => boolean]> = [
        ['BOOLEAN', value => BOOLEAN.test(value)],
        ['DATE', value => DATES.some(([pattern]) => pattern.test(value))],
        ['EMAIL', value => /^\S+@\S+\.\w+$/.test(value)],
        [
            'IMAGE_URL',
            value => value.split(/[|,]/).every(part => /^https?:\/\/\S+\.(?:jpe?g|png|webp|gif)$/i.test(part)),
        ],
        ['URL', value => /^https?:\/\/\S+$/.test(value)],
        ['PERCENT', value => /^\d+(?:[.,]\d+)?\s*%$/.test(value)],
        ['BARCODE', value => /^(?:\d{8}|\d{12,14})$/.test(value)],
        ['INTEGER', value => /^-?(?:0|[1-9]\d*)$/.test(value)],
        [
            'PRICE',
            value =>
                isAmount(value) &&
                (/[.,](?:\d{2}|[–-])$/.test(value.replace(CURRENCY, '').trim()) || CURRENCY_TEST.test(value)),
        ],
        ['NUMBER', value => NUMBER.test(value)],
        ['COUNTRY', value => /^(?:DE|AT|CH|FR|BE|US|GB|ES|PT|IT|NL|PL|NO)$/.test(value)],
        ['HTML', value => /<\w+[^>]*>/.test(value)],
    ];
    for (const [type, matches] of tests) {
        const count = share(matches);
        if (count >= values.length * 0.8) return { type, exceptions: values.length - count };
    }
    return { type: textTypeOf(values), exceptions: 0 };
}

const CURRENCY_TEST = /€|\$|£|zł|\b(?:EUR|USD|GBP|PLN|CHF)\b/;

function isAmount(value: string): boolean {
    return NUMBER.test(
        value
            .replace(CURRENCY, '')
            .replace(/[.,]\s*[–-]+\s*$/, '')
            .trim(),
    );
}

function textTypeOf(values: readonly string[]): ColumnType {
    const distinct = new Set(values).size;
    const every = (matches: (value: string) => boolean) => values.filter(matches).length >= values.length * 0.8;
    if (
        every(value => /\S\s*(?:>|\/)\s*\S/.test(value)) &&
        values.some(value => value.includes('>') || /^\p{L}+\/\p{L}/u.test(value))
    )
        return 'PATH';
    if (every(value => /\S\s*[|;,]\s*\S/.test(value) && value.split(/[|;,]/).every(part => part.trim().length <= 20)))
        return 'LIST';
    if (every(value => !/\s/.test(value) && /\d/.test(value)) && distinct > values.length / 2) return 'CODE';
    if (distinct <= Math.max(2, values.length / 1.5) && every(value => value.length <= 20)) return 'OPTION';
    if (every(value => /^(?:XS|S|M|L|XL|XXL|\d{2})$/.test(value))) return 'OPTION';
    return 'TEXT';
}

function separatorOf(type: ColumnType, values: readonly string[]): string | undefined {
    const signs =
        type === 'PATH' ? [' > ', '>', '/'] : type === 'LIST' || type === 'IMAGE_URL' ? ['|', ';', ', ', ','] : [];
    return signs.find(sign => values.some(value => value.includes(sign)));
}
