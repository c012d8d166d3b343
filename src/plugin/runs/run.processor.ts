import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type ID, Logger } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { asFlowError } from '../../core/errors/flow-error';
import type { RunEnd } from '../../core/run/execute';
import { endOf } from '../../core/progress/outcome';
import { sandbox } from '../../io/sandbox/sandbox';
import type { Id } from '../../database/write';
import { RunFinalizer } from './run-finalizer';
import { CausationChains } from './causation-chains';
import { RELEASED, RunRelease } from './run-release';
import { RunPreparation } from './run-preparation';
import { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import type { ClaimedRun } from '../stores/leases';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type RunAttemptDeps, transitionOf, pauseOf, RunAttempt } from './run-attempt';
import { SlotLending } from './slot-lending';
import { forwardedJob, type ForwardedJob, StickyRuns } from './sticky-runs';
import { PendingRunDrain } from './pending-run-drain';
import { closeLog, logRunStart, logRunEnd, logRunResume, logRunPause } from './run-log';
import { type StickyHint, type RunJob, RunQueue } from './run-queue';

/** The result for a run whose slice has ended and that only this worker may continue. */
export const WAITING_FOR_SLICE = 'parked';

/** Processes runs: claims, executes and ends them (docs/architecture.md, "The life of a run"). */
@Injectable()
export class RunProcessor implements OnModuleDestroy {
    /** The work that a shut-down waits for. */
    private readonly atWork = new Map<Promise<string>, RunAttempt>();
    /** How many jobs the queue has delivered, and how many of them are in progress. */
    private readonly jobs = { delivered: 0, inHand: 0 };
    /** The run that is processed here without a job. */
    private undelivered: Promise<string> | undefined;
    private readonly pendingRunDrain: PendingRunDrain;
    private readonly deps: RunAttemptDeps;
    private readonly release: RunRelease;
    private readonly slotLending = new SlotLending(() => this.takeDue());
    private readonly stopped = new AbortController();

    constructor(
        private readonly queue: RunQueue,
        private readonly stores: RunStores,
        private readonly finalizer: RunFinalizer,
        private readonly parked: StickyRuns<RunAttempt>,
        preparation: RunPreparation,
        chains: CausationChains,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        this.deps = {
            env: stores.env,
            leases: stores.leases,
            options,
            look: run => stores.look(run),
            prepare: (run, redactor) => preparation.prepare(run, redactor),
            caused: ({ runId }, work) => chains.during(runId, work),
            idle: (waitMs, signal, holding) => this.slotLending.during(waitMs, signal, holding),
            ready: (run, prepared) => finalizer.begun(run, prepared),
        };
        this.release = new RunRelease({ leases: stores.leases, queue, stopped: this.stopped.signal });
        this.pendingRunDrain = new PendingRunDrain(stores.leases, finalizer, { options, stopped: this.stopped.signal });
        queue.workedBy(job => this.deliver(job));
    }

    /**
     * SIGTERM: the batches in progress end, every run is returned, and other workers continue them at once. Vendure's own queues wait for their
     * jobs when they are destroyed, so this must run before them; it does, because the plugin depends on them.
     */
    async onModuleDestroy(): Promise<void> {
        this.stopped.abort();
        const queue = this.queue.stop();
        for (const attempt of this.atWork.values()) attempt.shutDown();
        for (const attempt of this.parked.takeAll())
            void this.settleLocal(attempt, { end: 'yielded', counters: attempt.counters });
        await Promise.allSettled([...this.atWork.keys(), this.pendingRunDrain.rest()]);
        sandbox.rest();
        await queue;
    }

    get deliveries(): number {
        return this.jobs.delivered;
    }

    /** True while any run is processed here. */
    get isBusy(): boolean {
        return this.jobs.inHand + this.atWork.size > 0 || this.undelivered !== undefined;
    }

    /**
     * Processes a run that the queue does not deliver, as if the queue had delivered it; returns the result of its job. Undefined if this process
     * already works on a run: the queue determines the concurrency, and every queue allows one.
     */
    async processOrphaned(runId: ID): Promise<string | undefined> {
        if (this.isBusy) return undefined;
        const parked = this.parked.hintOf(runId);
        this.undelivered = this.process({ runId, ...(parked && { parked }) });
        try {
            return await this.undelivered;
        } finally {
            this.undelivered = undefined;
        }
    }

    /** One job of the queue. Its result is stored with the job, for users who look there. */
    private async deliver(job: RunJob): Promise<string> {
        this.jobs.delivered++;
        this.jobs.inHand++;
        try {
            // It keeps its slot meanwhile, so that not more runs are processed than the queue has slots.
            await this.undelivered;
            return await this.process(job);
        } finally {
            this.jobs.inHand--;
        }
    }

    private async process({ runId, parked }: RunJob): Promise<string> {
        if (this.stopped.signal.aborted) return 'The worker shuts down.';
        try {
            const attempt = this.parked.take(runId, parked);
            if (attempt) return await this.continueFrom(attempt);
            // A surplus job of a run whose slice is over.
            if (parked && this.isHere(runId)) return 'taken';
            const claim = await this.stores.leases.claim(runId as Id);
            if (claim.run) return await this.begin(claim.run);
            if (parked && claim.because === 'taken') return this.handOn(runId, parked);
            if (claim.because === 'gaveUp') await this.finalizer.follow(runId);
            if (claim.because === 'ended') await this.finalizer.publishEffects(runId);
            return claim.because;
        } catch (error) {
            // The run has no worker, or only until its lease expires: the sweeper queues it again.
            Logger.warn(`Run ${runId} could not be worked on now: ${String(error)}`, LOG_CONTEXT);
            return String(error);
        }
    }

