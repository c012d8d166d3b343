import type { Client, FileInfo } from 'basic-ftp';
import type { FolderEntry } from './walk';

/** Of a listing: what is longer is no name. */
const MAX_LINE = 8_192;
const LINES = 500;

/** The lines of a listing in parts, whatever pieces it comes in; a line without an end in sight is cut off. */
export async function* listingLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[], void, void> {
    const decoder = new TextDecoder('utf-8');
    let rest = '';
    let lines: string[] = [];
    for await (const piece of pieces) {
        const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
        rest = parts.pop()!.slice(0, MAX_LINE);
        lines.push(...parts.map(line => line.replace(/\r$/, '')).filter(line => line !== ''));
        for (; lines.length >= LINES; lines = lines.slice(LINES)) yield lines.slice(0, LINES);
    }
    if (rest !== '') lines.push(rest.replace(/\r$/, ''));
    if (lines.length > 0) yield lines;
}

/** What lines of a listing say, of whichever form; what is no entry, such as the second half of a name with a line end in it, is left out. */
export function entriesIn(lines: readonly string[], parseList: Client['parseList']): readonly FolderEntry[] {
    return lines.flatMap(line => {
        try {
            return parseList(line).map(entryOf);
        } catch {
            // Said by a throw alone: "total 12" and other lines that are about no file.
            return [];
        }
    });
}

function entryOf({ name, size, isFile, isDirectory, modifiedAt }: FileInfo): FolderEntry {
    const time = modifiedAt?.getTime();
    return {
        name,
        kind: isFile ? 'file' : isDirectory ? 'folder' : 'other',
        size: Number.isSafeInteger(size) ? size : 0,
        modifiedAt: time === undefined || Number.isNaN(time) ? undefined : Math.floor(time / 1000) * 1000,
    };
}

/** The time that MDTM answers (RFC 3659): UTC, as `20260131235959.123`, of which listings tell the seconds alone. */
export function timeOf(answer: string): number | undefined {
    const parts = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(answer);
    if (!parts) return undefined;
    const [year = 0, month = 1, ...rest] = parts.slice(1).map(Number);
    return Date.UTC(year, month - 1, ...rest);
}
