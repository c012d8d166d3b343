import { Logger } from '@vendure/core';
import type { DataSource } from 'typeorm';
import { textNaming } from '../../../test/kit/naming';
import { flowError } from '../../core/errors/flow-error';
import type { FlowPipeline } from '../entities/pipeline';
import { ScheduleDeactivated } from '../events';
import { loggingInto, memoryShop } from '../../../test/fixtures/memory-shop';
import { type Poller, pollerOn, ScheduledPipelines } from '../../../test/fixtures/poller';

const MINUTE = 60_000;
const at = (text: string): number => Date.parse(`${text}Z`);

let dataSource: DataSource;
let pipelines: ScheduledPipelines;
const told: string[] = [];

beforeEach(async () => {
    told.length = 0;
    dataSource = await memoryShop();
    await dataSource.runMigrations();
    pipelines = new ScheduledPipelines(dataSource, 3);
    Logger.useLogger(loggingInto(told));
});
afterEach(() => dataSource.destroy());

/** A process that has been running since that moment. */
async function processSince(now: number): Promise<Poller> {
    const poller = pollerOn(dataSource);
    await poller.triggers.refresh();
    await poller.scheduler.poll(now);
    return poller;
}

const hourly = (): Promise<FlowPipeline['id']> =>
    pipelines.add('stock', { cron: '0 * * * *', timezone: 'UTC' }, new Date(at('2026-05-04T09:30')));

