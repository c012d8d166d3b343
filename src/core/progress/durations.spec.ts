import fc from 'fast-check';
import { durationBucket, durationPercentiles, NO_DURATION } from './durations';

const counted = (durations: readonly number[]): Map<number, number> => {
    const counts = new Map<number, number>();
    for (const ms of durations) counts.set(durationBucket(ms), (counts.get(durationBucket(ms)) ?? 0) + 1);
    return counts;
};

describe('durations in buckets', () => {
    it('are in ascending order, and the last bucket is far away', () => {
        expect([0, 1, 1_000, 60_000, 365 * 86_400_000].map(durationBucket)).toEqual([0, 4, 39, 63, 139]);
        expect(durationBucket(-5)).toBe(0);
    });

    it('give each percentile to within a fifth, whatever the durations', () => {
        fc.assert(
            fc.property(
                fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 60 }),
                fc.constantFrom(0.5, 0.95, 0.99),
                (durations, share) => {
                    const sorted = [...durations].sort((a, b) => a - b);
                    const real = sorted[Math.ceil(sorted.length * share) - 1]!;
                    const told = durationPercentiles(counted(durations), [share])[0]!;
                    expect(Math.abs(told - real)).toBeLessThanOrEqual(1 + real * 0.2);
                },
            ),
        );
    });

    it('of many runs are the sum of the durations of their parts', () => {
        const [some, others] = [
            [5, 80, 900],
            [40, 7_000],
        ];
        const merged = counted(some);
        for (const [bucket, count] of counted(others)) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
        expect(merged).toEqual(counted([...some, ...others]));
    });

    it('omit what never began', () => {
        const shares = [0.5, 0.95];
        expect(durationPercentiles(new Map([[NO_DURATION, 7]]), shares)).toEqual([]);
        expect(durationPercentiles(new Map(), shares)).toEqual([]);
        const counts = counted([1_000]);
        const told = durationPercentiles(counts, shares);
        expect(told).toHaveLength(2);
        expect(durationPercentiles(new Map([...counts, [NO_DURATION, 99]]), shares)).toEqual(told);
    });
});
