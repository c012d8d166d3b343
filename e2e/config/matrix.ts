import { isMissing, needs } from '../../test/servers/needs';
import type { Database } from './databases';

/** For suites about what depends on the database: stores, migrations, loads, effects, lists, retention. */
export function onEachDatabase(title: string, suite: (database: Database) => void): void {
    describe(`${title} on SQLite`, () => suite('sqlite'));
    needs('postgres', `${title} on PostgreSQL`, () => suite('postgres'));
    needs('mariadb', `${title} on MariaDB`, () => suite('mariadb'));
}

/** For all others: on PostgreSQL; where there is none, on SQLite. */
export function onOneDatabase(title: string, suite: (database: Database) => void): void {
    if (isTheOne('sqlite')) describe(`${title} on SQLite`, () => suite('sqlite'));
    else needs('postgres', `${title} on PostgreSQL`, () => suite('postgres'));
}

/** Whether `onOneDatabase` takes this one, for what depends on no database within a suite that is run on each. */
export function isTheOne(database: Database): boolean {
    const isWithoutPostgres = isMissing('postgres') && process.env.FLOW_TEST_REQUIRE !== 'all';
    return database === (isWithoutPostgres ? 'sqlite' : 'postgres');
}
