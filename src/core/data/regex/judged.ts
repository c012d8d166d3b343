/** Patterns of at most 1,000 characters each. */
const MOST_KNOWN = 4_000;

/** Patterns and what is wrong with them, the latest last: those of a pipeline are asked for again when it is compiled. */
const known = new Map<string, string | undefined>();

/** Answers what is wrong with a pattern in place of judging it there and then. */
export type Asking = (pattern: string) => string | undefined;
let asking: Asking | undefined;

/** What is wrong with a pattern: as it is known, or else as `judge` says. */
export function patternProblem(pattern: string, judge: Asking): string | undefined {
    if (asking) return asking(pattern);
    const isKnown = known.has(pattern);
    const problem = isKnown ? known.get(pattern) : judge(pattern);
    if (isKnown) known.delete(pattern);
    else if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(pattern, problem);
    return problem;
}

/** True for a pattern that was judged not long ago, and found to be one. */
export function isAccepted(pattern: string): boolean {
    return known.has(pattern) && known.get(pattern) === undefined;
}

/** While something is read, somebody else answers for patterns. What reads may not wait for anything. */
export function whileAsking<T>(other: Asking, read: () => T): T {
    const before = asking;
    asking = other;
    try {
        return read();
    } finally {
        asking = before;
    }
}
