import type { NextRun } from '../../core/adapter/extractor';
import type { JsonValue } from '../../core/value/json';
import type { RemoteFile } from '../../io/remote/remote-files';

/** What the last completed run has read last: files of that time, and all before it. */
export interface ReadUpTo {
    readonly ms: number;
    /** The files of just that time which it has read: others may have come since. */
    readonly paths: readonly string[];
}

/** The place of a file in the order in which files are read. */
export type ListedAt = Pick<RemoteFile, 'path' | 'modifiedAt'>;

/** How far a run has read what it lists. A checkpoint, as JSON. */
export interface RemotePosition {
    /** The file that was read last, as it was then. */
    readonly file?: RemoteFile | undefined;
    /** How many rows of it. */
    readonly rows: number;
    /** It is read to its end, or was given up. */
    readonly isOver: boolean;
    /** How many files have been read. */
    readonly read: number;
    /** Files that an earlier run has read are left out. */
    readonly since?: ReadUpTo | undefined;
    /** Earlier runs have read the files up to this one, and have left the others because of the maximum number of files. */
    readonly after?: ListedAt | undefined;
    /** What the next run leaves out. */
    readonly newest?: ReadUpTo | undefined;
    /** A file could not be read: `newest` stays before it, so that it is read once it is corrected. */
    readonly hasLeftOut?: boolean | undefined;
    /** A file that this run has read had a record, or a row that is none. */
    readonly hasRows?: boolean | undefined;
}

const START: RemotePosition = { rows: 0, isOver: true, read: 0 };

/** The place of a checkpoint; of `nextRun` the beginning behind what was read. */
export function remotePositionOf(checkpoint: JsonValue | undefined): RemotePosition {
    return checkpoint === undefined ? START : (checkpoint as unknown as RemotePosition);
}

/** As JSON, without what is undefined. */
export function checkpointOf(position: RemotePosition): JsonValue {
    return JSON.parse(JSON.stringify(position)) as JsonValue;
}

/** Where the next run begins. Files are read in the order of their times, so that it holds for a partial reading as well. */
export function nextRunOf({ newest, since }: RemotePosition): NextRun {
    const from = newest ?? since;
    return from ? { from: checkpointOf({ ...START, since: from }), evenIfPart: true } : 'beginning';
}

/** The next run continues behind what was read, because this one has read as many files as it may. */
export function nextRunAfter({ file, after, newest, since, hasLeftOut }: RemotePosition, keepsSince: boolean): NextRun {
    const last = file ?? after;
    const from = {
        ...START,
        ...(keepsSince && { since: newest ?? since, hasLeftOut }),
        ...(last && { after: { path: last.path, modifiedAt: last.modifiedAt } }),
    };
    return { from: checkpointOf(from), evenIfPart: true };
}

/** In which order files are read: new ones come behind those that were there. */
export function oldFilesFirst(one: ListedAt, other: ListedAt): number {
    const byTime = (one.modifiedAt ?? 0) - (other.modifiedAt ?? 0);
    if (byTime !== 0) return byTime;
    return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

/** Whether a file is one that an earlier run has read. */
export function wasRead({ path, modifiedAt }: RemoteFile, since: ReadUpTo | undefined): boolean {
    if (!since || modifiedAt === undefined) return false;
    return modifiedAt < since.ms || (modifiedAt === since.ms && since.paths.includes(path));
}

/** With one more file that is read. */
export function withRead(before: ReadUpTo | undefined, { path, modifiedAt }: RemoteFile): ReadUpTo | undefined {
    if (modifiedAt === undefined || (before && modifiedAt < before.ms)) return before;
    if (!before || modifiedAt > before.ms) return { ms: modifiedAt, paths: [path] };
    return before.paths.includes(path) ? before : { ms: before.ms, paths: [...before.paths, path] };
}
