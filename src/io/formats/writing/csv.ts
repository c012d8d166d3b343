import type { JsonObject, JsonValue } from '../../../core/value/json';
import { escapedFormula } from '../formula-escape';
import { cellText, type Column, type TextFormat } from './batches';

/** How a table of text is written. */
export interface TableLayout {
    readonly columns: readonly Column[];
    /** One character, and no quote. */
    readonly delimiter: string;
    /** What ends a row. */
    readonly lineEnd: '\n' | '\r\n';
    /** Cells that a spreadsheet would take for formulas begin with an apostrophe. */
    readonly isFormulaSafe: boolean;
    /** By which some spreadsheets know that it is UTF-8. */
    readonly hasByteOrderMark: boolean;
}

/** What the code units of a cell mean for how it is written. */
const QUOTED = 1;
/** At an end of the cell. */
const BLANK = 2;
/** May begin a formula, unless it follows a letter or a digit. */
const SIGN = 4;
/** As a sign, at the beginning of the cell alone. */
const FIRST = 8;
const WORD = 16;

const BLANKS =
    '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
/** From here on there are full-width signs, and little else. */
const WIDE = 0xfe00;

/** A table as RFC 4180 has it: a row of names, then a row for each record. */
export function csvText(layout: TableLayout): TextFormat {
    const rows = new TableRows(layout);
    const before = (layout.hasByteOrderMark ? '\uFEFF' : '') + rows.header();
    return { before, of: batch => rows.of(batch), after: '' };
}

class TableRows {
    private readonly kinds: Uint8Array;

    constructor(private readonly layout: TableLayout) {
        this.kinds = kindsOf(layout);
    }

    header(): string {
        const { columns, delimiter } = this.layout;
        return this.row(columns.map(({ name }) => this.cell(name)).join(delimiter));
    }

    of(batch: readonly JsonObject[]): string {
        const { columns, delimiter } = this.layout;
        let text = '';
        for (const record of batch) {
            let row = '';
            for (let i = 0; i < columns.length; i++)
                row += i === 0 ? this.cell(columns[i]!.get(record)) : delimiter + this.cell(columns[i]!.get(record));
            text += this.row(row);
        }
        return text;
    }

    /** Most readers skip an empty line. */
    private row(cells: string): string {
        const { columns, lineEnd } = this.layout;
        return (cells === '' && columns.length === 1 ? '""' : cells) + lineEnd;
    }

    private cell(value: JsonValue | undefined): string {
        const text = cellText(value);
        const kind = this.kindOf(text);
        if (kind === 0) return text;
        // A number with a sign is not a formula.
        if ((kind & SIGN) === 0 || typeof value === 'number') return quoted(text, kind);
        const safe = escapedFormula(text);
        return quoted(safe, this.kindOf(safe));
    }

    /** Whether a text needs quotes, and whether a spreadsheet might read it as a formula. */
    private kindOf(text: string): number {
        const { kinds } = this;
        const last = text.length - 1;
        if (last < 0) return 0;
        const first = kinds[text.charCodeAt(0)]!;
        let kind = first & FIRST ? SIGN : 0;
        // Blanks at the ends are lost on readers that trim what is not quoted.
        if ((first | kinds[text.charCodeAt(last)]!) & BLANK) kind |= QUOTED;
        for (let i = 0, before = 0; i <= last; i++) {
            const one = kinds[text.charCodeAt(i)]!;
            kind |= one & (before & WORD ? QUOTED : QUOTED | SIGN);
            before = one;
        }
        return kind;
    }
}

function quoted(text: string, kind: number): string {
    return kind & QUOTED ? `"${text.replaceAll('"', '""')}"` : text;
}

function kindsOf({ delimiter, isFormulaSafe }: TableLayout): Uint8Array {
    const kinds = new Uint8Array(0x10000);
    const mark = (characters: string, kind: number): void => {
        for (let i = 0; i < characters.length; i++) kinds[characters.charCodeAt(i)]! |= kind;
    };
    mark(BLANKS, BLANK);
    mark('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', WORD);
    if (isFormulaSafe) {
        mark('=+-@', SIGN);
        mark("'\t\r\n", FIRST);
        for (let code = WIDE; code < kinds.length; code++) kinds[code]! |= SIGN;
    }
    // Of a delimiter beyond the first plane both halves.
    mark(`"\r\n${delimiter}`, QUOTED);
    return kinds;
}
