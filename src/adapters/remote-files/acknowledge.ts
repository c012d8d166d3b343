import { flowError, isFlowError } from '../../core/errors/flow-error';
import { logText, type LogText } from '../../core/log/log-text';
import type { JsonObject } from '../../core/value/json';
import type { RemoteFile, RemoteFiles } from '../../io/remote/remote-files';
import { isSame } from '../../io/remote/verified-bytes';
import { openRemote, type RemoteContext, type RemoteTarget } from './open-remote';
import { isRemoteAction, type RemoteAction } from './remote-action';

/** The maximum number of names that are tried if a target exists. */
const NAMES = 5;

/** Executes the acknowledgement that was stored with a COMPLETED run. A returned text is logged by the run. */
export async function acknowledgeAt(
    target: RemoteTarget,
    action: JsonObject,
    cx: RemoteContext,
): Promise<LogText | undefined> {
    if (!isRemoteAction(action))
        throw flowError('BUG', { problem: 'a file is to be acknowledged without saying which' });
    const files = await openRemote(target, cx);
    try {
        return await acknowledge(files, action);
    } finally {
        files.close();
    }
}

/**
 * Deletes or moves a file that a run has read. A missing file counts as done; a file that has changed since is left
 * alone, which is reported. If the target exists, the time of the moved file is added to its name. May be repeated
 * after a crash.
 */
export async function acknowledge(
    files: RemoteFiles,
    { action, file, to }: Pick<RemoteAction, 'action' | 'file' | 'to'>,
): Promise<LogText | undefined> {
    const there = await files.stat(file.path);
    if (!there) return undefined;
    if (!isSame(there, file))
        return logText(action === 'DELETE' ? 'FILE_NOT_DELETED' : 'FILE_NOT_MOVED', { file: file.path });
    if (action === 'DELETE') {
        await files.delete(file.path);
        return undefined;
    }
    if (to === undefined) throw flowError('BUG', { problem: 'a file is to be moved, but no target folder is set' });
    return moved(files, file, to);
}

async function moved(files: RemoteFiles, file: RemoteFile, to: string): Promise<LogText | undefined> {
    for (let tried = 0; ; tried++) {
        const target = tried === 0 ? to : named(to, file, tried);
        try {
            await files.move(file.path, target);
            return tried === 0 ? undefined : logText('FILE_RENAMED', { to, file: file.path, target });
        } catch (thrown) {
            if (!isFlowError(thrown)) throw thrown;
            // Another worker was quicker, or this one before it crashed.
            if (thrown.code === 'REMOTE_FILE_NOT_FOUND' && !(await files.stat(file.path))) return undefined;
            if (thrown.code !== 'REMOTE_FILE_EXISTS' || tried === NAMES) throw thrown;
        }
    }
}

/** `stock.csv` as `stock.20261126T021500.csv`, with a number after the time from the second attempt on. */
function named(to: string, { modifiedAt }: RemoteFile, tried: number): string {
    const stamp = new Date(modifiedAt ?? 0).toISOString().replace(/[-:]|\.\d+Z/g, '');
    const ending = /(\.[^./]+(?:\.(?:gz|zip))?)?$/.exec(to)?.[0] ?? '';
    const number = tried === 1 ? '' : `-${tried}`;
    return `${to.slice(0, to.length - ending.length)}.${stamp}${number}${ending}`;
}
