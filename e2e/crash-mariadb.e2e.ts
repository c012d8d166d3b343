import { needs } from '../test/servers/needs';
import { CONCURRENCY } from './crash/crash-shop';
import { benchOfTheDead } from './crash/crash-suite';
import { PAGE } from './crash/delivery';
import { killedAtAGate } from './crash/killed-at-a-gate';
import { approvedByTheDead } from './crash/killed-at-a-line';

jest.setTimeout(600_000);

needs('mariadb', 'workers and servers that die at a gate, on MariaDB with the SQL queue', () => {
    const bench = benchOfTheDead({ queue: 'sql', database: 'shared', type: 'mariadb' });

    it('C11: a run whose worker is killed while it waits at a gate, and whose next one is killed after it, ends as an undisturbed one', async () => {
        const { run, differences, reworked, indexed } = await killedAtAGate(bench());
        expect(indexed).toBe(run.recordsRead);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 3 });
        expect(differences).toEqual([]);
        expect(reworked).toBeLessThanOrEqual(CONCURRENCY);
    });

    it('C11: an approval whose server is killed between its statements, before its COMMIT or after it is made once or not at all', async () => {
        const { states, run, decisions, loads, later } = await approvedByTheDead(bench());
        expect(states).toEqual(['PAUSED', 'PAUSED']);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, recordsRejected: 0 });
        expect([decisions, later]).toEqual([1, 'RUN_STATE_CONFLICT']);
        expect(loads).toEqual(Array.from({ length: PAGE }, () => 1));
    });
});
