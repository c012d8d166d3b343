import { flowError } from '../../errors/flow-error';

/** What a pattern's groups are called. */
export interface Groups {
    readonly groupCount: number;
    readonly names: ReadonlyMap<string, number>;
}

/** Text to be taken literally, or the number of a group whose text comes there; 0 is the whole match. */
type Part = string | number;

/** How long a text may get. */
export interface ReplacementLimit {
    readonly most: number;
    /** Hears how long it has become, and throws where that is too long. */
    fits(length: number): void;
}
const NO_LIMIT: ReplacementLimit = { most: Infinity, fits: () => undefined };

/** What comes in a match's place. */
export interface Replacement {
    readonly parts: readonly Part[];
    /** As the platform's own `replace` reads it. */
    readonly template: string;
    /** How long the result is at most for a text of this length, whatever matches there. */
    longest(length: number, all: boolean): number;
    readonly limit: ReplacementLimit;
}

const MAX_GROUP = 99;
const REFERENCE = /\$(?:\$|&|\d{1,2}|<([^>]*)>)/g;

/** What is wrong with a replacement, as the end of "replacement …"; undefined when nothing is. */
export function replacementProblem(text: string, groups: Groups): string | undefined {
    const parsed = parse(text, groups);
    return typeof parsed === 'string' ? parsed : undefined;
}

/** Reads a replacement that `replacementProblem` has accepted. */
export function compileReplacement(text: string, groups: Groups, limit: ReplacementLimit = NO_LIMIT): Replacement {
    const parts = parse(text, groups);
    if (typeof parts === 'string')
        throw flowError('BUG', { problem: `replacement ${parts}, and was compiled without having been checked` });
    // Two digits, so that a digit behind them stays text.
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
        // Matches lie side by side, so all that a group of them holds is no longer than the text.
        longest: (length, all) => length * (1 + references) + literal * (all ? length + 1 : 1),
    };
}

/** Puts what comes in a match's place behind what there is already; `groupOfMatch` answers the match's groups, 0 being the whole of it. */
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

function parse(text: string, groups: Groups): readonly Part[] | string {
    const parts: Part[] = [];
    let last = 0;
    for (const found of text.matchAll(REFERENCE)) {
        const [reference] = found;
        const group = reference === '$$' ? '$' : groupOf(reference, found[1], groups);
        const at = `at character ${found.index + 1}`;
        if (group === undefined)
            return `has ${reference} ${at}, but the pattern has ${shownGroups(groups)}; a dollar sign itself is written $$`;
        if (group === 0 && reference !== '$&')
            return `has ${reference} ${at}; the whole match is $&, and a dollar sign itself is written $$`;
        if (typeof group === 'number' && group > MAX_GROUP)
            return `has ${reference} ${at}, the group ${group}; only the first ${MAX_GROUP} can be put in`;
        parts.push(text.slice(last, found.index), group);
        last = found.index + reference.length;
        // "$12" with fewer than twelve groups is the first one and a 2.
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

/** The number of the group; undefined when the pattern has none such. */
function groupOf(reference: string, name: string | undefined, { groupCount, names }: Groups): number | undefined {
    if (name !== undefined) return names.get(name);
    if (reference === '$&') return 0;
    const both = Number(reference.slice(1));
    if (both <= groupCount) return both;
    const first = Number(reference[1]);
    return first > 0 && first <= groupCount ? first : undefined;
}

function shownGroups({ groupCount, names }: Groups): string {
    const count = groupCount === 0 ? 'no group' : groupCount === 1 ? 'one group' : `${groupCount} groups`;
    return names.size === 0 ? count : `${count}, with the names ${[...names.keys()].join(', ')}`;
}
