import type { Page, PageFault } from '../../core/adapter/extractor';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';

/** More rows of one value are taken for a column that tells nothing apart; it also bounds what is held in memory. */
const MAX_ROWS = 10_000;

/**
 * Makes one record of the rows that follow each other with the same value in a column: `{<column>: value, rows: [...]}`. Pages come with
 * whole groups only, so a resumed run begins with the first row of one.
 */
export async function* groupedRows(pages: AsyncIterable<Page>, column: string): AsyncGenerator<Page, void, void> {
    let group: Group | undefined;
    let last = 0;
    for await (const page of pages) {
        const records: JsonObject[] = [];
        const faults: PageFault[] = [];
        const close = (): void => {
            if (group) group.into(records, faults);
            group = undefined;
        };
        last = page.checkpoint as number;
        let before = last - page.records.length - (page.faults?.length ?? 0);
        for (const row of inOrder(page)) {
            const value = 'fault' in row ? undefined : row.record[column];
            if ('record' in row && value === undefined) {
                throw flowError('SOURCE_MALFORMED', { where: `row ${before + 1}`, problem: `groupBy names the column "${column}", and there is none of this name` });
            }
            // A row that is no record belongs to the rows around it.
            if (!group || ('record' in row && group.rows.length > 0 && value !== group.value)) {
                close();
                group = new Group(column, before);
            }
            group.add(row, value);
            before++;
        }
        if (records.length > 0 || faults.length > 0) yield { records, faults, checkpoint: group?.from ?? last };
    }
    if (!group) return;
    const records: JsonObject[] = [];
    const faults: PageFault[] = [];
    group.into(records, faults);
    yield { records, faults, checkpoint: last };
}

type Row = { readonly record: JsonObject } | { readonly fault: PageFault };

class Group {
    value: JsonValue | undefined;
    readonly rows: JsonObject[] = [];
    private readonly faults: PageFault[] = [];

    /** `from`: how many rows stand before it. */
    constructor(
        private readonly column: string,
        readonly from: number,
    ) {}

    add(row: Row, value: JsonValue | undefined): void {
        if ('fault' in row) {
            this.faults.push(row.fault);
            return;
        }
        this.value = value;
        this.rows.push(row.record);
        if (this.rows.length <= MAX_ROWS) return;
        throw flowError('SOURCE_MALFORMED', {
            where: `row ${this.from + 1}`, problem: `more than ${MAX_ROWS} rows in a row have the same value in the column "${this.column}", by which they are grouped`,
        });
    }

    into(records: JsonObject[], faults: PageFault[]): void {
        for (const fault of this.faults) faults.push({ ...fault, index: records.length });
        if (this.rows.length > 0) records.push({ [this.column]: this.value!, rows: this.rows });
    }
}

/** The page's rows in their order at the source. */
function* inOrder({ records, faults = [] }: Page): Generator<Row, void, void> {
    const waiting = [...faults].sort((a, b) => a.index - b.index);
    let next = 0;
    for (let i = 0; i <= records.length; i++) {
        while (next < waiting.length && (waiting[next]!.index <= i || i === records.length)) yield { fault: waiting[next++]! };
        if (i < records.length) yield { record: records[i]! };
    }
}

/** Goes through all groups once, so that one that cannot be made is found before anything is loaded. */
export async function judgeGroups(pages: AsyncIterable<Page>, column: string): Promise<void> {
    for await (const _ of groupedRows(pages, column)) continue;
}

/** What is wrong with a column to group by; undefined when nothing is. */
export function groupProblem(column: string): string | undefined {
    return column === 'rows' || column === '__proto__' ? `allowed: any column but "${pathOf(column)}", which the group itself has` : undefined;
}
