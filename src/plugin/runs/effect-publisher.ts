import { Inject, Injectable } from '@nestjs/common';
import { type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import { systemClock } from '../../core/work/clock';
import { isFlowError } from '../../core/errors/flow-error';
import { withinTime } from '../../core/hooks/time-limit';
import { announcedTogether, changesCollections, EffectPublication } from '../../platform/effects/publish';
import type { Id } from '../../database/write';
import { FlowPipelineRun } from '../entities/run';
import type { FlowSetup } from '../setup';
import { RUN_PAUSED } from '../stores/effects';
import type { RunEvent } from '../stores/run-events';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { CollectionUpdates, otherCausesOf } from './collection-updates';
import { EffectDrain } from './effect-drain';
import { EndHooks } from './end-hooks';
import { RunCauses } from './run-causes';
import { GateNotices } from './gate-notices';
import { RunEvents } from './run-events';
import { RunPlatform } from '../run-platform';
import { RunStores } from './run-stores';

/** A subscriber that has not answered by then has failed. */
const ANNOUNCE_MS = 60_000;

/** Makes known how runs have ended or paused, to their hooks, and what they have changed (architecture 10a, "Pending effects"). */
@Injectable()
export class EffectPublisher {
    private readonly drain: EffectDrain;
    /** Of each run what this process is at. */
    private readonly ongoing = new Map<string, Promise<void>>();

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly platform: RunPlatform,
        private readonly hooks: EndHooks,
        private readonly notices: GateNotices,
        private readonly events: RunEvents,
        private readonly collections: CollectionUpdates,
        private readonly causes: RunCauses,
        @Inject(FLOW_SETUP) { options }: FlowSetup,
    ) {
        const { effects, exclusive } = stores;
        this.drain = new EffectDrain({ effects, exclusive, retryMs: options.runtime.sweepMs });
    }

    /**
     * Never throws: what could not be made known now is left to the sweeper. Where this process is at this run already, it goes on behind that:
     * what has come meanwhile may be nobody's else.
     */
    async publish(runId: ID, ctx?: RequestContext): Promise<void> {
        const key = String(runId);
        const publishing = (this.ongoing.get(key) ?? Promise.resolve()).then(() =>
            this.causes.during(runId, () => this.publishNow(runId, ctx)),
        );
        this.ongoing.set(key, publishing);
        await publishing;
        if (this.ongoing.get(key) === publishing) this.ongoing.delete(key);
    }

    private async publishNow(runId: ID, ctx?: RequestContext): Promise<void> {
        try {
            const platform = this.platform.of(ctx ?? (await this.contextOf(runId)));
            const publication = new EffectPublication(platform);
            const signal = new AbortController().signal;
            await this.drain.drain(runId as Id, {
                notifyHooks: ({ kind, stepKey }) => this.hooks.notify(runId, kind === RUN_PAUSED ? stepKey : undefined),
                notify: stepKey => this.notices.send(runId, stepKey),
                tell: async event => {
                    const tell = (): Promise<void> => this.events.late(runId, event as unknown as RunEvent);
                    await withinTime(tell, { timeoutMs: ANNOUNCE_MS, clock: systemClock, signal });
                },
                together: announcedTogether,
                announce: async effects => {
                    const limit = { timeoutMs: ANNOUNCE_MS, clock: systemClock, signal };
                    const announce = (): Promise<void> => publication.announce(effects);
                    await this.causes.besides(otherCausesOf(effects), () => withinTime(announce, limit));
                },
                changesCollections,
                collections: () => this.collections.bring(runId as Id, platform, () => void this.publish(runId)),
                // Some search plugins are told by Vendure's events, which say again what was announced.
                index: effects => this.causes.unheard(() => publication.index(effects)),
            });
        } catch (error) {
            if (isFlowError(error) && error.code === 'WORKER_STOPPED') return;
            const text = `What run ${runId} has changed could not be made known, it will be tried again: ${String(error)}`;
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
