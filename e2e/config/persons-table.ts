import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Person, PERSONS, type PersonsRow, personsRows } from '../../scripts/rights-table';

/** A row of the table of people in docs/reference/security.md: a right, and what the page says about each of them. */
export interface PrintedRow extends PersonsRow {
    readonly can: Readonly<Record<Person, boolean>>;
}

/** The people of the table, by column. */
export const PERSON_NAMES = Object.keys(PERSONS) as readonly Person[];

/** Reads the table of the page. Throws if it has other rows or columns than the code. */
export function printedRows(): readonly PrintedRow[] {
    const page = readFileSync(join(__dirname, '../../docs/reference/security.md'), 'utf8');
    const lines = page.split('\n');
    const first = lines.findIndex(line => line.startsWith('| action | permission |'));
    const table = lines.slice(first, lines.indexOf('', first)).map(cellsOf);
    const [header, , ...printed] = table;
    const rows = personsRows();
    const expected = ['action', 'permission', ...PERSON_NAMES].join();
    if (header?.join() !== expected || printed.length !== rows.length) throw new Error('Run npm run docs.');
    return rows.map((row, i) => {
        const [action, permissions, ...marks] = printed[i]!;
        const named = row.permissions.map(permission => `\`${permission}\``).join(', ');
        if (action !== row.action || permissions !== named) throw new Error(`Run npm run docs: ${row.action}`);
        return { ...row, can: canOf(marks) };
    });
}

function canOf(marks: readonly string[]): PrintedRow['can'] {
    return Object.fromEntries(
        PERSON_NAMES.map((person, i) => {
            if (marks[i] !== 'yes' && marks[i] !== '–') throw new Error(`A cell of "${person}" is "${marks[i]}".`);
            return [person, marks[i] === 'yes'];
        }),
    ) as Record<Person, boolean>;
}

function cellsOf(line: string): readonly string[] {
    return line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim());
}
