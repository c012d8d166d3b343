import type { ExtractContext, Page } from '../../core/adapter/extractor';
import { type PageRow, rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { type Grouping, isEmptyColumn } from './group-by';
import { countFrom, PAGE_SIZE, yieldToEventLoop } from './paging';
import {
    DoneGroups,
    Group,
    type GroupHead,
    type GroupIssue,
    withoutGroup,
    groupPage,
    locationIn,
    valueOf,
    weightOf,
} from './row-group';

const MAX_ROWS = 100_000;
/** About this number of characters may be held. */
const MAX_WEIGHT = 64 * 1024 * 1024;
/** Groups of a page have about this number of characters at most. */
const PAGE_WEIGHT = 4 * 1024 * 1024;

/**
 * Groups of rows that need not follow each other, in the order of their first rows. They are complete when all rows have been read, so the
 * checkpoint is the number of groups, and a resumed run reads all rows again.
 */
export async function* apartGroups(
    pages: AsyncIterable<Page>,
    grouping: Grouping,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    const groups = new ApartGroups(grouping);
    for await (const page of pages) {
        if (page.isPart !== undefined) yield { records: [], isPart: page.isPart };
        if (page.checkpoint === undefined) continue;
        let before = (page.checkpoint as number) - page.records.length - (page.faults?.length ?? 0);
        for (const row of rowsInSequence(page)) groups.take(row, before++, page.placeOf);
    }
    const size = Math.min(PAGE_SIZE, cx.limit ?? PAGE_SIZE);
    const all = groups.complete;
    let given = 0;
    for (let at = countFrom(cx.resumeFrom); at < all.length && given < (cx.limit ?? Infinity);) {
        await yieldToEventLoop(cx);
        const done = new DoneGroups();
        for (let weight = 0; at < all.length && done.count < size && weight < PAGE_WEIGHT; at++) {
            const one = all[at]!;
            if (one instanceof Group) {
                done.add(one);
                weight += one.size;
            } else done.reject(one);
        }
        given += done.count;
        yield groupPage(done, at);
    }
}

/** Collects rows into groups by their value in the column. */
class ApartGroups {
    /** All groups, and the rows that belong to none, in the order of their first rows. */
    readonly complete: Array<Group | GroupIssue> = [];
    private readonly byValue = new Map<JsonValue, Group>();
    /** The group of the row before. */
    private last: Group | undefined;
    private rows = 0;
    private weight = 0;

    constructor(private readonly grouping: Grouping) {}

    /** Takes the row with this number of rows before it. A broken row that is too short to have the column belongs to the row before it. */
    take(row: PageRow, before: number, placeOf?: Page['placeOf']): void {
        const { fault: issue } = row;
        const data = issue ? issue.data : row.record;
        const value = this.keyOf(data, before, issue !== undefined);
        const place = issue ? () => issue.place : locationIn(placeOf, row.index);
        this.hold(data, before);
        const isContinued = value === undefined || (this.grouping.continued && isEmptyColumn(value));
        const group = isContinued ? this.last : this.groupOf({ value, from: before, place });
        if (!group) this.complete.push(issue ?? { ...withoutGroup(data, this.grouping, before), place: place() });
        else if (issue) group.reject(issue);
        else group.add(data);
        this.last = group;
    }

    /** The value that names the group of a row; undefined if a broken row is too short to have it. */
    private keyOf(data: JsonObject, before: number, isBroken: boolean): JsonValue | undefined {
        const { column, fallback } = this.grouping;
        if (isBroken && !Object.hasOwn(data, column)) return undefined;
        const value = valueOf(data, this.grouping, before);
        if (fallback === undefined || !isEmptyColumn(value)) return value;
        if (isBroken && !Object.hasOwn(data, fallback)) return undefined;
        return valueOf(data, { column: fallback }, before);
    }

    private groupOf(head: GroupHead): Group {
        const known = this.byValue.get(head.value);
        if (known) return known;
        const group = new Group(this.grouping, head);
        // Rows that leave the column empty have nothing in common.
        if (!isEmptyColumn(head.value)) this.byValue.set(head.value, group);
        this.complete.push(group);
        return group;
    }

    /** Counts a row; throws SOURCE_MALFORMED if more is held than allowed. */
    private hold(data: JsonObject, before: number): void {
        this.rows++;
        this.weight += weightOf(data);
        const tooMuch =
            this.rows > MAX_ROWS
                ? `more than ${MAX_ROWS} rows`
                : this.weight > MAX_WEIGHT
                  ? `rows of more than ${MAX_WEIGHT / 1024 / 1024} MiB`
                  : undefined;
        if (tooMuch === undefined) return;
        throw flowError('SOURCE_MALFORMED', {
            where: `row ${before + 1}`,
            problem: `groupBy.apart would hold ${tooMuch}; sort the source by "${this.grouping.column}" and set apart to false`,
        });
    }
}
