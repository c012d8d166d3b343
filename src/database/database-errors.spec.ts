import BetterSqlite from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { createServer as createMysqlServer, createPool as createMysqlPool, type Connection } from 'mysql2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import * as typeorm from 'typeorm';
import { flowError } from '../core/errors/flow-error';
import { driverErrors } from '../../test/kit/driver-errors';
import { MYSQL_ERRORS } from './error-table';
import { databaseError, isLockTimeout, lockTimeout, withDatabaseErrors } from './database-errors';

const issue = (message: string, more: object = {}) => databaseError(Object.assign(new Error(message), more)).code;
const KINDS = { DATABASE_LOST: 'lost', DATABASE_BUSY: 'busy', RECORD_REFUSED: 'record', DATABASE_REFUSED: 'refused' };
const kindOf = (error: unknown) => KINDS[databaseError(error).code as keyof typeof KINDS];

describe('what a driver throws', () => {
    it.each([
        ['a rejected connection', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' }],
        ['pg without a connection', 'Connection terminated unexpectedly', {}],
        ['a PostgreSQL that shuts down', 'terminating connection', { code: '57P01' }],
        ['a PostgreSQL with too many clients', 'sorry, too many clients', { code: '53300' }],
        ['a PostgreSQL that has waited too long for the next statement', 'terminating connection', { code: '25P03' }],
        ['a PostgreSQL whose transaction took too long', 'terminating connection', { code: '25P04' }],
        ['mysql2 without a connection', "Can't add new command when connection is in closed state", {}],
        ['a killed MariaDB connection', 'Connection was killed', { code: 'ER_CONNECTION_KILLED', errno: 1927 }],
        ['a MySQL that has waited too long for the next statement', 'The client was disconnected', { errno: 4031 }],
        ['a full disk under SQLite', 'database or disk is full', { code: 'SQLITE_FULL' }],
    ])('means that the database is lost: %s', (_, message, more) => expect(issue(message, more)).toBe('DATABASE_LOST'));

    it.each([
        ['PostgreSQL, deadlock', { code: '40P01' }],
        ['PostgreSQL, serialization', { code: '40001' }],
        ['PostgreSQL, lock timeout', { code: '55P03' }],
        ['MariaDB, deadlock', { code: 'ER_LOCK_DEADLOCK', errno: 1213 }],
        ['MariaDB, lock timeout', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205 }],
        ['SQLite', { code: 'SQLITE_BUSY' }],
    ])('means that the database is busy: %s', (_, more) => expect(issue('x', more)).toBe('DATABASE_BUSY'));

    it.each([
        ['PostgreSQL, duplicate key', { code: '23505' }],
        ['PostgreSQL, number out of range', { code: '22003' }],
        ['MariaDB, duplicate key', { code: 'ER_DUP_ENTRY', errno: 1062 }],
        ['MariaDB, too long', { code: 'ER_DATA_TOO_LONG', errno: 1406 }],
        ['SQLite, constraint', { code: 'SQLITE_CONSTRAINT_UNIQUE' }],
    ])('means that a record is rejected: %s', (_, more) => expect(issue('x', more)).toBe('RECORD_REFUSED'));

    it('means that the statement or its rights must be corrected, for any other error', () => {
        expect(issue('relation does not exist', { code: '42P01' })).toBe('DATABASE_REFUSED');
        expect(issue('no such table', { code: 'SQLITE_ERROR' })).toBe('DATABASE_REFUSED');
    });

    it("is not misread for what a record's value says", () => {
        const message = `Duplicate entry 'Connection terminated' for key 'slug'`;
        expect(issue(message, { code: 'ER_DUP_ENTRY', errno: 1062 })).toBe('RECORD_REFUSED');
    });

    it('says its code where it says nothing else', () => {
        const error = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
        expect(databaseError(error).message).toContain('ECONNREFUSED');
    });

    it('distinguishes a lock timeout from other reasons for which a database is busy', () => {
        const timeouts = [{ code: '55P03' }, { errno: 1205 }].map(more => Object.assign(new Error('x'), more));
        expect(timeouts.map(error => isLockTimeout(databaseError(error)))).toEqual([true, true]);
        expect(isLockTimeout(lockTimeout('x'))).toBe(true);
        expect(isLockTimeout(databaseError(Object.assign(new Error('x'), { code: '40P01' })))).toBe(false);
    });

    it("stays what it is when it is Flow's own error, or a mistake in the code", () => {
        const own = flowError('RUN_CANCELLED', {});
        expect(databaseError(own)).toBe(own);
        expect(() => databaseError(new TypeError('x is not a function'))).toThrow(TypeError);
    });
});

