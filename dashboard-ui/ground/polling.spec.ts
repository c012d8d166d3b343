import { nextQuestion, POLLING } from './polling';

describe('a page that watches something', () => {
    const watched = { watchedMs: 0, isHidden: false, hasEnded: false };

    it('asks once a second for a minute, and less often from then on', () => {
        expect(nextQuestion(watched)).toBe(POLLING.firstMs);
        expect(nextQuestion({ ...watched, watchedMs: POLLING.slowerAfterMs - 1 })).toBe(POLLING.firstMs);
        expect(nextQuestion({ ...watched, watchedMs: POLLING.slowerAfterMs })).toBe(POLLING.laterMs);
    });

    it('asks nothing while its tab is hidden', () => {
        expect(nextQuestion({ ...watched, isHidden: true })).toBe(false);
    });

    it('asks nothing more once that has ended', () => {
        expect(nextQuestion({ ...watched, hasEnded: true })).toBe(false);
    });
});