describe('a schedule', () => {
    it('starts one run in each minute that it names, for the publisher, however often and late in the minute it is polled', async () => {
        const id = await hourly();
        const { scheduler } = await processSince(at('2026-05-04T09:59:50'));
        expect(await pipelines.runs(id)).toEqual([]);
        for (const second of ['00', '29', '59']) await scheduler.poll(at(`2026-05-04T10:00:${second}`));
        await pipelines.endRuns(id);
        await scheduler.poll(at('2026-05-04T10:30'));
        await scheduler.poll(at('2026-05-04T11:00:59.999'));
        expect(await pipelines.occurrences(id)).toEqual(['clock 2026-05-04T10:00 UTC', 'clock 2026-05-04T11:00 UTC']);
        expect((await pipelines.runs(id))[0]).toMatchObject({
            status: 'COMPLETED',
            triggerType: 'SCHEDULE',
            triggerKey: 'clock',
            startedByUserId: null,
            channelId: 3,
            dryRun: false,
        });
    });

    it('starts a run when its interval has passed since the publication, and one for all that passed between two looks', async () => {
        const id = await pipelines.add('often', { intervalSec: 20 }, new Date(at('2026-05-04T10:00')));
        const { scheduler } = await processSince(at('2026-05-04T10:00:05'));
        for (const time of ['10:00:19', '10:00:35', '10:00:36', '10:01:05', '10:01:19']) {
            await scheduler.poll(at(`2026-05-04T${time}`));
            await pipelines.endRuns(id);
        }
        expect(await pipelines.occurrences(id)).toEqual([
            'clock 2026-05-04T10:00:20.000Z (interval 1)',
            'clock 2026-05-04T10:01:00.000Z (interval 3)',
        ]);
    });

    it.each(['PENDING', 'RUNNING', 'PAUSED'] as const)(
        'skips an occurrence for good while a run of the pipeline is %s, and says so once until one is started again',
        async status => {
            const id = await pipelines.add(
                'busy',
                { cron: '* * * * *', timezone: 'UTC' },
                new Date(at('2026-05-04T09:00')),
            );
            const first = await processSince(at('2026-05-04T10:00'));
            const second = await processSince(at('2026-05-04T10:00'));
            await dataSource.query('UPDATE flow_pipeline_run SET status = ?', [status]);
            told.length = 0;
            await first.scheduler.poll(at('2026-05-04T10:01:05'));
            await first.scheduler.poll(at('2026-05-04T10:02:05'));
            expect(told).toEqual([
                textNaming('info: ', '"clock"', '"busy"', '2026-05-04T10:01 UTC', 'skipped', status),
            ]);
            await pipelines.endRuns(id);
            // A later process does not start an occurrence that was just skipped.
            await second.scheduler.poll(at('2026-05-04T10:02:35'));
            await first.scheduler.poll(at('2026-05-04T10:02:35'));
            expect(await pipelines.occurrences(id)).toHaveLength(1);
            await second.scheduler.poll(at('2026-05-04T10:03:05'));
            expect(await pipelines.occurrences(id)).toEqual([
                'clock 2026-05-04T10:00 UTC',
                'clock 2026-05-04T10:03 UTC',
            ]);
        },
    );

    it('that no process was running for is skipped, which is logged once', async () => {
        const id = await hourly();
        await processSince(at('2026-05-04T10:00:10'));
        await pipelines.endRuns(id);
        for (let i = 0; i < 3; i++) await processSince(at('2026-05-04T13:20'));
        expect(await pipelines.occurrences(id)).toEqual(['clock 2026-05-04T10:00 UTC']);
        expect(told).toEqual([textNaming('warn: ', '"clock"', '"stock"', '2026-05-04T13:00 UTC', 'skipped')]);
    });

    it('of which nothing came while it was disabled has missed nothing', async () => {
        const id = await hourly();
        await pipelines.change(id, { enabled: true, updatedAt: new Date(at('2026-05-04T13:10')) });
        await processSince(at('2026-05-04T13:20'));
        expect(told).toEqual([]);
    });

    it('is missed as well where its process stood still for longer than a minute', async () => {
        const id = await hourly();
        const { scheduler } = await processSince(at('2026-05-04T09:59:50'));
        await scheduler.poll(at('2026-05-04T10:03'));
        await scheduler.poll(at('2026-05-04T10:03:30'));
        expect(await pipelines.runs(id)).toEqual([]);
        expect(told.filter(line => line.startsWith('warn'))).toHaveLength(1);
    });

    it('does not make up for the intervals that passed while its pipeline was disabled', async () => {
        const id = await pipelines.add('often', { intervalSec: 600 }, new Date(at('2026-05-04T10:00')));
        const { scheduler, triggers } = await processSince(at('2026-05-04T10:05'));
        await pipelines.change(id, { enabled: false });
        await triggers.refresh();
        for (let now = at('2026-05-04T10:05:30'); now <= at('2026-05-04T10:14:30'); now += MINUTE / 2)
            await scheduler.poll(now);
        await pipelines.change(id, { enabled: true });
        await triggers.refresh();
        await scheduler.poll(at('2026-05-04T10:15'));
        expect(await pipelines.runs(id)).toEqual([]);
        for (let now = at('2026-05-04T10:15:30'); now <= at('2026-05-04T10:20'); now += MINUTE / 2)
            await scheduler.poll(now);
        expect(await pipelines.occurrences(id)).toEqual(['clock 2026-05-04T10:20:00.000Z (interval 2)']);
    });

    it('is not held back by what a server with a wrong clock has started', async () => {
        const id = await hourly();
        const { scheduler } = await processSince(at('2027-01-01T00:00'));
        expect(await pipelines.occurrences(id)).toHaveLength(1);
        await pipelines.endRuns(id);
        await scheduler.poll(at('2026-05-04T11:00'));
        expect((await pipelines.occurrences(id)).at(-1)).toBe('clock 2026-05-04T11:00 UTC');
    });

    it('follows what is published, and what is disabled starts nothing', async () => {
        const id = await hourly();
        const { scheduler, triggers } = await processSince(at('2026-05-04T09:59:50'));
        await pipelines.publish(id, { cron: '30 * * * *', timezone: 'UTC' }, new Date(at('2026-05-04T09:59:55')));
        // Before the triggers are read again. The run executes the selected revision, which has the trigger too.
        await triggers.refresh();
        await scheduler.poll(at('2026-05-04T10:00'));
        expect(await pipelines.runs(id)).toEqual([]);
        await pipelines.change(id, { enabled: false });
        await scheduler.poll(at('2026-05-04T10:30'));
        expect(await pipelines.runs(id)).toEqual([]);
        expect(triggers.of('SCHEDULE')).toEqual([]);
    });

    it('costs no statement while nothing is due, and one for all that others have decided', async () => {
        for (let i = 0; i < 5; i++)
            await pipelines.add(`p${i}`, { cron: '0 * * * *', timezone: 'UTC' }, new Date(at('2026-05-04T09:30')));
        const first = await processSince(at('2026-05-04T09:59'));
        const second = await processSince(at('2026-05-04T09:59'));
        for (const { statements } of [first, second]) statements.length = 0;
        await first.scheduler.poll(at('2026-05-04T09:59:30'));
        expect(first.statements).toEqual([]);
        await first.scheduler.poll(at('2026-05-04T10:00'));
        expect(first.statements).not.toEqual([]);
        first.statements.length = 0;
        await first.scheduler.poll(at('2026-05-04T10:00:30'));
        expect(first.statements).toEqual([]);
        await second.scheduler.poll(at('2026-05-04T09:59:31'));
        await second.scheduler.poll(at('2026-05-04T10:00:30'));
        expect(second.statements).toHaveLength(1);
    });
});

