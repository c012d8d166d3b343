import fc from 'fast-check';
import { runAtOnce } from '../concurrency/yielding-task';
import { aligningPairs, type Match } from './alignment';

const alignedPairs = (before: readonly string[], after: readonly string[]): readonly Match[] =>
    runAtOnce(aligningPairs(before, after));

/** Slow and plainly right. */
function longest(a: readonly string[], b: readonly string[]): number {
    let row = b.map(() => 0);
    for (const x of a) {
        const next: number[] = [];
        b.forEach((y, j) => next.push(x === y ? (row[j - 1] ?? 0) + 1 : Math.max(row[j]!, next[j - 1] ?? 0)));
        row = next;
    }
    return row.at(-1) ?? 0;
}

const lists = fc.tuple(...[0, 1].map(() => fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })));

describe('the alignment of two lists', () => {
    it('matches as many equal elements as there can be, in their order', () => {
        fc.assert(
            fc.property(lists, ([a, b]) => {
                const pairs = alignedPairs(a!, b!);
                expect(pairs).toHaveLength(longest(a!, b!));
                pairs.forEach(([i, j], at) => {
                    expect(a![i]).toBe(b![j]);
                    expect(at === 0 || (i > pairs[at - 1]![0] && j > pairs[at - 1]![1])).toBe(true);
                });
            }),
            { numRuns: 500 },
        );
    });

    it('is the same, swapped, for swapped lists', () => {
        fc.assert(
            fc.property(lists, ([a, b]) => {
                expect(alignedPairs(b!, a!)).toEqual(alignedPairs(a!, b!).map(([i, j]) => [j, i]));
            }),
            { numRuns: 500 },
        );
    });

    it('finds few changes in long lists, and only equal ends of lists that differ completely', () => {
        const long = Array.from({ length: 20_000 }, (_, i) => `${i}`);
        const changed = long.filter((_, i) => i !== 100).with(15_000, 'x');
        expect(alignedPairs(long, changed)).toHaveLength(19_998);
        const other = long.map((text, i) => (i === 0 || i === 19_999 ? text : `other ${i}`));
        expect(alignedPairs(long, other)).toEqual([
            [0, 0],
            [19_999, 19_999],
        ]);
    });
});
