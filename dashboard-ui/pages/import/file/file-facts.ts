import type { FileProfile } from '../import.graphql';
import type { SetFacts } from '../use-file-reading';

/** The facts in the order in which they are detected: each depends on those before it. */
const ORDER = [
    'format',
    'encoding',
    'sheet',
    'recordPath',
    'delimiter',
    'quote',
    'trim',
    'decimals',
    'headerRow',
    'skipAfterHeader',
    'footerRows',
] as const satisfies ReadonlyArray<keyof SetFacts>;

/** One fact that the user changes. */
export type FactChange = Pick<SetFacts, (typeof ORDER)[number]>;

/** The facts to read the file with after a change. Facts that do not depend on it stay as they are, all others are detected again. */
export function changedFacts({ facts }: FileProfile, change: FactChange): SetFacts {
    const first = ORDER.findIndex(name => name in change);
    const kept = ORDER.slice(0, first).filter(name => isTable(facts.format) || name !== 'headerRow');
    const values = kept.map(name => [name, facts[name]] as const);
    return {
        ...Object.fromEntries(values.filter(([name, value]) => value !== null || name === 'headerRow')),
        ...change,
    };
}

/** Whether rows of cells are read, not objects. */
export function isTable(format: FileProfile['facts']['format']): boolean {
    return format === 'CSV' || format === 'XLSX';
}

/** A row of the beginning of a file. */
export interface HeadRow {
    /** In the file, as the server counts. */
    readonly number: number;
    readonly cells: readonly string[];
    /** `BEFORE` the names of columns, `SKIPPED` after them. */
    readonly kind: 'BEFORE' | 'HEADER' | 'SKIPPED' | 'RECORD';
    /** What `skipAfterHeader` is if this row is the last one that is skipped; undefined before the records begin. */
    readonly skip: number | undefined;
}

/** The rows of the beginning, each with what it is. */
export function headRows({ facts, head, headNumbers }: FileProfile): readonly HeadRow[] {
    const { headerRow, skipAfterHeader } = facts;
    const numbers = head.map((_, at) => headNumbers[at] ?? at + 1);
    const headerAt = headerRow === null ? -1 : numbers.findIndex(number => number >= headerRow);
    let after = 0;
    return head.map((cells, at) => {
        const number = numbers[at] ?? at + 1;
        if (at < headerAt) return { number, cells, kind: 'BEFORE', skip: undefined };
        if (at === headerAt) return { number, cells, kind: 'HEADER', skip: 0 };
        if (cells.some(cell => cell.trim() !== '')) after++;
        return { number, cells, kind: after <= skipAfterHeader ? 'SKIPPED' : 'RECORD', skip: after };
    });
}

/** Rows that can have the names of columns: those that the server offers, and the present one. */
export function headerRowChoices({ facts, alternatives }: FileProfile): readonly number[] {
    const rows = new Set([...(facts.headerRow === null ? [] : [facts.headerRow]), ...alternatives.headerRows]);
    return [...rows].sort((a, b) => a - b);
}

/** The text of the filled cells before the names of columns, such as a title. */
export function titleOf(profile: FileProfile): string {
    return headRows(profile)
        .filter(({ kind }) => kind === 'BEFORE')
        .flatMap(({ cells }) => cells.map(cell => cell.trim()).filter(cell => cell !== ''))
        .join(' ');
}
