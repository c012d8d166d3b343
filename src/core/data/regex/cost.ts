import { areDisjoint, type CodePoints, LINE_END, NONE, union } from './code-points';
import { isNullable, type Repeat, type Tree } from './tree';

/** What follows a part of a pattern, as far as its first character shows. */
interface Next {
    /** It can match only before one of these characters, or at the end of the text. */
    readonly starts: CodePoints;
    /** The steps that it takes to find that out. */
    readonly steps: number;
    /** It matches any text. */
    readonly always: boolean;
}

/** An upper bound on the steps of a backtracking engine, by the length of the text. */
export type Cost = (length: number) => number;

/**
 * For one entry into a part: the steps in it, and how often it continues with what follows if the match finally fails.
 */
interface Bound {
    readonly steps: number;
    readonly ways: number;
}
type BoundOf = (length: number) => Bound;

const END: Next = { starts: NONE, steps: 0, always: true };
const ONE: BoundOf = () => ({ steps: 1, ways: 1 });

/**
 * The bound of a whole pattern. It rests on two facts. If branches of the pattern cannot be ruled out before they are
 * tried, all of them are tried, so their numbers multiply. And if what follows a repetition cannot start with a
 * repeated character, only the longest run can continue: the next character rules out all shorter ones at once, so
 * their costs add up instead.
 */
export function costOf(tree: Tree): Cost {
    const bound = boundOf(tree, END);
    const isAnchored = startsAtStart(tree);
    return length => (isAnchored ? 1 : length + 1) * bound(length).steps + length;
}

function boundOf(tree: Tree, next: Next): BoundOf {
    switch (tree.kind) {
        case 'set':
        case 'place':
            return ONE;
        case 'foreign':
            return () => ({ steps: Infinity, ways: Infinity });
        case 'group':
            return boundOf(tree.item, next);
        case 'sequence':
            return sequence(boundsOf(tree.items, next));
        case 'choice':
            return choice(
                tree.items.map(item => boundOf(item, next)),
                next,
            );
        case 'repeat':
            return tree.item.kind === 'set' ? repeatedSet(tree, tree.item.set, next) : repeatedGroup(tree, next);
    }
}

function boundsOf(items: readonly Tree[], last: Next): readonly BoundOf[] {
    const bounds: BoundOf[] = [];
    let next = last;
    for (const item of items.toReversed()) {
        bounds.unshift(boundOf(item, next));
        next = nextOf(item, next);
    }
    return bounds;
}

function sequence(bounds: readonly BoundOf[]): BoundOf {
    return length => {
        let steps = 0;
        let ways = 1;
        for (const bound of bounds) {
            const one = bound(length);
            steps += ways * one.steps;
            ways *= one.ways;
        }
        return { steps: steps + 1, ways };
    };
}

function choice(bounds: readonly BoundOf[], next: Next): BoundOf {
    return length => {
        const all = bounds.map(bound => bound(length));
        const ways = all.reduce((sum, one) => sum + one.ways, 0);
        return { steps: all.reduce((sum, one) => sum + one.steps + 1, 0), ways: next.always ? 1 : ways };
    };
}

function repeatedSet({ min, max }: Repeat, set: CodePoints, next: Next): BoundOf {
    return length => {
        const most = Math.min(max, length);
        const ways = Math.max(most - min, 0) + 1;
        // Forwards over the run and back again.
        const steps = 2 * most + 2;
        if (next.always) return { steps, ways: 1 };
        if (areDisjoint(set, next.starts)) return { steps: steps + ways * next.steps, ways: 1 };
        return { steps, ways };
    };
}

function repeatedGroup({ item, min, max }: Repeat, next: Next): BoundOf {
    const again = max > 1 ? either(nextOf(item, next), next) : next;
    const one = boundOf(item, again);
    return length => {
        // Each repetition takes at least one character: a part that can be empty is never repeated natively.
        const most = Math.min(max, length + 1);
        const { steps, ways } = one(length);
        if (ways === 1) return { steps: most * (steps + 1) + 1, ways: next.always ? 1 : Math.max(most - min, 0) + 1 };
        const entries = (ways ** most - 1) / (ways - 1);
        return { steps: entries * (steps + 1) + 1, ways: next.always ? 1 : ways ** most + entries };
    };
}

/** The first characters of a part that is followed by `next`. */
function nextOf(tree: Tree, next: Next): Next {
    switch (tree.kind) {
        case 'set':
            return { starts: tree.set, steps: 1, always: false };
        case 'place':
            return atPlace(tree.place, next);
        case 'foreign':
            return { starts: NONE, steps: Infinity, always: false };
        case 'group':
            return nextOf(tree.item, next);
        case 'sequence':
            return tree.items.reduceRight((after, item) => nextOf(item, after), next);
        case 'choice': {
            const ways = tree.items.map(item => nextOf(item, next));
            return {
                starts: union(...ways.map(way => way.starts)),
                steps: ways.reduce((sum, way) => sum + way.steps + 1, 0),
                always: ways.some(way => way.always),
            };
        }
        case 'repeat': {
            const first = nextOf(tree.item, next);
            return tree.min > 0 && !isNullable(tree.item) ? { ...first, steps: first.steps + 1 } : either(first, next);
        }
    }
}

function atPlace(place: Extract<Tree, { kind: 'place' }>['place'], next: Next): Next {
    if (place === 'end') return { starts: NONE, steps: 1, always: false };
    if (place === 'lineEnd') return { starts: LINE_END, steps: 1, always: false };
    return { starts: next.always ? [0, 0x10ffff] : next.starts, steps: next.steps + 1, always: false };
}

function either(a: Next, b: Next): Next {
    return { starts: union(a.starts, b.starts), steps: a.steps + b.steps + 1, always: a.always || b.always };
}

/** True if every branch begins at the start of the text, so that no other position is tried. */
function startsAtStart(tree: Tree): boolean {
    switch (tree.kind) {
        case 'place':
            return tree.place === 'start';
        case 'sequence':
            return tree.items.length > 0 && startsAtStart(tree.items[0]!);
        case 'choice':
            return tree.items.every(startsAtStart);
        case 'group':
            return startsAtStart(tree.item);
        case 'set':
        case 'repeat':
        case 'foreign':
            return false;
    }
}
