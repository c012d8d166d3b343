import { needs } from '../test/servers/needs';
import { dryRunsOfManySlices } from './crash/crash-suite';

jest.setTimeout(600_000);

needs(['postgres', 'redis'], 'dry runs of many slices, on PostgreSQL with BullMQ', ({ redis }) => {
    dryRunsOfManySlices({ queue: 'bullmq', redisUrl: redis });
});
