import { isFlowError } from '../../core/errors/flow-error';
import { UploadRate } from './upload-rate';

function taken(rate: UploadRate, user: string): string | number | undefined {
    try {
        rate.take(user);
        return undefined;
    } catch (error) {
        if (isFlowError(error) && error.code === 'RATE_LIMITED') return error.waitMs;
        throw error;
    }
}

describe('the uploads of a user', () => {
    it('are limited in any 60 seconds, not in each calendar minute', () => {
        let now = 0;
        const rate = new UploadRate(3, () => now);
        for (const at of [0, 10_000, 59_000]) {
            now = at;
            expect(taken(rate, 'a')).toBeUndefined();
        }
        expect(taken(rate, 'a')).toBe(1_000);
        now = 60_000;
        expect(taken(rate, 'a')).toBeUndefined();
        expect(taken(rate, 'a')).toBe(10_000);
        now = 70_000;
        expect(taken(rate, 'a')).toBeUndefined();
        expect(taken(rate, 'a')).toBe(49_000);
    });

    it('do not count when they are rejected', () => {
        let now = 0;
        const rate = new UploadRate(1, () => now);
        expect(taken(rate, 'a')).toBeUndefined();
        for (now = 1_000; now < 60_000; now += 1_000) expect(taken(rate, 'a')).toBe(60_000 - now);
        expect(taken(rate, 'a')).toBeUndefined();
    });

    it('are counted for each user separately', () => {
        const rate = new UploadRate(1, () => 0);
        for (const user of ['a', 'b', 'c']) expect(taken(rate, user)).toBeUndefined();
        expect(taken(rate, 'b')).toBe(60_000);
    });

    it('are forgotten for the user who was inactive longest, when there are too many users', () => {
        const rate = new UploadRate(1, () => 0);
        expect(taken(rate, 'first')).toBeUndefined();
        expect(taken(rate, 'second')).toBeUndefined();
        for (let i = 0; i < 9_998; i++) rate.take(`user-${i}`);
        expect(taken(rate, 'first')).toBe(60_000);
        rate.take('one more');
        expect(taken(rate, 'first')).toBe(60_000);
        expect(taken(rate, 'second')).toBeUndefined();
    });
});
