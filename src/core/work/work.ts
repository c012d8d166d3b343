/**
 * Work that can be broken off wherever it yields, so that the process can do something else in between. What is done from one yield to the
 * next should be a small bit: a `Lane` lets others have their turn only there.
 */
export type Work<T> = Generator<void, T, void>;

/** After so many bits that are far smaller than a turn, such as single values of a list, work yields. */
export const SMALL_BITS = 256;

/** Does all of it in one stretch, for whoever holds nobody up. */
export function atOnce<T>(work: Work<T>): T {
    for (;;) {
        const bit = work.next();
        if (bit.done === true) return bit.value;
    }
}
