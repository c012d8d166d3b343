import {
    DefaultJobQueuePlugin,
    type Job,
    type JobQueueStrategy,
    PluginCommonModule,
    PollingJobQueueStrategy,
    VendurePlugin,
} from '@vendure/core';

/** What a test waits for comes soon; each look for the next job is a transaction, all the time. */
const FLOW_MS = 50;
const OTHERS_MS = 200;

/** How many times a queue looks once a job has come to it: two seconds of Flow's, in which the transaction that brings it has ended. */
const WOKEN_LOOKS = 40;
/** Of those behind them one in so many asks the database, for jobs that another process has brought. */
const SELDOM = 10;

/** Vendure's queue in the database, as test servers and their workers have it; `concurrency` is how many jobs of each queue are processed at once. */
export function sqlQueue(concurrency = 1) {
    return DefaultJobQueuePlugin.init({
        concurrency,
        pollInterval: queueName => (queueName.startsWith('flow.') ? FLOW_MS : OTHERS_MS),
    });
}

/** Lets the queues of a server ask the database often only while jobs may have come: the looks of idle ones take a good part of a processor. */
@VendurePlugin({
    imports: [PluginCommonModule],
    configuration: config => {
        const { jobQueueStrategy } = config.jobQueueOptions;
        if (!(jobQueueStrategy instanceof PollingJobQueueStrategy)) throw new Error('the queue does not poll');
        askSeldom(jobQueueStrategy);
        return config;
    },
    compatibility: '^3.7.0',
})
export class SparingQueue {}

function askSeldom(strategy: PollingJobQueueStrategy & JobQueueStrategy): void {
    const looks = new Map<string, number>();
    const wake = ({ queueName }: Job): void => void looks.set(queueName, 0);
    const add = strategy.add.bind(strategy);
    const next = strategy.next.bind(strategy);
    const update = strategy.update.bind(strategy);
    strategy.add = async (job, options) => {
        const added = await add(job, options);
        wake(job);
        return added;
    };
    // One that has failed is to be tried again.
    strategy.update = async job => {
        await update(job);
        wake(job);
    };
    strategy.next = async queueName => {
        const look = looks.get(queueName) ?? 0;
        looks.set(queueName, look + 1);
        if (look > WOKEN_LOOKS && look % SELDOM > 0) return undefined;
        const job = await next(queueName);
        if (job) wake(job);
        return job;
    };
}
