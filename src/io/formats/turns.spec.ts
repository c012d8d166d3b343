import { inTurns, Turns } from './turns';

function work(forMs: number): void {
    const end = performance.now() + forMs;
    while (performance.now() < end);
}

describe('turns', () => {
    it('are due when a reader has worked for some milliseconds, and not again right behind one', async () => {
        const turns = new Turns();
        expect(turns.isDue).toBe(false);
        work(10);
        expect(turns.isDue).toBe(true);
        await turns.take();
        expect(turns.isDue).toBe(false);
    });

    it('let other work go on between bits of work that take long together', async () => {
        let others = 0;
        let done = 0;
        const other = (): void => {
            others++;
            if (done < 10) setImmediate(other);
        };
        setImmediate(other);
        function* bits(): Generator<number, void, void> {
            for (; done < 10; done++) {
                work(10);
                yield done;
            }
        }
        const given: number[] = [];
        for await (const bit of inTurns(bits(), new Turns())) given.push(bit);
        expect(given).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(others).toBeGreaterThanOrEqual(9);
    });

    it('end with the reason of whoever breaks the work off', async () => {
        await expect(new Turns(AbortSignal.abort(new Error('broken off'))).take()).rejects.toThrow('broken off');
    });
});
