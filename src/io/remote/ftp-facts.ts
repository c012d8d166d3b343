import type { ParsedLine } from './ftp-line';

const FOLDER_ITSELF = /^[cp]dir$/i;

/** A line of MLSD (RFC 3659, 7.2): `Type=file;Size=12;Modify=20260131235959; stock.csv`. The names of facts and the types come in any case. */
export function parseFacts(line: string): ParsedLine {
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
