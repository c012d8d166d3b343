import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { LogText } from '../../core/log/log-text';
import { type JobQueue, JobQueueService, Logger } from '@vendure/core';
import { noResources } from '../../core/adapter/no-resources';
import { Redactor } from '../../core/adapter/redactor';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { adapterOf } from '../../core/steps/kinds/named-adapter';
import { systemClock } from '../../core/concurrency/clock';
import type { Id } from '../../database/write';
import { OutboundAccess } from '../connections/outbound';
import { JobNotifier } from '../job-notifier';
import type { PollCycle } from '../periodic-jobs/periodic-runner';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunResources } from '../runs/run-resources';
import { RunRevisions } from '../runs/run-revisions';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT, REMOTE_ACTION_QUEUE } from '../tokens';
import { type DueAction, RemoteActions } from './remote-actions';

/** The most actions that are taken at a time. */
const BATCH = 50;
const LONGEST_WAIT_MS = 3_600_000;

interface ActionJob {
    readonly pipelineId: Id;
}

/**
 * Deletes and moves remote files once the runs that have read them are COMPLETED. One elected process finds the pipelines with due actions. A job executes the
 * actions of one pipeline, and a lease of the pipeline prevents two jobs from doing so at the same time. Failed actions are retried at growing intervals until
 * they succeed or a user gives them up.
 */
@Injectable()
export class Acknowledgement implements OnModuleInit, OnModuleDestroy {
    private queue: JobQueue<ActionJob> | undefined;
    private readonly hints = new JobNotifier<ActionJob>(() => this.queue);
    private readonly stopped = new AbortController();
    private readonly atWork = new Set<Promise<unknown>>();

    constructor(
        private readonly jobs: JobQueueService,
        private readonly actions: RemoteActions,
        private readonly stores: RunStores,
        private readonly revisions: RunRevisions,
        private readonly resources: RunResources,
        private readonly outbound: OutboundAccess,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        periodicJobs: PeriodicJobs,
    ) {
        periodicJobs.add({
            name: 'What is to be done to files elsewhere',
            everyMs: setup.options.runtime.sweepMs,
            jitter: 0.2,
            leader: 'remote-actions',
            work: beat => this.dispatch(beat),
        });
    }

    async onModuleInit(): Promise<void> {
        this.queue = await this.jobs.createQueue<ActionJob>({
            name: REMOTE_ACTION_QUEUE,
            process: async ({ data }) => `${await this.working(data.pipelineId)} done`,
        });
    }

    async onModuleDestroy(): Promise<void> {
        this.stopped.abort(new Error('the process shuts down'));
        const queue = this.queue?.stop();
        await Promise.allSettled(this.atWork);
        await queue;
    }

    private async dispatch({ signal }: PollCycle): Promise<void> {
        for (let after: Id | undefined; !signal.aborted;) {
            const found = await this.actions.dispatch(after);
            for (const pipelineId of found)
                await this.hints.give({ pipelineId }, 'what is to be done to files elsewhere');
            after = found.at(-1);
            if (after === undefined) return;
        }
    }

    private async working(pipelineId: Id): Promise<number> {
        const work = this.work(pipelineId);
        this.atWork.add(work);
        try {
            return await work;
        } finally {
            this.atWork.delete(work);
        }
    }

    /** Executes the due actions of a pipeline. Returns how many succeeded. */
    private async work(pipelineId: Id): Promise<number> {
        const lease = await this.stores.exclusive.hold(`remote-actions:${pipelineId}`);
        if (!lease) return 0;
        try {
            let done = 0;
            for (;;) {
                const due = await this.actions.due(pipelineId, BATCH);
                for (const action of due) {
                    if (this.stopped.signal.aborted) return done;
                    if (await this.one(action)) done++;
                }
                if (due.length < BATCH) return done;
            }
        } finally {
            await lease.end();
        }
    }

    private async one(action: DueAction): Promise<boolean> {
        const redactor = new Redactor();
        try {
            const told = await this.acknowledge(action, redactor);
            if (told) await this.actions.tell(action, redactor.json(told));
            await this.actions.done(action);
            return true;
        } catch (thrown) {
            if (this.stopped.signal.aborted) return false;
            const problem = redactor.text(thrown instanceof Error ? thrown.message : String(thrown));
            if (!isFlowError(thrown))
                Logger.error(problem, LOG_CONTEXT, thrown instanceof Error ? thrown.stack : undefined);
            const { sweepMs } = this.setup.options.runtime;
            const waitMs = Math.min(LONGEST_WAIT_MS, sweepMs * 2 ** Math.min(action.attempts, 20));
            await this.actions.failed(action, { problem, waitMs });
            return false;
        }
    }

    private async acknowledge(
        { channelId, pipelineId, revisionId, stepKey, action }: DueAction,
        redactor: Redactor,
    ): Promise<LogText | undefined> {
        const revision = await this.revisions.find(revisionId);
        const definition = await revision?.parsed();
        const step = definition?.steps.find(({ key }) => key === stepKey);
        if (!definition || !step)
            throw flowError('DEFINITION_MALFORMED', { problem: `revision ${revisionId} is not there any more` });
        const { adapter, parsed } = adapterOf('extractor', step, this.setup.registry);
        if (!adapter.afterCompletion)
            throw flowError('BUG', { problem: `the extractor of step "${stepKey}" does nothing after a run` });
        const alone = { ...definition, steps: [step], edges: [], hooks: {} };
        const resources = await this.resources.resolve(channelId, alone, redactor);
        const { rateLimitRps } = definition.throughput;
        const learn = (token: string): void => redactor.add(token);
        const outbound = this.outbound.forRun({ scope: `${channelId}/${pipelineId}`, rateLimitRps, learn });
        const silent = (): void => undefined;
        try {
            return await adapter.afterCompletion(parsed, action, {
                ...resources,
                files: noResources.files,
                exports: noResources.exports,
                stepKey,
                mode: 'live',
                signal: this.stopped.signal,
                log: { debug: silent, info: silent, warn: silent, error: silent },
                clock: systemClock,
                outbound,
                platform: undefined,
            });
        } finally {
            outbound.close();
        }
    }
}
