import { needs } from '../test/servers/needs';
import type { Cut } from './config/fault-proxy';
import { itInTier as it } from './config/matrix';
import { expectUntouched, workersThatDie } from './crash/crash-suite';
import { PAGE } from './crash/delivery';
import { BATCH, CONCURRENCY } from './crash/crash-shop';
import { GATES } from './crash/gates';
import { ACKNOWLEDGED, acknowledgedByTheDead } from './crash/acknowledged-at-a-line';
import {
    approvedByTheDead,
    eventsToldByTheDead,
    hooksCalledByTheDead,
    orderedByTheDead,
    SWEPT_PAGES,
    sweptByTheDead,
} from './crash/killed-at-a-line';
import { postsToTheDead, schedulesOfTheDead } from './crash/starts-at-a-line';
import { killedAtAGate } from './crash/killed-at-a-gate';
import { killedByARecord } from './crash/killed-by-a-record';
import { killedWhileRowsChange, polledByTheDead } from './crash/killed-while-rows-change';
import { killedInAnApi } from './crash/killed-in-an-api';
import { killedBehindEachLoad } from './crash/killed-behind-loads';
import { BROKERS, messagesTaken } from './crash/messages';
import { PimOfTheDead } from './crash/pim-of-the-dead';
import { ordersPlaced } from './crash/orders';
import { inSeveralRuns } from './crash/same-delivery';
import { endsToldByTheDead, toldLater } from './crash/told-runs';
import {
    cutOff,
    cutOneByOne,
    type Frozen,
    frozen,
    frozenAndCancelled,
    frozenInQueue,
    pagesFor,
    takenOverInVain,
    undelivered,
    withoutDatabase,
} from './crash/scenarios';

jest.setTimeout(600_000);

const KILLS = 2;
const PAGES = pagesFor(KILLS);
/** For tests with one disturbance. */
const FEW = pagesFor(1);

