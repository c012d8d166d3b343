import { Injectable } from '@nestjs/common';
import { type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import { RunPublication } from '../../platform/effects/publish';
import type { Id } from '../../database/write';
import { FlowPipelineRun } from '../entities/run';
import { LOG_CONTEXT } from '../tokens';
import { EndHooks } from './end-hooks';
import { RunPlatform } from './run-platform';
import { RunStores } from './run-stores';

/** Makes known how runs have ended, to their hooks, and what they have changed (architecture 10a, "Pending effects"). */
@Injectable()
export class EffectPublisher {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly platform: RunPlatform,
        private readonly hooks: EndHooks,
    ) {}

    /** Never throws: what could not be made known now is left to the sweeper. */
    async publish(runId: ID, ctx?: RequestContext): Promise<void> {
        try {
            const platform = this.platform.of(ctx ?? (await this.contextOf(runId)));
            const changes = new RunPublication(platform);
            await this.stores.effects.drain(runId as Id, {
                ended: () => this.hooks.tell(runId),
                announce: effects => changes.announce(effects),
                finish: () => changes.finish(),
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
