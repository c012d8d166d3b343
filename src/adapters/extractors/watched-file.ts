import { clause } from '../../core/errors/rendered';
import type { FileWatch, SourceReference, WatchProblem } from '../../core/adapter/source-reference';
import type { RemoteFile, RemoteFiles } from '../../io/remote/remote-files';
import { checkUnchanged, isSame } from '../../io/remote/verified-bytes';
import type { RemotePosition } from './remote-position';

/**
 * Errors after which the run of a FILE trigger does not continue: the file is missing or has changed. A changed file
 * gets a separate run.
 */
export const FILE_CHANGED: ReadonlySet<string> = new Set(['REMOTE_FILE_CHANGED', 'REMOTE_FILE_NOT_FOUND']);

/**
 * What is still to be read of the run's own file; nothing if all of it has been read. Throws REMOTE_FILE_CHANGED if the
 * file has changed since the trigger found it.
 */
export async function referenced(
    files: RemoteFiles,
    { file: found }: SourceReference,
    { place, isPending }: { readonly place: RemotePosition; readonly isPending: (file: RemoteFile) => boolean },
): Promise<readonly RemoteFile[]> {
    // JSON omits what is undefined.
    const file: RemoteFile = { ...found, modifiedAt: found.modifiedAt };
    const isRead = place.file !== undefined && place.isOver && isSame(place.file, file);
    if (isRead || isPending(file)) return [];
    await checkUnchanged(files, file);
    return [file];
}

/** The server of a step, and where it moves files. */
interface WatchedStep {
    readonly connectionCode: string | undefined;
    /** Fields that name another server or bucket than the connection does. */
    readonly elsewhere: Readonly<Record<string, unknown>>;
    /** The field that says where files are moved, with its value; undefined if they are not moved. */
    readonly moves: { readonly field: string; readonly to: string } | undefined;
    /** Whether the target is within the watched folder. */
    isWithin(to: string, watch: FileWatch): boolean;
}

/** Why a step cannot read the files of a FILE trigger, or would cause them to be found again and again. */
export function watchProblem(
    { connectionCode, elsewhere, moves, isWithin }: WatchedStep,
    watch: FileWatch,
): WatchProblem | undefined {
    if (connectionCode !== watch.connectionCode) {
        const { connectionCode: by } = watch;
        const problem =
            connectionCode === undefined
                ? clause`is missing; the files are found by "${by}"`
                : clause`is "${connectionCode}"; the files are found by "${by}"`;
        return { path: 'connectionCode', problem };
    }
    const field = Object.keys(elsewhere).find(name => elsewhere[name] !== undefined);
    if (field !== undefined)
        return {
            path: field,
            problem: clause`is set by the connection of the trigger; leave it out`,
        };
    if (!moves || !isWithin(moves.to, watch)) return undefined;
    return {
        path: moves.field,
        problem: clause`is ${JSON.stringify(moves.to)}, which is within the watched folder ${JSON.stringify(watch.path)}, so that what is moved there would be found again`,
    };
}
