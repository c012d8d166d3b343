import { show } from '../../core/value/show';
import { logText, type LogText } from '../../core/log/log-text';
import { joinPath, nameProblem, isSkipped } from './remote-path';
import type { Listing, RemoteFile, RemotePage } from './remote-files';

/** One entry of a folder, as its server lists it. */
export interface FolderEntry {
    readonly name: string;
    readonly kind: 'file' | 'folder' | 'other';
    readonly size: number;
    readonly modifiedAt: number | undefined;
}

/** Some entries of a folder. */
export interface FolderPage {
    readonly entries: readonly FolderEntry[];
    /** What of the listing is not understood, as a sentence. */
    readonly note?: LogText;
}

/** The maximum number of skipped entries that are reported individually. */
const TOLD = 5;

/** Lists a tree folder by folder, within the bounds; `entriesOf` answers one folder in pages. */
export async function* walk(
    { under, recursive, bounds }: Listing,
    entriesOf: (folder: string) => AsyncIterable<FolderPage>,
): AsyncGenerator<RemotePage, void, void> {
    const folders: Array<{ readonly path: string; readonly depth: number }> = [{ path: under, depth: 0 }];
    const left = { entries: bounds.entries, pages: bounds.pages, passedOver: 0 };
    for (let folder = folders.shift(); folder; folder = folders.shift()) {
        const { path, depth } = folder;
        for await (const { entries, note } of entriesOf(path)) {
            const files: RemoteFile[] = [];
            const links: string[] = [];
            const notes: LogText[] = note === undefined ? [] : [note];
            let isUnread = note !== undefined;
            const isPast = left.pages-- <= 0 || entries.length > left.entries;
            for (const entry of entries.slice(0, Math.max(0, left.entries))) {
                const problem = entry.kind === 'other' ? 'is neither a file nor a folder' : nameProblem(entry.name);
                if (problem !== undefined) {
                    isUnread ||= entry.kind === 'file';
                    if (entry.kind === 'other') links.push(joinPath(path, entry.name));
                    if (left.passedOver++ < TOLD) notes.push(isSkipped(entry.name, problem));
                } else if (entry.kind === 'file') files.push(fileOf(path, entry));
                else if (recursive && depth < bounds.depth)
                    folders.push({ path: joinPath(path, entry.name), depth: depth + 1 });
                else if (recursive) {
                    isUnread = true;
                    const deep = show(joinPath(path, entry.name));
                    notes.push(logText('FOLDER_TOO_DEEP', { folder: deep, depth: bounds.depth }));
                }
            }
            left.entries -= entries.length;
            if (isPast)
                notes.push(
                    logText('LISTING_CUT', { folder: show(under), entries: bounds.entries, pages: bounds.pages }),
                );
            if (files.length > 0 || links.length > 0 || notes.length > 0 || isUnread)
                yield { files, notes, links, ...((isPast || isUnread) && { isCut: true }) };
            if (isPast) return;
        }
    }
    if (left.passedOver > TOLD)
        yield { files: [], notes: [logText('ENTRIES_SKIPPED', { count: left.passedOver - TOLD })] };
}

function fileOf(folder: string, { name, size, modifiedAt }: FolderEntry): RemoteFile {
    return { path: joinPath(folder, name), size, modifiedAt };
}