    /** Processes a run, and after it the waiting runs of its pipeline. */
    private begin(first: ClaimedRun): Promise<string> {
        return this.pendingRunDrain.drainSequentially(first, run => {
            const attempt = new RunAttempt(run, this.deps);
            // The run was being claimed when the others received the signal.
            if (this.stopped.signal.aborted) attempt.shutDown();
            logRunStart(attempt);
            return { attempt, answer: this.busy(attempt, () => this.work(attempt)) };
        });
    }

    /** A parked run has got a slot. */
    private continueFrom(attempt: RunAttempt): Promise<string> {
        logRunResume(attempt);
        return this.busy(attempt, () => this.work(attempt));
    }

    /** A dry run whose slice has ended waits here for the next one, because no other process can continue it. */
    private async work(attempt: RunAttempt): Promise<string> {
        const { dryRun, runId } = attempt.run;
        for (;;) {
            const end = await attempt.perform();
            if (end.end !== 'yielded' || !dryRun || this.stopped.signal.aborted) return this.settle(attempt, end);
            const hint = this.parked.park(attempt, () => void this.settleLocal(attempt, attempt.interrupted()));
            if (!hint) continue; // There is no room for it, so it keeps its slot.
            await this.queue.add(runId, hint);
            return WAITING_FOR_SLICE;
        }
    }

    private async busy(attempt: RunAttempt, work: () => Promise<string>): Promise<string> {
        const done = work();
        this.atWork.set(done, attempt);
        try {
            return await done;
        } finally {
            this.atWork.delete(done);
            // Not more runs are processed than the queue has slots.
            await attempt.lent;
        }
    }

    /** The next due run of any pipeline, claimed by this worker. Undefined if there is none, or another worker is about to get it. */
    private async takeDue(): Promise<(() => Promise<string>) | undefined> {
        if (this.stopped.signal.aborted) return undefined;
        const [runId] = await this.stores.leases.due(1);
        if (runId === undefined || this.isHere(runId)) return undefined;
        const claim = await this.stores.leases.claim(runId);
        const { run } = claim;
        if (run) return () => this.begin(run);
        if (claim.because === 'gaveUp') await this.finalizer.follow(runId);
        return undefined;
    }

    /** The run has no waiting job. */
    private async settleLocal(attempt: RunAttempt, end: RunEnd): Promise<void> {
        try {
            await this.busy(attempt, () => this.settle(attempt, end));
        } catch (error) {
            // Its lease is no longer renewed, so the sweeper finds it.
            Logger.warn(`Run ${attempt.run.runId} stops for now. ${attempt.redactor.text(String(error))}`, LOG_CONTEXT);
        }
    }

    private isHere(runId: ID): boolean {
        const isIt = ({ run }: RunAttempt): boolean => String(run.runId) === String(runId);
        return this.parked.hintOf(runId) !== undefined || [...this.atWork.values()].some(isIt);
    }

    /** The run is parked in another process, so its job is for that process. */
    private handOn(runId: ID, hint: StickyHint): string {
        const next = forwardedJob(hint);
        if (next) void this.addLater(runId, next);
        return next ? 'forwarded' : 'taken';
    }

    private async addLater(runId: ID, { hint, waitMs }: ForwardedJob): Promise<void> {
        try {
            await sleep(waitMs, undefined, { ref: false, signal: this.stopped.signal });
            await this.queue.add(runId, hint);
        } catch {
            // This process ends. The process that has the run adds another job when it sweeps.
        }
    }

    private async settle(attempt: RunAttempt, end: RunEnd): Promise<string> {
        await attempt.close();
        if (end.end === 'yielded') return this.endSlice(attempt, end);
        if (end.end === 'paused') return this.pause(attempt, end);
        const ending = transitionOf(attempt, end);
        if (!ending) return end.end === 'stopped' ? this.release.leave(attempt, end) : end.end;
        logRunEnd(attempt, ending);
        await closeLog(attempt);
        const progress = attempt.progress(end.counters);
        try {
            const { run, prepared } = attempt;
            const isTold = await this.finalizer.close(run, { ...ending, ...(progress && { progress }) }, prepared);
            const ended = { runId: run.runId, prepared, isTold };
            if (this.pendingRunDrain.areTaken(attempt)) this.pendingRunDrain.due(attempt, ended);
            else await this.finalizer.followAlone(run, ended);
            return ending.status;
        } catch (thrown) {
            const error = asFlowError(thrown);
            return this.release.leave(attempt, { ...end, error });
        }
    }

    /** Steps hold the rest of the run, so it needs no worker until it is released, which may be at once. */
    private async pause(attempt: RunAttempt, end: Extract<RunEnd, { end: 'paused' }>): Promise<string> {
        const { counters } = end;
        logRunPause(attempt, end);
        await closeLog(attempt);
        try {
            const waits = await this.finalizer.pause(attempt.run, pauseOf(attempt, end), attempt.prepared?.ctx);
            return waits ? 'PAUSED' : RELEASED;
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (endOf(error)) return this.settle(attempt, { end: 'stopped', error, stepKey: undefined, counters });
            return this.release.leave(attempt, { error, counters });
        }
    }

    /** Publishes what the run has changed so far, whichever worker continues it. */
    private async endSlice(attempt: RunAttempt, end: Pick<RunEnd, 'counters'>): Promise<string> {
        const { run, prepared } = attempt;
        const answer = await this.release.back(attempt, end);
        if (answer === RELEASED && !run.dryRun && !this.stopped.signal.aborted)
            await this.finalizer.publishEffects(run.runId, prepared?.ctx);
        return answer;
    }
}
