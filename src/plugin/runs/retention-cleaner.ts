import { Inject, Injectable } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import type { FlowSetup } from '../setup';
import type { Expirable } from '../stores/cleanup-queries';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { EFFECT_LEASES } from './outbox-relay';
import { RunStores } from './run-stores';

/** Soon after the start: a worker that is restarted each hour would never come to it otherwise. */
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
/** Between two batches, so that the shop's own statements find their turn. */
const REST_MS = 20;

/** How many rows went. */
type CleanupCounts = Readonly<Record<Expirable, number>>;

/** Deletes data after its retention (`options.retention`), and expired idempotency keys and messages. Runs each hour in one elected process. */
@Injectable()
export class RetentionCleaner {
    constructor(
        private readonly stores: RunStores,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        periodicJobs.add({
            name: 'Purge',
            firstMs: FIRST_MS,
            everyMs: EVERY_MS,
            jitter: 0.5,
            leader: 'purge',
            work: ({ signal }) => this.purge(signal),
        });
    }

    /** Purges now, until the signal is aborted. Concurrent purges only find fewer rows. */
    async purge(stop?: AbortSignal): Promise<CleanupCounts> {
        const { logsDays, recordErrorsDays, runsDays, analyticsDays } = this.setup.options.retention;
        const purged = { logs: 0, errors: 0, differences: 0, histories: 0, runs: 0 };
        try {
            // Runs come last: their log says what they were for as long as they are there.
            for (const [what, days] of [
                ['logs', logsDays],
                ['errors', recordErrorsDays],
                ['differences', runsDays],
                ['histories', runsDays],
                ['runs', runsDays],
            ] as const) {
                if (days === 0 || stop?.aborted) continue;
                for await (const count of this.stores.purge.olderThan(what, days)) {
                    purged[what] += count;
                    if (stop?.aborted) break;
                    await sleep(REST_MS);
                }
            }
            if (analyticsDays > 0) {
                for await (const _ of this.stores.purge.statistics(analyticsDays)) {
                    if (stop?.aborted) break;
                    await sleep(REST_MS);
                }
            }
            await this.stores.workLeases.removeForgotten(EFFECT_LEASES);
            for (const remembered of [this.stores.webhookKeys, this.stores.receivedMessages])
                for await (const _ of remembered.purge()) {
                    if (stop?.aborted) break;
                    await sleep(REST_MS);
                }
        } finally {
            logPurged(purged);
        }
        return purged;
    }
}

function logPurged({ logs, errors, differences, histories, runs }: CleanupCounts): void {
    if (logs + errors + differences + histories + runs === 0) return;
    Logger.info(
        `Past their retention and deleted: ${logs} log lines, ${errors} record errors, ${differences} differences of dry runs, ${histories} rows of the history of entities, ${runs} runs.`,
        LOG_CONTEXT,
    );
}
