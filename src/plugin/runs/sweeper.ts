import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import { ParkedRuns } from './parked-runs';
import { RunQueue } from './run-queue';
import { EffectPublisher } from './effect-publisher';
import { FlowTables } from '../stores/flow-tables';
import { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { Reminders } from './reminders';
import { UndeliveredRuns } from './undelivered-runs';

/** At most so many are read at a time. */
const BATCH = 100;
/** Sweepers of several processes must not come all in the same moment. */
const JITTER = 0.2;

/**
 * Looks after what nobody else does (spec 4, "crash"): runs whose worker has died, runs whose job was lost, those parked here included,
 * effects of ended runs that were never made known. In every process that works the queue.
 */
@Injectable()
export class Sweeper implements OnModuleDestroy {
    private timer: NodeJS.Timeout | undefined;
    private sweeping: Promise<void> = Promise.resolve();
    private publishing: Promise<void> | undefined;
    private stopped = false;
    private readonly reminders: Reminders<Id>;

    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly parked: ParkedRuns,
        private readonly effects: EffectPublisher,
        private readonly tables: FlowTables,
        private readonly undelivered: UndeliveredRuns,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.reminders = new Reminders(setup.options.runtime.sweepMs);
    }

    /** To be called when the application is up. */
    start(): void {
        if (this.stopped || this.timer) return;
        this.plan();
    }

    async onModuleDestroy(): Promise<void> {
        this.stopped = true;
        clearTimeout(this.timer);
        await this.sweeping;
        await this.publishing;
    }

    private plan(): void {
        if (this.stopped) return;
        const { sweepMs } = this.setup.options.runtime;
        const waitMs = sweepMs * (1 + JITTER * (Math.random() - 0.5));
        this.timer = setTimeout(() => {
            this.sweeping = this.sweep().then(() => this.plan());
        }, waitMs).unref();
    }

    private async sweep(): Promise<void> {
        try {
            if (!this.queue.isWorkedHere || !(await this.tables.exist())) return;
            const due = [...(await this.stores.leases.due(BATCH)), ...(this.parked.runIds as readonly Id[])];
            this.undelivered.found(due);
            for (const runId of this.reminders.toGive(due, Date.now()))
                await this.queue.add(runId, this.parked.hintOf(runId));
            // Beside the sweeps: hooks take their time, and the runs of dead workers are not to wait for them.
            this.publishing ??= this.publish().finally(() => {
                this.publishing = undefined;
            });
        } catch (error) {
            tell(error);
        }
    }

    /** Each run that waits once, however many there are and whatever becomes of those before it. */
    private async publish(): Promise<void> {
        try {
            for (let last: Id | undefined; ;) {
                const page = await this.stores.effects.waiting(BATCH, last);
                for (const runId of page) {
                    if (this.stopped) return;
                    await this.effects.publish(runId);
                }
                last = page.at(-1);
                if (last === undefined) return;
            }
        } catch (error) {
            tell(error);
        }
    }
}

/** The next sweep tries again; a database that is away is told by everybody else already. */
function tell(error: unknown): void {
    if (isFlowError(error) && error.treat === 'transient') Logger.debug(`Sweep: ${error.message}`, LOG_CONTEXT);
    else Logger.error(`Sweep: ${String(error)}`, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
}
