import { createHash } from 'node:crypto';
import { compileNamePattern } from '../../core/data/name-pattern';
import type { FileTriggerConfig } from '../../core/triggers/file';
import { fileIdentity, type IdentifiedFile } from '../../core/triggers/stability-window';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { isPartName } from '../../io/remote/part-name';
import { LIST_BOUNDS } from '../../io/remote/remote-files';
import type { OpenServer } from './watched-servers';

/** So much of what a listing remarks is told. */
const NOTES = 5;

/** What lies in a watched folder. */
export interface FolderListing {
    /** Those that the trigger takes, by their identities. */
    readonly found: ReadonlyMap<string, IdentifiedFile>;
    /** Of what was found: another one as soon as a file is new, changed or gone. */
    readonly digest: string;
    /** What was passed over, and bounds that were reached. Whole sentences. */
    readonly notes: readonly string[];
    /** There is more, which is not listed. */
    readonly isCut: boolean;
}

/** What of a bucket or folder is listed: as the steps of the extractors say it. Throws REMOTE_REFUSED for what no key can begin with. */
export function watchedUnder(path: string, { isBucket }: Pick<OpenServer, 'isBucket'>): string {
    if (!isBucket) return path === '/' ? '/' : path.replace(/\/+$/, '');
    if (path.startsWith('/'))
        throw flowError('REMOTE_REFUSED', {
            host: 'A bucket',
            problem: `has no key that begins with ${show(path)}; the folder of the trigger must not begin with /`,
        });
    return path;
}

/** Lists a folder once, within the bounds. Throws what the server's files throw. */
export async function listFolder(
    server: OpenServer,
    { connectionCode, path, pattern, ignoreCase, recursive }: FileTriggerConfig['fileWatch'],
    signal: AbortSignal,
): Promise<FolderListing> {
    const isNamed = pattern === undefined ? () => true : compileNamePattern(pattern, { ignoreCase });
    const found = new Map<string, IdentifiedFile>();
    const notes: string[] = [];
    let isCut = false;
    const listing = { under: watchedUnder(path, server), recursive, bounds: LIST_BOUNDS };
    for await (const page of server.files.list(listing)) {
        signal.throwIfAborted();
        if (page.isCut) isCut = true;
        // What says that the listing ends comes last, and must not be missed.
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
