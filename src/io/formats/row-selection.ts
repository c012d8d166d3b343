import { flowError } from '../../core/errors/flow-error';

/** Which rows of a table are not records, in addition to the header. */
export interface RowRules {
    /** The number of the header's row, counted from 1 with empty rows. Default: 1. Rows before it are skipped. */
    readonly headerRow?: number | undefined;
    /** How many rows after the header are skipped; empty rows do not count. Default: 0. */
    readonly skipAfterHeader?: number | undefined;
    /** How many rows at the end are skipped; empty rows do not count. Default: 0. */
    readonly skipAtEnd?: number | undefined;
}

/** Where a row is in its table. */
export interface RowLocation {
    /** Counted from 1 with empty rows. */
    readonly number: number;
    /** About its size in characters. */
    readonly weight: number;
    /** Its place, for an error. */
    readonly nameOf: () => string;
}

/** Rows that may be the last ones are held until it is certain; about this number of characters at most. */
const MAX_HELD = 16 * 1024 * 1024;

/**
 * Selects the rows of one pass that form the table: the header, then the data rows. The caller leaves out empty rows.
 * A row that may belong to the end is held until enough rows follow it.
 */
export class RowSelection<R> {
    private readonly first: number;
    private readonly atEnd: number;
    private afterHeader: number;
    private hasHeader: boolean;
    private readonly held: Array<{ readonly row: R; readonly weight: number }> = [];
    private weight = 0;

    constructor({ headerRow = 1, skipAfterHeader = 0, skipAtEnd = 0 }: RowRules, hasHeader: boolean) {
        this.first = headerRow;
        this.afterHeader = skipAfterHeader;
        this.atEnd = skipAtEnd;
        this.hasHeader = hasHeader;
    }

    /** Takes a row, and returns the next row of the table if one is certain. */
    next(row: R, { number, weight, nameOf }: RowLocation): R | undefined {
        if (number < this.first) return undefined;
        if (this.hasHeader) {
            this.hasHeader = false;
            return row;
        }
        if (this.afterHeader > 0) {
            this.afterHeader--;
            return undefined;
        }
        if (this.atEnd === 0) return row;
        this.held.push({ row, weight });
        this.weight += weight;
        if (this.weight > MAX_HELD)
            throw flowError('SOURCE_MALFORMED', {
                where: nameOf(),
                problem: `the last ${this.held.length} rows have more than ${MAX_HELD / 1024 / 1024} MiB; they are too large for skipAtEnd`,
            });
        if (this.held.length <= this.atEnd) return undefined;
        const certain = this.held.shift()!;
        this.weight -= certain.weight;
        return certain.row;
    }
}

/** A selection for these rules; undefined if every row belongs to the table. */
export function rowSelection<R>(rules: RowRules, hasHeader: boolean): RowSelection<R> | undefined {
    const { headerRow = 1, skipAfterHeader = 0, skipAtEnd = 0 } = rules;
    return headerRow > 1 || skipAfterHeader > 0 || skipAtEnd > 0 ? new RowSelection<R>(rules, hasHeader) : undefined;
}
