import { MinuteRateLimiter } from './minute-rate-limiter';

describe('the calls within a minute', () => {
    it('is counted in any minute, not in each', () => {
        let now = 0;
        const rate = new MinuteRateLimiter(3, () => now);
        const taken = [0, 10_000, 59_000, 59_500, 60_000, 60_001, 70_000, 118_999, 119_000].map(at => {
            now = at;
            return rate.take('a');
        });
        expect(taken).toEqual([undefined, undefined, undefined, 500, undefined, 9_999, undefined, 1, undefined]);
    });

    it('can be checked without being counted, and counted without being checked', () => {
        let now = 0;
        const rate = new MinuteRateLimiter(2, () => now);
        expect([rate.waitMs('a'), rate.waitMs('a'), rate.waitMs('a')]).toEqual([undefined, undefined, undefined]);
        for (now = 0; now < 5_000; now += 1_000) rate.count('a');
        // Of five the last two count: those of 3 s and 4 s.
        now = 5_000;
        expect(rate.waitMs('a')).toBe(58_000);
        expect(rate.waitMs('b')).toBeUndefined();
        now = 63_000;
        expect(rate.waitMs('a')).toBeUndefined();
    });

    it('may be a hundred thousand', () => {
        const rate = new MinuteRateLimiter(100_000, () => 0);
        const rejected = Array.from({ length: 100_000 }, () => rate.take('a')).filter(wait => wait !== undefined);
        expect(rejected).toEqual([]);
        expect(rate.take('a')).toBe(60_000);
    });

    it('are forgotten for the least recently met key when there are too many', () => {
        const rate = new MinuteRateLimiter(1, () => 0);
        rate.count('first');
        rate.count('second');
        for (let i = 0; i < 9_998; i++) rate.count(`other-${i}`);
        expect(rate.waitMs('first')).toBe(60_000);
        rate.count('one more');
        expect(rate.waitMs('first')).toBe(60_000);
        expect(rate.waitMs('second')).toBeUndefined();
    });
});
