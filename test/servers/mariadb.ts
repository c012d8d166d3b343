import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import {
    findOnPath,
    freePort,
    IDLE_TRANSACTION_SEC,
    interruptible,
    type InterruptibleServer,
    launch,
    run,
    scratchFolder,
} from './process';
import type { ServerKind } from './server';

/** MariaDB. */
export const mariadb: ServerKind = {
    usual: ['mysql://root@127.0.0.1:3306/mysql'],
    probe,
    start: () => privateMariaDb(),
};

async function probe(url: string): Promise<void> {
    const connection = await createConnection({ uri: url, connectTimeout: 3000 });
    try {
        const [rows] = await connection.query('SELECT version() AS version');
        const { version } = (rows as Array<{ version: string }>)[0] ?? { version: '' };
        if (!version.includes('MariaDB')) throw new Error(`the server is version ${version}, not MariaDB`);
    } finally {
        await connection.end();
    }
}

/** Starts a MariaDB on a scratch port and folder, from the programs on the PATH. */
export async function privateMariaDb(idleTransactionSec = IDLE_TRANSACTION_SEC): Promise<InterruptibleServer> {
    const server = findOnPath('mariadbd');
    const installer = findOnPath('mariadb-install-db');
    if (!server || !installer) throw new Error('there is no mariadbd on the PATH');
    const folder = scratchFolder();
    const data = join(folder, 'data');
    const user = process.getuid?.() === 0 ? ['--user=root'] : [];
    await run({
        command: installer,
        folder,
        args: [
            '--no-defaults',
            `--datadir=${data}`,
            '--auth-root-authentication-method=normal',
            '--skip-test-db',
            ...user,
        ],
    });
    const port = await freePort();
    const url = `mysql://root@127.0.0.1:${port}/mysql`;
    const args = [
        '--no-defaults',
        `--datadir=${data}`,
        `--socket=${join(folder, 's.sock')}`,
        `--pid-file=${join(folder, 'pid')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-log-bin',
        `--idle-transaction-timeout=${idleTransactionSec}`,
        '--innodb-flush-log-at-trx-commit=0',
        ...user,
    ];
    return interruptible(url, () => launch({ command: server, args, folder }, () => probe(url)));
}
