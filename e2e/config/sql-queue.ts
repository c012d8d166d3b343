import { DefaultJobQueuePlugin } from '@vendure/core';

/** What a test waits for comes soon; each look for the next job is a transaction, all the time. */
const FLOW_MS = 50;
const OTHERS_MS = 200;

/** Vendure's queue in the database, as test servers and their workers have it. */
export function sqlQueue() {
    return DefaultJobQueuePlugin.init({
        pollInterval: queueName => (queueName.startsWith('flow.') ? FLOW_MS : OTHERS_MS),
    });
}
