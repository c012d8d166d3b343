import type { DataSource } from 'typeorm';
import { ScheduledPipelines } from '../test/fixtures/poller';
import { needs } from '../test/servers/needs';
import { type BareDatabase, bareDatabase } from './config/bare-database';
import { PollingProcesses } from './polling/polling';

const MINUTE = 60_000;
const SECOND = 1_000;
/** Minutes before each change of the clocks, and after it. */
const HALF = 120;

needs('postgres', 'three processes that look at the same schedules, on PostgreSQL', () => {
    let bare: BareDatabase;
    let dataSource: DataSource;
    let processes: PollingProcesses;
    let pipelines: ScheduledPipelines;
    beforeAll(async () => {
        bare = await bareDatabase('postgres', 'numbers');
        processes = new PollingProcesses(bare.place);
        dataSource = await bare.connect('flow');
        await dataSource.runMigrations({ transaction: 'each' });
        pipelines = new ScheduledPipelines(dataSource, 1);
    });
    afterAll(async () => {
        await processes?.end();
        await dataSource?.destroy();
        await bare?.drop();
    });

    // The minutes that local clocks show in the four hours around each change.
    it.each([
        ['in spring', '2026-03-29T01:00Z', 240],
        ['in autumn', '2026-10-25T01:00Z', 180],
    ])('start one run in each existing minute when clocks are changed %s', async (_, change, minutes) => {
        const from = Date.parse(change) - HALF * MINUTE;
        const times = { cron: '* * * * *', timezone: 'Europe/Berlin' };
        const id = await pipelines.add(`clocks-${minutes}`, times, new Date(from - MINUTE));
        await processes.read();
        for (let minute = 0; minute < 2 * HALF; minute++) {
            const now = from + minute * MINUTE;
            // Their clocks differ by seconds, so any of them may be the first of the minute.
            const clocks = [1, 2, 3].map(i => now + (((minute + i) % 3) * 20 + i) * SECOND);
            await processes.poll(clocks[0]!, clocks[1]!, clocks[2]!);
            await pipelines.endRuns(id);
        }
        const keys = await pipelines.occurrences(id);
        expect(keys).toHaveLength(minutes);
        expect(new Set(keys).size).toBe(minutes);
        await pipelines.change(id, { archived: true });
    });
});
