import { clause, type FactText } from '../../core/errors/rendered';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Advice } from '../../core/adapter/base';
import { withoutEffect } from '../../core/adapter/base';
import type { Outcome } from '../../core/adapter/loader';
import { logEvent } from '../../core/adapter/log-event';
import { identityText } from '../../core/adapter/record-operation';
import { defineSink, type SinkOperation, type SinkSession, type SinkRunContext } from '../../core/adapter/sink';
import type { Batch } from '../../core/data/record';
import { connectionCode, path, wholeNumber, withRules } from '../../core/schema/fields';
import type { JsonObject } from '../../core/value/json';
import { type MessageQueue, OPERATION_HEADER, type QueueMessage } from '../../io/broker/message-queue';
import { adviseCommon, commonFields } from './common-fields';
import { checkIdBytes, DocumentSession, SentDocuments } from './documents';
import { openQueue, QUEUE_TYPES } from './queues';

/** SQS allows ten headers, and the sink adds two. */
const MAX_HEADERS = 8;
const MAX_ID_BYTES = 255;

const config = withRules(
    z.strictObject({
        queueType: z.enum(QUEUE_TYPES).meta({
            title: 'Kind of queue',
            description: 'RABBITMQ, SQS or REDIS_STREAMS. RABBITMQ_HTTP uses the management API and is deprecated.',
            aliases: {
                BROKER_AMQP: 'RABBITMQ',
                CLOUD_QUEUE: 'SQS',
                STREAMS: 'REDIS_STREAMS',
                BROKER_HTTP: 'RABBITMQ_HTTP',
            },
        }),
        connectionCode: connectionCode(['BROKER', 'SQS', 'REDIS'], {
            title: 'Connection',
            description: 'The connection to the broker: type BROKER for RabbitMQ, SQS, or REDIS for streams.',
        }),
        queueName: z
            .string()
            .min(1)
            .max(255)
            .regex(/^\P{Cc}*$/u, 'must be one line')
            .meta({ title: 'Queue', description: 'The name of the queue or stream.' }),
        exchange: z
            .string()
            .max(127)
            .regex(/^\P{Cc}*$/u, 'must be one line')
            .default('')
            .meta({
                title: 'Exchange',
                description:
                    'RabbitMQ: the exchange to publish to. Default: the default exchange, which leads to the queue.',
            }),
        routingKey: z.string().min(1).max(255).optional().meta({
            title: 'Routing key',
            description: 'RabbitMQ: the routing key. Default: the name of the queue.',
        }),
        headers: z
            .record(
                z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'allowed: letters, digits, - _ and .'),
                z.string().min(1).max(1_024),
            )
            .default({})
            .meta({
                title: 'Headers',
                description: `Headers that are sent with every message, as text; at most ${MAX_HEADERS}.`,
            }),
        idField: path(
            'Id field',
            'The field with the id of a message. Default: an id derived from the run, the step and the record.',
        ).optional(),
        persistent: z.boolean().default(true).meta({
            title: 'Persistent',
            description: 'RabbitMQ: stores messages on disk (persistent).',
        }),
        priority: wholeNumber(
            { min: 0, max: 255 },
            {
                title: 'Priority',
                description: 'RabbitMQ: the priority of messages, for queues that support priorities.',
            },
        ).optional(),
        ttlMs: wholeNumber(
            { min: 0, max: 4_294_967_295 },
            {
                title: 'Expires after',
                description: 'RabbitMQ: the number of milliseconds after which a waiting message expires.',
            },
        ).optional(),
        ...commonFields,
    }),
    ({ queueType, queueName, exchange, headers }, issue) => {
        for (const [field, name] of Object.entries({ queueName, exchange }))
            if (typeof name === 'string' && name !== name.trim())
                issue(field, clause`is ${JSON.stringify(name)}, which has a blank at its beginning or end`);
        if (typeof headers !== 'object' || headers === null) return;
        const names = Object.keys(headers);
        if (names.length > MAX_HEADERS)
            issue('headers', clause`has ${names.length} headers; at most ${MAX_HEADERS} are allowed`);
        for (const name of names) {
            if (name.toLowerCase().startsWith('x-flow-'))
                issue(`headers.${name}`, clause`begins as the headers do that this sink writes itself`);
            if (OF_THE_BROKER.has(name) && String(queueType).startsWith('RABBITMQ'))
                issue(
                    `headers.${name}`,
                    clause`is a header by which RabbitMQ sends copies, and no text; use an exchange`,
                );
        }
    },
);
type Args = z.output<typeof config>;

/** Lists of further routing keys. */
const OF_THE_BROKER: ReadonlySet<string> = new Set(['CC', 'BCC']);

const EXAMPLE = { connectionCode: 'stock-queue', queueName: 'stock', idField: 'sku' };

