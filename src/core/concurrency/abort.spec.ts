import { getEventListeners } from 'node:events';
import { onAbort } from './abort';
import { systemClock } from './clock';

const listenersOf = ({ signal }: AbortController): number => getEventListeners(signal, 'abort').length;

describe('those who wait for a signal', () => {
    it('share one listener, which is removed in the end', () => {
        const controller = new AbortController();
        const leave = Array.from({ length: 50 }, () => onAbort(controller.signal, () => undefined));
        expect(listenersOf(controller)).toBe(1);
        for (const each of leave) each();
        expect(listenersOf(controller)).toBe(0);
    });

    it('are each notified once, in the order in which they came, unless they have left', () => {
        const controller = new AbortController();
        const told: string[] = [];
        const wait = (name: string): (() => void) => onAbort(controller.signal, () => told.push(name));
        wait('first');
        wait('second')();
        wait('third');
        controller.abort();
        controller.abort();
        expect(told).toEqual(['first', 'third']);
    });

    it('are not notified if an earlier notification ends their wait', () => {
        const controller = new AbortController();
        const told: string[] = [];
        onAbort(controller.signal, () => leave());
        const leave = onAbort(controller.signal, () => told.push('second'));
        controller.abort();
        expect(told).toEqual([]);
    });

    it('may return when all have left', () => {
        const controller = new AbortController();
        onAbort(controller.signal, () => undefined)();
        let told = 0;
        const leave = onAbort(controller.signal, () => (told += 1));
        leave();
        leave();
        onAbort(controller.signal, () => (told += 1));
        expect(listenersOf(controller)).toBe(1);
        controller.abort();
        expect(told).toBe(1);
    });

    it('may be the sixteen batches of a run between two tries, without a word of Node about a leak', async () => {
        const controller = new AbortController();
        const waits = Array.from({ length: 16 }, () => systemClock.sleep(60_000, controller.signal));
        expect(listenersOf(controller)).toBe(1);
        controller.abort(new Error('stopped'));
        await expect(Promise.allSettled(waits)).resolves.toEqual(
            waits.map(() => ({ status: 'rejected', reason: new Error('stopped') })),
        );
        expect(listenersOf(controller)).toBe(0);
    });
});