needs('postgres', 'killed workers and database outages, on a separate PostgreSQL with the SQL queue', () => {
    const bench = workersThatDie({ queue: 'sql', database: 'own', kills: KILLS });

    const expectGivenUp = (outcome: Frozen): void => {
        expect(outcome.isTakenOver).toBe(true);
        // On a busy machine the next worker may lose its lease as well; the database cannot distinguish this.
        expect(outcome.run.attempt).toBeGreaterThanOrEqual(2);
        expectUntouched(outcome, outcome.run.attempt);
    };

    it('C5: a worker that is frozen for longer than its lease writes nothing more when it wakes up', async () => {
        const outcome = await frozen(bench(), { pages: FEW, moment: 'atRest' });
        expect(outcome.isTakenOver).toBe(true);
        expectUntouched(outcome, 2);
    });

    it('K1: a worker that is frozen within a transaction of its load lets another one continue, and writes nothing more', async () => {
        expectGivenUp(await frozen(bench(), { pages: FEW, moment: 'inLoad' }));
    });

    it('K1: cancelling a run whose worker is frozen within a transaction of its load returns, and the run ends', async () => {
        const { run } = await frozenAndCancelled(bench(), { pages: FEW, moment: 'inLoad' });
        expect(run).toMatchObject({ status: 'CANCELLED', error: null, recordsRejected: 0 });
    });

    it('a run at which three workers in a row stop without progress pauses, and reports it', async () => {
        expect(await takenOverInVain(bench())).toMatchObject({
            status: 'PAUSED',
            outcome: null,
            recordsLoaded: 0,
            error: { code: 'NO_PROGRESS' },
        });
    });

    it('K6: a waiting run is executed by another worker while a frozen one holds the jobs of the queue', async () => {
        const outcome = await frozenInQueue(bench(), FEW);
        // On a slow machine the frozen worker may have started the run before it stopped.
        expectUntouched(outcome, outcome.run.attempt);
    });

    it('D4: a run that the queue does not deliver is executed anyway, and only once when its jobs arrive late', async () => {
        const outcome = await undelivered(bench(), FEW);
        expect(outcome.late).toBeGreaterThan(0);
        expect(outcome.reworked).toBe(0);
        expectUntouched(outcome, 1);
    });

    it('N4: a run whose connections are cut continues: no record is rejected, nothing is done twice', async () => {
        const outcome = await cutOff(bench(), { pages: PAGES, moments: ['inLoad', 'atRest', 'inLoad'] });
        // On a busy machine a worker may lose its short lease, and the other worker continues: at most once per cut.
        expect(outcome.run.attempt).toBeLessThanOrEqual(1 + 3);
        expectUntouched(outcome, outcome.run.attempt);
    });

    it('N4: a run whose database is away for some seconds continues when it is back', async () => {
        // A worker process may end by an error that Vendure itself does not catch. Then a new one starts, as with a
        // supervisor.
        const { crew } = bench();
        const before = crew.deaths.length;
        const outcome = await withoutDatabase(bench(), { pages: FEW, moment: 'inLoad', awayMs: 3000 });
        // Its lease has expired meanwhile, so it is taken over: once for the outage, and once for each worker that
        // ended.
        expect(outcome.run.attempt).toBeLessThanOrEqual(2 + crew.deaths.length - before);
        expectUntouched(outcome, outcome.run.attempt);
    });

    it(`K3: a run whose worker is killed ${GATES} times in a row, each time after a load and before any position, continues`, async () => {
        const { run, tags } = await killedBehindEachLoad(bench());
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: GATES + 1 });
        expect(run).toMatchObject({ recordsRead: PAGE, recordsLoaded: (GATES + 1) * PAGE });
        expect(tags).toBe((GATES + 1) * PAGE);
    });

    it('K7: a run whose workers die at one record pauses, loses nothing, and a user can resume it', async () => {
        const { paused, run, tags } = await killedByARecord(bench());
        expect(paused).toMatchObject({ status: 'PAUSED', error: { code: 'NO_PROGRESS' }, recordsRejected: 0 });
        expect(paused.recordsLoaded).toBeGreaterThanOrEqual(BATCH);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, recordsRejected: 0 });
        expect(run).toMatchObject({ recordsRead: 2 * PAGE, recordsLoaded: 4 * PAGE });
        expect(tags).toBe(2 * PAGE);
    });

    it.each(['shopify', 'magento', 'graphql-relay', 'pim'] as const)(
        'an API that pages as %s, whose reader is killed and which fails every seventh request, is loaded completely and once',
        async name => {
            const { run, records, differences } = await killedInAnApi(bench(), { name, kills: 1 });
            expect(differences).toEqual([]);
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 2 });
            expect(run).toMatchObject({ recordsRead: records, recordsLoaded: records, recordsRejected: 0 });
        },
    );

    it('the products of a PIM, whose workers are killed while all of them are loaded, are equal to those of the PIM', async () => {
        const size = { products: 60, variantsEvery: 10, languages: ['en'], prefix: 'dead' };
        const pim = await PimOfTheDead.open(bench(), { size, batchSize: 10 });
        try {
            await pim.firstSync();
            await pim.kills(2);
            expect(pim.differences).toEqual([]);
            expect(pim.attempt).toBe(3);
        } finally {
            await pim.close();
        }
    });

    it('rows that eight connections write while their reader is killed are loaded completely and once', async () => {
        const { runs, records, differences } = await killedWhileRowsChange(bench(), {
            changes: 2_000,
            kills: 1,
            batchSize: 500,
        });
        expect(differences).toEqual([]);
        expect(runs.filter(({ status }) => status !== 'COMPLETED')).toEqual([]);
        expect(runs.reduce((sum, { recordsLoaded }) => sum + recordsLoaded, 0)).toBe(records);
    });

    needs(['rabbitmq', 'redis'], 'messages', urls =>
        it.each(BROKERS)(
            'of %s are loaded once each while their consumers are killed and their broker disconnects',
            async broker => {
                const url = broker === 'sqs' ? undefined : urls[broker];
                const { differences, runs } = await messagesTaken(bench(), { broker, url, messages: 500, kills: 1 });
                expect(differences).toEqual([]);
                expect(runs).toBeGreaterThanOrEqual(25);
            },
        ),
    );

    it('C10: each order that was placed while servers and workers were killed starts one run that ends, and nothing else starts one', async () => {
        const { orders, differences } = await ordersPlaced(bench(), { orders: 60, kills: 2 });
        expect(differences).toEqual([]);
        expect(orders).toBeGreaterThanOrEqual(60);
    });

    it('K4: a delivery whose runs were killed and cancelled in the middle of loads is completed by the next run, and nothing is loaded twice', async () => {
        const { run, cancelled, differences } = await inSeveralRuns(bench(), PAGES);
        expect(cancelled.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, recordsRejected: 0 });
        expect(differences).toEqual([]);
    });

    it('C11: a run whose worker is killed while it waits at a gate, and whose next one is killed after it, ends as an undisturbed one', async () => {
        const { run, differences, reworked, indexed } = await killedAtAGate(bench());
        expect(indexed).toBe(run.recordsRead);
        // Attempts: its start, its approval, and the worker that died after the gate.
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 3 });
        expect(differences).toEqual([]);
        expect(reworked).toBeLessThanOrEqual(CONCURRENCY);
    });

    // From here on each worker has its own database proxy.

    it('K1: a worker whose network is silent while it is frozen in its load lets another one continue, and writes nothing more', async () => {
        expectGivenUp(await frozen(bench(), { pages: FEW, moment: 'inLoad', isSilent: true }));
    });

    it('K2: a run whose connections are cut at their COMMITs, before these arrive and before their responses do, continues', async () => {
        const planned = new Map<number, Cut>(
            [4, 9, 14, 19, 24, 29].map((at, i) => [at, i % 2 ? 'before' : 'after'] as const),
        );
        let commits = 0;
        const outcome = await cutOneByOne(bench(), { pages: PAGES, atCommit: () => planned.get(++commits) });
        expect(outcome.cuts).toEqual({ all: planned.size, atCommits: planned.size });
        expectUntouched(outcome, outcome.run.attempt);
    });

    it('C1: a live order whose worker is killed while OrderService creates it is created once', async () => {
        const { run, made } = await orderedByTheDead(bench());
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 2 });
        expect(made).toEqual([PAGE, PAGE, PAGE, PAGE]);
    });

    it('C1: records missing from the source, whose workers are killed while they delete them, are all deleted, and once', async () => {
        const swept = await sweptByTheDead(bench());
        const all = SWEPT_PAGES * PAGE;
        for (const { run, deleted, products } of swept) {
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, attempt: 2 });
            expect([products, deleted]).toEqual([[all, PAGE, all - PAGE], all - PAGE]);
        }
        expect(swept).toHaveLength(3);
    });

    it('rows that are polled by workers that die between their page and its checkpoint are loaded once, and none is lost', async () => {
        const { runs, records, differences } = await polledByTheDead(bench());
        expect(differences).toEqual([]);
        const [begunAgain, inOneGo] = ['COMPLETED 2', 'COMPLETED 1'];
        expect(runs.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual([
            ...[begunAgain, inOneGo, begunAgain, inOneGo],
            // The missing response may be that to the end of the run, which is stored by then.
            ...[expect.stringMatching(/^COMPLETED [12]$/), inOneGo],
        ]);
        expect(runs.map(({ recordsLoaded }) => recordsLoaded)).toEqual(
            Array.from({ length: 3 }, () => [records / 3, 0]).flat(),
        );
    });

    it('files are deleted and moved once their records are in the shop, each is loaded once, and none is left, though workers die before, at and after the end of their run', async () => {
        const seen = await acknowledgedByTheDead(bench());
        const all = 2 * ACKNOWLEDGED;
        expect(seen.flatMap(({ differences }) => differences)).toEqual([]);
        expect(seen.map(({ run }) => run)).toEqual(
            [2, 1, 1].map(attempt => ({ status: 'COMPLETED', attempt, recordsLoaded: all })),
        );
        expect(seen.map(({ atDeath }) => atDeath)).toEqual([
            { gone: 0, due: 0 },
            { gone: 0, due: all },
            { gone: 1, due: all },
        ]);
    });

    it('C10: an event whose worker is killed before the row of its run, or after it and before its job, starts one run', async () => {
        expect(await eventsToldByTheDead(bench())).toEqual([1, 1]);
    });

    it('C10: a hook whose worker is killed before the row of the run that it starts, or after it, starts it once', async () => {
        const { loads } = await hooksCalledByTheDead(bench());
        expect(new Set(loads)).toEqual(new Set([1]));
    });

    it('C10: a schedule whose worker is killed before the row of a run, or after it and before its job, starts each of its runs once', async () => {
        const { runs, loads } = await schedulesOfTheDead(bench());
        expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
        expect(new Set(runs.map(({ occurrence }) => occurrence)).size).toBe(runs.length);
        expect(loads).toBe(runs.length);
    });

    it('C10: a post whose server is killed before the row of its run, or after it and before its response, is one run when it is sent again', async () => {
        expect(await postsToTheDead(bench())).toEqual([
            { duplicate: false, runs: 1, loads: 1 },
            { duplicate: true, runs: 1, loads: 1 },
        ]);
    });

    it('C11: an approval whose server is killed between its statements, before its COMMIT or after it is made once or not at all', async () => {
        const { states, run, decisions, loads, later } = await approvedByTheDead(bench());
        expect(states).toEqual(['PAUSED', 'PAUSED']);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, recordsRejected: 0 });
        expect([decisions, later]).toEqual([1, 'RUN_STATE_CONFLICT']);
        expect(loads).toEqual(Array.from({ length: PAGE }, () => 1));
        // The server that died after its COMMIT has not published the event.
        expect(await toldLater(bench(), 'FlowGateApproved', run.id)).toBe(1);
    });

    it('C11: the end of a run whose worker is killed after its COMMIT reaches subscribers once, a minute later; with a live worker at once', async () => {
        expect(await endsToldByTheDead(bench())).toEqual({ first: [0, 1], other: 1 });
    });
});
