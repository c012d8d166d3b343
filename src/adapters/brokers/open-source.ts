import type { Connection } from '../../core/adapter/connection';
import { MESSAGE_QUEUES, type MessageSettings } from '../../core/triggers/message';
import type { MessageSource } from '../../io/broker/message-source';
import { RabbitSource } from '../../io/broker/rabbit-source';
import { RedisSource } from '../../io/broker/redis-source';
import { SqsSource } from '../../io/broker/sqs-source';
import { amqplibFor, ioredisFor, sqsSdkFor } from './clients';
import { assertLeadsTo, type BrokerContext, rabbitOf, redisOf, sqsOf } from './servers';

/** Which messages are taken, and by whom. */
interface SourceRequest extends MessageSettings {
    readonly connection: Connection;
    /** The name under which a group of Redis keeps entries that were read and not acknowledged. */
    readonly consumer: string;
}

/** Connects to nothing yet. Throws CONNECTION_INVALID, SECRET_UNREADABLE and CLIENT_MISSING. */
export async function openMessageSource(request: SourceRequest, cx: BrokerContext): Promise<MessageSource> {
    const { connection, queueType, queueName, batchSize, maxWaitMs, deadLetterQueue } = request;
    assertLeadsTo(connection, { queueType, type: MESSAGE_QUEUES[queueType] });
    const settings = { queueName, batchSize, maxWaitMs, deadLetterQueue };
    const { signal } = cx;
    const { http, socket: sockets } = cx.outbound;
    switch (queueType) {
        case 'RABBITMQ': {
            const amqplib = await amqplibFor('MESSAGE');
            return new RabbitSource(
                rabbitOf(connection, cx),
                { ...settings, prefetch: request.prefetch },
                { amqplib, sockets, signal },
            );
        }
        case 'REDIS_STREAMS': {
            const ioredis = await ioredisFor('MESSAGE');
            const of = { ...settings, group: request.consumerGroup!, consumer: request.consumer };
            return new RedisSource(redisOf(connection, cx), of, { ioredis, sockets, signal });
        }
        case 'SQS':
            return new SqsSource(sqsOf(connection, cx), settings, { sdk: await sqsSdkFor('MESSAGE'), http, signal });
    }
}
