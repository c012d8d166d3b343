import { Inject, Injectable } from '@nestjs/common';
import { Logger } from '@vendure/core';
import { onAbort } from '../../core/concurrency/abort';
import type { PollCycle } from '../periodic-jobs/periodic-runner';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { ProcessTaskQueue } from '../process-task-queue';
import { type ConsumerDeps, MessageConsumer, nameOfTrigger } from './message-consumer';
import { MessageReceiver } from './message-receiver';
import { MessageSources } from './message-sources';

/** Stands for the revision of a consumer that has ended or is about to end. */
const LEFT = '';

/** A running consumer. */
interface AtWork {
    readonly revision: string;
    readonly stop: AbortController;
    readonly ended: Promise<void>;
}

/**
 * Takes the messages of all active MESSAGE triggers in the one process that holds the lease, so that the messages of a queue start their runs in order (ADR
 * 18). A process keeps the lease until it shuts down or the lease expires.
 */
@Injectable()
export class MessageConsumers {
    private readonly atWork = new Map<string, AtWork>();
    private readonly deps: ConsumerDeps;
    private isLeading = false;

    constructor(
        private readonly triggers: ActiveTriggers,
        private readonly stores: RunStores,
        sources: MessageSources,
        receiver: MessageReceiver,
        taskQueue: ProcessTaskQueue,
        periodicJobs: PeriodicJobs,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        const outdated = (): void => {
            // If the triggers cannot be read, the next refresh finds them.
            triggers.refresh().catch(() => undefined);
        };
        this.deps = { sources, intake: receiver, states: stores.messageTriggers, lane: taskQueue, outdated };
        triggers.onChange(() => this.follow());
        const { sweepMs } = options.runtime;
        periodicJobs.add({
            name: 'Messages',
            firstMs: Math.min(1_000, sweepMs),
            everyMs: sweepMs,
            jitter: 0.2,
            leader: 'messages',
            work: beat => this.lead(beat),
        });
    }

    /** Runs while this process holds the lease. Ends when all consumers have ended, so that another process finds their messages returned to the queue. */
    private async lead({ signal }: PollCycle): Promise<void> {
        this.isLeading = true;
        this.follow();
        await new Promise<void>(resolve => {
            if (signal.aborted) resolve();
            else onAbort(signal, resolve);
        });
        this.isLeading = false;
        for (const { stop } of this.atWork.values()) stop.abort();
        await Promise.all([...this.atWork.values()].map(({ ended }) => ended));
        this.atWork.clear();
    }

    /** Keeps one consumer for each active trigger. The consumer of a new revision starts when that of the previous revision has ended. */
    private follow(): void {
        if (!this.isLeading) return;
        const inForce = new Map(this.triggers.of('MESSAGE').map(trigger => [nameOfTrigger(trigger), trigger]));
        for (const [name, { revision, stop }] of this.atWork) {
            const trigger = inForce.get(name);
            if (trigger && String(trigger.revisionId) === revision) {
                inForce.delete(name);
                continue;
            }
            stop.abort();
            if (!trigger && revision !== LEFT) this.leave(name);
        }
        for (const [name, trigger] of inForce) this.begin(name, trigger);
    }

    private begin(name: string, trigger: ActiveTrigger): void {
        const before = this.atWork.get(name)?.ended ?? Promise.resolve();
        const stop = new AbortController();
        const ended = before.then(() => new MessageConsumer(trigger, this.deps).run(stop.signal));
        this.atWork.set(name, { revision: String(trigger.revisionId), stop, ended });
    }

    /** Deletes the state of a trigger that is no longer active. */
    private leave(name: string): void {
        const left = this.atWork.get(name)!;
        const forgotten = left.ended
            .then(() => this.stores.messageTriggers.forget(name))
            .catch((error: unknown) => Logger.debug(`Messages "${name}": ${String(error)}`, LOG_CONTEXT))
            .then(() => {
                if (this.atWork.get(name) === kept) this.atWork.delete(name);
            });
        const kept: AtWork = { revision: LEFT, stop: left.stop, ended: forgotten };
        this.atWork.set(name, kept);
    }
}
