import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFlowError } from '../../core/errors/flow-error';
import { RunQueue } from './run-queue';
import { FlowTables } from '../stores/flow-tables';
import { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import type { Purgeable } from '../stores/purge';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';

/** Soon after the start: a worker that is restarted each hour would never come to it otherwise. */
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
/** Processes that were started together must not purge together. */
const JITTER = 0.5;
/** Between two batches, so that the shop's own statements find their turn. */
const REST_MS = 20;

/** How many rows went. */
export type Purged = Readonly<Record<Purgeable, number>>;

/** Deletes what is past its retention (`options.retention`), each hour, in every process that works the queue. */
@Injectable()
export class Purger implements OnModuleDestroy {
    private timer: NodeJS.Timeout | undefined;
    private purging: Promise<unknown> = Promise.resolve();
    private stopped = false;

    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly tables: FlowTables,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** To be called when the application is up. */
    start(): void {
        if (!this.stopped && !this.timer) this.plan(FIRST_MS);
    }

    /** Ends with the batch in hand. */
    async onModuleDestroy(): Promise<void> {
        this.stopped = true;
        clearTimeout(this.timer);
        await this.purging;
    }

    /** Purges now. Whoever purges at the same time finds fewer rows, nothing else. */
    async purge(): Promise<Purged> {
        const { logsDays, recordErrorsDays, runsDays } = this.setup.options.retention;
        const purged = { logs: 0, errors: 0, differences: 0, runs: 0 };
        try {
            // Runs come last: their log says what they were for as long as they are there.
            for (const [what, days] of [
                ['logs', logsDays],
                ['errors', recordErrorsDays],
                ['differences', runsDays],
                ['runs', runsDays],
            ] as const) {
                if (days > 0)
                    await this.purgeOlder(what, days, count => {
                        purged[what] += count;
                    });
            }
        } finally {
            tellOf(purged);
        }
        return purged;
    }

    private async purgeOlder(what: Purgeable, days: number, add: (count: number) => void): Promise<void> {
        if (this.stopped) return;
        for await (const count of this.stores.purge.olderThan(what, days)) {
            add(count);
            if (this.stopped) return;
            await sleep(REST_MS);
        }
    }

    private plan(waitMs: number): void {
        if (this.stopped) return;
        this.timer = setTimeout(
            () => {
                this.purging = this.purgeHere().then(() => this.plan(EVERY_MS));
            },
            waitMs * (1 + JITTER * Math.random()),
        ).unref();
    }

    private async purgeHere(): Promise<void> {
        try {
            if (this.queue.isWorkedHere && (await this.tables.exist())) await this.purge();
        } catch (error) {
            // The next hour tries again; what has been deleted until then stays deleted.
            if (isFlowError(error) && error.treat === 'transient') Logger.debug(`Purge: ${error.message}`, LOG_CONTEXT);
            else Logger.error(`Purge: ${String(error)}`, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
        }
    }
}

function tellOf({ logs, errors, differences, runs }: Purged): void {
    if (logs + errors + differences + runs === 0) return;
    Logger.info(
        `Past their retention and deleted: ${logs} log lines, ${errors} record errors, ${differences} differences of dry runs, ${runs} runs.`,
        LOG_CONTEXT,
    );
}
