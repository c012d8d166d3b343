/** The number of buckets from a duration to its double: a percentile is inaccurate by at most a tenth. */
const PER_DOUBLING = 4;

/** The bucket for what never began. */
export const NO_DURATION = -1;

/** The bucket of a duration in milliseconds, on a scale that grows with it: a year is in bucket 139. Counts of buckets can be added up over any runs. */
export function durationBucket(ms: number): number {
    return Math.floor(Math.log2(Math.max(0, ms) + 1) * PER_DOUBLING);
}

/** Where a bucket begins, in milliseconds. */
function beginningOf(bucket: number): number {
    return 2 ** (bucket / PER_DOUBLING) - 1;
}

/** For each share, the duration that this share of all does not exceed (0.5: the median), in whole milliseconds; empty without any durations. */
export function durationPercentiles(counts: ReadonlyMap<number, number>, shares: readonly number[]): readonly number[] {
    const buckets = [...counts]
        .filter(([bucket, count]) => bucket !== NO_DURATION && count > 0)
        .sort(([a], [b]) => a - b);
    const all = buckets.reduce((sum, [, count]) => sum + count, 0);
    return shares.flatMap(share => percentileOf(buckets, all * share));
}

function percentileOf(buckets: ReadonlyArray<readonly [bucket: number, count: number]>, desired: number): number[] {
    let before = 0;
    for (const [i, [bucket, count]] of buckets.entries()) {
        if (before + count < desired && i < buckets.length - 1) {
            before += count;
            continue;
        }
        const [from, to] = [beginningOf(bucket), beginningOf(bucket + 1)];
        return [Math.round(from + ((to - from) * (desired - before)) / count)];
    }
    return [];
}
