import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import { FileRemoval } from '../files/file-removal';
import { RunQueue } from './run-queue';
import { FlowTables } from '../stores/flow-tables';
import { LOG_CONTEXT } from '../tokens';

const EVERY_MS = 900_000;
/** Processes that were started together must not sweep together. */
const JITTER = 0.5;

/** Removes expired files each quarter of an hour, in every process that works the queue. */
@Injectable()
export class FileSweeper implements OnModuleDestroy {
    private timer: NodeJS.Timeout | undefined;
    private sweeping: Promise<void> = Promise.resolve();
    private readonly stop = new AbortController();

    constructor(
        private readonly removal: FileRemoval,
        private readonly queue: RunQueue,
        private readonly tables: FlowTables,
    ) {}

    /** To be called when the application is up. */
    start(): void {
        if (!this.timer) this.plan();
    }

    /** Ends with the file in hand. */
    async onModuleDestroy(): Promise<void> {
        this.stop.abort();
        clearTimeout(this.timer);
        await this.sweeping;
    }

    private plan(): void {
        if (this.stop.signal.aborted) return;
        this.timer = setTimeout(
            () => {
                this.sweeping = this.sweepHere().then(() => this.plan());
            },
            EVERY_MS * (1 + JITTER * (Math.random() - 0.5)),
        ).unref();
    }

    private async sweepHere(): Promise<void> {
        const { signal } = this.stop;
        try {
            if (!this.queue.isWorkedHere || !(await this.tables.exist())) return;
            const { expired, orphans } = await this.removal.sweep(signal);
            if (expired + orphans > 0)
                Logger.info(
                    `Removed: ${expired} expired files, ${orphans} contents that belonged to none.`,
                    LOG_CONTEXT,
                );
        } catch (error) {
            // The next sweep tries again; what was broken off is finished by it.
            if (signal.aborted || (isFlowError(error) && error.treat === 'transient'))
                Logger.debug(`File sweep: ${String(error)}`, LOG_CONTEXT);
            else
                Logger.error(
                    `File sweep: ${String(error)}`,
                    LOG_CONTEXT,
                    error instanceof Error ? error.stack : undefined,
                );
        }
    }
}
