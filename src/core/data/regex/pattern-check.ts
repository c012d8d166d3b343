import type { FactText } from '../../errors/rendered';

/** The number of patterns in the cache, of at most 1,000 characters each. */
const MOST_KNOWN = 4_000;

/** Patterns and their problems, the latest last: the patterns of a pipeline are checked again when it is compiled. */
const known = new Map<string, FactText | undefined>();

/** Returns the problem of a pattern instead of checking it immediately. */
type PatternCheck = (pattern: string) => FactText | undefined;
let patternCheck: PatternCheck | undefined;

/** The problem of a pattern: from the cache, otherwise from `judge`. */
export function patternProblem(pattern: string, judge: PatternCheck): FactText | undefined {
    if (patternCheck) return patternCheck(pattern);
    const isKnown = known.has(pattern);
    const problem = isKnown ? known.get(pattern) : judge(pattern);
    if (isKnown) known.delete(pattern);
    else if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(pattern, problem);
    return problem;
}

/** True for a pattern that was recently found to be valid. */
export function isAccepted(pattern: string): boolean {
    return known.has(pattern) && known.get(pattern) === undefined;
}

/** Lets `other` answer for patterns during a synchronous read, which cannot wait for checks. */
export function whileChecking<T>(other: PatternCheck, read: () => T): T {
    const before = patternCheck;
    patternCheck = other;
    try {
        return read();
    } finally {
        patternCheck = before;
    }
}
