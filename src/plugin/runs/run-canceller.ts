import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import type { Id } from '../../database/write';
import type { FlowPipelineRun } from '../entities/run';
import { RunQueue } from './run-queue';
import { RunFinalizer } from './run-finalizer';
import { RunStores } from './run-stores';

/** Ends runs at the request of a user. */
@Injectable()
export class RunCanceller {
    constructor(
        private readonly stores: RunStores,
        private readonly finalizer: RunFinalizer,
        private readonly queue: RunQueue,
    ) {}

    /** A run without a worker is CANCELLED when this resolves; for any other run, its worker receives a request. Throws RUN_STATE_CONFLICT. */
    async cancel(ctx: RequestContext, { id }: FlowPipelineRun): Promise<void> {
        const how = await this.stores.endings.cancel(id as Id);
        if (how !== 'CANCELLED') return;
        await this.finalizer.announceEnd(id, ctx);
        // A worker calls its hooks and publishes what it has loaded, because that may take minutes, and this is a request.
        await this.queue.add(id);
    }
}
