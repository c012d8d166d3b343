import { connect, createServer, type Server } from 'node:net';
import { TLSSocket } from 'node:tls';
import { mysqlConnection, postgresConnection, sqliteConnection } from '../../src/adapters/connections/database';
import type { ConnectionType } from '../../src/core/adapter/connection';
import type { JsonObject } from '../../src/core/value/json';
import { parseWith } from '../../src/core/schema/issues';
import { SELF_SIGNED } from '../fixtures/self-signed';
import { mariadbSource, postgresSource, sourceContext, type SourceDatabase } from '../kit/source-database';
import { needs } from '../servers/needs';

async function tried(
    type: ConnectionType,
    settings: JsonObject,
    secrets: Record<string, string> = {},
): Promise<string> {
    const parsed = parseWith(type.config, settings);
    if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('; '));
    const { outbound, secrets: opened } = sourceContext(secrets);
    const cx = { outbound: outbound!, secrets: opened!, timeoutMs: 3_000, signal: AbortSignal.timeout(20_000) };
    const connection = { code: 'tried', type: type.code, settings: parsed.value as JsonObject };
    return String(await type.tryOut!(connection, cx));
}

function connecting(type: ConnectionType, make: () => Promise<SourceDatabase>): void {
    let source: SourceDatabase;
    let settings: JsonObject;
    let deaf: Server;
    beforeAll(async () => {
        source = await make();
        const { databaseType: _type, ...server } = source.step;
        settings = server;
        deaf = createServer(() => undefined);
        await new Promise<void>(resolve => deaf.listen(0, '127.0.0.1', resolve));
    });
    afterAll(async () => {
        deaf?.close();
        await source?.drop();
    });
    const deafPort = (): number => (deaf.address() as { port: number }).port;
    const scheme = type.code === 'POSTGRES' ? 'postgres' : 'mysql';

    it('that works names the server that answers', async () => {
        expect(await tried(type, settings)).toMatch(/^(PostgreSQL|MariaDB) [\d.]+ .*\.$/);
    });

    it('may leave the database to its steps', async () => {
        const { database: _database, ...others } = settings;
        expect(await tried(type, others as JsonObject)).toMatch(/^(PostgreSQL|MariaDB)/);
    });

    it('may be one text, whose password is decoded', async () => {
        const { host, port, database, username } = settings as Record<string, string>;
        const dsn = `${scheme}://${username}:r3ader%20pw@${host}:${port}/${database}`;
        expect(await tried(type, { connectionStringSecretCode: 'dsn' }, { dsn })).toMatch(/^(PostgreSQL|MariaDB)/);
    });

    it.each<[string, (all: JsonObject) => JsonObject, string, string]>([
        [
            'an unknown host name',
            all => ({ ...all, host: 'nobody.invalid' }),
            'REMOTE_REFUSED',
            'is an unknown host name',
        ],
        ['a port without a server', all => ({ ...all, port: 1_029 }), 'REMOTE_BUSY', 'rejects connections'],
        [
            'a server that never answers',
            all => ({ ...all, port: deafPort() }),
            'OUTBOUND_TIMEOUT',
            // A MySQL server speaks first.
            type.code === 'POSTGRES' ? 'did not let anybody in' : 'no greeting',
        ],
        ['a host that is not allowed', all => ({ ...all, host: '127.0.0.2' }), 'OUTBOUND_BLOCKED', '127.0.0.2'],
        [
            'an unknown user',
            all => ({ ...all, username: 'nobody-at-all' }),
            'REMOTE_REFUSED',
            'the user name or the password',
        ],
        [
            'an unknown database',
            all => ({ ...all, database: 'nothing_of_this_name' }),
            'REMOTE_REFUSED',
            'nothing_of_this_name',
        ],
        [
            'a server without TLS',
            all => ({ ...all, host: 'localhost', ssl: { enabled: true } }),
            'REMOTE_REFUSED',
            'ssl.enabled',
        ],
    ])('with %s says so', async (_, change, code, words) => {
        const rejected = await tried(type, change(settings)).catch(
            (error: unknown) => error as { code: string; message: string },
        );
        if (typeof rejected === 'string') throw new Error(rejected);
        // A server that accepts everyone has no wrong user, and one with its own certificate is not trusted.
        if (words === 'ssl.enabled' && rejected.message.includes('certificate')) return;
        expect(rejected).toMatchObject({ code });
        expect(rejected.message).toContain(words);
        expect(rejected.message).not.toContain('r3ader');
    });

    it.each([
        ['a host too many', 'scheme://u:p@a,b/db'],
        ['a query', 'scheme://u:p@127.0.0.1/db?host=/tmp'],
        ['an empty query', 'scheme://u:p@127.0.0.1/db?'],
        ['a fragment', 'scheme://u:p@127.0.0.1/db#x'],
        ['a socket', 'scheme://u:p@%2Fvar%2Frun/db'],
        ['no host', 'scheme:///db'],
        ['no database', 'scheme://u:p@127.0.0.1'],
        ['two databases', 'scheme://u:p@127.0.0.1/a/b'],
        ['words and values', 'host=127.0.0.1 dbname=x'],
        ['another scheme', 'http://u:p@127.0.0.1/db'],
        ['a broken escape', 'scheme://u:p%zz@127.0.0.1/db'],
        ['a line end in it', 'scheme://u:p\nw@127.0.0.1/db'],
    ])('rejects a text with %s, and does not repeat it', async (_, text) => {
        const dsn = text.replace('scheme', scheme);
        const work = tried(type, { connectionStringSecretCode: 'dsn' }, { dsn });
        await expect(work).rejects.toMatchObject({
            code: 'SECRET_UNREADABLE',
            message: expect.not.stringContaining('u:p'),
        });
    });
}

