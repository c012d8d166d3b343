import type { ExtractContext, Page, PageIssue } from '../../core/adapter/extractor';
import { type PageRow, rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { emptyValue, withEmptyValues } from '../../io/formats/empty-values';
import { type Grouping, isEmptyColumn } from './group-by';
import { yieldToEventLoop } from './paging';

/** With more rows of one value, the column probably does not distinguish anything. */
const MAX_ROWS = 10_000;
/**
 * The approximate number of characters in a record. It limits memory use, and later steps can still write the record as
 * JSON.
 */
const MAX_WEIGHT = 8 * 1024 * 1024;
/** The weight of a cell in addition to its text. */
const CELL = 16;

/**
 * The maximum number of consecutive broken rows that wait for the row that shows their group. Their weight is limited
 * as well.
 */
const MAX_STRAYS = 1_000;

/**
 * Makes one record of consecutive rows with the same value in a column: `{<column>: value, rows: [...]}`. A row that is
 * not a record rejects its whole group. A resumed run begins with the first row of a group.
 */
export async function* groupedRows(
    pages: AsyncIterable<Page>,
    grouping: Grouping,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    const groups = new Groups(grouping);
    let given = 0;
    let last = 0;
    for await (const page of pages) {
        if (page.isPart !== undefined) yield { records: [], isPart: page.isPart };
        if (page.checkpoint === undefined) continue;
        last = page.checkpoint as number;
        let before = last - page.records.length - (page.faults?.length ?? 0);
        for (const row of rowsInSequence(page)) groups.take(row, before++, page.placeOf);
        const done = groups.done();
        if (done.count === 0) continue;
        yield pageOf(done, groups.openFrom ?? last);
        given += done.count;
        if (cx.limit !== undefined && given >= cx.limit) return;
    }
    groups.end();
    const done = groups.done();
    if (done.count === 0) return;
    await yieldToEventLoop(cx);
    yield pageOf(done, last);
}

function pageOf({ records, faults: issues, places }: DoneGroups, checkpoint: number): Page {
    return { records, faults: issues, checkpoint, placeOf: index => places[index]?.() };
}

/** The location of a row at the source. The text is built on demand. */
type RowPlace = () => string | undefined;

/** A separate function, so that the closure retains nothing else. */
function placeIn(placeOf: Page['placeOf'], index: number): RowPlace {
    return () => placeOf?.(index);
}

/** A row that is not a record, and whose value in the column differs from that of the group before it. */
interface Stray {
    readonly fault: PageIssue;
    readonly value: JsonValue | undefined;
    readonly from: number;
    /** Of this row and the waiting rows before it. */
    readonly weight: number;
}

/** Joins rows as they come. */
class Groups {
    private complete = new DoneGroups();
    private group: Group | undefined;
    /**
     * Broken rows after the open group. A broken row may have any value in the column, so the next valid row shows
     * which group they belong to.
     */
    private strays: Stray[] = [];

    constructor(private readonly grouping: Grouping) {}

    /** The number of rows before the first one that is not finished; undefined if all are finished. */
    get openFrom(): number | undefined {
        return this.group?.head.from ?? this.strays[0]?.from;
    }

    /** The groups that were completed since the last call. */
    done(): DoneGroups {
        const done = this.complete;
        this.complete = new DoneGroups();
        return done;
    }

    /** Adds the row that has `before` rows before it. */
    take(row: PageRow, before: number, placeOf?: Page['placeOf']): void {
        if (row.fault) return this.takeBroken(row.fault, before);
        const { record } = row;
        const value = valueOf(record, this.grouping, before);
        if (this.goesOn(value)) {
            if (this.group) this.group.add(record);
            else
                this.complete.reject({
                    ...leftAlone(record, this.grouping, before),
                    place: placeOf?.(row.index),
                });
            return;
        }
        if (value === this.group?.value) for (const { fault: issue } of this.strays) this.group.reject(issue);
        else this.begin({ value, from: before, place: placeIn(placeOf, row.index) });
        this.strays = [];
        this.group!.add(record);
    }

    end(): void {
        if (this.group) this.complete.add(this.group);
        for (const { fault: issue } of this.strays) this.complete.reject(issue);
        this.group = undefined;
        this.strays = [];
    }

    private takeBroken(issue: PageIssue, from: number): void {
        const { data } = issue;
        const { column, continued } = this.grouping;
        // The row may be too short to have the column.
        const value = Object.hasOwn(data, column) ? data[column]! : undefined;
        const belongs = value === undefined || this.goesOn(value);
        if (this.group && (value === this.group.value || (belongs && this.strays.length === 0))) {
            for (const stray of this.strays) this.group.reject(stray.fault);
            this.strays = [];
            return this.group.reject(issue);
        }
        if (belongs && !this.group) return this.complete.reject(issue);
        const weight = weightOf(data);
        const waiting = this.strays.at(-1)?.weight ?? 0;
        const isTooMuch = this.strays.length === MAX_STRAYS || waiting + weight > MAX_WEIGHT;
        if (isTooMuch) this.end();
        this.strays.push({ fault: issue, value, from, weight: isTooMuch ? weight : waiting + weight });
        // Rows after it with an empty column continue it.
        if (continued) {
            this.begin({ value: value!, from, place: () => issue.place });
            this.strays = [];
        }
    }

    /** Closes the open group and begins another, whose first rows may be broken. */
    private begin(head: GroupHead): void {
        const { value } = head;
        const heads = this.strays.filter(stray => stray.value === value);
        const others = this.strays.filter(stray => stray.value !== value);
        if (this.group) this.complete.add(this.group);
        for (const { fault: issue } of others) this.complete.reject(issue);
        const [broken] = heads;
        this.group = new Group(
            this.grouping,
            broken ? { value, from: broken.from, place: () => broken.fault.place } : head,
        );
        for (const { fault: issue } of heads) this.group.reject(issue);
    }

    private goesOn(value: JsonValue): boolean {
        return this.grouping.continued && isEmptyColumn(value);
    }
}

function valueOf(record: JsonObject, { column }: Grouping, before: number): JsonValue {
    if (Object.hasOwn(record, column)) return record[column]!;
    throw flowError('SOURCE_MALFORMED', {
        where: `row ${before + 1}`,
        problem: `groupBy names the column "${column}", and there is none of this name`,
    });
}

function leftAlone(data: JsonObject, { column }: Grouping, before: number): Omit<PageIssue, 'index'> {
    return {
        path: pathOf(column),
        data,
        problem: `row ${before + 1} leaves "${column}" empty, and there is no row before it that it could continue`,
    };
}

/** Completed groups, in the form of a page. */
class DoneGroups {
    readonly records: JsonObject[] = [];
    readonly faults: PageIssue[] = [];
    /** The locations of the first row of each record. */
    readonly places: RowPlace[] = [];

    get count(): number {
        return this.records.length + this.faults.length;
    }

    add(group: Group): void {
        const issue = group.fault();
        if (issue) this.reject(issue);
        else {
            this.records.push(group.record);
            this.places.push(group.head.place);
        }
    }

    reject(issue: Omit<PageIssue, 'index'>): void {
        this.faults.push({ ...issue, index: this.records.length });
    }
}

/** The first row of a group. */
interface GroupHead {
    readonly value: JsonValue;
    /** How many rows are before it. */
    readonly from: number;
    readonly place: RowPlace;
}

class Group {
    private readonly rows: JsonObject[] = [];
    private broken: { readonly row: number; readonly fault: PageIssue } | undefined;
    private weight = 0;

    constructor(
        private readonly grouping: Grouping,
        readonly head: GroupHead,
    ) {}

    /** The value of its rows in the column. */
    get value(): JsonValue {
        return this.head.value;
    }

    get record(): JsonObject {
        const { column, emptyValues, empty } = this.grouping;
        const value = this.value === empty ? emptyValue(emptyValues) : this.value;
        return { ...(value !== undefined && { [column]: value }), rows: this.rows };
    }

    /** Why it is not a record; undefined if it is one. */
    fault(): Omit<PageIssue, 'index'> | undefined {
        if (!this.broken) return undefined;
        const { row, fault: issue } = this.broken;
        const others = this.rows.length - 1;
        return {
            path: `rows.${row}.${issue.path}`,
            data: this.record,
            place: this.head.place(),
            problem:
                others === 0
                    ? issue.problem
                    : `${issue.problem}; the ${others === 1 ? 'other row' : `other ${others} rows`} of its group ${others === 1 ? 'is' : 'are'} rejected with it`,
        };
    }

    add(row: JsonObject): void {
        const { emptyValues, empty } = this.grouping;
        this.take(withEmptyValues(row, emptyValues, empty));
    }

    /** Adds a row that is not a record. */
    reject(issue: PageIssue): void {
        this.broken ??= { row: this.rows.length, fault: issue };
        this.take(issue.data);
    }

    private take(row: JsonObject): void {
        this.rows.push(row);
        this.weight += weightOf(row);
        const tooMuch =
            this.rows.length > MAX_ROWS
                ? `more than ${MAX_ROWS} rows`
                : this.weight > MAX_WEIGHT
                  ? `rows of more than ${MAX_WEIGHT / 1024 / 1024} MiB`
                  : undefined;
        if (tooMuch === undefined) return;
        const { column, continued } = this.grouping;
        const problem = `${tooMuch} that follow each other have the same value in the column "${column}"${continued ? ', or none,' : ','} by which they are grouped`;
        throw flowError('SOURCE_MALFORMED', { where: `row ${this.head.from + 1}`, problem });
    }
}

function weightOf(row: JsonObject): number {
    let weight = 0;
    for (const cell of Object.values(row)) weight += CELL + (typeof cell === 'string' ? cell.length : 0);
    return weight;
}

/** Reads all groups once, so that an invalid group is found before anything is loaded. */
export async function checkGroups(pages: AsyncIterable<Page>, grouping: Grouping, cx: ExtractContext): Promise<void> {
    for await (const _ of groupedRows(pages, grouping, { ...cx, limit: undefined })) continue;
}
