import { Injectable } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { FileRemoval } from '../files/file-removal';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { LOG_CONTEXT } from '../tokens';

/** Removes expired files each quarter of an hour, in the one process that leads in it. */
@Injectable()
export class ExpiredFileSweeper {
    constructor(
        private readonly removal: FileRemoval,
        periodicJobs: PeriodicJobs,
    ) {
        periodicJobs.add({
            name: 'File sweep',
            everyMs: 900_000,
            jitter: 0.5,
            leader: 'file-sweep',
            work: ({ signal }) => this.sweep(signal),
        });
    }

    private async sweep(signal: AbortSignal): Promise<void> {
        const { expired, orphans } = await this.removal.sweep(signal);
        if (expired + orphans > 0)
            Logger.info(`Removed: ${expired} expired files, ${orphans} contents that belonged to none.`, LOG_CONTEXT);
    }
}
