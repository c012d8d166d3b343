import type { JsonObject } from '../../src/core/value/json';
import type { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { type Poller, pollerOn, ScheduledPipelines } from '../../test/fixtures/poller';
import { isMissing } from '../../test/servers/needs';
import type { Database } from './databases';
import type { OpenStores, StoreBench } from './store-bench';

const MINUTE = 60_000;
/** Before and after each change of the clocks: an hour that occurs twice, or never, and a few more. */
const HALF = 65;

/** The moments at which clocks change, and how many different minutes they show in the time around it. */
const CHANGES = [
    ['Europe/Berlin, in spring', 'Europe/Berlin', '2026-03-29T01:00Z', 2 * HALF],
    ['Europe/Berlin, in autumn', 'Europe/Berlin', '2026-10-25T01:00Z', 2 * HALF - 60],
    ['Australia/Lord_Howe, in spring', 'Australia/Lord_Howe', '2026-10-03T15:30Z', 2 * HALF],
    ['Australia/Lord_Howe, in autumn', 'Australia/Lord_Howe', '2026-04-04T15:00Z', 2 * HALF - 30],
] as const;

/**
 * The minutes do not depend on the database. That one of several processes starts each of them does, so one night is enough for the other
 * databases.
 */
const changesOn = (database: Database) =>
    database === 'postgres' || isMissing('postgres')
        ? CHANGES
        : CHANGES.filter(([, zone, , minutes]) => zone === 'Europe/Berlin' && minutes < 2 * HALF);

/** Three processes with the same clock. */
export function scheduleSuite(open: OpenStores, database: Database): void {
    let bench: StoreBench;
    let pipelines: ScheduledPipelines;
    beforeAll(async () => {
        bench = await open();
        pipelines = new ScheduledPipelines(bench.dataSource, bench.id(1));
    });

    /** Three processes that know the current pipelines. */
    async function processes(): Promise<readonly Poller[]> {
        const pollers = [1, 2, 3].map(() => pollerOn(bench.dataSource));
        for (const { triggers } of pollers) await triggers.refresh();
        return pollers;
    }

    const poll = (pollers: readonly Poller[], now: number): Promise<unknown> =>
        Promise.all(pollers.map(({ scheduler }, i) => scheduler.poll(now + i)));

    const away = (id: FlowPipeline['id']): Promise<void> => pipelines.change(id, { archived: true });

    it.each(changesOn(database))(
        'start one run in each minute that the clocks of %s show',
        async (_, timezone, change, minutes) => {
            const from = Date.parse(change) - HALF * MINUTE;
            const code = `clocks-${change.slice(0, 10)}-${minutes}`;
            const id = await pipelines.add(code, { cron: '* * * * *', timezone }, new Date(from - MINUTE));
            const pollers = await processes();
            for (let minute = 0; minute < 2 * HALF; minute++) {
                await poll(pollers, from + minute * MINUTE + 5_000);
                await pipelines.endRuns(id);
                await poll(pollers, from + minute * MINUTE + 35_000);
            }
            const keys = await pipelines.occurrences(id);
            expect(keys).toHaveLength(minutes);
            expect(new Set(keys).size).toBe(minutes);
            expect(pollers.flatMap(({ events }) => events)).toEqual([]);
            await away(id);
        },
    );

    it('never start a minute that one process has skipped, whichever process is next', async () => {
        const start = Date.parse('2026-05-04T10:00Z');
        const id = await pipelines.add('skipping', { cron: '* * * * *', timezone: 'UTC' }, new Date(start - MINUTE));
        const pollers = await processes();
        await poll(pollers, start);
        // The run of the first minute is active until the middle of the third.
        await poll(pollers.slice(0, 1), start + MINUTE);
        await poll(pollers.slice(1, 2), start + 2 * MINUTE);
        await pipelines.endRuns(id);
        await poll(pollers, start + 2 * MINUTE + 30_000);
        await poll(pollers, start + 3 * MINUTE);
        expect(await pipelines.occurrences(id)).toEqual(['clock 2026-05-04T10:00 UTC', 'clock 2026-05-04T10:03 UTC']);
        await away(id);
    });

    it('start one run each if several pipelines are due at the same moment', async () => {
        const start = Date.parse('2026-05-04T12:00Z');
        const some: Array<FlowPipeline['id']> = [];
        for (let i = 0; i < 10; i++) {
            const times: JsonObject = i % 2 === 0 ? { cron: '0 * * * *', timezone: 'UTC' } : { intervalSec: 60 };
            some.push(await pipelines.add(`together-${i}`, times, new Date(start - MINUTE)));
        }
        await poll(await processes(), start);
        for (const id of some) expect(await pipelines.runs(id)).toHaveLength(1);
    });
}
