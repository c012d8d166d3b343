import type { ExtractContext, Page, PageFault } from '../../core/adapter/extractor';
import { rowsInOrder } from '../../core/adapter/page-rows';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { breathe } from './paging';

/** More rows of one value are taken for a column that tells nothing apart. */
const MAX_ROWS = 10_000;
/** About so many characters one record may have: what is held in memory is bounded, and what comes behind can still be written as JSON. */
const MAX_WEIGHT = 8 * 1024 * 1024;
/** What a cell weighs beside its text. */
const CELL = 16;

/**
 * Makes one record of the rows that follow each other with the same value in a column: `{<column>: value, rows: [...]}`. Rows that are no
 * records go on at once, before the group that they stand in. A resumed run begins with the first row of a group.
 */
export async function* groupedRows(
    pages: AsyncIterable<Page>,
    column: string,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    let group: Group | undefined;
    let given = 0;
    let last = 0;
    for await (const page of pages) {
        const records: JsonObject[] = [];
        const faults: PageFault[] = [];
        last = page.checkpoint as number;
        let before = last - page.records.length - (page.faults?.length ?? 0);
        for (const row of rowsInOrder(page)) {
            if (row.fault) {
                faults.push({ ...row.fault, index: records.length });
                group?.isPassed();
            } else {
                const value = valueOf(row.record, column, before);
                if (group && value !== group.value) {
                    records.push(group.record);
                    group = undefined;
                }
                group ??= new Group(column, { value, from: before });
                group.add(row.record);
            }
            before++;
        }
        if (records.length === 0 && faults.length === 0) continue;
        // Where a row behind the beginning of the open group has gone on already, there is no place to go on from.
        const checkpoint = group ? group.checkpoint : last;
        yield { records, faults, ...(checkpoint !== undefined && { checkpoint }) };
        given += records.length + faults.length;
        if (cx.limit !== undefined && given >= cx.limit) return;
    }
    if (!group) return;
    await breathe(cx);
    yield { records: [group.record], checkpoint: last };
}

function valueOf(record: JsonObject, column: string, before: number): JsonValue {
    if (Object.hasOwn(record, column)) return record[column]!;
    throw flowError('SOURCE_MALFORMED', {
        where: `row ${before + 1}`,
        problem: `groupBy names the column "${column}", and there is none of this name`,
    });
}

class Group {
    readonly value: JsonValue;
    private readonly rows: JsonObject[] = [];
    private readonly from: number;
    private weight = 0;
    private isOpenBehind = false;

    /** `from`: how many rows stand before it. */
    constructor(
        private readonly column: string,
        { value, from }: { readonly value: JsonValue; readonly from: number },
    ) {
        this.value = value;
        this.from = from;
    }

    get record(): JsonObject {
        return { [this.column]: this.value, rows: this.rows };
    }

    get checkpoint(): number | undefined {
        return this.isOpenBehind ? undefined : this.from;
    }

    /** A row that stands in the group has gone on before it. */
    isPassed(): void {
        this.isOpenBehind = true;
    }

    add(row: JsonObject): void {
        this.rows.push(row);
        for (const cell of Object.values(row)) this.weight += CELL + (typeof cell === 'string' ? cell.length : 0);
        const tooMuch =
            this.rows.length > MAX_ROWS
                ? `more than ${MAX_ROWS} rows`
                : this.weight > MAX_WEIGHT
                  ? `rows of more than ${MAX_WEIGHT / 1024 / 1024} MiB`
                  : undefined;
        if (tooMuch === undefined) return;
        const problem = `${tooMuch} that follow each other have the same value in the column "${this.column}", by which they are grouped`;
        throw flowError('SOURCE_MALFORMED', { where: `row ${this.from + 1}`, problem });
    }
}

/** Goes through all groups once, so that one that cannot be made is found before anything is loaded. */
export async function judgeGroups(pages: AsyncIterable<Page>, column: string, cx: ExtractContext): Promise<void> {
    for await (const _ of groupedRows(pages, column, { ...cx, limit: undefined })) continue;
}

/** What is wrong with a column to group by; undefined when nothing is. */
export function groupProblem(column: string): string | undefined {
    return column === 'rows' || column === '__proto__'
        ? `allowed: any column but "${pathOf(column)}", which the group itself has`
        : undefined;
}
