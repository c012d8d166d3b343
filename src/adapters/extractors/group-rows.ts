import type { ExtractContext, Page, PageIssue } from '../../core/adapter/extractor';
import { type PageRow, rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonValue } from '../../core/value/json';
import { apartGroups } from './group-apart';
import { type Grouping, isEmptyColumn, isSameGroup } from './group-by';
import { yieldToEventLoop } from './paging';
import {
    DoneGroups,
    Group,
    type GroupHead,
    withoutGroup,
    MAX_WEIGHT,
    groupPage,
    locationIn,
    valueOf,
    weightOf,
} from './row-group';

/** The maximum number of consecutive broken rows that wait for the row that shows their group. Their weight is limited as well. */
const MAX_STRAYS = 1_000;

/**
 * Makes one record of the rows with the same value in a column: `{<column>: value, rows: [...]}`. A row that is not a record rejects its
 * group. `pages` are read with `rowContext`.
 */
export function groupedRows(
    pages: AsyncIterable<Page>,
    grouping: Grouping,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    return grouping.apart ? apartGroups(pages, grouping, cx) : consecutiveGroups(pages, grouping, cx);
}

/**
 * The context for reading the rows of groups. The number of rows that a group takes is not known, so the groups are counted instead. Rows
 * that may be apart are all read again by a resumed run.
 */
export function rowContext({ apart }: Grouping, cx: ExtractContext): ExtractContext {
    const resumeFrom = apart && cx.resumeFrom !== undefined ? 0 : cx.resumeFrom;
    return { ...cx, limit: undefined, resumeFrom };
}

/** Groups of rows that follow each other. A resumed run begins with the first row of a group. */
async function* consecutiveGroups(
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
        yield groupPage(done, groups.openFrom ?? last);
        given += done.count;
        if (cx.limit !== undefined && given >= cx.limit) return;
    }
    groups.end();
    const done = groups.done();
    if (done.count === 0) return;
    await yieldToEventLoop(cx);
    yield groupPage(done, last);
}

/** A row that is not a record, and whose value in the column differs from that of the group before it. */
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
    /** Broken rows after the open group. Such a row may have any value in the column, so the next valid row decides which group they belong to. */
    private strays: Stray[] = [];

    constructor(private readonly grouping: Grouping) {}

    /** The number of rows before the first one that is not completed; undefined if all are. */
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
                    ...withoutGroup(record, this.grouping, before),
                    place: placeOf?.(row.index),
                });
            return;
        }
        if (this.group && isSameGroup(value, this.group.value))
            for (const { fault: issue } of this.strays) this.group.reject(issue);
        else this.begin({ value, from: before, place: locationIn(placeOf, row.index) });
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
        const isInGroup = this.group && value !== undefined && isSameGroup(value, this.group.value);
        if (this.group && (isInGroup || (belongs && this.strays.length === 0))) {
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

    /** Closes the open group and begins one, whose first rows may have been broken. */
    private begin(head: GroupHead): void {
        const { value } = head;
        const isHead = (stray: Stray): boolean => stray.value !== undefined && isSameGroup(stray.value, value);
        const heads = this.strays.filter(isHead);
        const others = this.strays.filter(stray => !isHead(stray));
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

/**
 * Goes through all groups once, so that one that cannot be made is found before anything is loaded. Groups of rows that are apart need no
 * such pass: they are complete before the first one is returned.
 */
export async function checkGroups(pages: AsyncIterable<Page>, grouping: Grouping, cx: ExtractContext): Promise<void> {
    if (grouping.apart) return;
    for await (const _ of groupedRows(pages, grouping, { ...cx, limit: undefined })) continue;
}
