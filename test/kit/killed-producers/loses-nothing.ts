import type { KillQueue } from './brokers';
import { publishedWithKills } from './kills';

/** The number of messages in `npm test`; `npm run test:kills -- --only brokers` sends more. */
const MESSAGES = 2_000;
const PART = 100;
const KILLS = 3;

/** Tests a broker with producers that are killed. */
export function itLosesNothing(open: () => Promise<KillQueue>): void {
    it('are all there when their producers are killed, and repeated ones have the same id', async () => {
        const { config, connection, arrived, drop } = await open();
        try {
            const order = { count: MESSAGES, batchSize: 250, config: { ...config, batchSize: PART }, connection };
            const { lost, confused, kills, repeats } = await publishedWithKills(order, KILLS, arrived);
            expect({ lost, confused, kills }).toEqual({ lost: [], confused: [], kills: KILLS });
            // Each killed producer repeats at most the part that was in flight; the first one repeats exactly that.
            expect(repeats).toBeGreaterThanOrEqual(PART);
            expect(repeats).toBeLessThanOrEqual(KILLS * PART);
        } finally {
            await drop();
        }
    }, 120_000);
}