needs('postgres', 'a connection to PostgreSQL', ({ postgres }) =>
    connecting(postgresConnection, () => postgresSource(postgres)),
);
needs('mariadb', 'a connection to MariaDB', ({ mariadb }) => connecting(mysqlConnection, () => mariadbSource(mariadb)));

needs('postgres', 'TLS to PostgreSQL', ({ postgres }) => {
    let source: SourceDatabase;
    const servers: Server[] = [];
    beforeAll(async () => {
        source = await postgresSource(postgres);
    });
    afterAll(async () => {
        for (const server of servers) server.close();
        await source?.drop();
    });

    /** A server in front of the real one that speaks TLS in its place. It sends `answer` to every client that requests TLS. */
    async function proxy(answer: string): Promise<JsonObject> {
        const { host, port } = source.target;
        const server = createServer(plain => {
            plain
                .on('error', () => undefined)
                .once('data', () => {
                    plain.write(answer);
                    if (answer !== 'S') return;
                    const secured = new TLSSocket(plain, { isServer: true, ...SELF_SIGNED });
                    const after = connect(port, host);
                    secured.on('error', () => after.destroy()).pipe(after);
                    after.on('error', () => secured.destroy()).pipe(secured);
                });
        });
        servers.push(server);
        await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
        const { databaseType: _type, ...settings } = source.step;
        return { ...settings, host: 'svc.test', port: (server.address() as { port: number }).port };
    }
    const ca = { ca: SELF_SIGNED.cert };
    const trusting = { enabled: true, caSecretCode: 'ca' };

    it('trusts the authority of a secret, for the name in its certificate', async () => {
        const settings = await proxy('S');
        expect(await tried(postgresConnection, { ...settings, ssl: trusting }, ca)).toContain('PostgreSQL');
        for (const rejected of [{ ssl: { enabled: true } }, { host: 'other.test', ssl: trusting }] as JsonObject[])
            await expect(tried(postgresConnection, { ...settings, ...rejected }, ca)).rejects.toMatchObject({
                code: 'REMOTE_REFUSED',
            });
        const any = { host: '127.0.0.1', ssl: { enabled: true, rejectUnauthorized: false } };
        expect(await tried(postgresConnection, { ...settings, ...any })).toContain('PostgreSQL');
    });

    it('is not used with a server that does not support it, nor with one that says more than that it does', async () => {
        for (const answer of ['N', 'SX', 'E'])
            await expect(
                tried(postgresConnection, { ...(await proxy(answer)), ssl: trusting }, ca),
            ).rejects.toMatchObject({ code: 'REMOTE_REFUSED' });
    });

    it('needs a name to verify, also if a secret names the host', async () => {
        const dsn = `postgres://${source.target.user}:x@127.0.0.1:${source.target.port}/x`;
        const work = tried(postgresConnection, { connectionStringSecretCode: 'dsn', ssl: trusting }, { ...ca, dsn });
        await expect(work).rejects.toMatchObject({ code: 'CONNECTION_INVALID' });
    });
});

describe('a connection to SQLite', () => {
    it('names the version that answers, or reports that the file does not exist', async () => {
        expect(await tried(sqliteConnection, { database: ':memory:' })).toContain('SQLite');
        await expect(tried(sqliteConnection, { database: '/nowhere/at/all.db' })).rejects.toMatchObject({
            code: 'QUERY_FAILED',
        });
    });
});
