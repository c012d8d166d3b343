import type { Dialect } from '../../database/dialect';
import { type Sql, raw, sql } from '../../database/statement';

/**
 * Milliseconds since 1970 by the database's clock. Leases are measured by it alone: the clocks of workers differ, and a
 * session's time zone or a change to winter time must not end a lease.
 */
export function nowMs({ kind }: Dialect): Sql {
    switch (kind) {
        case 'postgres':
            return raw('(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint');
        case 'mysql':
            return raw("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)");
        case 'sqlite':
            return raw("CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)");
    }
}

/** The current time for columns that users see: as TypeORM writes it, but with milliseconds in SQLite. */
export function nowTimestamp({ kind, now }: Dialect): Sql {
    return kind === 'sqlite' ? raw("strftime('%Y-%m-%d %H:%M:%f', 'now')") : now;
}

/** Some seconds from now, for columns that users see. */
export function inSeconds({ kind }: Dialect, seconds: number): Sql {
    const count = raw(String(seconds));
    switch (kind) {
        case 'postgres':
            return sql`(LOCALTIMESTAMP + ${count} * INTERVAL '1 second')`;
        case 'mysql':
            return sql`(CURRENT_TIMESTAMP(6) + INTERVAL ${count} SECOND)`;
        case 'sqlite':
            return sql`strftime('%Y-%m-%d %H:%M:%f', 'now', '+${count} seconds')`;
    }
}

/** Some days ago, for comparisons with columns that users see. */
export function daysAgo({ kind }: Dialect, days: number): Sql {
    const count = raw(String(days));
    switch (kind) {
        case 'postgres':
            return sql`(LOCALTIMESTAMP - ${count} * INTERVAL '1 day')`;
        case 'mysql':
            return sql`(CURRENT_TIMESTAMP(6) - INTERVAL ${count} DAY)`;
        case 'sqlite':
            return sql`datetime('now', '-${count} days')`;
    }
}
