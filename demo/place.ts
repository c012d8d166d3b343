import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { type DemoPlace, demoFolder } from './config';

const FIRST_PORT = 3000;
const PORTS_TO_TRY = 50;

/** The first free port from 3000 (or from `desired`), and an empty file for the database of that port. */
export async function findPlace(desired = FIRST_PORT): Promise<DemoPlace> {
    for (let port = desired; port < desired + PORTS_TO_TRY; port++) {
        if (!(await isFree(port))) continue;
        mkdirSync(demoFolder, { recursive: true });
        // The port is free again, so the process that created this file has ended and its database is not needed.
        const databaseFile = path.join(demoFolder, `shop-${port}.sqlite`);
        for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(databaseFile + suffix, { force: true });
        rmSync(`${databaseFile}-files`, { recursive: true, force: true });
        return { port, databaseFile };
    }
    throw new Error(`No free port between ${desired} and ${desired + PORTS_TO_TRY - 1}; give another with --port.`);
}

function isFree(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const probe = createServer();
        probe.once('error', () => resolve(false));
        probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
}
