import { needs } from '../test/servers/needs';
import { survivesKills } from './crash/survives-kills';

needs(['postgres', 'redis'], 'workers that die, on PostgreSQL with BullMQ', ({ redis }) =>
    survivesKills('bullmq', redis),
);
