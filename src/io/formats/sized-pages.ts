import type { JsonObject } from '../../core/value/json';
import type { PageIssue } from '../../core/adapter/extractor';
import type { LocationLabel, ReadFrom, RecordPage } from './source';

const PAGE_SIZE = 1000;
/**
 * A page of large records is returned before it has its number of rows; about this number of characters is held at
 * most.
 */
const PAGE_WEIGHT = 4 * 1024 * 1024;

/** About what a cell costs in addition to its text, in characters: even an empty cell is a field of a record. */
export const CELL_WEIGHT = 16;

/** A row that is not a record; its place is found when it is added. */
export type RowIssue = Omit<PageIssue, 'index' | 'place'>;

/** The name of a line of text. */
export const lineName: LocationLabel = line => `line ${line}`;

/**
 * Collects rows in pages that are full by their number or by their weight. A reader checks `isSkipping` before it
 * builds a record that is not needed.
 */
export class SizedPages {
    private records: JsonObject[] = [];
    /** The numbers of the records in the source. */
    private recordRows: number[] = [];
    private issues: PageIssue[] = [];
    private complete: RecordPage[] = [];
    private weight = 0;
    private taken: number;
    private count = 0;

    constructor(
        private readonly from: ReadFrom,
        private readonly nameOf: LocationLabel = lineName,
    ) {
        this.taken = from.skip ?? 0;
    }

    /** All rows so far, including skipped and malformed ones. */
    get rows(): number {
        return this.count;
    }

    /** True if the next row is skipped. */
    get isSkipping(): boolean {
        return this.count < (this.from.skip ?? 0);
    }

    /** Counts a row that is skipped. */
    skip(): void {
        this.count++;
    }

    /** Takes a record; `weight` is about its size in characters, `row` the number that it has in the source. */
    add(record: JsonObject, weight: number, row: number): void {
        this.records.push(record);
        this.recordRows.push(row);
        this.counted(weight);
    }

    /** Takes a row that is not a record. */
    addFault(issue: RowIssue, weight: number, row: number): void {
        this.issues.push({ ...issue, place: this.nameOf(row), index: this.records.length });
        this.counted(weight);
    }

    /** True when there is a page to take. */
    get isFull(): boolean {
        return this.complete.length > 0;
    }

    /** The pages that are full. */
    full(): readonly RecordPage[] {
        const pages = this.complete;
        if (pages.length > 0) this.complete = [];
        return pages;
    }

    /** The rest when the source has ended. */
    rest(): readonly RecordPage[] {
        if (this.count > this.taken) this.turn();
        return this.full();
    }

    private counted(weight: number): void {
        this.count++;
        this.weight += weight;
        if (this.count - this.taken >= (this.from.pageSize ?? PAGE_SIZE) || this.weight >= PAGE_WEIGHT) this.turn();
    }

    private turn(): void {
        const { records, issues, recordRows, nameOf } = this;
        const placeOf = (index: number): string | undefined => {
            const row = recordRows[index];
            return row === undefined ? undefined : nameOf(row);
        };
        this.complete.push({ records, faults: issues, rows: this.count, placeOf });
        this.records = [];
        this.recordRows = [];
        this.issues = [];
        this.weight = 0;
        this.taken = this.count;
    }
}
