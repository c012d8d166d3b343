import { hash } from 'node:crypto';
import type { RecordPage } from '../../io/formats/source';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/** Where a page is: its number, an offset, a cursor, or its address; undefined of the first one. */
export type PageAt = string | number | undefined;

/** Where a reading is. Stored as a checkpoint, so that a run goes on at the page it has come to. */
export interface PagePosition {
    /** The number of the page that comes next, from 1. */
    readonly page: number;
    readonly at: PageAt;
    /** How many rows the pages before it had. */
    readonly rows: number;
    /** How many rows of the page itself are read. */
    readonly skip: number;
    /** The digest of the rows of the page itself that are read. */
    readonly current?: string | undefined;
    /** The digests of the first page, and of the one before. */
    readonly first?: string | undefined;
    readonly previous?: string | undefined;
    /** How many pages before this one were the same as the page before them. */
    readonly repeats: number;
    /** The page before was empty, although its server said that there was more. */
    readonly empty?: boolean | undefined;
    /** A cursor of a page that lies behind; it moves on ever more seldom, so that any circle comes past it. */
    readonly anchor?: string | undefined;
    /** How many records pages are asked for, where that is fewer than usual. */
    readonly limit?: number | undefined;
    /** How many records there are by the word of the server. */
    readonly total?: number | undefined;
    /** How many records there were at most by its word, and how many of those that it counts it has not shown. */
    readonly most?: number | undefined;
    readonly unshown?: number | undefined;
    /** Why what was read is not all, as the end of a sentence that begins with the source; what is counted comes before it. */
    readonly lack?: string | undefined;
    /** What has changed at this moment or later is read. */
    readonly since?: string | undefined;
    /** From when on the next run reads. */
    readonly next?: string | undefined;
    /** All is read. */
    readonly isDone: boolean;
}

/** Each field, and whether it says something only where it is more than nothing. */
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

/** Nothing in it that says nothing. */
export function storedPagePosition(position: PagePosition): JsonObject {
    const stored: Record<string, JsonValue> = {};
    for (const name of STORED) {
        const value = position[name];
        if (value !== undefined && (value || !FIELDS[name].saidIfTrue)) stored[name] = value;
    }
    return stored;
}

/** As it was stored; the beginning where nothing was. */
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

/** A short name of a text, to know it again by. */
export function shortDigest(text: string): string {
    return hash('sha256', text, 'base64url').slice(0, 16);
}

/** The digest of a page after some more of its rows: of all of them, so that two pages with one digest are the same. Undefined of a page without rows. */
export function digestAfter(before: string | undefined, { records, faults: issues }: RecordPage): string | undefined {
    let digest = before;
    const add = (row: JsonObject): void => {
        digest = shortDigest(`${digest ?? ''}${JSON.stringify(row)}`);
    };
    records.forEach(add);
    for (const { data } of issues) add(data);
    return digest;
}
