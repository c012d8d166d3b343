import { posix } from 'node:path';
import { flowError, type FlowError } from '../../../core/errors/flow-error';
import type { MarkupEvents } from '../markup';
import type { Archive } from './archive';
import { localName, parsePart } from './part';

/** Sheets, or relationships of one part. */
const MAX_LISTED = 100_000;
/** Names in a message. */
const MAX_NAMED = 20;

/** The parts of a workbook, by their names. */
export interface Workbook {
    readonly sheets: readonly Sheet[];
    readonly sharedStrings: string | undefined;
    readonly styles: string | undefined;
    /** Days are counted from 1904 instead of 1900. */
    readonly is1904: boolean;
}

export interface Sheet {
    readonly name: string;
    readonly part: string;
    readonly isHidden: boolean;
}

interface Relationship {
    readonly id: string;
    /** The last word of its type, which the two dialects of the standard have in common. */
    readonly type: string;
    readonly part: string;
}

/** Reads the table of contents of a workbook. */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
    const part =
        (await relationshipsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.part ?? 'xl/workbook.xml';
    if (part.toLowerCase().endsWith('.bin'))
        throw malformed(part, 'binary workbooks (.xlsb) are not read; save it as .xlsx');
    if (!archive.has(part)) throw malformed('the ZIP container', 'it holds no workbook; is this an .xlsx file?');
    const relationships = await relationshipsOf(archive, part);
    const parts = new Map(relationships.map(({ id, type, part: target }) => [id, { type, target }]));
    const listed: { readonly name: string; readonly id: string; readonly isHidden: boolean }[] = [];
    let is1904 = false;
    await parse(archive, part, (element, attributes) => {
        if (element === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
        if (element !== 'sheet') return;
        const id = Object.keys(attributes).find(name => localName(name) === 'id');
        const isHidden = /^(hidden|veryHidden)$/i.test(attributes['state'] ?? '');
        listed.push({ name: attributes['name'] ?? '', id: id === undefined ? '' : attributes[id]!, isHidden });
        if (listed.length > MAX_LISTED) throw malformed(part, `it lists more than ${MAX_LISTED} sheets`);
    });
    const target = (type: string): string | undefined =>
        relationships.find(candidate => candidate.type === type && archive.has(candidate.part))?.part;
    const sheets = listed.flatMap(({ name, id, isHidden }) => {
        const found = parts.get(id);
        // Sheets of charts and dialogs hold no rows.
        return found?.type === 'worksheet' ? [{ name, part: found.target, isHidden }] : [];
    });
    if (sheets.length === 0) throw malformed(part, 'the workbook has no sheet');
    return { sheets, sharedStrings: target('sharedStrings'), styles: target('styles'), is1904 };
}

/** The sheet with that name or index (from 0, hidden sheets included). Default: the first visible sheet. */
export function findSheet(workbook: Workbook, desired?: string | number): Sheet {
    const { sheets } = workbook;
    if (desired === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]!;
    const index = typeof desired === 'number' ? desired : /^\d+$/.test(desired) ? Number(desired) : -1;
    const sheet = sheets.find(({ name }) => name === desired) ?? sheets[index];
    if (sheet) return sheet;
    const names = sheets
        .slice(0, MAX_NAMED)
        .map(({ name }) => `"${name}"`)
        .join(', ');
    throw malformed(
        `sheet ${JSON.stringify(desired)}`,
        `the workbook has no such sheet; it has ${names}${sheets.length > MAX_NAMED ? ` and ${sheets.length - MAX_NAMED} more` : ''}`,
    );
}

async function relationshipsOf(archive: Archive, part: string): Promise<readonly Relationship[]> {
    const folder = posix.dirname(part);
    const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
    if (!archive.has(list)) return [];
    const found: Relationship[] = [];
    await parse(archive, list, (element, attributes) => {
        if (element !== 'Relationship' || attributes['TargetMode'] === 'External') return;
        const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
        found.push({
            id,
            type: type.slice(type.lastIndexOf('/') + 1),
            part: posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1),
        });
        if (found.length > MAX_LISTED) throw malformed(list, `it lists more than ${MAX_LISTED} relationships`);
    });
    return found;
}

async function parse(
    archive: Archive,
    part: string,
    open: (element: string, attributes: Readonly<Record<string, string>>) => void,
): Promise<void> {
    const nothing = (): void => undefined;
    const events: MarkupEvents = {
        open: (name, attributes) => open(localName(name), attributes),
        text: nothing,
        close: nothing,
    };
    for await (const _ of parsePart(archive, part, events)) continue;
}

function malformed(where: string, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where, problem });
}
