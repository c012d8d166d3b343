import type { Redis } from 'ioredis';
import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { inTime, openRedis, type RedisDeps, redisFailure, redisRejection, type RedisServer } from './redis-connection';
import { type MessageQueue, type QueueMessage, unacknowledged } from './message-queue';

interface Parts extends RedisDeps {
    readonly stream: string;
}

/**
 * Adds to a stream of Redis, many entries at once. Connects at the first use, and again when the connection is lost.
 */
export class RedisStream implements MessageQueue {
    private readonly host: string;
    private client: Redis | undefined;

    constructor(
        private readonly server: RedisServer,
        private readonly parts: Parts,
    ) {
        this.host = `${server.host}:${server.port}`;
    }

    async publish(messages: readonly QueueMessage[]): Promise<readonly Outcome[]> {
        const client = (this.client ??= await openRedis(this.server, this.parts, { asksInTime: true }));
        const pipeline = client.pipeline();
        let written: { readonly headers: QueueMessage['headers']; readonly text: string } | undefined;
        for (const { id, headers, payload } of messages) {
            // Those of a list are the same, mostly.
            if (written?.headers !== headers) written = { headers, text: JSON.stringify(headers) };
            pipeline.xadd(this.parts.stream, '*', 'id', id, 'payload', payload, 'headers', written.text);
        }
        let results: ReadonlyArray<readonly [Error | null, unknown]>;
        try {
            results = (await inTime(client, () => pipeline.exec())) ?? [];
        } catch (thrown) {
            this.drop();
            throw redisFailure(this.host, thrown);
        }
        if (client.status !== 'ready') this.drop();
        this.parts.signal.throwIfAborted();
        return messages.map((_, i) => this.outcomeOf(results[i]?.[0]));
    }

    private outcomeOf(error: Error | null | undefined): Outcome {
        if (error === null) return TAKEN;
        if (error === undefined) return unacknowledged(this.host, 'did not answer');
        // The key is of something else, or the user may not write it: that is about no message.
        if (/^(WRONGTYPE|NOPERM|NOAUTH|READONLY|ERR unknown command)/.test(error.message))
            throw redisRejection(this.host, error);
        return unacknowledged(this.host, `did not take a message: ${error.message}`, error);
    }

    private drop(): void {
        this.client?.disconnect();
        this.client = undefined;
    }
}
