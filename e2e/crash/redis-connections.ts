import type { INestApplication } from '@nestjs/common';
import { ConfigService } from '@vendure/core';
import type Redis from 'ioredis';

/**
 * The connections that Vendure's BullMQ plugin opens and never closes. They would keep the process of the tests alive.
 * Get them before the server is destroyed, and disconnect them after it.
 */
export function redisConnections(app: INestApplication): readonly Redis[] {
    const { jobQueueStrategy, jobBufferStorageStrategy } = app.get(ConfigService).jobQueueOptions;
    const { redisConnection, cancellationSub } = jobQueueStrategy as {
        redisConnection?: Redis;
        cancellationSub?: Redis;
    };
    const { redis } = jobBufferStorageStrategy as { redis?: Redis };
    return [redisConnection, cancellationSub, redis].filter(connection => connection !== undefined);
}
