import type { ColumnType, ImportColumn } from './import-profile';
import type { FieldShape } from './target-fields';

/** How well columns of a type fit a shape, 0 to 1; a type that is not listed does not fit. */
const FITS: Readonly<Record<FieldShape, Readonly<Partial<Record<ColumnType, number>>>>> = {
    CODE: { CODE: 1, BARCODE: 0.8, INTEGER: 0.9, OPTION: 0.6, TEXT: 0.6, NUMBER: 0.3 },
    GROUP: { CODE: 1, BARCODE: 0.8, INTEGER: 0.9, OPTION: 1, TEXT: 0.7 },
    NAME: { TEXT: 1, CODE: 0.7, OPTION: 0.9, LIST: 0.8, PATH: 0.6, HTML: 0.4, COUNTRY: 0.5, INTEGER: 0.1 },
    LONG_TEXT: { TEXT: 1, HTML: 1, LIST: 0.9, PATH: 0.5, OPTION: 0.7, CODE: 0.4 },
    WORD: { OPTION: 1, TEXT: 0.9, CODE: 0.8, LIST: 0.7, COUNTRY: 0.5, INTEGER: 0.4, NUMBER: 0.3, PATH: 0.4 },
    SIZE: { OPTION: 1, TEXT: 0.9, CODE: 0.9, INTEGER: 0.9, NUMBER: 0.8, LIST: 0.7 },
    PRICE: { PRICE: 1, NUMBER: 1, INTEGER: 0.9 },
    NUMBER: { NUMBER: 1, INTEGER: 1, PRICE: 0.7 },
    WHOLE_NUMBER: { INTEGER: 1, NUMBER: 0.7, BOOLEAN: 0.3 },
    BOOLEAN: { BOOLEAN: 1, INTEGER: 0.4, OPTION: 0.3 },
    DATE: { DATE: 1 },
    EMAIL: { EMAIL: 1 },
    IMAGE: { IMAGE_URL: 1, URL: 0.7, LIST: 0.5, TEXT: 0.35, CODE: 0.35, OPTION: 0.3 },
    BARCODE: { BARCODE: 1, INTEGER: 0.7, CODE: 0.5 },
    TAX: { PERCENT: 1, INTEGER: 0.8, NUMBER: 0.8, OPTION: 0.9, TEXT: 0.7, CODE: 0.6 },
    CATEGORY: { PATH: 1, OPTION: 1, TEXT: 0.9, LIST: 0.9, CODE: 0.6, INTEGER: 0.3 },
    TAGS: { LIST: 1, OPTION: 1, TEXT: 0.9, CODE: 0.6, PATH: 0.5, INTEGER: 0.3 },
    PHONE: { TEXT: 1, CODE: 1, INTEGER: 1, BARCODE: 0.8, NUMBER: 0.6, OPTION: 0.6 },
    POSTAL_CODE: { CODE: 1, INTEGER: 1, NUMBER: 0.9, TEXT: 0.7, OPTION: 0.8, BARCODE: 0.5 },
    COUNTRY: { COUNTRY: 1, OPTION: 0.7, TEXT: 0.7, CODE: 0.7 },
    ANY: {
        BOOLEAN: 1,
        INTEGER: 1,
        NUMBER: 1,
        PRICE: 1,
        PERCENT: 1,
        DATE: 1,
        EMAIL: 1,
        URL: 1,
        IMAGE_URL: 1,
        BARCODE: 1,
        COUNTRY: 1,
        HTML: 1,
        PATH: 1,
        LIST: 1,
        OPTION: 1,
        CODE: 1,
        TEXT: 1,
    },
};

/** Shapes that any text has. All others are strict: a column whose values do not fit is never mapped to them. */
const LOOSE: ReadonlySet<FieldShape> = new Set<FieldShape>(['LONG_TEXT', 'ANY']);
/** Below this, the values of a column do not fit a strict shape. */
const VETO = 0.3;

const SHORT_WORD = 40;
const CODE_LENGTH = 60;
const NAME_LENGTH = 60;

/** How well the values of a column fit a shape, 0 to 1; undefined if the column is empty, null if the column must not be mapped to it. */
export function scoreValues(column: ImportColumn, shape: FieldShape): number | null | undefined {
    if (column.type === 'EMPTY' || column.filled === 0) return undefined;
    const share = 1 - Math.min(1, column.exceptions / column.filled);
    const score = (FITS[shape][column.type] ?? 0) * share * detailOf(column, shape);
    return score < VETO && !LOOSE.has(shape) ? null : score;
}

