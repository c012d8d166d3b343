/**
 * Work that can be broken off wherever it yields, so that the process can do something else in between. What is done from one yield to the
 * next should be a small bit: a `TaskQueue` lets others have their turn only there.
 */
export type YieldingTask<T> = Generator<void, T, void>;

/** Work yields after this number of units that are far smaller than a turn, such as single values of a list. */
export const SMALL_STEPS = 256;

/** Does all work in one stretch, for callers that block no others. */
export function runAtOnce<T>(yieldingTask: YieldingTask<T>): T {
    for (;;) {
        const bit = yieldingTask.next();
        if (bit.done === true) return bit.value;
    }
}
