import { hash } from 'node:crypto';
import type { RecordPage } from '../../io/formats/source';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/** The position of a page: its number, an offset, a cursor, or its address; undefined for the first page. */
export type PageAt = string | number | undefined;

/** The position of a reading. It is stored as a checkpoint, so that a run resumes at its page. */
export interface PagePosition {
    /** The number of the page that comes next, from 1. */
    readonly page: number;
    readonly at: PageAt;
    /** How many rows the pages before it had. */
    readonly rows: number;
    /** How many rows of the page itself are read. */
    readonly skip: number;
    /** The digest of the rows of the page that have been read. */
    readonly current?: string | undefined;
    /** The digests of the first and of the previous page. */
    readonly first?: string | undefined;
    readonly previous?: string | undefined;
    /** How many consecutive pages before this one equal the page before them. */
    readonly repeats: number;
    /** The previous page was empty, although its server said that there was more. */
    readonly empty?: boolean | undefined;
    /** The cursor of an earlier page. It is replaced at growing intervals, so that any circle returns to it. */
    readonly anchor?: string | undefined;
    /** The number of records to request per page, if fewer than usual. */
    readonly limit?: number | undefined;
    /** The total number of records that the server reports. */
    readonly total?: number | undefined;
    /** The highest total that the server has reported, and the number of counted records that it has not returned. */
    readonly most?: number | undefined;
    readonly unshown?: number | undefined;
    /**
     * Why the reading is incomplete, as the end of a sentence that begins with the source. Reasons from counts come
     * before it.
     */
    readonly lack?: string | undefined;
    /** Changes since this moment are read. */
    readonly since?: string | undefined;
    /** The moment from which the next run reads. */
    readonly next?: string | undefined;
    /** Everything is read. */
    readonly isDone: boolean;
}

/** All fields, and whether a field is stored only if it is greater than zero. */
const FIELDS: Readonly<Record<keyof PagePosition, { readonly saidIfTrue: boolean }>> = {
    page: { saidIfTrue: false },
    at: { saidIfTrue: false },
    rows: { saidIfTrue: false },
    skip: { saidIfTrue: true },
    current: { saidIfTrue: false },
    first: { saidIfTrue: false },
    previous: { saidIfTrue: false },
    repeats: { saidIfTrue: true },
    empty: { saidIfTrue: true },
    anchor: { saidIfTrue: false },
    limit: { saidIfTrue: false },
    total: { saidIfTrue: false },
    most: { saidIfTrue: false },
    unshown: { saidIfTrue: false },
    lack: { saidIfTrue: false },
    since: { saidIfTrue: false },
    next: { saidIfTrue: false },
    isDone: { saidIfTrue: true },
};
const STORED = Object.keys(FIELDS) as ReadonlyArray<keyof PagePosition>;

/** Omits fields without information. */
export function storedPagePosition(position: PagePosition): JsonObject {
    const stored: Record<string, JsonValue> = {};
    for (const name of STORED) {
        const value = position[name];
        if (value !== undefined && (value || !FIELDS[name].saidIfTrue)) stored[name] = value;
    }
    return stored;
}

/** Reads the stored position; the beginning if nothing is stored. */
export function readPagePosition(checkpoint: JsonValue | undefined): PagePosition {
    const stored = isJsonObject(checkpoint) ? checkpoint : {};
    const text = (name: string): string | undefined =>
        typeof stored[name] === 'string' ? (stored[name] as string) : undefined;
    const number = (name: string): number | undefined =>
        typeof stored[name] === 'number' ? (stored[name] as number) : undefined;
    return {
        page: number('page') ?? 1,
        at: text('at') ?? number('at'),
        rows: number('rows') ?? 0,
        skip: number('skip') ?? 0,
        current: text('current'),
        first: text('first'),
        previous: text('previous'),
        repeats: number('repeats') ?? 0,
        empty: stored['empty'] === true,
        anchor: text('anchor'),
        limit: number('limit'),
        total: number('total'),
        most: number('most'),
        unshown: number('unshown'),
        lack: text('lack'),
        since: text('since'),
        next: text('next'),
        isDone: stored['isDone'] === true,
    };
}

/** A short digest by which a text is recognized. */
export function shortDigest(text: string): string {
    return hash('sha256', text, 'base64url').slice(0, 16);
}

/**
 * The digest of a page after more of its rows. It covers all rows, so pages with the same digest are equal. Undefined
 * for a page without rows.
 */
export function digestAfter(before: string | undefined, { records, faults: issues }: RecordPage): string | undefined {
    let digest = before;
    const add = (row: JsonObject): void => {
        digest = shortDigest(`${digest ?? ''}${JSON.stringify(row)}`);
    };
    records.forEach(add);
    for (const { data } of issues) add(data);
    return digest;
}
