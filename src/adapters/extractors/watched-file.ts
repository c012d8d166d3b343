import type { FileWatch, SourceReference, WatchProblem } from '../../core/adapter/source-reference';
import type { RemoteFile, RemoteFiles } from '../../io/remote/remote-files';
import { checkUnchanged, isSame } from '../../io/remote/verified-bytes';
import type { RemotePosition } from './remote-position';

/** Of which the run of a FILE trigger learns nothing by going on: the file is another one by now, and comes to a run of its own. */
export const FILE_CHANGED: ReadonlySet<string> = new Set(['REMOTE_FILE_CHANGED', 'REMOTE_FILE_NOT_FOUND']);

/**
 * What is still to be read of the file that a run is about; nothing where it has been read. Throws REMOTE_FILE_CHANGED where the file is not what it was
 * when it was found.
 */
export async function referenced(
    files: RemoteFiles,
    { file: found }: SourceReference,
    { place, isPending }: { readonly place: RemotePosition; readonly isPending: (file: RemoteFile) => boolean },
): Promise<readonly RemoteFile[]> {
    // As JSON it has lost what is undefined.
    const file: RemoteFile = { ...found, modifiedAt: found.modifiedAt };
    const isRead = place.file !== undefined && place.isOver && isSame(place.file, file);
    if (isRead || isPending(file)) return [];
    await checkUnchanged(files, file);
    return [file];
}

/** What a step says of its server, and where it moves files. */
interface WatchedStep {
    readonly connectionCode: string | undefined;
    /** Fields by which it says another server or bucket than its connection. */
    readonly elsewhere: Readonly<Record<string, unknown>>;
    /** Which of its fields says where files are moved, and what it says; undefined where they are not. */
    readonly moves: { readonly field: string; readonly to: string } | undefined;
    /** Whether what is moved there lies in the watched folder again. */
    isWithin(to: string, watch: FileWatch): boolean;
}

/** Why a step cannot read what a FILE trigger finds, or would have it found again and again. */
export function watchProblem(
    { connectionCode, elsewhere, moves, isWithin }: WatchedStep,
    watch: FileWatch,
): WatchProblem | undefined {
    if (connectionCode !== watch.connectionCode) {
        const is = connectionCode === undefined ? 'missing' : `"${connectionCode}"`;
        return { path: 'connectionCode', problem: `is ${is}; the files are found by "${watch.connectionCode}"` };
    }
    const field = Object.keys(elsewhere).find(name => elsewhere[name] !== undefined);
    if (field !== undefined)
        return {
            path: field,
            problem: 'is set by the connection of the trigger; leave it out',
        };
    if (!moves || !isWithin(moves.to, watch)) return undefined;
    const inside = `is ${JSON.stringify(moves.to)}, which is within the watched folder ${JSON.stringify(watch.path)}`;
    return { path: moves.field, problem: `${inside}, so that what is moved there would be found again` };
}
