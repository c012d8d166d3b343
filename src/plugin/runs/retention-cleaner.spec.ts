import type { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';
import type { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { RetentionCleaner } from './retention-cleaner';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('the purger', () => {
    let requested: string[];
    let isWorkedHere: boolean;
    let purger: PeriodicJobs;

    beforeEach(() => {
        jest.useFakeTimers();
        requested = [];
        isWorkedHere = true;
        const olderThan = async function* (what: string, days: number): AsyncGenerator<number> {
            requested.push(`${what} ${days}`);
            yield* [];
        };
        const statistics = async function* (days: number): AsyncGenerator<number> {
            requested.push(`statistics ${days}`);
            yield* [];
        };
        const workLeases = { removeForgotten: () => Promise.resolve() };
        const webhookKeys = {
            purge: async function* (): AsyncGenerator<number> {
                requested.push('webhook keys');
                yield* [];
            },
        };
        const receivedMessages = {
            purge: async function* (): AsyncGenerator<number> {
                requested.push('received messages');
                yield* [];
            },
        };
        const setup = {
            options: { retention: { runsDays: 30, recordErrorsDays: 90, logsDays: 0, analyticsDays: 365 } },
        };
        purger = periodicsOf({ isWorkedHere: () => isWorkedHere });
        void new RetentionCleaner(
            { purge: { olderThan, statistics }, workLeases, webhookKeys, receivedMessages } as unknown as RunStores,
            purger,
            setup as FlowSetup,
        );
    });
    afterEach(async () => {
        await purger.onModuleDestroy();
        jest.useRealTimers();
    });

    it('starts about a minute after the process and repeats about each hour; what is kept 0 days is not deleted', async () => {
        purger.start();
        await jest.advanceTimersByTimeAsync(MINUTE_MS / 2);
        expect(requested).toEqual([]);
        await jest.advanceTimersByTimeAsync(MINUTE_MS);
        expect(requested).toEqual([
            'errors 90',
            'differences 30',
            'histories 30',
            'runs 30',
            'statistics 365',
            'webhook keys',
            'received messages',
        ]);
        await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
        // The jitter allows one or two additional cycles.
        expect([14, 21]).toContain(requested.length);
    });

    it('leaves it to the processes that work the queue', async () => {
        isWorkedHere = false;
        purger.start();
        await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
        expect(requested).toEqual([]);
    });

    it('does nothing after the shutdown', async () => {
        purger.start();
        await purger.onModuleDestroy();
        await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
        purger.start();
        await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
        expect(requested).toEqual([]);
    });
});
