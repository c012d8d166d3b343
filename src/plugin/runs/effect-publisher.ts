import { Inject, Injectable } from '@nestjs/common';
import { type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import { systemClock } from '../../core/concurrency/clock';
import { isFlowError } from '../../core/errors/flow-error';
import { withinTime } from '../../core/hooks/time-limit';
import { publishedTogether, changesCollections, EventPublication } from '../../platform/effects/publish';
import type { Id } from '../../database/write';
import { FlowPipelineRun } from '../entities/run';
import type { FlowSetup } from '../setup';
import { RUN_ENDED, RUN_PAUSED } from '../stores/effects';
import type { RunEvent } from '../stores/run-events';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { CollectionUpdates, additionalCausesOf } from './collection-updates';
import { OutboxRelay, runsOfEffects } from './outbox-relay';
import { EndHooks } from './end-hooks';
import { CausationChains } from './causation-chains';
import { GateNotifications } from './gate-notifications';
import { RunEvents } from './run-events';
import { RunPlatform } from '../run-platform';
import { RunStores } from './run-stores';

/** A subscriber that has not finished by then counts as failed. */
const ANNOUNCE_MS = 60_000;

interface RunToPublish {
    readonly runId: ID;
    /** The context of its events. Default: the pipeline's channel without a user. */
    readonly ctx?: RequestContext | undefined;
    /** Whether its end has hooks. Undefined if that is not known yet. */
    readonly hasEndHooks?: boolean | undefined;
    /** True if the run has certainly ended, so that it changes nothing more. */
    readonly isOver?: boolean;
}

/** Publishes the ends and pauses of runs to their hooks, and the changes of the runs. */
@Injectable()
export class EffectPublisher {
    private readonly drain: OutboxRelay;
    /** The publication in progress for each run in this process. */
    private readonly ongoing = new Map<string, Promise<void>>();

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly platform: RunPlatform,
        private readonly hooks: EndHooks,
        private readonly notifications: GateNotifications,
        private readonly events: RunEvents,
        private readonly collections: CollectionUpdates,
        private readonly chains: CausationChains,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        const { effects, exclusive } = stores;
        this.drain = new OutboxRelay({ effects, exclusive, retryMs: options.runtime.sweepMs });
    }

    /** The same as `publishAll`, for one run. */
    publish(runId: ID, ctx?: RequestContext): Promise<void> {
        return this.publishAll([{ runId, ctx }]);
    }

    /**
     * Never throws: what could not be published now is left to the sweeper. If this process already publishes one of these runs, it waits for that
     * and then continues, because no other process may know of newer effects. All runs belong to one channel.
     */
    async publishAll(runs: readonly RunToPublish[]): Promise<void> {
        const keys = runs.map(({ runId }) => String(runId));
        const before = Promise.all(keys.map(key => this.ongoing.get(key) ?? Promise.resolve()));
        const publishing = before.then(() => this.publishNow(runs));
        for (const key of keys) this.ongoing.set(key, publishing);
        await publishing;
        for (const key of keys) if (this.ongoing.get(key) === publishing) this.ongoing.delete(key);
    }

    private async publishNow(runs: readonly RunToPublish[]): Promise<void> {
        const runIds = runs.map(({ runId }) => runId as Id);
        try {
            const publications = new Map<string, EventPublication>();
            for (const { runId, ctx, isOver } of runs) {
                const platform = this.platform.of(ctx ?? (await this.contextOf(runId)));
                publications.set(String(runId), new EventPublication(platform, isOver));
            }
            const publicationOf = (runId: Id): EventPublication => publications.get(String(runId))!;
            const hookless = new Set(runs.filter(({ hasEndHooks }) => hasEndHooks === false).map(r => String(r.runId)));
            const signal = new AbortController().signal;
            const limit = { timeoutMs: ANNOUNCE_MS, clock: systemClock, signal };
            await this.drain.drain(runIds, {
                again: () => {
                    for (const publication of publications.values()) publication.again();
                },
                notifyHooks: async ({ runId, kind, stepKey }) => {
                    if (kind === RUN_ENDED && hookless.has(String(runId))) return false;
                    await this.chains.during(runId, () =>
                        this.hooks.notify(runId, kind === RUN_PAUSED ? stepKey : undefined),
                    );
                    return true;
                },
                notify: ({ runId, stepKey }) =>
                    this.chains.during(runId, () => this.notifications.send(runId, stepKey)),
                tell: async event => {
                    const { runId } = event;
                    const tell = (): Promise<void> => this.events.late(runId, event as unknown as RunEvent);
                    await this.chains.during(runId, () => withinTime(tell, limit));
                },
                together: publishedTogether,
                announce: async effects => {
                    const { runId } = effects[0]!;
                    const announce = (): Promise<void> => publicationOf(runId).announce(effects);
                    await this.chains.during(runId, () =>
                        this.chains.besides(additionalCausesOf(effects), () => withinTime(announce, limit)),
                    );
                },
                changesCollections,
                collections: runId =>
                    this.chains.during(runId, () =>
                        this.collections.bring(runId, publicationOf(runId).platform, () => void this.publish(runId)),
                    ),
                // Some search plugins react to Vendure's events, which repeat what was already published.
                index: effects => this.chains.unheard(() => publicationOf(effects[0]!.runId).index(effects)),
            });
        } catch (error) {
            if (isFlowError(error) && error.code === 'WORKER_STOPPED') return;
            const text = `What ${runsOfEffects(runIds)} changed could not be published, it will be tried again: ${String(error)}`;
            Logger.error(text, LOG_CONTEXT, stackOf(error));
        }
    }

    private async contextOf(runId: ID): Promise<RequestContext> {
        const run = await this.connection.rawConnection
            .getRepository(FlowPipelineRun)
            .findOneOrFail({ where: { id: runId } });
        return this.platform.withoutUser(run.channelId);
    }
}

function stackOf(error: unknown): string | undefined {
    return error instanceof Error ? error.stack : undefined;
}
