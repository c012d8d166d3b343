import type { DataSource } from 'typeorm';
import { flowError } from '../../core/errors/flow-error';
import type { Database } from './database';
import { PooledDatabase } from './pooled-database';
import { SqliteDatabase } from './sqlite-database';

const known = new WeakMap<DataSource, Database>();

/** The Database of a connected data source; one for each. Throws DATABASE_UNSUPPORTED for what Flow cannot work on. */
export function databaseOf(dataSource: DataSource): Database {
    let database = known.get(dataSource);
    if (!database) {
        database = open(dataSource);
        known.set(dataSource, database);
    }
    return database;
}

function open(dataSource: DataSource): Database {
    const { type } = dataSource.options;
    switch (type) {
        case 'postgres':
        case 'mysql':
        case 'mariadb':
            return new PooledDatabase(dataSource);
        case 'better-sqlite3':
            return new SqliteDatabase(dataSource);
        default:
            throw flowError('DATABASE_UNSUPPORTED', { type });
    }
}
