import type { YieldingTask } from '../concurrency/yielding-task';

/** An element of the older list and the one of the newer list that it is matched with. */
export type Match = readonly [before: number, after: number];

/**
 * The maximum number of added or removed elements that are matched individually; the run time grows with this number times the length of the lists.
 */
const MAX_EDITS = 256;

/**
 * Matches equal elements of two lists in their order, as many as there can be (a longest common subsequence by Myers' greedy
 * algorithm). Where the lists differ by more than 256 elements, only what they begin and end with alike is matched, so that the time
 * is bound by the lists' length. Swapped lists give the same matches, swapped.
 */
export function* aligningPairs(before: readonly string[], after: readonly string[]): YieldingTask<readonly Match[]> {
    const [a, b] = numbered(before, after);
    yield;
    // Among several longest subsequences the algorithm picks one by which list is the first, so that must not depend on the caller.
    if (precedes(before, after)) return yield* pairs(a, b);
    return (yield* pairs(b, a)).map(([after_, before_]) => [before_, after_]);
}

/** Numbers for texts, equal ones for equal ones: arguments may be long, and each is compared many times. */
function numbered(
    ...lists: ReadonlyArray<readonly string[]>
): ReadonlyArray<readonly number[]> & { readonly 0: readonly number[]; readonly 1: readonly number[] } {
    const known = new Map<string, number>();
    const numberOf = (text: string): number => {
        const number = known.get(text) ?? known.size;
        known.set(text, number);
        return number;
    };
    return lists.map(list => list.map(numberOf)) as unknown as ReturnType<typeof numbered>;
}

function precedes(a: readonly string[], b: readonly string[]): boolean {
    if (a.length !== b.length) return a.length < b.length;
    const at = a.findIndex((text, i) => text !== b[i]);
    return at === -1 || a[at]! < b[at]!;
}

function* pairs(a: readonly number[], b: readonly number[]): YieldingTask<readonly Match[]> {
    const shorter = Math.min(a.length, b.length);
    let head = 0;
    while (head < shorter && a[head] === b[head]) head++;
    let tail = 0;
    while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    const middle = yield* matchesBetween(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
    return [
        ...Array.from({ length: head }, (_, i): Match => [i, i]),
        ...middle.map(([i, j]): Match => [i + head, j + head]),
        ...Array.from({ length: tail }, (_, i): Match => [a.length - tail + i, b.length - tail + i]),
    ];
}

/**
 * Walks, with one more edit each round, as far as possible along every diagonal of the grid of both lists. `reached[k]` is how far
 * in `a` the walk on diagonal k = (place in a) − (place in b) has come.
 */
function* matchesBetween(a: readonly number[], b: readonly number[]): YieldingTask<readonly Match[]> {
    if (a.length === 0 || b.length === 0) return [];
    const most = Math.min(MAX_EDITS, a.length + b.length);
    const reached = new Int32Array(2 * most + 3);
    const rounds: Int32Array[] = [];
    const at = (k: number): number => reached[k + most + 1]!;
    for (let edits = 0; edits <= most; edits++) {
        rounds.push(reached.slice());
        yield;
        for (let k = -edits; k <= edits; k += 2) {
            let i = k === -edits || (k !== edits && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            while (i < a.length && i - k < b.length && a[i] === b[i - k]) i++;
            reached[k + most + 1] = i;
            if (i >= a.length && i - k >= b.length) return walkedBack(rounds, { a, b, most });
        }
    }
    return [];
}

interface Grid {
    readonly a: readonly number[];
    readonly b: readonly number[];
    readonly most: number;
}

/** The matches on the path that reached the end, from the positions of each round. */
function walkedBack(rounds: readonly Int32Array[], { a, b, most }: Grid): readonly Match[] {
    const matches: Match[] = [];
    let i = a.length;
    let j = b.length;
    for (let edits = rounds.length - 1; edits >= 0; edits--) {
        const k = i - j;
        const at = (diagonal: number): number => rounds[edits]![diagonal + most + 1]!;
        const down = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
        const before = edits === 0 ? 0 : at(down ? k + 1 : k - 1);
        const start = edits === 0 || down ? before : before + 1;
        while (i > start) matches.push([--i, --j]);
        i = before;
        j = edits === 0 ? 0 : before - (down ? k + 1 : k - 1);
    }
    return matches.reverse();
}