describe('the breaker of a schedule', () => {
    const minutely = (): Promise<FlowPipeline['id']> =>
        pipelines.add('broken', { cron: '* * * * *', timezone: 'UTC' }, new Date(at('2026-05-04T09:00')));
    const start = at('2026-05-04T10:00');
    const failing = ({ starter }: Poller) =>
        jest.spyOn(starter, 'startIf').mockRejectedValue(flowError('DATABASE_REFUSED', { problem: 'no room' }));

    it('opens after five runs in a row that could not be created, once and in its own process', async () => {
        const id = await minutely();
        const poller = await processSince(start);
        const other = await processSince(start);
        await pipelines.endRuns(id);
        const create = failing(poller);
        for (let minute = 1; minute <= 8; minute++) await poller.scheduler.poll(start + minute * MINUTE);
        expect(create).toHaveBeenCalledTimes(5);
        expect(poller.events).toEqual([expect.any(ScheduleDeactivated)]);
        expect((poller.events[0] as ScheduleDeactivated).schedule).toEqual({
            pipelineId: id,
            pipelineCode: 'broken',
            triggerKey: 'clock',
            failures: 5,
            lastError: flowError('DATABASE_REFUSED', { problem: 'no room' }).message,
        });
        expect(told.filter(line => line.startsWith('error'))).toHaveLength(1);
        await other.scheduler.poll(start + 9 * MINUTE);
        expect(other.events).toEqual([]);
        expect(await pipelines.occurrences(id)).toContain('clock 2026-05-04T10:09 UTC');
    });

    it('retries within the same minute, and resets its count of failures with each run', async () => {
        const id = await minutely();
        const poller = await processSince(start);
        await pipelines.endRuns(id);
        const create = failing(poller);
        for (let i = 1; i <= 4; i++) await poller.scheduler.poll(start + MINUTE + i);
        create.mockRestore();
        await poller.scheduler.poll(start + MINUTE + 30_000);
        expect(await pipelines.occurrences(id)).toEqual(['clock 2026-05-04T10:00 UTC', 'clock 2026-05-04T10:01 UTC']);
        await pipelines.endRuns(id);
        const again = failing(poller);
        for (let i = 1; i <= 4; i++) await poller.scheduler.poll(start + 2 * MINUTE + i);
        again.mockRestore();
        await poller.scheduler.poll(start + 2 * MINUTE + 30_000);
        expect(await pipelines.occurrences(id)).toHaveLength(3);
        expect(poller.events).toEqual([]);
    });

    it.each([
        [
            'the pipeline is published again',
            (id: FlowPipeline['id']) => pipelines.publish(id, { cron: '* * * * *' }, new Date(start)),
        ],
        ['it is reset', (_: FlowPipeline['id'], { scheduler }: Poller) => Promise.resolve(scheduler.reset(_))],
    ])('closes when %s', async (_, close) => {
        const id = await minutely();
        const poller = await processSince(start);
        await pipelines.endRuns(id);
        const create = failing(poller);
        for (let i = 1; i <= 5; i++) await poller.scheduler.poll(start + i * MINUTE);
        create.mockRestore();
        await poller.scheduler.poll(start + 6 * MINUTE);
        expect(await pipelines.runs(id)).toHaveLength(1);
        await close(id, poller);
        await poller.triggers.refresh();
        await poller.scheduler.poll(start + 7 * MINUTE);
        expect(await pipelines.runs(id)).toHaveLength(2);
    });

    it('is not counted up while the database does not answer at all', async () => {
        const id = await minutely();
        const poller = await processSince(start);
        await pipelines.endRuns(id);
        await dataSource.query('ALTER TABLE flow_checkpoint RENAME TO away');
        for (let i = 1; i <= 8; i++)
            await expect(poller.scheduler.poll(start + i * MINUTE)).rejects.toMatchObject({ code: 'DATABASE_REFUSED' });
        await dataSource.query('ALTER TABLE away RENAME TO flow_checkpoint');
        await poller.scheduler.poll(start + 9 * MINUTE);
        expect(await pipelines.occurrences(id)).toContain('clock 2026-05-04T10:09 UTC');
    });
});
