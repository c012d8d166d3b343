import type { Dialect } from '../../platform/sql/dialect';
import { type Sql, raw } from '../../platform/sql/statement';

/**
 * Milliseconds since 1970 by the database's clock. Leases are measured by it alone: the clocks of workers differ, and a
 * session's time zone or a change to winter time must not end a lease.
 */
export function nowMs({ kind }: Dialect): Sql {
    switch (kind) {
        case 'postgres': return raw('(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint');
        case 'mysql': return raw("(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)");
        case 'sqlite': return raw("CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)");
    }
}

/** Now, for the columns that people read. As TypeORM would have it, but SQLite's with milliseconds. */
export function nowMoment({ kind, now }: Dialect): Sql {
    return kind === 'sqlite' ? raw("strftime('%Y-%m-%d %H:%M:%f', 'now')") : now;
}
