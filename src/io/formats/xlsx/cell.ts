import { isExact } from '../../../core/data/decimal';
import type { JsonValue } from '../../../core/value/json';
import { flowError } from '../../../core/errors/flow-error';
import type { WorkbookBudget } from './budget';
import { dateText, isoDateText } from './dates';
import { ownText } from './own-text';
import { cellName } from './cell-position';
import { unescaped } from './rich-text';
import type { SharedStrings } from './shared-strings';
import type { NumberKind } from './styles';

/**
 * A cell as it is written in the sheet. `type` is its letter (ECMA-376, 18.18.11), `text` is its value or its inline
 * string.
 */
export interface RawCell {
    readonly row: number;
    readonly column: number;
    readonly type: string;
    readonly style: string;
    readonly text: string;
    /** It has a formula without a stored value. */
    readonly isUncalculated?: boolean;
}

/** What the values of cells depend on, apart from the cells. */
export interface CellContext {
    readonly strings: SharedStrings;
    readonly kinds: readonly NumberKind[];
    readonly is1904: boolean;
    readonly budget: WorkbookBudget;
}

/** A cell without a valid value; its row is not a record. */
export class CellIssue {
    constructor(
        /** As the end of "cell B7 …". */
        readonly problem: string,
        readonly text: string,
    ) {}
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:E[+-]?\d+)?$/i;
const TRUE: ReadonlySet<string> = new Set(['1', 'true']);
const FALSE: ReadonlySet<string> = new Set(['0', 'false']);
/** Characters of a text in a message. */
const SHOWN = 50;

/** The value of a cell with its type. */
export function cellValue(cell: RawCell, context: CellContext): JsonValue | CellIssue {
    const { type, text } = cell;
    if (cell.isUncalculated)
        return new CellIssue('has a formula without a stored value. Open the workbook in Excel and save it', '');
    if (type === 'inlineStr' || type === 'str') return ownText(unescaped(text));
    if (text === '') return null;
    if (type === 's') return sharedString(cell, context.strings);
    if (type === 'e') return new CellIssue(`holds ${shown(text)}`, ownText(text));
    if (type === 'd') return isoDateText(text.trim()) ?? wrong(text, 'date');
    if (type === 'b') return TRUE.has(text) ? true : FALSE.has(text) ? false : wrong(text, 'truth value');
    return numberOf(cell, context);
}

function numberOf({ text, style }: RawCell, { kinds, is1904 }: CellContext): JsonValue | CellIssue {
    const trimmed = text.trim();
    if (!NUMBER.test(trimmed)) return wrong(text, 'number');
    const number = Number(trimmed);
    const kind = kinds[Number(style)] ?? 'number';
    if (typeof kind === 'object' && number >= 0 && Number.isSafeInteger(number))
        return String(number).padStart(kind.digits, '0');
    if (kind === 'number' || typeof kind === 'object')
        return isExact(trimmed) || isExact(trimmed, asExcelWrites) ? number : ownText(trimmed);
    return (
        dateText(number, kind, is1904) ??
        new CellIssue(`holds ${trimmed} in the format of a date, and no date has that number`, ownText(text))
    );
}

/** Excel stores doubles and writes 17 digits of them: 0.1 as 0.10000000000000001. */
function asExcelWrites(value: number): string {
    return value.toPrecision(17);
}

function sharedString({ row, column, text }: RawCell, strings: SharedStrings): string {
    const value = /^\d{1,10}$/.test(text) ? strings.get(Number(text)) : undefined;
    if (value !== undefined) return value;
    throw flowError('SOURCE_MALFORMED', {
        where: `cell ${cellName(row, column)}`,
        problem: `it refers to the shared string ${shown(text)}, and the workbook has ${strings.length}`,
    });
}

function wrong(text: string, what: string): CellIssue {
    return new CellIssue(`holds ${JSON.stringify(shown(text))}, which is not a ${what}`, ownText(text));
}

function shown(text: string): string {
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