/** Each text of the installed drivers, and what it means; where a new version says something new, it is put down here. */
type Sorted = Readonly<Record<string, Readonly<Record<string, string>>>>;
const sorted = JSON.parse(readFileSync(join(__dirname, '../../test/golden/driver-errors.json'), 'utf8')) as Sorted;

describe('the table of errors, compared with the installed drivers', () => {
    it.each(Object.entries(driverErrors()))('has sorted everything that %s says by itself', (name, texts) => {
        const found = Object.fromEntries(texts.map(text => [text, kindOf(new Error(text))]));
        expect(found).toEqual(sorted[name]);
    });

    it("has sorted the errors of TypeORM, all of which are a class's", () => {
        const exported = Object.entries(typeorm as unknown as Record<string, { readonly prototype: object }>);
        const classes = exported.filter(([name]) => name.endsWith('Error'));
        const found = Object.fromEntries(
            classes.map(([name, { prototype }]) => {
                const error = Object.create(prototype, { message: { value: 'x' } }) as Error;
                return [name, kindOf(error)];
            }),
        );
        expect(found).toEqual(sorted['typeorm']);
    });

    it("calls the numbers of MySQL what mysql2 calls them, but for the client's and MariaDB's own", () => {
        const known = jest.requireActual<Record<string, number>>(
            join(__dirname, '../../node_modules/mysql2/lib/constants/errors.js'),
        );
        for (const [name, [errno]] of Object.entries(MYSQL_ERRORS))
            if (!/^(M_|CR_)/.test(name)) expect([name, known[name]]).toEqual([name, errno]);
    });
});

