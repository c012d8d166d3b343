import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MemoryQuota } from './memory-quota';
import { ConcurrencyLimiter } from './concurrency-limiter';

const BUSY = new Error('busy');
const busy = (): Error => BUSY;

/** Work that ends on demand. */
function works() {
    const ends: Array<() => void> = [];
    const begun: string[] = [];
    const work = (name: string) => () =>
        new Promise<string>(resolve => {
            begun.push(name);
            ends.push(() => resolve(name));
        });
    return { begun, work, end: () => ends.shift()!() };
}
const limiter = (more: object = {}): ConcurrencyLimiter =>
    new ConcurrencyLimiter({ working: 2, waiting: 2, waitMs: 60_000, held: new MemoryQuota(10), ...more });

describe('a limiter of concurrency', () => {
    it('lets some work, others wait in their order, and sends the rest away', async () => {
        const { begun, work, end } = works();
        const gate = limiter();
        const all = ['a', 'b', 'c', 'd', 'e'].map(name => gate.through({ busy }, work(name)));
        await expect(all[4]).rejects.toBe(BUSY);
        expect(begun).toEqual(['a', 'b']);
        end();
        await nextTurn();
        expect(begun).toEqual(['a', 'b', 'c']);
        expect(gate.working).toBe(2);
        end();
        await nextTurn();
        end();
        end();
        expect(await Promise.all(all.slice(0, 4))).toEqual(['a', 'b', 'c', 'd']);
        expect(gate.working).toBe(0);
    });

    it('rejects a waiter above the total weight that waiters may have', async () => {
        const { work, end } = works();
        const gate = limiter({ working: 1 });
        const weigh = (weight: number, name: string) => gate.through({ busy, weight: () => weight }, work(name));
        const first = weigh(100, 'a');
        const second = weigh(8, 'b');
        await expect(weigh(8, 'c')).rejects.toBe(BUSY);
        end();
        await first;
        await nextTurn();
        end();
        await second;
        expect(gate.working).toBe(0);
    });

    it('ends a wait after the time limit, and when the waiter has left', async () => {
        const { begun, work, end } = works();
        const gate = limiter({ working: 1, waitMs: 5 });
        const first = gate.through({ busy }, work('a'));
        await expect(gate.through({ busy }, work('b'))).rejects.toBe(BUSY);
        const patient = limiter({ working: 1 });
        const other = patient.through({ busy }, work('c'));
        const gone = new AbortController();
        const left = patient.through({ busy, signal: gone.signal }, work('d'));
        gone.abort(new Error('gone'));
        await expect(left).rejects.toThrow('gone');
        end();
        end();
        await Promise.all([first, other]);
        await sleep(10);
        expect(begun).toEqual(['a', 'c']);
        expect([gate.working, patient.working]).toEqual([0, 0]);
    });
});
