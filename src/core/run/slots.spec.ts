import { Slots } from './slots';

async function isTaken(slots: Slots): Promise<boolean> {
    return Promise.race([
        slots.take().then(() => true),
        new Promise<boolean>(resolve => setImmediate(() => resolve(false))),
    ]);
}

describe('Slots', () => {
    it('has as many places as it was given, and hands a free one to whoever waited longest', async () => {
        const slots = new Slots(2);
        expect([await isTaken(slots), await isTaken(slots)]).toEqual([true, true]);
        const order: string[] = [];
        void slots.take().then(() => order.push('first'));
        void slots.take().then(() => order.push('second'));
        slots.give();
        await new Promise(resolve => setImmediate(resolve));
        expect(order).toEqual(['first']);
        slots.give(3);
        await new Promise(resolve => setImmediate(resolve));
        expect(order).toEqual(['first', 'second']);
        expect([await isTaken(slots), await isTaken(slots), await isTaken(slots)]).toEqual([true, true, false]);
    });

    it('lets everybody go when it is closed', async () => {
        const slots = new Slots(1);
        await slots.take();
        const waiting = slots.take();
        slots.close();
        await waiting;
        expect(await isTaken(slots)).toBe(true);
    });
});
