import type { JsonValue } from '../../core/value/json';
import { logText, type LogText } from '../../core/log/log-text';
import { unpadded } from '../../core/data/unpadded';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { DELIMITERS } from './delimiters';

/** What reading a header depends on. */
export interface HeaderRules {
    /** Of text. */
    readonly delimiter?: string;
    /**
     * No user has chosen the delimiter: a header of one column that contains another delimiter as often as the first
     * row does is malformed.
     */
    readonly isAssumed?: boolean;
    /** Is called with what is allowed but probably not intended. */
    readonly warn?: (problem: LogText) => void;
}

/** A warning names at most this number of columns. */
const SHOWN = 10;

/** The names of the columns; one that has none is `columnN`. Throws SOURCE_MALFORMED where two are the same. */
export function headerOf(cells: readonly JsonValue[], where: string, { warn }: HeaderRules): readonly string[] {
    const given = cells.map(cell => nameOfColumn(String(cell ?? ''), warn));
    const seen = new Set<string>();
    for (const name of given) {
        if (name !== '' && seen.has(name))
            throw flowError('SOURCE_MALFORMED', { where, problem: `the header names two columns "${name}"` });
        seen.add(name);
    }
    const free = freeNames(seen);
    const names = given.map((name, i) => (name === '' ? free(i) : name));
    const nameless = names.filter((_, i) => given[i] === '');
    if (nameless.length > 0) {
        const shown = nameless.slice(0, SHOWN).join(', ') + (nameless.length > SHOWN ? ' …' : '');
        const isTitle = nameless.length > 1 && names.length - nameless.length === 1;
        const event = isTitle ? 'HEADER_AFTER_TITLE' : 'HEADER_UNNAMED';
        warn?.(logText(event, { where, count: nameless.length, names: shown }));
    }
    return names;
}

/** The name of a column without the blanks around it; characters that show nothing are reported. */
export function nameOfColumn(cell: string, warn?: (problem: LogText) => void): string {
    const name = unpadded(cell);
    if (name !== cell.trim()) warn?.(logText('COLUMN_INVISIBLE', { column: show(name) }));
    return name;
}

/**
 * Names for unnamed columns, requested by their places from left to right: `columnN` by the place, or the next free
 * one.
 */
export function freeNames(taken: ReadonlySet<string>): (place: number) => string {
    let next = 0;
    return place => {
        next = Math.max(next, place) + 1;
        while (taken.has(`column${next}`)) next++;
        return `column${next}`;
    };
}

/**
 * A header with a single column whose name contains another delimiter: either the file has one column, or the
 * delimiter is wrong.
 */
export class OneColumn {
    private constructor(
        private readonly name: string,
        private readonly where: string,
        private readonly rules: HeaderRules & { readonly delimiter: string; readonly likely: string },
    ) {}

    /** Undefined where nothing speaks for another delimiter; else it is reported. */
    static of(name: string, where: string, rules: HeaderRules): OneColumn | undefined {
        const { delimiter, isAssumed, warn } = rules;
        if (delimiter === undefined) return undefined;
        const likely = likelyIn(name, delimiter);
        if (likely === undefined) return undefined;
        warn?.(logText('HEADER_ONE_COLUMN', { where, column: show(name), delimiter: show(likely) }));
        return isAssumed ? new OneColumn(name, where, { ...rules, delimiter, likely }) : undefined;
    }

    /** Throws SOURCE_MALFORMED if the first row contains the other delimiter as often as the header. */
    checkRow(cells: readonly JsonValue[]): void {
        const { delimiter, likely } = this.rules;
        if (count(cells.join(delimiter), likely) !== count(this.name, likely)) return;
        throw flowError('SOURCE_MALFORMED', {
            where: this.where,
            problem: `the header is one column, ${show(this.name)}, and the first row has ${show(likely)} as often; set delimiter to ${show(likely)}, or to ${show(delimiter)} if the file has only one column`,
        });
    }
}

/** The first row of a file without a header, a single cell that holds another delimiter. */
export class OneCell {
    private constructor(
        private readonly cell: string,
        private readonly where: string,
        private readonly rules: HeaderRules & { readonly likely: string },
    ) {}

    /** Undefined where nothing speaks for another delimiter. */
    static of(cell: string, where: string, rules: HeaderRules): OneCell | undefined {
        const likely = rules.delimiter === undefined ? undefined : likelyIn(cell, rules.delimiter);
        return likely === undefined ? undefined : new OneCell(cell, where, { ...rules, likely });
    }

    /** Warns if the second row contains the other delimiter as often. */
    checkRow(cells: readonly JsonValue[]): void {
        const { delimiter, likely, warn } = this.rules;
        if (count(cells.join(delimiter), likely) !== count(this.cell, likely)) return;
        const facts = { where: this.where, cell: show(this.cell), delimiter: show(likely) };
        warn?.(logText('ROWS_ONE_COLUMN', facts));
    }
}

/** The other delimiter that a text contains most often. */
function likelyIn(text: string, delimiter: string): string | undefined {
    return DELIMITERS.filter(other => other !== delimiter && text.includes(other)).sort(
        (a, b) => count(text, b) - count(text, a),
    )[0];
}

function count(text: string, sign: string): number {
    return text.split(sign).length - 1;
}
