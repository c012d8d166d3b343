/** A row of another width than its table. */
interface OtherWidth {
    readonly cells: number;
    readonly columns: number;
}

/** What to do about a title that was read as the header, as the end of a sentence. */
const TITLE_ABOVE = 'if there is a title above the table, remove it or set headerRow';

/** Reports that a row has another width than its table; `owner` is the row that defines the width of the table. */
export function otherWidth({ cells, columns }: OtherWidth, where: string, owner: string): string {
    const width = `${where} has ${cells} ${cells === 1 ? 'cell' : 'cells'} and ${owner} ${columns}`;
    return columns === 1 ? `${width}; ${TITLE_ABOVE}` : width;
}

const OTHER_WIDTH = / has (\d+) cells? and the (?:header|first row) (\d+)/;

/** The counts in a text of `otherWidth`; undefined for any other reason. */
export function cellCounts(reason: string): OtherWidth | undefined {
    const counts = OTHER_WIDTH.exec(reason);
    return counts ? { cells: Number(counts[1]), columns: Number(counts[2]) } : undefined;
}
