import { nextQuestion, POLLING } from './polling';

describe('a page that watches something', () => {
    const watched = { watchedMs: 0, isHidden: false, hasEnded: false };

    it('polls once a second for a minute, and less often after that', () => {
        expect(nextQuestion(watched)).toBe(POLLING.firstMs);
        expect(nextQuestion({ ...watched, watchedMs: POLLING.slowerAfterMs - 1 })).toBe(POLLING.firstMs);
        expect(nextQuestion({ ...watched, watchedMs: POLLING.slowerAfterMs })).toBe(POLLING.laterMs);
    });

    it('does not poll while its tab is hidden', () => {
        expect(nextQuestion({ ...watched, isHidden: true })).toBe(false);
    });

    it('stops polling when that has ended', () => {
        expect(nextQuestion({ ...watched, hasEnded: true })).toBe(false);
    });
});
