import type { ExtractContext, Page, PageIssue } from '../../core/adapter/extractor';
import { type PageRow, rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { emptyValue, withEmptyValues } from '../../io/formats/empty-values';
import { type Grouping, isEmptyColumn } from './group-by';
import { yieldToEventLoop } from './paging';

/** More rows of one value are taken for a column that tells nothing apart. */
const MAX_ROWS = 10_000;
/** About so many characters one record may have: what is held in memory is bounded, and what comes behind can still be written as JSON. */
const MAX_WEIGHT = 8 * 1024 * 1024;
/** What a cell weighs beside its text. */
const CELL = 16;

/** So many broken rows in a stretch wait for the row that tells which group they stand in, of that weight at most. */
const MAX_STRAYS = 1_000;

/**
 * Makes one record of the rows that follow each other with the same value in a column: `{<column>: value, rows: [...]}`. A row that is no
 * record rejects the group that it stands in. A resumed run begins with the first row of a group.
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

/** Where a row stands at the source; the text is made when it is asked for. */
type RowPlace = () => string | undefined;

/** Made apart, so that it holds on to nothing else. */
function placeIn(placeOf: Page['placeOf'], index: number): RowPlace {
    return () => placeOf?.(index);
}

/** A row that is no record, whose value in the column is not that of the group before it. */
interface Stray {
    readonly fault: PageIssue;
    readonly value: JsonValue | undefined;
    readonly from: number;
    /** Of it and of those before it that wait. */
    readonly weight: number;
}

/** Puts rows together as they come. */
class Groups {
    private complete = new DoneGroups();
    private group: Group | undefined;
    /** Behind the open group. A broken row may have anything in the column, so that the next sound one tells where they belong. */
    private strays: Stray[] = [];

    constructor(private readonly grouping: Grouping) {}

    /** How many rows stand before the first one that is not done with; undefined where all are. */
    get openFrom(): number | undefined {
        return this.group?.head.from ?? this.strays[0]?.from;
    }

    /** What has been completed since it was asked last. */
    done(): DoneGroups {
        const done = this.complete;
        this.complete = new DoneGroups();
        return done;
    }

    /** Takes the row that has so many before it. */
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
        // It may be too short to have the column.
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
        // What is empty behind it goes on with it.
        if (continued) {
            this.begin({ value: value!, from, place: () => issue.place });
            this.strays = [];
        }
    }

    /** Closes the open group and begins one, whose first rows may have been broken. */
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

/** Groups that are complete, as a page has them. */
class DoneGroups {
    readonly records: JsonObject[] = [];
    readonly faults: PageIssue[] = [];
    /** Of the first row of each record. */
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
    /** How many rows stand before it. */
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

    /** What its rows have in the column. */
    get value(): JsonValue {
        return this.head.value;
    }

    get record(): JsonObject {
        const { column, emptyValues, empty } = this.grouping;
        const value = this.value === empty ? emptyValue(emptyValues) : this.value;
        return { ...(value !== undefined && { [column]: value }), rows: this.rows };
    }

    /** Why it is no record; undefined where it is one. */
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

    /** Takes a row that is no record. */
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

/** Goes through all groups once, so that one that cannot be made is found before anything is loaded. */
export async function checkGroups(pages: AsyncIterable<Page>, grouping: Grouping, cx: ExtractContext): Promise<void> {
    for await (const _ of groupedRows(pages, grouping, { ...cx, limit: undefined })) continue;
}
