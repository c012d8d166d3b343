/**
 * Assigns rows to columns so that the sum of their scores is highest (Hungarian algorithm). A pair with a score below `least` is not assigned.
 * Returns the column of each row, or -1.
 */
export function assignByScore(scores: readonly (readonly number[])[], least: number): readonly number[] {
    const rows = scores.length;
    const columns = scores[0]?.length ?? 0;
    if (rows === 0 || columns === 0) return scores.map(() => -1);
    // The work grows with the square of the rows, so the smaller side of the table becomes the rows.
    if (rows > columns) return inverse(assignSmaller(transposed(scores), least), rows);
    return assignSmaller(scores, least);
}

function transposed(scores: readonly (readonly number[])[]): readonly (readonly number[])[] {
    return scores[0]!.map((_, column) => scores.map(row => row[column]!));
}

/** The row of each column, from the column of each row. */
function inverse(assigned: readonly number[], width: number): readonly number[] {
    const rows = new Array<number>(width).fill(-1);
    for (const [row, column] of assigned.entries()) if (column >= 0) rows[column] = row;
    return rows;
}

/** The same as `assignByScore`, for a table that is not empty. */
function assignSmaller(scores: readonly (readonly number[])[], least: number): readonly number[] {
    const rows = scores.length;
    const columns = scores[0]!.length;
    // Each row has a dummy column, so that a row may stay without one.
    const width = columns + rows;
    const cost = (row: number, column: number): number => {
        const score = column < columns ? scores[row]![column]! : least;
        return column < columns && score < least ? 2 : 1 - score;
    };
    return solve(rows, width, cost).map(column => (column < columns ? column : -1));
}

/** Shortest augmenting paths with potentials; `rows <= width`. */
function solve(rows: number, width: number, cost: (row: number, column: number) => number): readonly number[] {
    const rowPotential = new Array<number>(rows + 1).fill(0);
    const columnPotential = new Array<number>(width + 1).fill(0);
    const rowOf = new Array<number>(width + 1).fill(0);
    const previous = new Array<number>(width + 1).fill(0);
    for (let row = 1; row <= rows; row++) {
        rowOf[0] = row;
        let column = 0;
        const shortest = new Array<number>(width + 1).fill(Infinity);
        const used = new Array<boolean>(width + 1).fill(false);
        do {
            used[column] = true;
            const current = rowOf[column]!;
            let delta = Infinity;
            let next = 0;
            for (let j = 1; j <= width; j++) {
                if (used[j]) continue;
                const reduced = cost(current - 1, j - 1) - rowPotential[current]! - columnPotential[j]!;
                if (reduced < shortest[j]!) {
                    shortest[j] = reduced;
                    previous[j] = column;
                }
                if (shortest[j]! < delta) {
                    delta = shortest[j]!;
                    next = j;
                }
            }
            for (let j = 0; j <= width; j++) {
                if (used[j]) {
                    rowPotential[rowOf[j]!]! += delta;
                    columnPotential[j]! -= delta;
                } else shortest[j]! -= delta;
            }
            column = next;
        } while (rowOf[column] !== 0);
        while (column !== 0) {
            rowOf[column] = rowOf[previous[column]!]!;
            column = previous[column]!;
        }
    }
    const assigned = new Array<number>(rows).fill(-1);
    for (let j = 1; j <= width; j++) if (rowOf[j]! > 0) assigned[rowOf[j]! - 1] = j - 1;
    return assigned;
}
