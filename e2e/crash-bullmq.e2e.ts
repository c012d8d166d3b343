import { needs } from '../test/servers/needs';
import { workersThatDie } from './crash/crash-suite';

jest.setTimeout(600_000);

needs(['postgres', 'redis'], 'workers that die, on PostgreSQL with BullMQ', ({ redis }) => {
    workersThatDie({ queue: 'bullmq', redisUrl: redis, database: 'shared', kills: 2 });
});
