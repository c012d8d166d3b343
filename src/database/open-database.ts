import type { DataSource } from 'typeorm';
import { flowError } from '../core/errors/flow-error';
import type { Database } from './database';
import { limitsFor } from './limits';
import { PooledDatabase } from './pooled-database';
import { SqliteDatabase } from './sqlite-database';

const known = new WeakMap<DataSource, Database>();

/** The default lease of runs. */
const USUAL_LEASE_MS = 30_000;

/**
 * The Database of a connected data source; one for each, with the lease of the first caller. Stalled transactions end before a lease expires.
 * Throws DATABASE_UNSUPPORTED for an unsupported database.
 */
export function databaseOf(dataSource: DataSource, leaseMs = USUAL_LEASE_MS): Database {
    let database = known.get(dataSource);
    if (!database) {
        database = open(dataSource, leaseMs);
        known.set(dataSource, database);
    }
    return database;
}

function open(dataSource: DataSource, leaseMs: number): Database {
    const { type } = dataSource.options;
    switch (type) {
        case 'postgres':
        case 'mysql':
        case 'mariadb':
            return new PooledDatabase(dataSource, limitsFor(leaseMs));
        case 'better-sqlite3':
            return new SqliteDatabase(dataSource);
        default:
            throw flowError('DATABASE_UNSUPPORTED', { type });
    }
}
