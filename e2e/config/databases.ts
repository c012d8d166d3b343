import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
    cpSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    renameSync,
    rmSync,
    statSync,
    writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
    type DatabaseServer,
    mariadbDatabases,
    postgresDatabases,
    scratchName,
} from '../../test/servers/scratch-databases';
import { SERVER_FACTS } from '../../test/servers/server';
import { dumpOf, replay } from './mariadb-dump';
import type { PopulateOrder } from './populate';
import { scriptArguments } from './script-process';
import type { ShopName } from './shop';
import type { DatabaseConnection, ServerConnection } from './vendure-config';

/** The databases that the suites run on. */
export type Database = 'sqlite' | 'postgres' | 'mariadb';

/** The database of one suite. */
export interface ScratchDatabase {
    readonly connection: DatabaseConnection;
    drop(): Promise<void>;
}

const ROOT = join(__dirname, '../..');
const DATA = join(ROOT, '.test-data');
const BASES = join(DATA, 'bases');
let count = 0;

/** Copies the shop's template, which is created first if this version of it does not exist yet. */
export async function scratchDatabase(database: Database, shop: ShopName): Promise<ScratchDatabase> {
    if (database === 'sqlite') return sqlite(shop);
    return database === 'postgres' ? postgres(shop) : mariadb(shop);
}

async function sqlite(shop: ShopName): Promise<ScratchDatabase> {
    const base = join(BASES, `${keyOf(shop)}.sqlite`);
    await onceMade(
        base,
        () => existsSync(base),
        async () => {
            const unfinished = `${base}.${process.pid}`;
            rmSync(unfinished, { force: true });
            await populate({ shop, connection: { type: 'better-sqlite3', database: unfinished } });
            renameSync(unfinished, base);
        },
    );
    const file = join(DATA, `${scratchName(owner(), nextId())}.sqlite`);
    cpSync(base, file);
    return {
        connection: { type: 'better-sqlite3', database: file },
        drop: () => {
            for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
            return Promise.resolve();
        },
    };
}

async function postgres(shop: ShopName): Promise<ScratchDatabase> {
    const url = addressOf('postgres');
    const key = keyOf(shop);
    return withServer(await postgresDatabases(url), async server => {
        const existing = async () =>
            (await server.list()).find(name => name.startsWith('flow_test_') && name.endsWith(`_template_${key}`));
        await onceMade(
            join(BASES, `template-${key}`),
            async () => (await existing()) !== undefined,
            async () => {
                const unfinished = scratchName(owner(), nextId());
                await server.create(unfinished);
                await populate({ shop, connection: connectionTo(url, 'postgres', unfinished) });
                await server.rename(unfinished, scratchName('template', key));
            },
        );
        const name = scratchName(owner(), nextId());
        const made = await existing();
        if (made === undefined) throw new Error(`The template of the shop "${shop}" has been dropped meanwhile`);
        await server.create(name, made);
        return {
            connection: connectionTo(url, 'postgres', name),
            drop: () => dropFrom(postgresDatabases(url), name),
        };
    });
}

/** MariaDB cannot copy a database: the template is stored as SQL and executed again. */
async function mariadb(shop: ShopName): Promise<ScratchDatabase> {
    const url = addressOf('mariadb');
    const dump = join(BASES, `${keyOf(shop)}.mariadb.sql`);
    return withServer(await mariadbDatabases(url), async server => {
        const create = async (): Promise<string> => {
            const name = scratchName(owner(), nextId());
            await server.create(name);
            return name;
        };
        await onceMade(
            dump,
            () => existsSync(dump),
            async () => {
                const unfinished = await create();
                const connection = connectionTo(url, 'mariadb', unfinished);
                await populate({ shop, connection });
                writeFileSync(`${dump}.${process.pid}`, await dumpOf(connection));
                renameSync(`${dump}.${process.pid}`, dump);
                await server.drop(unfinished);
            },
        );
        const name = await create();
        const connection = connectionTo(url, 'mariadb', name);
        await replay(readFileSync(dump, 'utf8'), connection);
        return { connection, drop: () => dropFrom(mariadbDatabases(url), name) };
    });
}

