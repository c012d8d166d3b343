import { FolderLine, type ListedEntry, type ParsedLine } from './ftp-line';

/** A longer line is cut off: it contains no allowed name. */
const MAX_LINE = 8_192;
const LINES = 500;
/** Characters of a line in a message. */
const SHOWN = 120;

/** The lines of a listing in parts, however it is split into pieces; a line that is too long is cut off. */
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

/** Reads the listing of one folder, in whichever of the common forms it comes, and counts the lines that it does not understand. */
export class FtpListing {
    /** The number of lines that are not understood. */
    unknown = 0;
    /** The first of them. */
    example = '';
    private understood = 0;
    private readonly forPeople = new FolderLine();

    /** `isForMachines`: the answer of MLSD (RFC 3659), and not of LIST. */
    constructor(private readonly isForMachines: boolean) {}

    /** There are lines, and none of them is understood. */
    get isForeign(): boolean {
        return this.unknown > 0 && this.understood === 0;
    }

    /** The entries of some lines. */
    entries(lines: readonly string[]): readonly ListedEntry[] {
        return lines.flatMap(line => {
            const entry = this.isForMachines
                ? parseFacts(line.slice(0, MAX_LINE))
                : this.forPeople.parse(line.slice(0, MAX_LINE));
            if (entry === 'unknown') {
                if (this.unknown++ === 0) this.example = line.slice(0, SHOWN);
                return [];
            }
            if (entry === 'no line of an entry') return [];
            this.understood++;
            return entry === 'the folder itself' ? [] : [entry];
        });
    }
}

/** The time from an answer to MDTM (RFC 3659): UTC, as `20260131235959.123`; listings contain only the seconds. */
export function timeOf(answer: string): number | undefined {
    const parts = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(answer);
    if (!parts) return undefined;
    const [year = 0, month = 1, ...rest] = parts.slice(1).map(Number);
    return Date.UTC(year, month - 1, ...rest);
}

const FOLDER_ITSELF = /^[cp]dir$/i;

/** A line of MLSD (RFC 3659, 7.2): `Type=file;Size=12;Modify=20260131235959; stock.csv`. The names of facts and the types come in any case. */
function parseFacts(line: string): ParsedLine {
    const end = line.indexOf(' ');
    const name = line.slice(end + 1);
    if (end < 0 || name === '' || (end > 0 && !/^[^\s=;]+=[^\s;]*(;[^\s=;]+=[^\s;]*)*;?$/.test(line.slice(0, end))))
        return 'unknown';
    const facts = new Map(
        line
            .slice(0, end)
            .split(';')
            .map(fact => [fact.slice(0, fact.indexOf('=')).toLowerCase(), fact.slice(fact.indexOf('=') + 1)]),
    );
    const type = facts.get('type')?.toLowerCase() ?? (facts.has('size') ? 'file' : '');
    if (FOLDER_ITSELF.test(type) || name === '.' || name === '..') return 'the folder itself';
    const size = facts.get('size');
    const modify = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?$/.exec(facts.get('modify') ?? '');
    const [year = 0, month = 1, ...rest] = modify?.slice(1).map(Number) ?? [];
    return {
        name,
        kind: type === 'file' ? 'file' : type === 'dir' ? 'folder' : 'other',
        size: size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : undefined,
        modifiedAt: modify ? Date.UTC(year, month - 1, ...rest) : undefined,
    };
}
