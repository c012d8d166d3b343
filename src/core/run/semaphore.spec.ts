import { Semaphore } from './semaphore';

async function isTaken(semaphore: Semaphore): Promise<boolean> {
    return Promise.race([
        semaphore.take().then(() => true),
        new Promise<boolean>(resolve => setImmediate(() => resolve(false))),
    ]);
}

describe('Slots', () => {
    it('has the given number of slots, and gives a free one to the longest waiter', async () => {
        const semaphore = new Semaphore(2);
        expect([await isTaken(semaphore), await isTaken(semaphore)]).toEqual([true, true]);
        const order: string[] = [];
        void semaphore.take().then(() => order.push('first'));
        void semaphore.take().then(() => order.push('second'));
        semaphore.give();
        await new Promise(resolve => setImmediate(resolve));
        expect(order).toEqual(['first']);
        semaphore.give(3);
        await new Promise(resolve => setImmediate(resolve));
        expect(order).toEqual(['first', 'second']);
        expect([await isTaken(semaphore), await isTaken(semaphore), await isTaken(semaphore)]).toEqual([
            true,
            true,
            false,
        ]);
    });

    it('lets all callers through when it is closed', async () => {
        const semaphore = new Semaphore(1);
        await semaphore.take();
        const waiting = semaphore.take();
        semaphore.close();
        await waiting;
        expect(await isTaken(semaphore)).toBe(true);
    });
});
