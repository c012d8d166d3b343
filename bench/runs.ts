import { type INestApplicationContext } from '@nestjs/common';
import { EventBus, RequestContextService, TransactionalConnection } from '@vendure/core';
import { JobRecord } from '@vendure/core/dist/plugin/default-job-queue-plugin/job-record.entity';
import { FlowRunCompleted, FlowRunFailed, FlowRunStarted } from '../src';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { RunStarter } from '../src/plugin/runs/run-starter';

/** Starts a pipeline and answers the seconds from claim to COMPLETED. */
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

/** Waits until Vendure's own jobs, those of its importer among them, are done: they would be measured too. */
export async function untilIdle(app: INestApplicationContext): Promise<void> {
    const jobs = app.get(TransactionalConnection).rawConnection.getRepository(JobRecord);
    while ((await jobs.countBy({ isSettled: false })) > 0) await new Promise(resolve => setTimeout(resolve, 200));
}