/** What the values say in addition to their type. */
function detailOf(column: ImportColumn, shape: FieldShape): number {
    const { examples } = column;
    switch (shape) {
        case 'CODE':
            if (examples.some(value => value.length > CODE_LENGTH)) return 0;
            return column.type === 'TEXT' && shareOf(examples, value => /\s/.test(value)) > 0.5 ? 0.6 : 1;
        case 'GROUP':
            return shareOf(examples, value => /\d/.test(value) && value.length <= SHORT_WORD) >= 0.5 ? 1 : 0;
        case 'TAX':
            if (column.type === 'INTEGER' || column.type === 'NUMBER')
                return shareOf(examples, value => Math.abs(Number.parseFloat(value.replace(',', '.'))) <= 30) > 0.9
                    ? 1
                    : 0;
            return (column.distinct ?? Infinity) <= 20 ? 1 : 0;
        case 'BOOLEAN':
            return column.type !== 'INTEGER' || shareOf(examples, value => value === '0' || value === '1') === 1
                ? 1
                : 0;
        case 'IMAGE':
            if (column.type === 'URL' || column.type === 'IMAGE_URL') return 1;
            return shareOf(examples, value => /\.(jpe?g|png|gif|webp|avif|svg|tiff?)\b|^https?:/i.test(value)) > 0.5
                ? 2
                : 0;
        case 'BARCODE':
            return column.type === 'BARCODE' || shareOf(examples, value => /^\d{8,14}$/.test(value.trim())) > 0.5
                ? 1
                : 0;
        case 'WORD':
        case 'SIZE':
        case 'COUNTRY':
            return shareOf(examples, value => value.length <= SHORT_WORD) > 0.7 ? 1 : 0.4;
        case 'PHONE':
            return shareOf(examples, value => value.replace(/\D/g, '').length >= 5) > 0.7 ? 1 : 0;
        case 'POSTAL_CODE':
            return shareOf(examples, value => /\d/.test(value) && value.length <= 12) > 0.7 ? 1 : 0;
        case 'PRICE':
        case 'WHOLE_NUMBER':
            return column.type === 'INTEGER' && shareOf(examples, value => /^\d{9,}$/.test(value)) > 0.5 ? 0 : 1;
        default:
            return 1;
    }
}

function shareOf(values: readonly string[], matches: (value: string) => boolean): number {
    const filled = values.filter(value => value.trim() !== '');
    return filled.length === 0 ? 1 : filled.filter(matches).length / filled.length;
}

/** Whether the values are short texts that differ from each other, as names of products do. */
export function hasShortTexts(column: ImportColumn): boolean {
    const letters = column.examples.reduce((sum, { length }) => sum + length, 0);
    return (
        column.type === 'TEXT' &&
        column.uniqueness >= 0.5 &&
        letters / Math.max(1, column.examples.length) <= NAME_LENGTH
    );
}

/** Whether the values alone say what a column is, without its header, and how much. */
export function scoreValuesAlone(column: ImportColumn, field: string): number {
    if (field === 'emailAddress' || field === 'customer') return column.type === 'EMAIL' ? 0.75 : 0;
    if (field === 'assets') return column.type === 'IMAGE_URL' ? 0.7 : 0;
    if (field === 'ean') return column.type === 'BARCODE' ? 0.75 : 0;
    if (field === 'description') return column.type === 'HTML' ? 0.7 : 0;
    return 0;
}

/** As `scoreValuesAlone`, in a file without names of columns, where nothing else is known. */
export function scoreWithoutHeader(column: ImportColumn, field: string): number {
    if (field === 'sku') return column.type === 'CODE' && column.uniqueness >= 0.95 ? 0.72 : 0;
    if (field === 'price') return column.type === 'PRICE' ? 0.7 : 0;
    if (field === 'name') return column.type === 'TEXT' && column.uniqueness >= 0.6 ? 0.62 : 0;
    if (field === 'stock') return column.type === 'INTEGER' && column.unit !== undefined ? 0.6 : 0;
    return scoreValuesAlone(column, field);
}
