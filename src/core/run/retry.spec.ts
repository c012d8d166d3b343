import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { RetryCount, retrying, type RetryPolicy } from './retry';

const busy = (waitMs?: number) =>
    flowError('DATABASE_BUSY', { problem: 'deadlock' }, waitMs === undefined ? {} : { waitMs });

function setUp(policy: Partial<RetryPolicy> = {}) {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const warned: JsonObject[] = [];
    const silent = (): void => undefined;
    const log = {
        debug: silent,
        info: silent,
        error: silent,
        warn: (_: string, facts?: JsonObject) => void warned.push(facts ?? {}),
    };
    const retryCount = new RetryCount(
        { maxRetries: 3, retryDelayMs: 1_000, backoffMultiplier: 2, ...policy },
        { clock, signal: stop.signal, log },
    );
    const waits = (): unknown[] => warned.map(facts => facts['waitMs']);
    return { clock, stop, retries: retryCount, warned, waits };
}

describe('retrying', () => {
    beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(1));
    afterEach(() => jest.restoreAllMocks());

    it('tries again after a wait that grows, and gives the error up when the retries are spent', async () => {
        const { clock, retries, waits } = setUp();
        let tries = 0;
        const startedAt = clock.now();
        const work = retrying(async () => {
            tries++;
            throw busy();
        }, retries);
        await expect(clock.drive(work)).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
        expect(tries).toBe(4);
        expect(waits()).toEqual([1_000, 2_000, 4_000]);
        expect(clock.now() - startedAt).toBe(7_000);
    });

    it('draws each wait between nothing and its longest', async () => {
        jest.spyOn(Math, 'random').mockReturnValue(0.25);
        const { clock, retries, waits } = setUp({ maxRetries: 2 });
        await expect(clock.drive(retrying(() => Promise.reject(busy()), retries))).rejects.toBeDefined();
        expect(waits()).toEqual([250, 500]);
    });

    it('waits at least as long as the other side requests, and never longer than five minutes', async () => {
        const requested = setUp({ maxRetries: 1 });
        await expect(
            requested.clock.drive(retrying(() => Promise.reject(busy(60_000)), requested.retries)),
        ).rejects.toBeDefined();
        expect(requested.waits()).toEqual([60_000]);
        const long = setUp({ maxRetries: 2, retryDelayMs: 300_000, backoffMultiplier: 10 });
        await expect(
            long.clock.drive(retrying(() => Promise.reject(busy(9_999_999)), long.retries)),
        ).rejects.toBeDefined();
        expect(long.waits()).toEqual([300_000, 300_000]);
    });

    it.each([
        ['a rejected record', flowError('RECORD_REFUSED', { problem: 'x' })],
        ['an error of the configuration', flowError('DATABASE_REFUSED', { problem: 'x' })],
        ['the shop database being lost', flowError('DATABASE_LOST', { problem: 'x' })],
        ['anything unforeseen', new TypeError('x is not a function')],
    ])('does not try again after %s', async (_, error) => {
        const { clock, retries, warned } = setUp();
        await expect(clock.drive(retrying(() => Promise.reject(error), retries))).rejects.toMatchObject({
            message: expect.stringContaining(error.message),
        });
        expect(warned).toEqual([]);
    });

    it('ends a wait at once when the run stops', async () => {
        const { clock, stop, retries } = setUp({ retryDelayMs: 300_000 });
        const startedAt = clock.now();
        void clock.sleep(10).then(() => stop.abort(flowError('RUN_CANCELLED', {})));
        await expect(clock.drive(retrying(() => Promise.reject(busy()), retries))).rejects.toMatchObject({
            code: 'RUN_CANCELLED',
        });
        expect(clock.now() - startedAt).toBe(10);
    });

    it('begins to count again after work that made progress', async () => {
        const { clock, retries, waits } = setUp({ maxRetries: 1 });
        await clock.drive(retries.wait(busy()));
        retries.reset();
        await clock.drive(retries.wait(busy()));
        expect(waits()).toEqual([1_000, 1_000]);
        await expect(retries.wait(busy())).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
    });
});
