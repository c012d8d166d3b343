import { Leader } from './leader';
import { type Leases, ProcessLeases } from './leases';

const LEASE_MS = 300;

/** Leases whose answers take so long to arrive. */
function slowLeases(answerMs: number): Leases {
    const leases = new ProcessLeases();
    return {
        take: async claim => {
            const term = await leases.take(claim);
            await new Promise(resolve => setTimeout(resolve, answerMs));
            return term;
        },
        release: claim => leases.release(claim),
        close: () => leases.close(),
    };
}

async function leading(answerMs: number): Promise<AbortSignal> {
    const requested = new Leader(slowLeases(answerMs), { name: 'work', leaseMs: LEASE_MS }).lead();
    await jest.advanceTimersByTimeAsync(answerMs);
    return (await requested)!.signal;
}

describe('a leadership', () => {
    beforeEach(() => {
        jest.useFakeTimers();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    it('continues for as long as its lease is renewed in time', async () => {
        const signal = await leading(50);
        await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
        expect(signal.aborted).toBe(false);
    });

    it('is counted from the request: an answer that comes when the lease is over gives none', async () => {
        const signal = await leading(LEASE_MS);
        await jest.advanceTimersByTimeAsync(1);
        expect(signal.aborted).toBe(true);
    });
});
