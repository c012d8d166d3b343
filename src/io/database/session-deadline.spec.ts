import { getEventListeners } from 'node:events';
import { withinLimits } from './session-deadline';

const never = (): Promise<never> => new Promise(() => undefined);

describe('an operation of a session', () => {
    let ended = 0;
    const breakable = { host: 'erp', what: 'did not end the query', end: () => void ended++ };
    let caller: AbortController;
    const begin = (work: () => Promise<unknown>) =>
        withinLimits(work, { timeoutMs: 60_000, signal: caller.signal }, breakable);
    /** Timers and listeners that would keep a process and a run's signal busy. */
    const left = () => [jest.getTimerCount(), getEventListeners(caller.signal, 'abort').length];

    beforeEach(() => {
        jest.useFakeTimers();
        ended = 0;
        caller = new AbortController();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    it('is returned with its result, or fails with its error, and its session stays open', async () => {
        await expect(begin(async () => 7)).resolves.toBe(7);
        await expect(begin(() => Promise.reject(new Error('denied')))).rejects.toThrow('denied');
        expect([ended, ...left()]).toEqual([0, 0, 0]);
    });

    it('ends its session at the deadline, once, even if it never ends itself', async () => {
        const failed = expect(begin(never)).rejects.toMatchObject({ code: 'OUTBOUND_TIMEOUT' });
        jest.advanceTimersByTime(60_000);
        await failed;
        expect([ended, ...left()]).toEqual([1, 0, 0]);
        caller.abort();
        expect(ended).toBe(1);
    });

    it('ends its session when its caller cancels it, once, even if it never ends itself', async () => {
        const failed = expect(begin(never)).rejects.toThrow('enough');
        caller.abort(new Error('enough'));
        await failed;
        expect([ended, ...left()]).toEqual([1, 0, 0]);
    });

    it('does not begin if its caller has cancelled it before', async () => {
        caller.abort(new Error('enough'));
        const work = jest.fn(never);
        await expect(begin(work)).rejects.toThrow('enough');
        expect([work.mock.calls.length, ended, ...left()]).toEqual([0, 1, 0, 0]);
    });
});
