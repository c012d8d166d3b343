// The e2e and contract tests that run in each tier. `npm test` runs the tier `test`, `npm run test:release` the tier
// `release`: together they run every test once. A run of chosen paths (`npm run test:e2e -- e2e/lists`) runs all tests
// of a file. `test/tiers.spec.ts` checks the table.
import type { Database } from './config/databases';

export type Tier = 'test' | 'release';

/** The tier of a suite by the database that it runs on. */
export type TierByDatabase = Readonly<Partial<Record<Database, Tier>>>;

/** A file with tests of both tiers. */
export interface SplitFile {
    /** For each suite of the file. */
    readonly databases?: TierByDatabase;
    /** For single suites that share a shop, by their titles. */
    readonly suites?: Readonly<Record<string, TierByDatabase>>;
    /** Prefixes of the titles of tests that `npm test` runs. The others are in the tier `release`. */
    readonly tests?: readonly string[];
}

/** A part of a file. A property that is missing does not matter for the file. */
export interface TestPart {
    readonly database?: Database;
    readonly suite?: string;
    readonly test?: string;
}

/** Statements, stores, identity and migrations: each database in `npm test`. */
const EACH: TierByDatabase = { sqlite: 'test', postgres: 'test', mariadb: 'test' };
/** Everything else: PostgreSQL in `npm test`, the other databases before a release. */
const ONE: TierByDatabase = { sqlite: 'release', postgres: 'test', mariadb: 'release' };