/** PostgreSQL's protocol as far as pg needs it to be connected; then what a test wants. */
async function postgresThat(then: (socket: Socket, turn: number) => void): Promise<Server & { port: number }> {
    const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
    const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
    const server = createServer(socket => {
        let turn = 0;
        socket.on('error', () => undefined);
        socket.on('data', () => {
            if (turn++ === 0) socket.write(Buffer.concat([AUTHENTICATED, READY]));
            else then(socket, turn);
        });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
        () => undefined,
        (error: unknown) => error,
    );

function thrownNow(work: () => unknown): unknown {
    try {
        return work();
    } catch (error) {
        return error;
    }
}

describe('connections that break, with the installed drivers', () => {
    const ended: Array<() => void> = [];
    afterEach(() => {
        for (const end of ended.splice(0)) end();
    });

    async function pgTo(then: (socket: Socket) => void): Promise<Client> {
        const server = await postgresThat(then);
        ended.push(() => server.close());
        const client = new Client({ host: '127.0.0.1', port: server.port, user: 'x', query_timeout: 500 });
        client.on('error', () => undefined);
        await client.connect();
        return client;
    }

    it('are lost when pg is cut off in the middle of a statement, and for each statement after it', async () => {
        const client = await pgTo(socket => socket.destroy());
        expect(kindOf(await thrownBy(client.query('SELECT 1')))).toBe('lost');
        expect(kindOf(await thrownBy(client.query('SELECT 1')))).toBe('lost');
        const closed = await pgTo(socket => socket.end());
        await closed.end();
        expect(kindOf(await thrownBy(closed.query('SELECT 1')))).toBe('lost');
    });

    it('are lost when pg has no answer within the time that the shop has set', async () => {
        const client = await pgTo(() => undefined);
        expect(kindOf(await thrownBy(client.query('SELECT 1')))).toBe('lost');
        await client.end();
    });

    it("are lost when pg's pool gets none, or is closed", async () => {
        const server = createServer(() => undefined);
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const { port } = server.address() as AddressInfo;
        const pool = new Pool({ host: '127.0.0.1', port, user: 'x', connectionTimeoutMillis: 50, max: 1 });
        const both = await Promise.all([thrownBy(pool.connect()), thrownBy(pool.connect())]);
        expect(both.map(kindOf)).toEqual(['lost', 'lost']);
        await pool.end();
        expect(kindOf(await thrownBy(pool.connect()))).toBe('lost');
        server.close();
        expect(kindOf(await thrownBy(new Client({ host: '127.0.0.1', port, user: 'x' }).connect()))).toBe('lost');
    });

    it('are lost when SQLite is closed', () => {
        const database = new BetterSqlite(':memory:');
        const statement = database.prepare('SELECT 1');
        database.close();
        const thrown = [() => statement.all(), () => database.exec('SELECT 1')].map(work => thrownNow(work));
        expect(thrown.map(kindOf)).toEqual(['lost', 'lost']);
    });

    it('are lost when mysql2 is cut off in the middle of a statement, for each statement after it, and when its pool is closed', async () => {
        // It says so of this server, which counts its packets badly.
        const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
        ended.push(() => said.mockRestore());
        const server = createMysqlServer(() => undefined);
        server.on('connection', (connection: Connection & { serverHandshake(args: object): void; stream: Socket }) => {
            connection.serverHandshake({
                protocolVersion: 10,
                serverVersion: '8.0.0',
                connectionId: 1,
                statusFlags: 2,
                characterSet: 8,
                capabilityFlags: 0xff_ffff,
            });
            connection.on('error', () => undefined);
            connection.on('query', () => connection.stream.destroy());
        });
        await new Promise<void>(resolve => (server as unknown as Server).listen(0, '127.0.0.1', resolve));
        const { port } = (server as unknown as { _server: Server })._server.address() as AddressInfo;
        const pool = createMysqlPool({ host: '127.0.0.1', port, user: 'x' });
        const connection = await pool.promise().getConnection();
        expect(kindOf(await thrownBy(connection.query('SELECT 1')))).toBe('lost');
        expect(kindOf(await thrownBy(connection.query('SELECT 1')))).toBe('lost');
        await pool.promise().end();
        expect(kindOf(await thrownBy(pool.promise().getConnection()))).toBe('lost');
        await new Promise<void>(resolve => (server as unknown as Server).close(() => resolve()));
        expect(kindOf(await thrownBy(createMysqlPool({ host: '127.0.0.1', port }).promise().getConnection()))).toBe(
            'lost',
        );
    });
});

describe('work that reads through TypeORM or a service of Vendure', () => {
    const failing = (error: Error) =>
        withDatabaseErrors(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

    it('fails with a FlowError for an error of the database, wrapped by TypeORM or not', async () => {
        const lost = new Error('Connection terminated unexpectedly');
        expect(await failing(lost)).toMatchObject({ code: 'DATABASE_LOST' });
        expect(await failing(new typeorm.QueryFailedError('SELECT 1', [], lost))).toMatchObject({
            code: 'DATABASE_LOST',
        });
        const rejected = Object.assign(new Error('relation does not exist'), { code: '42P01' });
        expect(await failing(new typeorm.QueryFailedError('SELECT 1', [], rejected))).toMatchObject({
            code: 'DATABASE_REFUSED',
        });
    });

    it('fails with any other error unchanged', async () => {
        for (const error of [
            new Error('no such channel'),
            new TypeError('x is undefined'),
            Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', path: '/assets/a.png' }),
            Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', name: 'AxiosError' }),
            flowError('ACTOR_GONE', { who: 'user 1' }),
        ])
            expect(await failing(error)).toBe(error);
    });
});
