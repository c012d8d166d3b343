import { forwardedJob, type StickyRun, StickyRuns } from './sticky-runs';
import type { StickyHint } from './run-queue';

class Attempt implements StickyRun {
    readonly stop = new AbortController();
    readonly signal = this.stop.signal;
    slice = 1;
    readonly run: StickyRun['run'];

    constructor(runId: number | string) {
        this.run = { runId };
    }
}

const forSlice = (slice: number): StickyHint => ({ slice, handedOn: 0 });

describe('the parked dry runs of a process', () => {
    let parked: StickyRuns<Attempt>;
    const park = (attempt: Attempt, stopped: () => void = () => undefined) => parked.park(attempt, stopped);

    beforeEach(() => {
        parked = new StickyRuns();
    });

    it('wait for the job of their next slice, and leave with it', () => {
        const attempt = new Attempt(7);
        expect(park(attempt)).toEqual(forSlice(1));
        expect(parked.runIds).toEqual([7]);
        expect(parked.hintOf('7')).toEqual(forSlice(1));
        expect(parked.take(8, undefined)).toBeUndefined();
        expect(parked.take('7', forSlice(1))).toBe(attempt);
        expect(parked.take(7, forSlice(1))).toBeUndefined();
        expect(parked.runIds).toEqual([]);
        expect(parked.hintOf(7)).toBeUndefined();
    });

    it('do not continue with a surplus job of an earlier slice, which would delay other runs', () => {
        const attempt = new Attempt(7);
        attempt.slice = 2;
        park(attempt);
        expect(parked.take(7, forSlice(1))).toBeUndefined();
        expect(parked.take(7, forSlice(2))).toBe(attempt);
    });

    it('continue with a job without a slice', () => {
        const attempt = new Attempt(7);
        park(attempt);
        expect(parked.take(7, undefined)).toBe(attempt);
    });

    it('are few: the next one keeps its slot until there is room again', () => {
        const attempts = [1, 2, 3, 4].map(id => new Attempt(id));
        for (const attempt of attempts) expect(park(attempt)).toBeDefined();
        const late = new Attempt(5);
        expect(park(late)).toBeUndefined();
        expect(parked.runIds).toEqual([1, 2, 3, 4]);
        parked.take(2, undefined);
        expect(park(late)).toEqual(forSlice(1));
    });

    it('end at once when they must stop, and not any more once they have left', () => {
        const stopped = jest.fn();
        const [one, other] = [new Attempt(1), new Attempt(2)];
        park(one, () => stopped(1));
        park(other, () => stopped(2));
        parked.take(2, undefined);
        one.stop.abort();
        other.stop.abort();
        expect(stopped.mock.calls).toEqual([[1]]);
        expect(parked.runIds).toEqual([]);
    });

    it('do not include runs that were stopped before', () => {
        const stopped = jest.fn();
        const attempt = new Attempt(1);
        attempt.stop.abort();
        expect(park(attempt, stopped)).toBeUndefined();
        expect(parked.runIds).toEqual([]);
        expect(stopped).not.toHaveBeenCalled();
    });

    it('are all given away when the process ends', () => {
        const stopped = jest.fn();
        const attempts = [new Attempt(1), new Attempt(2)];
        for (const attempt of attempts) park(attempt, stopped);
        expect(parked.takeAll()).toEqual(attempts);
        for (const { stop } of attempts) stop.abort();
        expect(stopped).not.toHaveBeenCalled();
        expect(parked.takeAll()).toEqual([]);
    });
});

describe('a job that comes to a process which does not have its run', () => {
    it('is forwarded after increasing waits, a few times, then no more', () => {
        const waits: number[] = [];
        for (let next = forwardedJob(forSlice(3)); next; next = forwardedJob(next.hint)) {
            expect(next.hint).toEqual({ slice: 3, handedOn: waits.length + 1 });
            waits.push(next.waitMs);
        }
        expect(waits).toHaveLength(10);
        expect(waits).toEqual([...waits].sort((a, b) => a - b));
        expect(new Set(waits).size).toBeGreaterThan(3);
    });
});
