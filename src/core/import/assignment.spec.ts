import { assignByScore } from './assignment';

const LEAST = 0.5;

/** The best sum of all ways to assign rows to columns. */
function bestSum(scores: readonly (readonly number[])[], row = 0, used: ReadonlySet<number> = new Set()): number {
    if (row === scores.length) return 0;
    const without = LEAST + bestSum(scores, row + 1, used);
    return scores[row]!.reduce(
        (best, score, column) =>
            used.has(column) || score < LEAST
                ? best
                : Math.max(best, score + bestSum(scores, row + 1, new Set([...used, column]))),
        without,
    );
}

function sumOf(scores: readonly (readonly number[])[], assigned: readonly number[]): number {
    return assigned.reduce((sum, column, row) => sum + (column < 0 ? LEAST : scores[row]![column]!), 0);
}

describe('assignByScore', () => {
    it('prefers the best total over the best pair', () => {
        expect(
            assignByScore(
                [
                    [0.9, 0.85],
                    [0.88, 0],
                ],
                LEAST,
            ),
        ).toEqual([1, 0]);
    });

    it('leaves rows without a column that is good enough', () => {
        expect(assignByScore([[0.4], [0.6], [0.1]], LEAST)).toEqual([-1, 0, -1]);
        expect(assignByScore([], LEAST)).toEqual([]);
        expect(assignByScore([[], []], LEAST)).toEqual([-1, -1]);
    });

    it('finds the best total of all', () => {
        let state = 11;
        const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
        for (let round = 0; round < 60; round++) {
            const rows = 1 + Math.floor(random() * 5);
            const columns = 1 + Math.floor(random() * 5);
            const scores = Array.from({ length: rows }, () => Array.from({ length: columns }, () => random()));
            const assigned = assignByScore(scores, LEAST);
            const used = assigned.filter(column => column >= 0);
            expect(new Set(used).size).toBe(used.length);
            expect(sumOf(scores, assigned)).toBeCloseTo(bestSum(scores), 9);
        }
    });
});
