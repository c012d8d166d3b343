const LETTERS = 26;
const A = 65;

/** The letters of a column, counted from 0: 27 is AB. */
export function columnName(column: number): string {
    let name = '';
    for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
        name = String.fromCharCode(A + ((rest - 1) % LETTERS)) + name;
    return name;
}

/** The name of a cell by its row, counted from 1, and its column, counted from 0. */
export function cellName(row: number, column: number): string {
    return `${columnName(column)}${row}`;
}

/** The name of a sheet as it is written before a cell: in quotes if Excel would read it as something else. */
export function sheetReference(name: string): string {
    const isPlain = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !/^(?:[a-z]{1,3}\d+|r\d*(?:c\d*)?|c\d*)$/i.test(name);
    return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}

/** Reads the name of a cell: capital letters and digits. Undefined for any other text. */
export function cellPositionOf(name: string): { readonly row: number; readonly column: number } | undefined {
    let column = 0;
    let at = 0;
    for (; at < name.length; at++) {
        const letter = name.charCodeAt(at) - A;
        if (letter < 0 || letter >= LETTERS) break;
        column = column * LETTERS + letter + 1;
    }
    const row = rowOf(name, at);
    return at === 0 || at > 3 || row === undefined ? undefined : { row, column: column - 1 };
}

/** Reads the number of a row, beginning at a place in the text. Undefined for any other text. */
export function rowOf(text: string, from = 0): number | undefined {
    if (from === text.length || text.length - from > 7) return undefined;
    let row = 0;
    for (let at = from; at < text.length; at++) {
        const digit = text.charCodeAt(at) - 48;
        if (digit < 0 || digit > 9) return undefined;
        row = row * 10 + digit;
    }
    return row > 0 ? row : undefined;
}
