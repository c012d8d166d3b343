import { isFlowError } from '../../core/errors/flow-error';
import { type CellMarks, type CsvRow, CsvRows } from './csv-rows';
import { DELIMITERS } from './delimiters';
import { SepLine } from './sep-line';

/** The number of rows that are compared. */
const ROWS = 50;

/**
 * The delimiter that most often cuts the beginning of a CSV text into rows of one width; among several, the one with
 * the most columns; a comma if there is none. A first line `sep=;` takes precedence. Also returns whether blanks
 * around cells must be trimmed for that. For previews: the text may be cut anywhere.
 */
export function sniffMarks(sample: string): Required<CellMarks> {
    let best: Required<CellMarks> = { delimiter: ',', trim: false };
    let bestScore = 0;
    const sepLine = new SepLine();
    sepLine.take(sample);
    sepLine.end();
    const named = sepLine.delimiter;
    if (named !== undefined) best = { delimiter: named, trim: false };
    for (const trim of [false, true]) {
        for (const delimiter of named === undefined ? DELIMITERS : [named]) {
            const score = scoreOf(sample, { delimiter, trim });
            if (score > bestScore) [best, bestScore] = [{ delimiter, trim }, score];
        }
    }
    return best;
}

/**
 * How even the rows are, in whole percent, then how wide; 0 for a single column. A title above the table may have
 * another width.
 */
function scoreOf(sample: string, marks: CellMarks): number {
    const rows = rowsOf(sample, marks).slice(0, ROWS);
    const first = rows[0]?.cells.length ?? 1;
    const width = first === 1 ? (rows[1]?.cells.length ?? 1) : first;
    if (width === 1) return 0;
    const even = rows.filter(({ cells }) => cells.length === width).length / rows.length;
    return Math.round(even * 100) + Math.min(width, 999) / 1000;
}

/** The rows that are whole; the last one as far as it goes when it is the only one. */
function rowsOf(sample: string, marks: CellMarks): readonly CsvRow[] {
    const reader = new CsvRows(marks);
    try {
        const rows = [...reader.push(sample)];
        return (rows.length > 0 ? rows : [...reader.end()]).flat();
    } catch (error) {
        // With another delimiter the text after a quote may be valid.
        if (!isFlowError(error)) throw error;
        return [];
    }
}
