import {
    DefaultJobQueuePlugin,
    type Job,
    type JobQueueStrategy,
    PluginCommonModule,
    PollingJobQueueStrategy,
    VendurePlugin,
} from '@vendure/core';

/** Tests wait for jobs that come soon; each poll is a transaction. */
const FLOW_MS = 50;
const OTHERS_MS = 200;

/** How many times a queue polls after a job was added: two seconds in Flow's queues, by which time the adding transaction has ended. */
const WOKEN_LOOKS = 40;
/** Of the later polls, one in this number queries the database, for jobs that another process has added. */
const SELDOM = 10;

/**
 * Vendure's queue in the database, for test servers and their workers. `concurrency` is how many jobs of each queue are processed at once.
 */
export function sqlQueue(concurrency = 1) {
    return DefaultJobQueuePlugin.init({
        concurrency,
        pollInterval: queueName => (queueName.startsWith('flow.') ? FLOW_MS : OTHERS_MS),
    });
}

/**
 * Lets the queues of a server query the database often only while new jobs are likely: the polls of idle queues take a good part of a
 * processor.
 */
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
    // A job that has failed is tried again.
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