async function withServer<T>(server: DatabaseServer, work: (server: DatabaseServer) => Promise<T>): Promise<T> {
    return work(server).finally(() => server.close());
}

async function dropFrom(opening: Promise<DatabaseServer>, name: string): Promise<void> {
    await withServer(await opening, server => server.drop(name));
}

function addressOf(server: 'postgres' | 'mariadb'): string {
    const { variable, title } = SERVER_FACTS[server];
    const url = process.env[variable];
    if (!url) throw new Error(`${variable} is not set: ask for ${title} with needs('${server}', …)`);
    return url;
}

function connectionTo<T extends 'postgres' | 'mariadb'>(
    server: string,
    type: T,
    database: string,
): ServerConnection<T> {
    const url = new URL(server);
    url.pathname = `/${database}`;
    return { type, url: url.href, database };
}

/**
 * The name of the template: its shop and everything that changes it, that is, the versions of Vendure and TypeORM and the files that
 * describe it.
 */
function keyOf(shop: ShopName): string {
    const hash = createHash('sha256');
    const own = [
        'initial-data.ts',
        'populate.ts',
        'flow-tables.ts',
        'suite-channels.ts',
        'vendure-config.ts',
        'shop.ts',
        'mariadb-dump.ts',
    ];
    const migrations = join(ROOT, 'migrations');
    const sources = [
        ...[`shops/${shop}.ts`, ...own].map(file => join(__dirname, file)),
        ...readdirSync(migrations).map(file => join(migrations, file)),
        join(ROOT, 'src/plugin/tables.ts'),
        ...['@vendure/core', 'typeorm'].map(name => join(ROOT, 'node_modules', name, 'package.json')),
    ];
    for (const file of sources) hash.update(readFileSync(file));
    return `${shop}_${hash.digest('hex').slice(0, 12)}`;
}

/** Lets one of the workers create something while the others wait for it. */
async function onceMade(
    thing: string,
    isMade: () => boolean | Promise<boolean>,
    make: () => Promise<void>,
): Promise<void> {
    const lock = `${thing}.lock`;
    mkdirSync(BASES, { recursive: true });
    while (!(await isMade())) {
        if (!takeLock(lock)) {
            await sleep(100);
            continue;
        }
        try {
            if (!(await isMade())) await make();
        } finally {
            rmSync(lock, { recursive: true, force: true });
        }
    }
}

/** Only one process creates the folder. A lock that is older than any preparation takes belongs to a process that was killed. */
function takeLock(lock: string): boolean {
    const PATIENCE_MS = 120_000;
    try {
        if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > PATIENCE_MS)
            rmSync(lock, { recursive: true, force: true });
        mkdirSync(lock);
        return true;
    } catch {
        return false; // Another worker has it, or released it between the two checks: the caller checks again.
    }
}

async function populate(order: PopulateOrder): Promise<void> {
    const args = scriptArguments(join(__dirname, 'populate.ts'), order);
    const child = spawn(process.execPath, args, {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_OPTIONS: '', VENDURE_DISABLE_TELEMETRY: 'true' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
        stream.on('data', chunk => {
            output = (output + chunk).slice(-8000);
        });
    const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`The shop "${order.shop}" could not be populated (exit code ${code}):\n${output}`);
}

/** The test run, so that its end finds what a suite has left. Without a run, each worker counts as one. */
function owner(): string {
    return process.env.FLOW_TEST_RUN ?? String(process.pid);
}

/** One run has several workers, and each test file starts to count from zero. */
function nextId(): string {
    count += 1;
    return `${process.pid}x${Date.now().toString(36)}x${count}`;
}
