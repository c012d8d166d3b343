import { Reminders } from './reminders';

describe("the sweeper's reminders", () => {
    it('come at once, and then ever more rarely, at least every eight sweeps', () => {
        const reminders = new Reminders<string>(1000);
        const given: number[] = [];
        for (let now = 0; now <= 40_000; now += 1000) if (reminders.toGive(['run'], now).length > 0) given.push(now);
        expect(given.slice(0, 4)).toEqual([0, 1000, 3000, 7000]);
        for (let i = 1; i < given.length; i++) expect(given[i]! - given[i - 1]!).toBeLessThanOrEqual(8000);
        expect(given.length).toBeLessThan(10);
    });

    it("are each run's own", () => {
        const reminders = new Reminders<string>(1000);
        expect(reminders.toGive(['a'], 0)).toEqual(['a']);
        expect(reminders.toGive(['a', 'b'], 500)).toEqual(['b']);
    });

    it('start anew for a run that was taken and waits again', () => {
        const reminders = new Reminders<string>(1000);
        reminders.toGive(['a'], 0);
        reminders.toGive([], 100);
        expect(reminders.toGive(['a'], 200)).toEqual(['a']);
    });
});
