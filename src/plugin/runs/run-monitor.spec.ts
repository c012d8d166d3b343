import { flowError, isFlowError } from '../../core/errors/flow-error';
import { type Counters, NO_COUNTS } from '../../core/progress/counters';
import { RunMonitor, type RunSignal } from './run-monitor';

const TIMES = { leaseMs: 30_000, heartbeatMs: 10_000, sliceMs: 60_000 };
const counted = (count: number): Counters => ({ load: { ...NO_COUNTS, in: count } });

class Store {
    sign: RunSignal = 'continue';
    failure: Error | undefined;
    looks = 0;
    readonly renewals: Array<Counters | undefined> = [];

    async renew(counters: Counters | undefined): Promise<RunSignal> {
        if (this.failure) throw this.failure;
        this.renewals.push(counters);
        return this.sign;
    }

    async look(): Promise<RunSignal> {
        if (this.failure) throw this.failure;
        this.looks++;
        return this.sign;
    }
}

const reasonOf = (signal: AbortSignal): string =>
    isFlowError(signal.reason) ? signal.reason.code : String(signal.reason);

describe('the watch over a run', () => {
    let store: Store;
    let monitor: RunMonitor;

    beforeEach(() => {
        jest.useFakeTimers();
        store = new Store();
        monitor = new RunMonitor(store, TIMES);
    });
    afterEach(async () => {
        await monitor.close();
        jest.useRealTimers();
    });

    it('renews the lease at every heartbeat, and only looks in between', async () => {
        await jest.advanceTimersByTimeAsync(21_000);
        expect(store.renewals).toHaveLength(2);
        expect(store.looks).toBeGreaterThan(30);
    });

    it('stores the progress at most every second, the newest only', async () => {
        for (let i = 1; i <= 30; i++) {
            monitor.progress(counted(i));
            await jest.advanceTimersByTimeAsync(100);
        }
        expect(store.renewals.length).toBeGreaterThanOrEqual(2);
        expect(store.renewals.length).toBeLessThanOrEqual(3);
        expect(store.renewals[0]!['load']!.in).toBeGreaterThanOrEqual(9);
    });

    it('stops the run within a second of a cancel', async () => {
        await jest.advanceTimersByTimeAsync(5_000);
        store.sign = 'cancel';
        await jest.advanceTimersByTimeAsync(600);
        expect(reasonOf(monitor.signal)).toBe('RUN_CANCELLED');
    });

    it('stops the run when another worker has it', async () => {
        store.sign = 'lost';
        await jest.advanceTimersByTimeAsync(600);
        expect(reasonOf(monitor.signal)).toBe('LEASE_LOST');
    });

    it('bears a database that is away for less than a lease, and stores the progress afterwards', async () => {
        monitor.progress(counted(7));
        store.failure = flowError('DATABASE_LOST', { problem: 'gone' });
        await jest.advanceTimersByTimeAsync(20_000);
        expect(monitor.signal.aborted).toBe(false);
        store.failure = undefined;
        await jest.advanceTimersByTimeAsync(1_000);
        expect(store.renewals[0]).toEqual(counted(7));
        expect(monitor.signal.aborted).toBe(false);
    });

    it('stops once the lease must have run out', async () => {
        store.failure = flowError('DATABASE_LOST', { problem: 'gone' });
        await jest.advanceTimersByTimeAsync(31_000);
        expect(reasonOf(monitor.signal)).toBe('DATABASE_LOST');
    });

    it('pauses the run at the end of its slice', async () => {
        await jest.advanceTimersByTimeAsync(59_000);
        expect(monitor.yieldSignal.aborted).toBe(false);
        await jest.advanceTimersByTimeAsync(1_100);
        expect(monitor.yieldSignal.aborted).toBe(true);
        expect(monitor.signal.aborted).toBe(false);
    });

    it('gives every further slice its time, and keeps the lease between two of them', async () => {
        await jest.advanceTimersByTimeAsync(120_000);
        const before = store.renewals.length;
        const ended = monitor.yieldSignal;
        await jest.advanceTimersByTimeAsync(20_000);
        expect(store.renewals.length).toBeGreaterThan(before);
        monitor.beginSlice();
        expect([ended.aborted, monitor.yieldSignal.aborted]).toEqual([true, false]);
        await jest.advanceTimersByTimeAsync(59_000);
        expect(monitor.yieldSignal.aborted).toBe(false);
        await jest.advanceTimersByTimeAsync(1_100);
        expect(monitor.yieldSignal.aborted).toBe(true);
    });

    it('lets no slice begin in a worker that shuts down', () => {
        monitor.shutDown();
        monitor.beginSlice();
        expect(monitor.yieldSignal.aborted).toBe(true);
    });

    it('lets a batch end when the worker shuts down, but not for ever', async () => {
        monitor.shutDown();
        expect(monitor.yieldSignal.aborted).toBe(true);
        expect(monitor.signal.aborted).toBe(false);
        await jest.advanceTimersByTimeAsync(10_100);
        expect(reasonOf(monitor.signal)).toBe('WORKER_STOPPED');
    });

    it('leaves no timer running', async () => {
        monitor.shutDown();
        await jest.advanceTimersByTimeAsync(600);
        await monitor.close();
        expect(jest.getTimerCount()).toBe(0);
    });
});
