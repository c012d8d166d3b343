import { isCellValue } from '../../core/import/cell-shapes';
import { readNumberCell } from '../../core/import/number-cells';
import { isFlowError } from '../../core/errors/flow-error';
import { type CellMarks, type CsvRow, CsvRows } from './csv-rows';
import { DELIMITERS } from './delimiters';
import { SepLine } from './sep-line';

/** Rows that are read for each delimiter. */
const ROWS = 200;

/** How the cells of a text are separated, and which other delimiters give a table as well. */
interface DetectedMarks extends Required<CellMarks> {
    /** The likeliest first. */
    readonly alternatives: readonly string[];
}

/** The delimiter of the beginning of a CSV text, and whether blanks around the cells are removed; see `detectMarks`. */
export function sniffMarks(sample: string): Required<CellMarks> {
    const { delimiter, trim } = detectMarks(sample);
    return { delimiter, trim };
}

/**
 * The delimiter that makes the best table of the beginning of a CSV text: rows of one width, many columns, and cells that are whole values. A first
 * line `sep=;` decides. A comma if no delimiter makes a table. Blanks around cells are removed if the text cannot be read otherwise. The text may be
 * cut anywhere.
 */
export function detectMarks(sample: string): DetectedMarks {
    const sepLine = new SepLine();
    sepLine.take(sample);
    sepLine.end();
    const named = sepLine.delimiter;
    const scored = [false, true]
        .flatMap(trim =>
            (named === undefined ? DELIMITERS : [named]).map(delimiter => ({
                delimiter,
                trim,
                score: scoreOf(rowsOf(sample, { delimiter, trim })),
            })),
        )
        .filter(({ score }) => score > 0);
    const [best, ...others] = scored.sort(
        (a, b) => b.score - a.score || Number(a.trim) - Number(b.trim) || order(a.delimiter) - order(b.delimiter),
    );
    if (!best) return { delimiter: named ?? ',', trim: false, alternatives: [] };
    const draw = others.find(
        other => other.delimiter === ';' && other.score === best.score && other.trim === best.trim,
    );
    const { delimiter, trim } =
        draw && hasCommaDecimals(rowsOf(sample, { delimiter: ';', trim: draw.trim })) ? draw : best;
    const alternatives = [...scored.map(other => other.delimiter)].filter(other => other !== delimiter);
    return { delimiter, trim, alternatives: [...new Set(alternatives)] };
}

function order(delimiter: string): number {
    return DELIMITERS.findIndex(other => other === delimiter);
}

/** The share of rows with the most usual width, times the columns after the first, times the share of cells that are whole values. */
function scoreOf(rows: readonly CsvRow[]): number {
    const counts = new Map<number, number>();
    for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
    const [usual] = [...counts].filter(([width]) => width > 1).sort(([a, x], [b, y]) => y - x || b - a);
    if (!usual) return 0;
    const [width, count] = usual;
    const cells = rows.flatMap(row => row.cells);
    const clear = cells.filter(isCellValue).length / cells.length;
    return (count / rows.length) * (width - 1) * clear;
}

function hasCommaDecimals(rows: readonly CsvRow[]): boolean {
    return rows.some(({ cells }) => cells.some(cell => readNumberCell(cell)?.decimals === 'COMMA'));
}

/** The rows that are whole; the last one as far as it goes when it is the only one. */
function rowsOf(sample: string, marks: CellMarks): readonly CsvRow[] {
    const reader = new CsvRows(marks);
    try {
        const rows: CsvRow[] = [];
        for (const some of reader.push(sample)) {
            rows.push(...some);
            if (rows.length >= ROWS) return rows.slice(0, ROWS);
        }
        return rows.length > 0 ? rows : [...reader.end()].flat();
    } catch (error) {
        // Another delimiter may read the quotes of the text.
        if (!isFlowError(error)) throw error;
        return [];
    }
}