/** Each file below `e2e` and `test/contract` with its tier, or with those of its parts. */
export const TIERS: Readonly<Record<string, Tier | SplitFile>> = {
    // Statements and stores.
    'e2e/leader-leases.e2e.ts': 'test',
    'e2e/migrations-uuid.e2e.ts': { databases: ONE },
    'e2e/migrations.e2e.ts': { databases: EACH },
    'e2e/sql-faults.e2e.ts': 'test',
    'e2e/sql-locks.e2e.ts': 'test',
    'e2e/sql.e2e.ts': 'test',
    'e2e/stores-uuid.e2e.ts': { databases: ONE },
    'e2e/stores.e2e.ts': { databases: EACH },

    // Suites that share a shop.
    'e2e/each-database-loads.e2e.ts': { databases: ONE },
    'e2e/each-database.e2e.ts': {
        databases: ONE,
        suites: {
            'a shop with Flow': EACH,
            'the identity of entities': EACH,
        },
    },
    'e2e/shared-authoring.e2e.ts': 'test',
    'e2e/shared-runs.e2e.ts': 'test',

    // Suites that need separate options.
    'e2e/authoring-atomic.e2e.ts': 'test',
    'e2e/canary.e2e.ts': 'test',
    'e2e/code-first.e2e.ts': 'test',
    'e2e/config-file.e2e.ts': 'test',
    'e2e/effects.e2e.ts': { databases: ONE },
    'e2e/export-equality.e2e.ts': 'test',
    'e2e/files.e2e.ts': 'test',
    'e2e/imports.e2e.ts': 'test',
    'e2e/lists.e2e.ts': { databases: ONE },
    'e2e/loaders-equality-mariadb.e2e.ts': 'release',
    'e2e/loaders-equality-postgres.e2e.ts': 'test',
    'e2e/loaders-equality.e2e.ts': 'release',
    'e2e/polling.e2e.ts': 'test',
    'e2e/quiet-and-bulk.e2e.ts': { databases: ONE },
    'e2e/registered-adapters.e2e.ts': 'test',
    'e2e/retention.e2e.ts': { databases: ONE },
    'e2e/reviews.e2e.ts': 'test',
    'e2e/roles.e2e.ts': 'test',
    'e2e/round-trip.e2e.ts': {
        tests: [
            '100 products',
            'products without translations',
            'products with separators',
            'files go to',
            'feeds of',
            'lines of orders',
            'stock of each',
        ],
    },
    'e2e/secret-destinations.e2e.ts': 'test',
    'e2e/secrets.e2e.ts': 'test',
    'e2e/side-by-side.e2e.ts': { databases: { postgres: 'test', mariadb: 'release' } },
    'e2e/starts.e2e.ts': 'test',
    'e2e/stored-files.e2e.ts': { databases: ONE },
    'e2e/webhooks.e2e.ts': { databases: { postgres: 'test', mariadb: 'release' } },

    // Pages in a browser.
    'e2e/dashboard-editor.e2e.ts': {
        tests: [
            'builds a pipeline of five steps from nothing to a run, by mouse',
            'connects, splices, deletes and undoes',
            'keeps unsaved changes',
            'lets two people edit one draft',
            'rejects pasted text',
            'is text, in both directions',
            'is reviewed, sent back',
            'is an outline on a phone',
            'creates a pipeline from a document in a file',
        ],
    },
    'e2e/dashboard-people.e2e.ts': {
        tests: [
            'watch a run in progress',
            'decide together',
            'correct all records of a cause at once',
            'see on the page of a product',
            'whose session ends while they work',
            'find a pipeline, and start it',
        ],
    },
    'e2e/dashboard-runs.e2e.ts': {
        tests: [
            'appears on the overview',
            'is shown for a failed run, with what to do',
            'is a failed import whose records are corrected',
            'is a gate that is approved',
            'is shown for a run by steps',
            'is what a dry run would change',
            'is only offered to users who may do it',
        ],
    },
    'e2e/dashboard.e2e.ts': {
        tests: [
            'are listed with their results',
            'are imported from a document',
            'are created, tested and used',
            'keep what a choice hides',
            'are uploaded, viewed and deleted',
            'exports what is chosen',
            'are created, show their address once',
            'see only what their roles let them',
            'see them in German, including plurals',
            'imports a German price list with at most 12 clicks',
            'says what is wrong with a file',
            'imports with the keyboard',
            'is kept when the page is reloaded',
        ],
    },

    // Processes that die: in `npm test` one kill for each class of place, one frozen worker and one outage.
    'e2e/crash-bullmq.e2e.ts': 'test',
    'e2e/crash-dry-run-bullmq.e2e.ts': 'release',
    'e2e/crash-dry-run.e2e.ts': 'release',
    'e2e/crash-mariadb.e2e.ts': 'release',
    'e2e/crash.e2e.ts': {
        tests: [
            // In the middle of a batch.
            'C2:',
            // After the COMMIT of a load.
            'K3:',
            // At the claim of a run.
            'a run at which three workers in a row stop without progress',
            // At a pause.
            'C11: a run whose worker is killed while it waits at a gate',
            // Between the outbox and the run of an event.
            'C10: an event',
            // A frozen worker.
            'K1: a worker that is frozen within a transaction',
            // An outage.
            'N4: a run whose database is away',
        ],
    },
    'e2e/cut-statements-mariadb.e2e.ts': 'release',
    'e2e/cut-statements.e2e.ts': 'release',

    // Tests that pack, install and start Flow as a user does.
    'e2e/demo.e2e.ts': 'release',
    'e2e/first-hour.e2e.ts': 'release',

    // Contracts of adapters.
    // Random records; `loaders.contract.ts` tries awkward values in each field.
    'test/contract/any-records.contract.ts': 'release',
    'test/contract/brokers.contract.ts': 'test',
    'test/contract/cdc.contract.ts': 'test',
    'test/contract/database-connections.contract.ts': 'test',
    'test/contract/database-types.contract.ts': 'test',
    'test/contract/databases.contract.ts': 'test',
    'test/contract/extractors.contract.ts': 'test',
    'test/contract/file-export.contract.ts': 'test',
    'test/contract/loaders.contract.ts': 'test',
    'test/contract/message-sources.contract.ts': 'test',
    'test/contract/missing-records.contract.ts': 'test',
    'test/contract/object-storage.contract.ts': 'test',
    'test/contract/remote-extractors.contract.ts': 'test',
    'test/contract/remote-files.contract.ts': 'test',
};

/** The tier of a part of a file, which is exactly one. */
export function tierOf(file: string, { database, suite, test }: TestPart = {}): Tier {
    const tiers = TIERS[file];
    if (tiers === undefined) throw new Error(`${file}: it has no tier. Add it to e2e/tiers.ts.`);
    if (typeof tiers === 'string') return tiers;
    const { databases, suites = {}, tests } = tiers;
    if (tests && test !== undefined) return tests.some(start => test.startsWith(start)) ? 'test' : 'release';
    const tier = database && ((suite !== undefined && suites[suite]) || databases)?.[database];
    if (!tier)
        throw new Error(`${file}: ${JSON.stringify({ database, suite, test })} has no tier. Add it to e2e/tiers.ts.`);
    return tier;
}

/** Whether a file has tests of a tier. */
export function hasTests(file: string, tier: Tier): boolean {
    const tiers = TIERS[file];
    if (tiers === undefined) throw new Error(`${file}: it has no tier. Add it to e2e/tiers.ts.`);
    if (typeof tiers === 'string') return tiers === tier;
    const { databases = {}, suites = {}, tests } = tiers;
    return tests !== undefined || [databases, ...Object.values(suites)].some(one => Object.values(one).includes(tier));
}

/** The files that have no tests of a tier. */
export function filesWithout(tier: Tier): readonly string[] {
    return Object.keys(TIERS).filter(file => !hasTests(file, tier));
}
