import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger, ProcessContext } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import { type PollCycle } from '../periodic-jobs/periodic-runner';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunStarter } from '../runs/run-starter';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type ClaimedEvent, EventOutbox } from './event-outbox';
import { EventQueue } from './event-queue';

/** The number of rows that are claimed at a time: few enough for one lease. */
const BATCH = 20;
/** The maximum number of rows for one job, which then gives its slot to others. */
const OF_A_JOB = 500;
/** The maximum number of attempts for a row. With the growing waits between them, they take most of a day. */
export const EVENT_TRIES = 25;
const LONGEST_WAIT_MS = 3_600_000;
const PURGE_MS = 3_600_000;

/** Errors after which the event needs no run. */
const NOBODY_WAITS: readonly string[] = ['PIPELINE_NOT_FOUND', 'PIPELINE_NOT_RUNNABLE'];

/** Starts the runs for stored events, each once, with the revision that was live when the event happened. */
@Injectable()
export class EventStarter implements OnModuleDestroy {
    private stopped = false;
    private readonly atWork = new Set<Promise<number>>();
    /** The first row that the last sweep found. */
    private found: Id | undefined;

    constructor(
        private readonly process: ProcessContext,
        private readonly starter: RunStarter,
        private readonly outbox: EventOutbox,
        private readonly queue: EventQueue,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        periodicJobs: PeriodicJobs,
    ) {
        queue.workedBy(async () => `${await this.work()} runs`);
        periodicJobs.add({
            name: 'Event outbox',
            everyMs: setup.options.runtime.sweepMs,
            jitter: 0.2,
            work: beat => this.sweep(beat),
        });
        periodicJobs.add({
            name: 'Purge of events that were given up',
            everyMs: PURGE_MS,
            jitter: 0.5,
            leader: 'event-purge',
            work: () => this.purge(),
        });
    }

    async onModuleDestroy(): Promise<void> {
        this.stopped = true;
        const queue = this.queue.stop();
        await Promise.allSettled(this.atWork);
        await queue;
    }

    /** Processes due rows until there are none, or until the job's limit is reached. Returns how many rows it processed. */
    private async work(): Promise<number> {
        const working = this.workNow();
        this.atWork.add(working);
        try {
            return await working;
        } finally {
            this.atWork.delete(working);
        }
    }

    private async workNow(): Promise<number> {
        for (let done = 0; ;) {
            if (this.stopped) return done;
            if (done >= OF_A_JOB) {
                this.queue.hint();
                return done;
            }
            const events = await this.outbox.claim(BATCH);
            if (events.length === 0) return done;
            for (const [index, event] of events.entries()) {
                if (this.stopped) {
                    await this.outbox.giveBack(events.slice(index));
                    return done;
                }
                await this.startFor(event);
                done++;
            }
        }
    }

    /** Processes rows without the queue if no job has processed them between two sweeps, as for runs (ADR 2). */
    private async sweep({ signal }: PollCycle): Promise<void> {
        const next = await this.outbox.next();
        const isLeft = next !== undefined && next === this.found;
        this.found = next;
        if (next === undefined || signal.aborted) return;
        this.queue.hint();
        if (isLeft && this.process.isWorker) await this.work();
    }

    /** Starts the run, then removes the row. If the process is killed in between, the next worker finds the run. */
    private async startFor(event: ClaimedEvent): Promise<void> {
        try {
            await this.start(event);
        } catch (error) {
            if (!isFlowError(error) || !NOBODY_WAITS.includes(error.code)) return this.fail(event, error);
            // The pipeline was disabled, archived or deleted since, so its triggers are no longer active.
            Logger.info(`A ${event.event} starts no run. ${error.message}`, LOG_CONTEXT);
        }
        await this.outbox.remove(event);
    }

    private async start({ pipelineId, channelId, revisionId, triggerKey, occurrenceKey, ...event }: ClaimedEvent) {
        await this.starter.startOnce({
            pipelineId,
            channelId,
            revisionId,
            triggerType: 'EVENT',
            triggerKey,
            occurrenceKey,
            dryRun: false,
            seed: event.seed,
            ...(event.causes && { causes: event.causes }),
        });
    }

    private async fail(event: ClaimedEvent, error: unknown): Promise<void> {
        const { sweepMs } = this.setup.options.runtime;
        const { attempts, pipelineId } = event;
        const problem = error instanceof Error ? error.message : String(error);
        const isLast = attempts >= EVENT_TRIES;
        const waitMs = isLast ? null : Math.min(LONGEST_WAIT_MS, sweepMs * 2 ** (attempts - 1));
        await this.outbox.fail(event, { problem, waitMs });
        const then = isLast
            ? `Row ${event.id} of flow_event_trigger_outbox is kept; set its attempts and due_at to 0 to try it again.`
            : 'It will be tried again.';
        const text = `A ${event.event} could not start its run of pipeline ${pipelineId} (${attempts} of ${EVENT_TRIES}). ${then} ${problem}`;
        if (isLast) Logger.error(text, LOG_CONTEXT, error instanceof Error ? error.stack : undefined);
        else Logger.warn(text, LOG_CONTEXT);
    }

    private async purge(): Promise<void> {
        const { runsDays } = this.setup.options.retention;
        if (runsDays === 0) return;
        const many = await this.outbox.removeGivenUp(runsDays);
        if (many > 0) Logger.info(`Past their retention and deleted: ${many} events that were given up.`, LOG_CONTEXT);
    }
}
