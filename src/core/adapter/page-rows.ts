import type { JsonObject } from '../value/json';
import type { Page, PageIssue } from './extractor';

/** A row of a page: a record with its index, or the issue in its place. */
export type PageRow =
    | { readonly record: JsonObject; readonly index: number; readonly fault?: never }
    | { readonly fault: PageIssue; readonly record?: never };

/** The page's rows in their order at the source. */
export function rowsInSequence({ records, faults: issues = [] }: Page): readonly PageRow[] {
    const rows: PageRow[] = [];
    const waiting = [...issues].sort((a, b) => a.index - b.index);
    let next = 0;
    for (const [index, record] of records.entries()) {
        while (next < waiting.length && waiting[next]!.index <= index) rows.push({ fault: waiting[next++]! });
        rows.push({ record, index });
    }
    for (const issue of waiting.slice(next)) rows.push({ fault: issue });
    return rows;
}
