import type { Page, PageIssue } from '../../core/adapter/extractor';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { pathOf } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { emptyValue, withEmptyValues } from '../../io/formats/empty-values';
import type { Grouping } from './group-by';

/** With more rows of one value, the column probably does not distinguish anything. */
const MAX_ROWS = 10_000;
/** The approximate number of characters in a record. It limits memory use, and later steps can still write the record as JSON. */
export const MAX_WEIGHT = 8 * 1024 * 1024;
/** The weight of a cell in addition to its text. */
const CELL = 16;

/** Why there is no record; its index is known when it is on a page. */
export type GroupIssue = Omit<PageIssue, 'index'>;

/** The location of a row at the source. The text is built on demand. */
type GroupLocation = () => string | undefined;

/** Made apart, so that it holds on to nothing else. */
export function locationIn(placeOf: Page['placeOf'], index: number): GroupLocation {
    return () => placeOf?.(index);
}

export function valueOf(record: JsonObject, { column }: Pick<Grouping, 'column'>, before: number): JsonValue {
    if (Object.hasOwn(record, column)) return record[column]!;
    throw flowError('SOURCE_MALFORMED', {
        where: `row ${before + 1}`,
        problem: `groupBy names the column "${column}", and there is none of this name`,
    });
}

export function withoutGroup(data: JsonObject, { column }: Grouping, before: number): GroupIssue {
    return {
        path: pathOf(column),
        data,
        problem: `row ${before + 1} leaves "${column}" empty, and there is no row before it that it could continue`,
    };
}

/** Groups that are complete, as a page has them. */
export class DoneGroups {
    readonly records: JsonObject[] = [];
    readonly faults: PageIssue[] = [];
    /** Of the first row of each record. */
    readonly places: GroupLocation[] = [];

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

    reject(issue: GroupIssue): void {
        this.faults.push({ ...issue, index: this.records.length });
    }
}

/** The first row of a group. */
export interface GroupHead {
    readonly value: JsonValue;
    /** The number of rows before it. */
    readonly from: number;
    readonly place: GroupLocation;
}

/** The rows with the same value in the column. */
export class Group {
    private readonly rows: JsonObject[] = [];
    private broken: { readonly row: number; readonly fault: PageIssue } | undefined;
    private weight = 0;

    constructor(
        private readonly grouping: Grouping,
        readonly head: GroupHead,
    ) {}

    /** About its size in characters. */
    get size(): number {
        return this.weight;
    }

    /** What its rows have in the column. */
    get value(): JsonValue {
        return this.head.value;
    }

    get record(): JsonObject {
        const { column, emptyValues, empty } = this.grouping;
        const value = this.value === empty ? emptyValue(emptyValues) : this.value;
        return { ...(value !== undefined && { [column]: value }), rows: this.rows };
    }

    /** Why the group is not a record; undefined if it is one. */
    fault(): GroupIssue | undefined {
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
        const { column, continued, apart } = this.grouping;
        const problem = `${tooMuch} ${apart ? '' : 'that follow each other '}have the same value in the column "${column}"${continued ? ', or none,' : ','} by which they are grouped`;
        throw flowError('SOURCE_MALFORMED', { where: `row ${this.head.from + 1}`, problem });
    }
}

export function weightOf(row: JsonObject): number {
    let weight = 0;
    for (const cell of Object.values(row)) weight += CELL + (typeof cell === 'string' ? cell.length : 0);
    return weight;
}

/** A page of groups. `checkpoint` is where a run resumes after it. */
export function groupPage({ records, faults: issues, places }: DoneGroups, checkpoint: number): Page {
    return { records, faults: issues, checkpoint, placeOf: index => places[index]?.() };
}
