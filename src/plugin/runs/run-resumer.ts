import { Injectable } from '@nestjs/common';
import { logOf } from '../../core/run/execution-context';
import { logEvent } from '../../core/adapter/log-event';
import { Logger, type RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import type { FlowPipelineRun } from '../entities/run';
import { PublishingRights } from '../pipelines/publishing-rights';
import { LOG_CONTEXT } from '../tokens';
import { RunQueue } from './run-queue';
import { RunStores } from './run-stores';
import { RunNotifications } from './run-notifications';

/** Resumes runs that paused after their workers died one after the other. */
@Injectable()
export class RunResumer {
    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly notifications: RunNotifications,
        private readonly rights: PublishingRights,
    ) {}

    /**
     * The run waits for a worker when this resolves, and continues after the last batch that was committed. Throws RUN_STATE_CONFLICT where it is not paused, or
     * waits at a gate: `approveFlowGate` continues that. Throws FORBIDDEN, as publishing its revision would.
     */
    async resume(ctx: RequestContext, run: FlowPipelineRun): Promise<void> {
        const { id, gateStepKey } = run;
        await this.rights.assertForRun(ctx, run);
        if (!(await this.stores.pauses.resume(id as Id))) {
            const status = gateStepKey === null ? run.status : `${run.status} at the gate "${gateStepKey}"`;
            throw flowError('RUN_STATE_CONFLICT', { status, allowed: 'PAUSED without a gate', action: 'resumed' });
        }
        await this.log(ctx, run);
        // Whatever goes wrong from here on, the run waits for a worker, and the sweeper finds it.
        await this.queue.add(id);
    }

    /** The run is resumed already: a log that cannot be stored changes nothing about it. */
    private async log({ activeUserId }: RequestContext, run: FlowPipelineRun): Promise<void> {
        const journal = this.notifications.journalOf(run);
        logEvent(logOf(journal, undefined), 'RUN_RESUMED', { userId: activeUserId ?? null });
        await journal
            .close()
            .catch((error: unknown) =>
                Logger.warn(`The log of run ${run.id} does not say who resumed it: ${String(error)}`, LOG_CONTEXT),
            );
    }
}
