import type { INestApplication } from '@nestjs/common';
import { ConfigService } from '@vendure/core';
import type Redis from 'ioredis';

/**
 * The connections that Vendure's BullMQ plugin opens and never closes; they would keep the process of the tests alive. To be asked
 * for before the server is destroyed, and disconnected after it.
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
