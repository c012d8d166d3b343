import type { NextRun } from '../../core/adapter/extractor';
import type { JsonValue } from '../../core/value/json';
import type { RemoteFile } from '../../io/remote/remote-files';

/** The last position of the last completed run: files of that time, and all before it. */
interface ReadUpTo {
    readonly ms: number;
    /** The files of exactly that time that it has read. Others may have been added since. */
    readonly paths: readonly string[];
}

/** The position of a file in the reading order. */
type ListedAt = Pick<RemoteFile, 'path' | 'modifiedAt'>;

/** The progress of a run in its list of files. A checkpoint, as JSON. */
export interface RemotePosition {
    /** The last file that was read, as it was then. */
    readonly file?: RemoteFile | undefined;
    /** The number of its rows that have been read. */
    readonly rows: number;
    /** It has been read to its end, or was given up. */
    readonly isOver: boolean;
    /** The number of files that have been read. */
    readonly read: number;
    /** Files that an earlier run has read are skipped. */
    readonly since?: ReadUpTo | undefined;
    /** Earlier runs have read the files up to this one, and left the others because of the maximum number of files. */
    readonly after?: ListedAt | undefined;
    /** The files that the next run skips. */
    readonly newest?: ReadUpTo | undefined;
    /** A file could not be read. `newest` stays before it, so that it is read once it is corrected. */
    readonly hasLeftOut?: boolean | undefined;
    /** A file of this run had a record, or a row that is not a record. */
    readonly hasRows?: boolean | undefined;
}

const START: RemotePosition = { rows: 0, isOver: true, read: 0 };

/** Reads a checkpoint; from `nextRun`, the beginning after what was read. */
export function remotePositionOf(checkpoint: JsonValue | undefined): RemotePosition {
    return checkpoint === undefined ? START : (checkpoint as unknown as RemotePosition);
}

/** As JSON, without undefined fields. */
export function checkpointOf(position: RemotePosition): JsonValue {
    return JSON.parse(JSON.stringify(position)) as JsonValue;
}

/**
 * Where the next run begins. Files are read in the order of their times, so this is also valid for a partial reading.
 */
export function nextRunOf({ newest, since }: RemotePosition): NextRun {
    const from = newest ?? since;
    return from ? { from: checkpointOf({ ...START, since: from }), evenIfPart: true } : 'beginning';
}

/** The next run continues after the last file, because this run has read the maximum number of files. */
export function nextRunAfter({ file, after, newest, since, hasLeftOut }: RemotePosition, keepsSince: boolean): NextRun {
    const last = file ?? after;
    const from = {
        ...START,
        ...(keepsSince && { since: newest ?? since, hasLeftOut }),
        ...(last && { after: { path: last.path, modifiedAt: last.modifiedAt } }),
    };
    return { from: checkpointOf(from), evenIfPart: true };
}

/** Files are read in order of time. Newer files come after older ones. */
export function oldFilesFirst(one: ListedAt, other: ListedAt): number {
    const byTime = (one.modifiedAt ?? 0) - (other.modifiedAt ?? 0);
    if (byTime !== 0) return byTime;
    return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

/** Whether an earlier run has read this file. */
export function wasRead({ path, modifiedAt }: RemoteFile, since: ReadUpTo | undefined): boolean {
    if (!since || modifiedAt === undefined) return false;
    return modifiedAt < since.ms || (modifiedAt === since.ms && since.paths.includes(path));
}

/** Adds a file that was read. */
export function withRead(before: ReadUpTo | undefined, { path, modifiedAt }: RemoteFile): ReadUpTo | undefined {
    if (modifiedAt === undefined || (before && modifiedAt < before.ms)) return before;
    if (!before || modifiedAt > before.ms) return { ms: modifiedAt, paths: [path] };
    return before.paths.includes(path) ? before : { ms: before.ms, paths: [...before.paths, path] };
}
