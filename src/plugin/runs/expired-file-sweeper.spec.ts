import { Logger, type VendureLogger } from '@vendure/core';
import { textNaming } from '../../../test/kit/naming';
import { flowError } from '../../core/errors/flow-error';
import type { FileRemoval } from '../files/file-removal';
import type { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { ProcessLeases } from '../leases/leases';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';
import { ExpiredFileSweeper } from './expired-file-sweeper';

const HOUR_MS = 3_600_000;
const lines: string[] = [];
const keep =
    (level: string) =>
    (message: string): void => {
        lines.push(`${level}: ${message}`);
    };
const logger: VendureLogger = {
    error: keep('error'),
    warn: keep('warn'),
    info: keep('info'),
    verbose: keep('verbose'),
    debug: keep('debug'),
};

/** A process with this sweep. */
const processOf = (sweep: FileRemoval['sweep'], given: Parameters<typeof periodicsOf>[0] = {}): PeriodicJobs => {
    const periodics = periodicsOf(given);
    void new ExpiredFileSweeper({ sweep } as FileRemoval, periodics);
    return periodics;
};

describe('the sweeper of files', () => {
    beforeEach(() => {
        jest.useFakeTimers();
        Logger.useLogger(logger);
        lines.length = 0;
    });
    afterEach(() => jest.useRealTimers());

    it('sweeps periodically, and reports what it removed', async () => {
        const sweep = jest
            .fn()
            .mockResolvedValueOnce({ expired: 2, orphans: 1 })
            .mockResolvedValue({ expired: 0, orphans: 0 });
        const sweeper = processOf(sweep);
        sweeper.start();
        sweeper.start();
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        expect(sweep.mock.calls.length).toBeGreaterThanOrEqual(3);
        expect(sweep.mock.calls.length).toBeLessThanOrEqual(5);
        expect(lines).toEqual([textNaming('info: ', '2 expired files', '1 content')]);
        await sweeper.onModuleDestroy();
    });

    it('continues after an error', async () => {
        const sweep = jest
            .fn()
            .mockRejectedValueOnce(flowError('STORAGE_FAILED', { what: 'delete', problem: 'EIO' }))
            .mockRejectedValueOnce(new Error('broken'))
            .mockResolvedValue({ expired: 0, orphans: 0 });
        const sweeper = processOf(sweep);
        sweeper.start();
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        expect(sweep.mock.calls.length).toBeGreaterThanOrEqual(3);
        expect(lines).toEqual([
            textNaming('debug: ', 'File sweep', 'EIO'),
            textNaming('error: ', 'File sweep', 'Error: broken'),
        ]);
        await sweeper.onModuleDestroy();
    });

    it('leaves it to others where the queue is not worked, and to the one that leads', async () => {
        const [none, first, second] = [jest.fn(), jest.fn(), jest.fn()];
        for (const sweep of [none, first, second]) sweep.mockResolvedValue({ expired: 0, orphans: 0 });
        const leases = new ProcessLeases();
        const processes = [
            processOf(none, { isWorkedHere: false }),
            processOf(first, { leases }),
            processOf(second, { leases }),
        ];
        for (const each of processes) each.start();
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        for (const each of processes) await each.onModuleDestroy();
        expect(none).not.toHaveBeenCalled();
        const calls = [first.mock.calls.length, second.mock.calls.length].sort((a, b) => a - b);
        expect(calls[0]).toBe(0);
        expect(calls[1]).toBeGreaterThanOrEqual(3);
    });

    it('waits for the sweep in hand when its process shuts down, and begins no other', async () => {
        const told: boolean[] = [];
        const sweep = jest.fn(
            (signal: AbortSignal) =>
                new Promise<{ expired: number; orphans: number }>(resolve => {
                    signal.addEventListener('abort', () => {
                        told.push(true);
                        resolve({ expired: 0, orphans: 0 });
                    });
                }),
        );
        const sweeper = processOf(sweep);
        sweeper.start();
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        await sweeper.onModuleDestroy();
        expect(told).toEqual([true]);
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        expect(sweep).toHaveBeenCalledTimes(1);
    });
});
