import { show } from '../../core/value/show';
import { logText, type LogText } from '../../core/log/log-text';

const MOST = 1_024;

/** Why a name from a listing is not used, as the end of a sentence; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
    if (name === '' || name === '.' || name === '..') return 'is not the name of a file';
    if (/[/\\]/.test(name)) return 'leads to another folder';
    return textProblem(name);
}

/** As `nameProblem`, of keys of object storage. */
export function keyProblem(key: string, prefix: string): string | undefined {
    if (!key.startsWith(prefix)) return 'does not begin with the requested prefix';
    if (/(^|\/)\.{1,2}(\/|$)/.test(key)) return 'has a part . or .., which no address can hold';
    return textProblem(key);
}

function textProblem(text: string): string | undefined {
    if (Buffer.byteLength(text) > MOST) return `has more than ${MOST} bytes`;
    return /[\p{Cc}\u2028\u2029]/u.test(text) ? 'has control characters in it' : undefined;
}

/** The note of a listing about a skipped entry. */
export function isSkipped(name: string, problem: string): LogText {
    return logText('ENTRY_SKIPPED', { name: show(name.slice(0, 100)), problem });
}

/** A path below a folder. */
export function joinPath(folder: string, name: string): string {
    return folder === '' || folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

/** The folder of a path: empty for a path without one, `/` for one at the root. */
export function folderOf(path: string): string {
    const end = path.lastIndexOf('/');
    return end < 0 ? '' : end === 0 ? '/' : path.slice(0, end);
}

/** The last part of a path. */
export function lastPart(path: string): string {
    return path.slice(path.lastIndexOf('/') + 1);
}

/** The folders on the way to a path, the outermost first. */
export function foldersTo(path: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = folderOf(path); folder !== '' && folder !== '/'; folder = folderOf(folder))
        folders.unshift(folder);
    return folders;
}
