import type { FolderEntry } from './walk';

/** An entry of a listing; unknown values are undefined. */
export interface ListedEntry extends Omit<FolderEntry, 'size'> {
    readonly size: number | undefined;
}

/** The content of a line of a listing. */
export type ParsedLine = ListedEntry | 'the folder itself' | 'no line of an entry' | 'unknown';

/** `12`, `1,234,567`, `1.234.567`, `1'234`, and what `ls -lh` rounds: `1.2K`. */
const SIZE = "\\d{1,3}(?:[.,'’]\\d{3})+(?![\\d.,])|\\d+(?:[.,]\\d+)?[KMGTP]?";
/** `Nov`, `Nov.`, `févr.`, `11月`. */
const MONTH = '\\p{L}[\\p{L}\\p{M}.]{1,11}';
const DATE = [
    '\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}',
    `${MONTH}\\s+\\d{1,2}[.,]?`,
    `\\d{1,2}[.,]?\\s+${MONTH}`,
    '\\d{1,2}月\\s*\\d{1,2}日?',
].join('|');
/** A time of day, perhaps with a zone, or the year of what is older. */
const TIME = '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:\\s?[AaPp][Mm])?(?:\\s[+-]\\d{4})?|\\d{4}年?';
/** Size, date, time and name, which all listings for people have in this order; owners and groups, with blanks or missing, come before. */
const TAIL = new RegExp(`(?:^|\\s)(${SIZE})\\s+(?:${DATE})\\s+(?:${TIME})\\s(.+)$`, 'u');

/** `-rw-r--r--. 1 shop shop 12 Nov 20 08:00 stock.csv`, with the mark of SELinux (.), of an ACL (+) or of attributes (@). */
const UNIX = /^[\s\d]*([A-Za-z-])[-rwxsStTlL]{9}[.+@]?(?=[\s\d])/;
/** `-[R----F--] supervisor 512 Jan 16 18:53 stock.csv` (Novell NetWare). */
const NOVELL = /^([-d])\s*\[[-A-Z ]{1,20}\]\s/;
/** `11/20/2026  08:00 AM  1,234 stock.csv` (Windows). */
const DOS = new RegExp(
    `^\\s*\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}\\s+\\d{1,2}:\\d{2}(?::\\d{2})?\\s*(?:[AaPp][Mm])?\\s+(?:<(\\w+)>|(${SIZE}))\\s+(\\S.*)$`,
    'u',
);
/** `SHOP 1234 11/20/26 08:00:00 *STMF stock.csv` (IBM i). */
const IBM_I = /^\S+\s+(\d+)\s+\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\s+\d{1,2}:\d{2}:\d{2}\s+\*(\w+)\s+(\S.*?)\/?$/;
/** `STOCK.CSV;3 12/15 20-NOV-2026 08:00:00.00 [SHOP] (RWED,RE,,)` (VMS). */
const VMS = /^(\S+);(\d+)\s+\d+(?:\/\d+)?\s+\d{1,2}-\w{3}-\d{4}\s+\d{1,2}:\d{2}/;
/** A VMS name on a separate line, because it is long. */
const VMS_NAME = /^\S+;\d+$/;
/** `+m1795161600,s12,r,<tab>stock.csv` (EPLF). */
const EPLF = /^\+([^\t]*)\t(.+)$/;
/** `total 12`, `insgesamt 12`, and what VMS writes around its files. */
const ABOUT = /^(?:\p{L}[\p{L}\p{M} ]*:?\s*\d+(?:[.,]\d+)?[KMGTP]?|Directory\s.*|Total of\s.*)$/u;

/** Parses a listing for people line by line. */
export class FolderLine {
    /** The name of a file of VMS whose details are on the next line. */
    private begun = '';
    /** VMS lists older versions of a file after the newest. */
    private lastOfVms = '';

    parse(given: string): ParsedLine {
        const line = this.begun + given;
        this.begun = '';
        if (VMS_NAME.test(given)) {
            this.begun = `${given} `;
            return 'no line of an entry';
        }
        const entry = entryOf(line) ?? this.ofVms(line);
        if (entry) return entry.name === '.' || entry.name === '..' ? 'the folder itself' : entry;
        return line.trim() === '' || ABOUT.test(line.trim()) ? 'no line of an entry' : 'unknown';
    }

    private ofVms(line: string): ListedEntry | undefined {
        const found = VMS.exec(line);
        if (!found) return undefined;
        const [, name = ''] = found;
        const isFolder = /\.DIR$/i.test(name);
        const entry: ListedEntry = {
            name: isFolder ? name.slice(0, -4) : name,
            kind: name === this.lastOfVms ? 'other' : isFolder ? 'folder' : 'file',
            // In blocks.
            size: undefined,
            modifiedAt: undefined,
        };
        this.lastOfVms = name;
        return entry;
    }
}

function entryOf(line: string): ListedEntry | undefined {
    return ofUnix(line) ?? ofDos(line) ?? ofIbm(line) ?? ofEplf(line);
}

function ofUnix(line: string): ListedEntry | undefined {
    const head = UNIX.exec(line) ?? NOVELL.exec(line);
    const tail = head && TAIL.exec(line.slice(head[0].length));
    if (!head || !tail) return undefined;
    const [, type = ''] = head;
    const [, size = '', name = ''] = tail;
    const kind = type === '-' || type === 'f' ? 'file' : type === 'd' ? 'folder' : 'other';
    const link = type === 'l' ? name.indexOf(' -> ') : -1;
    const isNovell = NOVELL.test(line);
    return entry(kind, isNovell ? name.trimStart() : link < 0 ? name : name.slice(0, link), size);
}

function ofDos(line: string): ListedEntry | undefined {
    const found = DOS.exec(line);
    if (!found) return undefined;
    const [, type, size, name = ''] = found;
    return entry(type === undefined ? 'file' : type.toUpperCase() === 'DIR' ? 'folder' : 'other', name, size);
}

function ofIbm(line: string): ListedEntry | undefined {
    const found = IBM_I.exec(line);
    if (!found) return undefined;
    const [, size, type = '', name = ''] = found;
    const kind = /^(D?STMF|DOC|MEM|USRSPC)$/.test(type)
        ? 'file'
        : /^(D?DIR|LIB|FLR|FILE)$/.test(type)
          ? 'folder'
          : 'other';
    return entry(kind, name, size);
}

function ofEplf(line: string): ListedEntry | undefined {
    const found = EPLF.exec(line);
    if (!found) return undefined;
    const facts = found[1]!.split(',');
    const size = facts.find(fact => /^s\d+$/.test(fact))?.slice(1);
    const time = facts.find(fact => /^m\d{1,11}$/.test(fact))?.slice(1);
    const kind = facts.includes('/') ? 'folder' : facts.includes('r') ? 'file' : 'other';
    return { ...entry(kind, found[2]!, size), modifiedAt: time === undefined ? undefined : Number(time) * 1000 };
}

function entry(kind: ListedEntry['kind'], name: string, size: string | undefined): ListedEntry {
    return { name, kind, size: size === undefined ? undefined : bytesOf(size), modifiedAt: undefined };
}

/** Undefined for a size that is rounded, as `1.2K`. */
function bytesOf(text: string): number | undefined {
    const isGrouped = /^\d{1,3}(?:[.,'’]\d{3})+$/.test(text);
    const digits = isGrouped ? text.replace(/\D/g, '') : text;
    return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
