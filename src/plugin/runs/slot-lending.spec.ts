import { AsyncLocalStorage } from 'node:async_hooks';
import { SlotLending } from './slot-lending';

/** Work that ends on demand. */
function held(): { readonly work: () => Promise<void>; readonly end: () => void; readonly begun: Promise<void> } {
    const nothing = (): void => undefined;
    let [end, begin] = [nothing, nothing];
    const ended = new Promise<void>(resolve => (end = resolve));
    const begun = new Promise<void>(resolve => (begin = resolve));
    return { work: () => (begin(), ended), end: () => end(), begun };
}

const never = new AbortController().signal;
const WAIT_MS = 3_000;

describe('the slot of a run that waits', () => {
    it('is lent to one run after another, and the owner waits until the last one returns it', async () => {
        const [first, second] = [held(), held()];
        const due = [first, second];
        const slots = new SlotLending(async () => due.shift()?.work);
        const holding: boolean[] = [];
        let isOver = false;
        const over = slots.during(WAIT_MS, never, work => holding.push(work !== undefined)).then(() => (isOver = true));
        await first.begun;
        first.end();
        await second.begun;
        await new Promise(resolve => setTimeout(resolve, WAIT_MS));
        expect(isOver).toBe(false);
        second.end();
        await over;
        expect(holding).toEqual([true, false, true, false]);
    });

    it('is left alone in a wait that is short', async () => {
        let requested = 0;
        const slots = new SlotLending(async () => void requested++);
        await slots.during(1_500, never, () => undefined);
        expect(requested).toBe(0);
    });

    it('is lent four times at most', async () => {
        const others = Array.from({ length: 6 }, held);
        const due = [...others];
        const slots = new SlotLending(async () => due.shift()?.work);
        const stop = new AbortController();
        const waits = Array.from({ length: 6 }, () => slots.during(600_000, stop.signal, () => undefined));
        await Promise.all(others.slice(0, 4).map(({ begun }) => begun));
        expect(due).toHaveLength(2);
        stop.abort(new Error('over'));
        expect(new Set((await Promise.allSettled(waits)).map(({ status }) => status))).toEqual(new Set(['rejected']));
        for (const { end } of others) end();
    });

    it('is held by what went ahead when the run must stop, and the run stops at once', async () => {
        const ahead = held();
        const slots = new SlotLending(async () => ahead.work);
        const stop = new AbortController();
        let lent: Promise<unknown> | undefined;
        const waiting = slots.during(600_000, stop.signal, work => (lent = work));
        await ahead.begun;
        stop.abort(new Error('cancelled'));
        await expect(waiting).rejects.toThrow('cancelled');
        const state = await Promise.race([lent!.then(() => 'free'), Promise.resolve('held')]);
        expect(state).toBe('held');
        ahead.end();
        await lent;
    });

    it('continues after a failed query, and after failed work', async () => {
        const looks: string[] = [];
        const slots = new SlotLending(async () => {
            looks.push('look');
            if (looks.length === 1) throw new Error('no database');
            return looks.length === 2 ? () => Promise.reject(new Error('broken')) : undefined;
        });
        await slots.during(WAIT_MS, never, () => undefined);
        expect(looks.length).toBeGreaterThanOrEqual(2);
    });

    it('is worked in a context that is not that of the run', async () => {
        const context = new AsyncLocalStorage<string>();
        const seen: unknown[] = [];
        const slots = new SlotLending(async () => async () => void seen.push(context.getStore()));
        await context.run('the waiting run', () => slots.during(2_000, never, () => undefined));
        expect(seen[0]).toBeUndefined();
        expect(seen).not.toContain('the waiting run');
    });
});
