import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { yieldingBetween, readerYield } from './reader-yield';

describe('turns', () => {
    it('are due when a reader has worked for some milliseconds, and not again directly after a turn', async () => {
        const work = new WorkBetweenTurns(1);
        const { most } = await work.during(async () => {
            const turns = readerYield();
            expect(turns.isDue).toBe(false);
            work.did(7);
            expect(turns.isDue).toBe(false);
            work.did();
            expect(turns.isDue).toBe(true);
            await turns.turn();
            expect(turns.isDue).toBe(false);
        });
        expect(most).toBe(8);
    });

    it('let other work run between short bits of work that take long together', async () => {
        const work = new WorkBetweenTurns(3);
        function* bits(): Generator<number, void, void> {
            for (let done = 0; done < 10; done++) {
                work.did();
                yield done;
            }
        }
        const given: number[] = [];
        const { most } = await work.during(async () => {
            for await (const bit of yieldingBetween(bits(), readerYield())) given.push(bit);
        });
        expect(given).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(most).toBe(3);
    });

    it('end with the reason of the abort signal', async () => {
        await expect(readerYield(AbortSignal.abort(new Error('broken off'))).turn()).rejects.toThrow('broken off');
    });
});
