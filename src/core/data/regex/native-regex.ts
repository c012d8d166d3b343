import type { CodePoints } from './code-points';
import { costOf } from './cost';
import { isNullable, type Tree } from './tree';

/** A pattern for the platform's engine, which is fast but backtracks. */
export interface Native {
    readonly first: RegExp;
    readonly every: RegExp;
    /** Texts up to this length are matched within the bound. */
    readonly maxLength: number;
}

/** The maximum number of steps of a match: some milliseconds. */
const MAX_STEPS = 1_000_000;
const MAX_LENGTH = 100_000;
const SURROGATES = [0xd800, 0xdfff] as const;
const PLACES = {
    start: '^',
    end: '$',
    lineStart: '(?<![^\\n])',
    lineEnd: '(?![^\\n])',
    edge: '\\b',
    noEdge: '\\B',
} as const;

/** The pattern in the platform's syntax; undefined if it would have another meaning there, or could take long. */
export function nativeOf(tree: Tree): Native | undefined {
    if (!isFaithful(tree) || (isNullable(tree) && hasLocalPlace(tree))) return undefined;
    const cost = costOf(tree);
    const maxLength = longest(length => cost(length) <= MAX_STEPS);
    if (maxLength < 1) return undefined;
    const isWide = needsCodePoints(tree) || isNullable(tree);
    const source = sourceOf(tree, isWide);
    const flags = isWide ? 'u' : '';
    return { first: new RegExp(source, flags), every: new RegExp(source, `g${flags}`), maxLength };
}

/** The greatest length that is fine, if all shorter ones are. */
function longest(isFine: (length: number) => boolean): number {
    let fine = -1;
    let tooLong = MAX_LENGTH + 1;
    while (tooLong - fine > 1) {
        const middle = Math.floor((fine + tooLong) / 2);
        if (isFine(middle)) fine = middle;
        else tooLong = middle;
    }
    return fine;
}

/**
 * True if both engines produce the same matches. They differ in what a repetition of something empty captures, and in
 * the captures of a group that the last repetition skips.
 */
function isFaithful(tree: Tree): boolean {
    switch (tree.kind) {
        case 'foreign':
            return false;
        case 'set':
        case 'place':
            return true;
        case 'group':
            return isFaithful(tree.item);
        case 'sequence':
        case 'choice':
            return tree.items.every(isFaithful);
        case 'repeat':
            return (
                !isNullable(tree.item) &&
                (tree.max <= 1 || !hasOptionalGroup(tree.item, false)) &&
                isFaithful(tree.item)
            );
    }
}

/** True if there is a capturing group that a match can skip. */
function hasOptionalGroup(tree: Tree, isOptional: boolean): boolean {
    switch (tree.kind) {
        case 'foreign':
        case 'set':
        case 'place':
            return false;
        case 'group':
            return (tree.capturing && isOptional) || hasOptionalGroup(tree.item, isOptional);
        case 'sequence':
            return tree.items.some(item => hasOptionalGroup(item, isOptional));
        case 'choice':
            return tree.items.some(item => hasOptionalGroup(item, true));
        case 'repeat':
            return hasOptionalGroup(tree.item, isOptional || tree.min === 0);
    }
}

/** True if it has an assertion that the platform may match between the two units of a character. */
function hasLocalPlace(tree: Tree): boolean {
    switch (tree.kind) {
        case 'place':
            return tree.place !== 'start' && tree.place !== 'end';
        case 'sequence':
        case 'choice':
            return tree.items.some(hasLocalPlace);
        case 'group':
        case 'repeat':
            return hasLocalPlace(tree.item);
        case 'set':
        case 'foreign':
            return false;
    }
}

/** True if it can match a character that takes two UTF-16 units. */
function needsCodePoints(tree: Tree): boolean {
    switch (tree.kind) {
        case 'set':
            return reachesBeyond(tree.set);
        case 'sequence':
        case 'choice':
            return tree.items.some(needsCodePoints);
        case 'group':
        case 'repeat':
            return needsCodePoints(tree.item);
        case 'place':
        case 'foreign':
            return false;
    }
}

function reachesBeyond(set: CodePoints): boolean {
    for (let i = 0; i < set.length; i += 2)
        if (set[i + 1]! > 0xffff || (set[i + 1]! >= SURROGATES[0] && set[i]! <= SURROGATES[1])) return true;
    return false;
}

function sourceOf(tree: Tree, isWide: boolean): string {
    const inner = (item: Tree): string => sourceOf(item, isWide);
    switch (tree.kind) {
        case 'foreign':
            return '';
        case 'set':
            return setSource(tree.set, isWide);
        case 'place':
            return PLACES[tree.place];
        case 'group':
            return `(${tree.capturing ? '' : '?:'}${inner(tree.item)})`;
        case 'sequence':
            return tree.items.map(inner).join('');
        case 'choice':
            return tree.items.map(inner).join('|');
        case 'repeat':
            return `${inner(tree.item)}${quantifier(tree.min, tree.max)}${tree.lazy ? '?' : ''}`;
    }
}

function quantifier(min: number, max: number): string {
    if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
    return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

function setSource(set: CodePoints, isWide: boolean): string {
    const one = set.length === 2 && set[0] === set[1];
    if (one) return character(set[0]!, isWide);
    let source = '';
    for (let i = 0; i < set.length; i += 2) {
        source += character(set[i]!, isWide);
        if (set[i + 1]! > set[i]!) source += `-${character(set[i + 1]!, isWide)}`;
    }
    return `[${source}]`;
}

function character(code: number, isWide: boolean): string {
    if ((code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a))
        return String.fromCharCode(code);
    const hex = code.toString(16);
    return isWide ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
