import { clause } from '../errors/rendered';
import { z } from 'zod';
import { type Advice, withoutEffect } from '../adapter/base';
import { defineTrigger } from '../adapter/trigger';
import { connectionCode, wholeNumber, withRules } from '../schema/fields';

/** Where messages come from, and the type of connection that leads there. */
export const MESSAGE_QUEUES = { RABBITMQ: 'BROKER', SQS: 'SQS', REDIS_STREAMS: 'REDIS' } as const;
type MessageQueueType = keyof typeof MESSAGE_QUEUES;
const QUEUES = Object.keys(MESSAGE_QUEUES) as [MessageQueueType, ...MessageQueueType[]];

/** The default prefetch. */
const USUAL_PREFETCH = 100;

const queueName = (title: string, description: string) =>
    z
        .string()
        .min(1)
        .max(255)
        .regex(/^\P{Cc}*$/u, 'must be one line')
        .meta({ title, description });

const fields = z.strictObject({
    queueType: z.enum(QUEUES).meta({
        title: 'Kind of queue',
        description: 'RABBITMQ, SQS or REDIS_STREAMS.',
        aliases: { BROKER_AMQP: 'RABBITMQ', CLOUD_QUEUE: 'SQS', STREAMS: 'REDIS_STREAMS' },
    }),
    connectionCode: connectionCode(['BROKER', 'SQS', 'REDIS'], {
        title: 'Connection',
        description: 'The connection to the broker: type BROKER for RabbitMQ, SQS, or REDIS for streams.',
    }),
    queueName: queueName('Queue', 'The name of the queue or stream. It must exist.'),
    consumerGroup: queueName(
        'Consumer group',
        'For REDIS_STREAMS (required): the consumer group that stores the position. It is created if it is missing, and starts with the first entry of the stream. Do not share it with another trigger.',
    )
        .optional()
        .meta({ showIf: { queueType: 'REDIS_STREAMS' } }),
    batchSize: wholeNumber(
        { min: 1, max: 100 },
        {
            title: 'Messages of a run',
            description: 'The maximum number of messages that start a run together: 1 to 100.',
        },
    ).default(10),
    maxWaitMs: wholeNumber(
        { min: 0, max: 60_000 },
        {
            title: 'Wait for more',
            description:
                'The maximum time, in milliseconds, that a message waits for others to start a run with: 0 to 60,000. With 0 the run starts with the messages that are available.',
        },
    ).default(1_000),
    prefetch: wholeNumber(
        { min: 1, max: 1_000 },
        {
            title: 'Prefetch',
            description:
                'For RABBITMQ: the number of unacknowledged messages that the broker sends in advance (prefetch): 1 to 1,000. If it is less than batchSize, it limits the messages of a run.',
        },
    )
        .default(USUAL_PREFETCH)
        .meta({ showIf: { queueType: 'RABBITMQ' } }),
    deadLetterQueue: queueName(
        'Dead letters',
        'The queue or stream for messages that cannot start a run, sent with the reason. It must exist. Without it they are rejected, as described in the notes.',
    ).optional(),
    maxRetries: wholeNumber(
        { min: 0, max: 10 },
        {
            title: 'Retries',
            description:
                'How often Flow retries to store a message that the database rejects before it becomes a dead letter: 0 to 10. While the database does not respond, messages wait without a limit.',
        },
    ).default(3),
});

/** Which messages a MESSAGE trigger takes, with the defaults. */
export type MessageSettings = z.output<typeof fields>;

/** What a MESSAGE trigger is set to, with its defaults. */
export interface MessageConfig {
    readonly enabled: boolean;
    readonly message: MessageSettings;
}

const settings = withRules(fields, ({ queueType, queueName: queue, consumerGroup, deadLetterQueue }, issue) => {
    if (queueType === 'REDIS_STREAMS' && consumerGroup === undefined)
        issue('consumerGroup', clause`is missing; queueType REDIS_STREAMS needs it`);
    if (deadLetterQueue !== undefined && deadLetterQueue === queue)
        issue('deadLetterQueue', clause`is the queue that messages come from; allowed: any other`);
});

/**
 * The trigger MESSAGE: messages of a broker start the pipeline. The step's `type` is removed before this is applied.
 */
export const message = defineTrigger({
    code: 'MESSAGE',
    title: 'Messages',
    summary: 'Starts the pipeline with messages from a RabbitMQ or SQS queue or a Redis stream.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A disabled trigger does not receive messages.' }),
        message: settings.meta({
            title: 'Messages',
            description: 'Which messages to receive and how many start a run.',
        }),
    }),
    notes: [
        'A message is one JSON object or a list of objects, at most 10 MiB. Its objects become the records of the run; EXTRACT steps do not read. With the header x-flow-operation: DELETE, which the sink queueProducer writes, the records have `__operation` DELETE.',
        'A message is acknowledged when its run and its records are stored; until then the broker keeps it. A redelivered message is recognized by its id for seven days and does not start a second run. A message without an id, which RabbitMQ allows, starts a run for each delivery.',
        'A message that is not valid JSON, or that the database rejects, goes to deadLetterQueue with the headers x-flow-reason and x-flow-queue. Without a dead-letter queue, RabbitMQ gets it rejected (and moves it to its dead-letter exchange, if the queue has one), SQS keeps it for its redrive policy or, without one, deletes it, and an entry of a stream is acknowledged and stays in the stream.',
        'One worker at a time receives the messages of all triggers, in order; if it dies, another worker takes over. If a broker does not respond, the trigger shows a warning and retries after at most half a minute.',
        'REDIS_STREAMS: the record is in the field "payload" as JSON; headers may be in the field "headers" as JSON. RABBITMQ needs the package amqplib, SQS @aws-sdk/client-sqs, REDIS_STREAMS ioredis.',
    ],
    advise: ({ message: { queueType, prefetch, consumerGroup } }): readonly Advice[] => [
        ...(queueType !== 'RABBITMQ' && prefetch !== USUAL_PREFETCH
            ? [withoutEffect('message.prefetch', clause`together with queueType ${queueType}`)]
            : []),
        ...(queueType !== 'REDIS_STREAMS' && consumerGroup !== undefined
            ? [withoutEffect('message.consumerGroup', clause`together with queueType ${queueType}`)]
            : []),
    ],
});
