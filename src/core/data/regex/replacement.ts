import { clause, type FactText } from '../../errors/rendered';
import { flowError } from '../../errors/flow-error';

/** The groups of a pattern. */
export interface Groups {
    readonly groupCount: number;
    readonly names: ReadonlyMap<string, number>;
}

/** Literal text, or the number of a group whose text is inserted; 0 is the whole match. */
type Part = string | number;

/** Limits the length of a result. */
export interface ReplacementLimit {
    readonly most: number;
    /** Called with the current length; throws if it is too long. */
    fits(length: number): void;
}
const NO_LIMIT: ReplacementLimit = { most: Infinity, fits: () => undefined };

/** A compiled replacement. */
export interface Replacement {
    readonly parts: readonly Part[];
    /** The replacement in the syntax of the platform's `replace`. */
    readonly template: string;
    /** The maximum length of the result for a text of this length, whatever matches. */
    longest(length: number, all: boolean): number;
    readonly limit: ReplacementLimit;
}

const MAX_GROUP = 99;
const REFERENCE = /\$(?:\$|&|\d{1,2}|<([^>]*)>)/g;

/** What is wrong with a replacement, as the end of "replacement …"; undefined if it is valid. */
export function replacementProblem(text: string, groups: Groups): FactText | undefined {
    const parsed = parse(text, groups);
    return 'message' in parsed ? parsed : undefined;
}

/** Compiles a replacement that `replacementProblem` has accepted. */
export function compileReplacement(text: string, groups: Groups, limit: ReplacementLimit = NO_LIMIT): Replacement {
    const parts = parse(text, groups);
    if ('message' in parts)
        throw flowError('BUG', { problem: `replacement ${parts.message} and was compiled without a check` });
    // Two digits, so that a digit after them stays text.
    const template = parts.map(part =>
        typeof part === 'string'
            ? part.replaceAll('$', '$$$$')
            : part === 0
              ? '$&'
              : `$${String(part).padStart(2, '0')}`,
    );
    const literal = parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
    const references = parts.filter(part => typeof part === 'number').length;
    return {
        parts,
        template: template.join(''),
        limit,
        // Matches do not overlap, so the texts of a group together are no longer than the text.
        longest: (length, all) => length * (1 + references) + literal * (all ? length + 1 : 1),
    };
}

/**
 * Appends the replacement of a match to the text so far; `groupOfMatch` returns the groups of the match, 0 being the
 * whole match.
 */
export function withReplaced(
    before: string,
    { parts, limit }: Replacement,
    groupOfMatch: (group: number) => string | undefined,
): string {
    let out = before;
    for (const part of parts) {
        out += typeof part === 'string' ? part : (groupOfMatch(part) ?? '');
        limit.fits(out.length);
    }
    return out;
}

function parse(text: string, groups: Groups): readonly Part[] | FactText {
    const parts: Part[] = [];
    let last = 0;
    for (const found of text.matchAll(REFERENCE)) {
        const [reference] = found;
        const group = reference === '$$' ? '$' : groupOf(reference, found[1], groups);
        const at = found.index + 1;
        if (group === undefined)
            return clause`has ${reference} at character ${at}, but the pattern has ${shownGroups(groups)}; write $$ for a dollar sign`;
        if (group === 0 && reference !== '$&')
            return clause`has ${reference} at character ${at}; write $& for the whole match and $$ for a dollar sign`;
        if (typeof group === 'number' && group > MAX_GROUP)
            return clause`has ${reference} at character ${at}, the group ${group}; only the first ${MAX_GROUP} groups can be inserted`;
        parts.push(text.slice(last, found.index), group);
        last = found.index + reference.length;
        // "$12" with fewer than twelve groups is group 1 and the digit 2.
        if (
            typeof group === 'number' &&
            /^\$\d\d$/.test(reference) &&
            String(group).padStart(2, '0') !== reference.slice(1)
        )
            parts.push(reference.slice(2));
    }
    parts.push(text.slice(last));
    return parts.filter(part => part !== '');
}

/** The number of the group; undefined if the pattern has no such group. */
function groupOf(reference: string, name: string | undefined, { groupCount, names }: Groups): number | undefined {
    if (name !== undefined) return names.get(name);
    if (reference === '$&') return 0;
    const both = Number(reference.slice(1));
    if (both <= groupCount) return both;
    const first = Number(reference[1]);
    return first > 0 && first <= groupCount ? first : undefined;
}

function shownGroups({ groupCount, names }: Groups): FactText {
    const count = shownCount(groupCount);
    return names.size === 0 ? count : clause`${count}, with the names ${[...names.keys()].join(', ')}`;
}

/** The number of groups in words. */
export function shownCount(groupCount: number): FactText {
    if (groupCount === 0) return clause`no groups`;
    return groupCount === 1 ? clause`one group` : clause`${groupCount} groups`;
}
