import { itNeeds, needs } from '../test/servers/needs';
import { ownRedis } from '../test/servers/redis';
import { workersThatDie } from './crash/crash-suite';
import { killedAtAGate } from './crash/killed-at-a-gate';
import { pagesFor } from './crash/scenarios';
import { withoutRedis } from './crash/without-redis';

jest.setTimeout(600_000);

needs(['postgres', 'redis'], 'workers that die, on PostgreSQL with BullMQ', ({ redis }) => {
    const own = ownRedis();
    const bench = workersThatDie({
        queue: 'bullmq',
        database: 'shared',
        kills: 2,
        ...(own.reason !== undefined && { redisUrl: redis }),
    });

    it('C11: a run that BullMQ brings, whose worker is killed at a gate and whose next one is killed after it, ends as an undisturbed one', async () => {
        const { run, differences } = await killedAtAGate(bench());
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 3 });
        expect(differences).toEqual([]);
    });

    // A shared Redis must not be stopped.
    itNeeds(
        own,
        'N1, N2, N3: what was at work, posted, placed and approved is all done once though Redis stops in the middle of it and comes back empty',
        async () => {
            const { statuses, differences } = await withoutRedis(bench(), { pages: pagesFor(1), awayMs: 3000 });
            expect(differences).toEqual([]);
            expect(new Set(statuses)).toEqual(new Set(['COMPLETED']));
        },
    );
});
