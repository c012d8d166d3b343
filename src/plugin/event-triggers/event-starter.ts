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

/** Rows that are taken at a time: few enough for a lease. */
const BATCH = 20;
/** So many are done by one job, which then gives its slot to others. */
const OF_A_JOB = 500;
/** So often a row is tried: with its growing waits, for most of a day. */
export const EVENT_TRIES = 25;
const LONGEST_WAIT_MS = 3_600_000;
const PURGE_MS = 3_600_000;

/** What became of an event for which there is to be no run. */
const NOBODY_WAITS: readonly string[] = ['PIPELINE_NOT_FOUND', 'PIPELINE_NOT_RUNNABLE'];

/** Starts the runs for which events were written down, each once, and from the revision that was in force when it happened. */
@Injectable()
export class EventStarter implements OnModuleDestroy {
    private stopped = false;
    private readonly atWork = new Set<Promise<number>>();
    /** What the last sweep has found first. */
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

    /** Works at what is due until nothing is, or others are to have their turn. Answers how many rows it was at. */
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

    /** What a queue has not brought to anybody from one sweep to the next is done without it, as runs are (ADR 2). */
    private async sweep({ signal }: PollCycle): Promise<void> {
        const next = await this.outbox.next();
        const isLeft = next !== undefined && next === this.found;
        this.found = next;
        if (next === undefined || signal.aborted) return;
        this.queue.hint();
        if (isLeft && this.process.isWorker) await this.work();
    }

    /** The run is stored when the row goes. Killed in between, the next worker finds the run that there is. */
    private async startFor(event: ClaimedEvent): Promise<void> {
        try {
            await this.start(event);
        } catch (error) {
            if (!isFlowError(error) || !NOBODY_WAITS.includes(error.code)) return this.fail(event, error);
            // Disabled, archived or deleted since: its triggers are in force no more.
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
            ? `Row ${event.id} of flow_event_trigger_outbox is kept; set its attempts and due_at to 0 to have it tried again.`
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
