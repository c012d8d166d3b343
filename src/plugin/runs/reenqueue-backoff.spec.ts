import { ReenqueueBackoff } from './reenqueue-backoff';

describe("the sweeper's reminders", () => {
    it('come at once, and then ever more rarely, at least every eight sweeps', () => {
        const reenqueueBackoff = new ReenqueueBackoff<string>(1000);
        const given: number[] = [];
        for (let now = 0; now <= 40_000; now += 1000)
            if (reenqueueBackoff.toGive(['run'], now).length > 0) given.push(now);
        expect(given.slice(0, 4)).toEqual([0, 1000, 3000, 7000]);
        for (let i = 1; i < given.length; i++) expect(given[i]! - given[i - 1]!).toBeLessThanOrEqual(8000);
        expect(given.length).toBeLessThan(10);
    });

    it("are each run's own", () => {
        const reenqueueBackoff = new ReenqueueBackoff<string>(1000);
        expect(reenqueueBackoff.toGive(['a'], 0)).toEqual(['a']);
        expect(reenqueueBackoff.toGive(['a', 'b'], 500)).toEqual(['b']);
    });

    it('start from the beginning for a run that was taken and waits again', () => {
        const reenqueueBackoff = new ReenqueueBackoff<string>(1000);
        reenqueueBackoff.toGive(['a'], 0);
        reenqueueBackoff.toGive([], 100);
        expect(reenqueueBackoff.toGive(['a'], 200)).toEqual(['a']);
    });
});