/** Publishes messages to a queue. */
export const queueProducer = defineSink({
    code: 'queueProducer',
    category: 'Queues',
    title: 'Queue',
    summary: 'Publishes records as messages to RabbitMQ, SQS or a stream of Redis.',
    config,
    notes: [
        `A message is the record as JSON, with an id, the headers of the step and ${OPERATION_HEADER}, which is UPSERT or DELETE. The message for a deleted record only contains its identity.`,
        'Delivered at least once: a message is repeated with the same id if the broker does not confirm it. Receivers recognize it by its id.',
        'RABBITMQ needs the package amqplib and an existing queue or exchange. Messages are published as mandatory and confirmed one by one; a message that no queue receives fails the step. If an alarm of the broker blocks confirmations, the attempt ends after half a minute.',
        'SQS needs the package @aws-sdk/client-sqs. Messages are sent in groups of ten, of at most 1 MiB together; messages that fail because of SQS are sent again. In a FIFO queue, messages with the same value of idField form a group. A custom endpoint needs access keys in the connection.',
        'REDIS_STREAMS needs the package ioredis. An entry has the fields id, payload and headers (JSON).',
        'RABBITMQ_HTTP is deprecated: it sends one request per message through the management API on port 15672 (15671 with TLS). It is for networks where AMQP is not possible.',
    ],
    examples: [
        {
            config: { queueType: 'RABBITMQ', ...EXAMPLE },
            in: [{ sku: 'TS-1', stock: 4 }, { stock: 4 }, { sku: 'TS-2', __operation: 'DELETE' }],
            does: ['deliver', 'reject', 'remove'],
            rejects: ['sku'],
        },
        {
            config: { queueType: 'SQS', connectionCode: 'stock-sqs', queueName: 'stock.fifo' },
            in: [{ stock: 4 }, { stock: 4, __operation: 'DELETE' }],
            does: ['deliver', 'reject'],
            rejects: ['__operation'],
            note: 'Without idField, a message does not need an identity, unless it is about a deletion.',
        },
    ],
    advise: args => [...adviseCommon(args), ...adviseQueue(args)],
    open: async (args, cx) => {
        if (args.queueType === 'RABBITMQ_HTTP') logEvent(cx.log, 'RABBITMQ_HTTP_DEPRECATED', {});
        return new QueueSession(args, cx, await openQueue(args, cx));
    },
});

/** Fields for RabbitMQ that have no effect elsewhere. */
const OF_RABBITMQ = ['routingKey', 'priority', 'ttlMs'] as const;

function adviseQueue(args: Args): readonly Advice[] {
    const { queueType, queueName, exchange, routingKey } = args;
    if (queueType === 'SQS' || queueType === 'REDIS_STREAMS')
        return [
            ...OF_RABBITMQ.filter(name => args[name] !== undefined),
            ...(exchange === '' ? [] : (['exchange'] as const)),
        ].map(name => withoutEffect(name, clause`together with queueType ${queueType}`));
    const likely = (field: string, problem: FactText): Advice => ({ code: 'LIKELY_MISTAKE', path: field, problem });
    return [
        ...(queueType === 'RABBITMQ_HTTP'
            ? [likely('queueType', clause`is RABBITMQ_HTTP, which is deprecated; use RABBITMQ where AMQP is possible`)]
            : []),
        ...(exchange === '' && routingKey !== undefined && routingKey !== queueName
            ? [
                  likely(
                      'routingKey',
                      clause`leads to the queue of that name, as the default exchange goes by it; give an exchange, or leave it out`,
                  ),
              ]
            : []),
    ];
}

class QueueSession extends DocumentSession implements SinkSession {
    readonly batchSize: number;
    readonly defaultOperation: SinkOperation;
    readonly keepsAll = true;

    constructor(
        private readonly args: Args,
        private readonly cx: SinkRunContext,
        private readonly queue: MessageQueue,
    ) {
        super(new SentDocuments(args, args.idField ?? 'id', true));
        this.batchSize = args.batchSize;
        this.defaultOperation = args.defaultOperation;
    }

    check(data: JsonObject): void {
        const { idField } = this.args;
        // Brokers limit the length of headers and ids.
        if (idField !== undefined)
            checkIdBytes(this.documents.idOf(data), idField, { bytes: MAX_ID_BYTES, of: 'id of a message' });
    }

    deliver(batch: Batch, ids: readonly string[]): Promise<readonly Outcome[]> {
        return this.publish(
            'UPSERT',
            batch.map(({ data }, i) => ({
                identity: identityText(this.documents.identityOf(data)),
                data: this.documents.of(data),
                deliveryId: ids[i]!,
            })),
        );
    }

    remove(identities: readonly string[], ids: readonly string[], batch: Batch): Promise<readonly Outcome[]> {
        return this.publish(
            'DELETE',
            identities.map((identity, i) => ({
                identity,
                data: this.documents.identityAlone(batch[i]!.data),
                deliveryId: ids[i]!,
            })),
        );
    }

    private publish(
        operation: SinkOperation,
        list: ReadonlyArray<{
            readonly identity: string | undefined;
            readonly data: JsonObject;
            readonly deliveryId: string;
        }>,
    ): Promise<readonly Outcome[]> {
        const headers = { ...this.args.headers, [OPERATION_HEADER]: operation };
        const hasId = this.args.idField !== undefined;
        this.cx.signal.throwIfAborted();
        return this.queue.publish(
            list.map(({ identity, data, deliveryId }): QueueMessage => {
                const known = hasId ? identity : undefined;
                const id = known ?? uuidOf(deliveryId);
                return { id, deliveryId, group: known, headers, payload: JSON.stringify(data) };
            }),
        );
    }
}

/** The namespace of ids of messages: a UUID of Flow's own. */
const NAMESPACE = Buffer.from('9e107d9d372b4c6cb8c4a3f0b7d1e5a2', 'hex');

/** A UUID of version 5 from the delivery id, which is the same whenever the run delivers the record. */
function uuidOf(deliveryId: string): string {
    const bytes = createHash('sha1').update(NAMESPACE).update(deliveryId).digest().subarray(0, 16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x50;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
