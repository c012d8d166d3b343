import { join, relative } from 'node:path';
import { isMissing, needs } from '../../test/servers/needs';
import { type TestPart, type Tier, tierOf } from '../tiers';
import type { Database } from './databases';

const ROOT = join(__dirname, '../..');
const isInTierOn = (database: Database): boolean => isInTier({ database });

/** For suites that depend on the database: stores, migrations, loads, effects, lists, retention. `e2e/tiers.ts` defines when each runs. */
export function onEachDatabase(title: string, suite: (database: Database) => void, isChosen = isInTierOn): void {
    if (isChosen('sqlite')) describe(`${title} on SQLite`, () => suite('sqlite'));
    onEachServer(title, suite, isChosen);
}

/** The same for suites in which several processes or connections work at the same time. */
export function onEachServer(
    title: string,
    suite: (database: 'postgres' | 'mariadb') => void,
    isChosen = isInTierOn,
): void {
    if (isChosen('postgres')) needs('postgres', `${title} on PostgreSQL`, () => suite('postgres'));
    if (isChosen('mariadb')) needs('mariadb', `${title} on MariaDB`, () => suite('mariadb'));
}

/** For all other suites: they run on PostgreSQL, or on SQLite if there is no PostgreSQL. */
export function onOneDatabase(title: string, suite: (database: Database) => void): void {
    if (isTheOne('sqlite')) describe(`${title} on SQLite`, () => suite('sqlite'));
    else needs('postgres', `${title} on PostgreSQL`, () => suite('postgres'));
}

/** Whether `onOneDatabase` chooses this database, for tests that depend on no database within a suite that runs on each. */
export function isTheOne(database: Database): boolean {
    const isWithoutPostgres = isMissing('postgres') && process.env.FLOW_TEST_REQUIRE !== 'all';
    return database === (isWithoutPostgres ? 'sqlite' : 'postgres');
}

/**
 * Whether this run executes a part of the test file: the parts of its tier, or all parts if it has no tier. SQLite replaces a missing
 * PostgreSQL.
 */
export function isInTier({ database, ...part }: TestPart): boolean {
    const tier = process.env.FLOW_TEST_TIER as Tier | undefined;
    if (!tier) return true;
    const file = relative(ROOT, expect.getState().testPath ?? '')
        .split('\\')
        .join('/');
    const declared = database === 'sqlite' && isTheOne('sqlite') ? 'postgres' : database;
    return tierOf(file, { ...part, ...(declared && { database: declared }) }) === tier;
}

/** `it` for single tests in files with tests of both tiers. */
export const itInTier = Object.assign(
    (title: string, test: jest.ProvidesCallback): void => {
        if (isInTier({ test: title })) it(title, test);
    },
    {
        each:
            <T>(cases: readonly T[]) =>
            (title: string, test: (one: T) => Promise<void>): void => {
                if (isInTier({ test: title })) it.each(cases)(title, test);
            },
    },
);
