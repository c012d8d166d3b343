import type { JsonValue } from '../../core/data/json';
import { show } from '../../core/data/show';
import { flowError } from '../../core/errors/flow-error';
import { DELIMITERS } from './delimiters';

/** What reading a header depends on. */
export interface HeaderRules {
    /** Of text. */
    readonly delimiter?: string;
    /** The delimiter is nobody's choice: a header of one column that holds another one, as the rows do, is malformed. */
    readonly isAssumed?: boolean;
    /** Told what is allowed and hardly meant. */
    readonly warn?: (problem: string) => void;
}

/** So many columns a warning names. */
const TOLD = 10;

/** The names of the columns; one that has none is `columnN`. Throws SOURCE_MALFORMED where two are the same. */
export function headerOf(cells: readonly JsonValue[], where: string, { warn }: HeaderRules): readonly string[] {
    const seen = new Set<string>();
    const nameless: string[] = [];
    const names = cells.map((cell, i) => {
        const given = String(cell ?? '').trim();
        const name = given === '' ? `column${i + 1}` : given;
        if (given === '') nameless.push(name);
        if (seen.has(name))
            throw flowError('SOURCE_MALFORMED', { where, problem: `the header names two columns "${name}"` });
        seen.add(name);
        return name;
    });
    if (nameless.length > 0) {
        const told = nameless.slice(0, TOLD).join(', ') + (nameless.length > TOLD ? ' …' : '');
        warn?.(
            `The header (${where}) has ${nameless.length === 1 ? 'a column' : `${nameless.length} columns`} without a name, read as ${told}.`,
        );
    }
    return names;
}

/** A header of a single column whose name holds another delimiter: a file of one column, or one that is cut at the wrong sign. */
export class OneColumn {
    private constructor(
        private readonly name: string,
        private readonly where: string,
        private readonly rules: HeaderRules & { readonly delimiter: string; readonly likely: string },
    ) {}

    /** Undefined where nothing speaks for another delimiter; else it is told. */
    static of(name: string, where: string, rules: HeaderRules): OneColumn | undefined {
        const { delimiter, isAssumed, warn } = rules;
        if (delimiter === undefined) return undefined;
        const [likely] = DELIMITERS.filter(other => other !== delimiter && name.includes(other)).sort(
            (a, b) => count(name, b) - count(name, a),
        );
        if (likely === undefined) return undefined;
        warn?.(
            `The header (${where}) is one column, ${show(name)}, which holds ${show(likely)}: where that separates the columns, set delimiter to it.`,
        );
        return isAssumed ? new OneColumn(name, where, { ...rules, delimiter, likely }) : undefined;
    }

    /** Throws SOURCE_MALFORMED where the first row holds the other delimiter as often as the header. */
    checkRow(cells: readonly JsonValue[]): void {
        const { delimiter, likely } = this.rules;
        if (count(cells.join(delimiter), likely) !== count(this.name, likely)) return;
        throw flowError('SOURCE_MALFORMED', {
            where: this.where,
            problem: `the header is one column, ${show(this.name)}, and ${show(likely)} stands in the first row as often; set delimiter to ${show(likely)}, or to ${show(delimiter)} where it is a file of one column`,
        });
    }
}

function count(text: string, sign: string): number {
    return text.split(sign).length - 1;
}
