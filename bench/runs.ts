import { type INestApplicationContext } from '@nestjs/common';
import { EventBus, RequestContextService, TransactionalConnection } from '@vendure/core';
import { JobRecord } from '@vendure/core/dist/plugin/default-job-queue-plugin/job-record.entity';
import { Not } from 'typeorm';
import { FlowRunCompleted, FlowRunFailed, FlowRunStarted } from '../src';
import { FlowPendingEffect } from '../src/plugin/entities/pending-effect';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { RunStarter } from '../src/plugin/runs/run-starter';
import { COLLECTIONS_STALE } from '../src/plugin/stores/effects';

/** Starts a pipeline and returns the seconds from claim to COMPLETED. */
export async function run(app: INestApplicationContext, code: string): Promise<number> {
    const events = app.get(EventBus);
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    const { id: pipelineId } = await app
        .get(TransactionalConnection)
        .rawConnection.getRepository(FlowPipeline)
        .findOneByOrFail({ code });
    return new Promise((resolve, reject) => {
        let claimed = 0;
        const subscriptions = [
            events.ofType(FlowRunStarted).subscribe(() => {
                claimed = performance.now();
            }),
            events.ofType(FlowRunCompleted).subscribe(({ result: { outcome } }) => {
                stop();
                if (outcome === 'SUCCESS') resolve((performance.now() - claimed) / 1000);
                else reject(new Error(`The run's outcome is ${outcome}.`));
            }),
            events.ofType(FlowRunFailed).subscribe(({ error: { message } }) => {
                stop();
                reject(new Error(`The run failed: ${message}`));
            }),
        ];
        const stop = (): void => subscriptions.forEach(subscription => subscription.unsubscribe());
        app.get(RunStarter)
            .start({ pipelineId, channelId: ctx.channelId, actor: null, dryRun: false })
            .catch((error: Error) => {
                stop();
                reject(error);
            });
    });
}

/**
 * Waits until nothing is running that would disturb the measurement: Vendure's own jobs, including those of its
 * importer, and the publication of what runs have changed.
 */
export async function untilIdle(app: INestApplicationContext): Promise<void> {
    const { rawConnection } = app.get(TransactionalConnection);
    const jobs = rawConnection.getRepository(JobRecord);
    const effects = rawConnection.getRepository(FlowPendingEffect);
    const isBusy = async (): Promise<boolean> =>
        (await jobs.countBy({ isSettled: false })) > 0 || (await effects.countBy({ kind: Not(COLLECTIONS_STALE) })) > 0;
    while (await isBusy()) await new Promise(resolve => setTimeout(resolve, 200));
}
