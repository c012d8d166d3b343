import { createHash } from 'node:crypto';
import type { LogText } from '../../core/log/log-text';
import { compileNamePattern } from '../../core/data/name-pattern';
import type { FileTriggerConfig } from '../../core/triggers/file';
import { fileIdentity, type IdentifiedFile } from '../../core/triggers/stability-window';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { isPartName } from '../../io/remote/part-name';
import { LIST_BOUNDS } from '../../io/remote/remote-files';
import type { OpenServer } from './watched-servers';

/** The maximum number of notes of a listing that are reported. */
const NOTES = 5;

/** The files of a watched folder. */
export interface FolderListing {
    /** The files that the trigger takes, by their identities. */
    readonly found: ReadonlyMap<string, IdentifiedFile>;
    /** The digest of the found files. It changes if a file is new, changed or removed. */
    readonly digest: string;
    /** What was skipped, and limits that were reached, as whole sentences. */
    readonly notes: readonly LogText[];
    /** Whether there are more files, which are not listed. */
    readonly isCut: boolean;
}

/**
 * The part of a bucket or folder that is listed, as in the steps of the extractors. Throws REMOTE_REFUSED for a path with which no key can
 * begin.
 */
export function watchedUnder(path: string, { isBucket }: Pick<OpenServer, 'isBucket'>): string {
    if (!isBucket) return path === '/' ? '/' : path.replace(/\/+$/, '');
    if (path.startsWith('/'))
        throw flowError('REMOTE_REFUSED', {
            host: 'A bucket',
            problem: `has no key that begins with ${show(path)}; the folder of the trigger must not begin with /`,
        });
    return path;
}

/** Lists a folder once, within the limits. Throws the errors of the server's files. */
export async function listFolder(
    server: OpenServer,
    { connectionCode, path, pattern, ignoreCase, recursive }: FileTriggerConfig['fileWatch'],
    signal: AbortSignal,
): Promise<FolderListing> {
    const isNamed = pattern === undefined ? () => true : compileNamePattern(pattern, { ignoreCase });
    const found = new Map<string, IdentifiedFile>();
    const notes: LogText[] = [];
    let isCut = false;
    const listing = { under: watchedUnder(path, server), recursive, bounds: LIST_BOUNDS };
    for await (const page of server.files.list(listing)) {
        signal.throwIfAborted();
        if (page.isCut) isCut = true;
        // The note that the listing was cut off comes last and must not be lost.
        for (const note of page.notes) if (notes.length < NOTES || page.isCut) notes.push(note);
        for (const file of page.files) {
            if (isPartName(file.path) || !isNamed(file.path.slice(file.path.lastIndexOf('/') + 1))) continue;
            const identity = fileIdentity(connectionCode, file);
            found.set(identity, { file, identity });
        }
    }
    const digest = createHash('sha256')
        .update([...found.keys()].sort().join('\n'))
        .digest('hex');
    return { found, digest, notes: [...notes.slice(0, NOTES - 1), ...notes.slice(NOTES - 1).slice(-1)], isCut };
}
