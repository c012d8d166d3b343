import type { DataSource } from 'typeorm';
import type { Database } from '../../database/database';
import { RedisLeases } from '../../io/redis/redis-leases';
import type { FlowOptions } from '../options/options';
import { DatabaseLeases } from './database-leases';
import { type Leases, ProcessLeases } from './leases';

/** Opens the leases of leaders according to the option `locking`. Throws OPTION_INVALID if ioredis is required and not installed. */
export async function openLeases(
    { locking, redis }: Pick<FlowOptions, 'locking' | 'redis'>,
    dataSource: DataSource,
    database: Database,
): Promise<Leases> {
    if (locking === 'process') return new ProcessLeases();
    if (locking === 'database' || !redis) return new DatabaseLeases(dataSource, database);
    // Shops that share a Redis must not share their leaders.
    const { keyPrefix = `flow:${dataSource.driver.database ?? ''}` } = redis;
    return RedisLeases.open({ url: redis.url, keyPrefix });
}
