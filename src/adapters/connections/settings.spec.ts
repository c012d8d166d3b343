import { naming } from '../../../test/kit/naming';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { connections } from '../index';

type TypeCode = (typeof connections)[number]['code'];

function check(code: TypeCode, settings: JsonObject): ReturnType<typeof parseWith> {
    return parseWith(connections.find(type => type.code === code)!.config, settings, 'settings');
}

/** A message that begins with the path of its field and names these values. */
const message = (path: string, ...named: ReadonlyArray<string | number>): unknown =>
    expect.stringMatching(naming(path, ...named));

function issues(code: TypeCode, settings: JsonObject): readonly string[] {
    const parsed = check(code, settings);
    return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
}

const KEY = { type: 'API_KEY', secretCode: 'key', headerName: 'X-Shop-Key' };

describe('settings of connections', () => {
    it.each<[TypeCode, JsonObject, JsonObject]>([
        ['HTTP', {}, { auth: { type: 'NONE' }, headers: {}, timeoutMs: 30_000 }],
        [
            'REST',
            {
                baseUrl: 'https://api.example.com:8443/v2/',
                auth: KEY,
                headers: { Accept: 'application/json', 'X-Tenant': 'b' },
                timeoutMs: 300_000,
            },
            { auth: KEY },
        ],
        [
            'GRAPHQL',
            { baseUrl: 'http://localhost/api', auth: { type: 'BASIC', username: 'shop', secretCode: 'pw' } },
            { timeoutMs: 30_000 },
        ],
        [
            'HTTP',
            { baseUrl: 'https://[::1]:3000', auth: { type: 'BASIC', usernameSecretCode: 'name', secretCode: 'pw' } },
            {},
        ],
        ['HTTP', { baseUrl: 'https://a.example', auth: { type: 'BEARER', secretCode: 'token' } }, {}],
        [
            'FTP',
            { host: '10.0.0.1', username: 'u', passwordSecretCode: 'pw' },
            { port: 21, secure: false, passiveMode: true, timeoutMs: 30_000 },
        ],
        [
            'SFTP',
            {
                host: 'sftp.example.com',
                username: 'u',
                privateKeySecretCode: 'k',
                passphraseSecretCode: 'p',
                hostKeyFingerprintSecretCode: 'f',
            },
            { port: 22 },
        ],
        ['SFTP', { host: 'sftp.example.com', hostKeyFingerprint: `SHA256:${'A'.repeat(43)}` }, { port: 22 }],
        [
            'OBJECT_STORAGE',
            {
                bucket: 'feeds',
                endpoint: 'http://minio:9000',
                accessKeyIdSecretCode: 'a',
                secretAccessKeySecretCode: 'b',
            },
            { region: 'us-east-1', forcePathStyle: false },
        ],
        [
            'POSTGRES',
            { host: 'db', database: 'erp', username: 'u', passwordSecretCode: 'p' },
            {
                ssl: { enabled: false, rejectUnauthorized: true },
                pool: { max: 10, idleTimeoutMs: 30_000 },
            },
        ],
        [
            'MYSQL',
            {
                connectionStringSecretCode: 'dsn',
                ssl: { enabled: true, caSecretCode: 'ca', certSecretCode: 'cert', keySecretCode: 'key' },
            },
            {},
        ],
        ['POSTGRES', { host: '10.0.0.1', ssl: { enabled: true, rejectUnauthorized: false } }, {}],
        ['SQLITE', { database: ':memory:' }, { database: ':memory:' }],
        ['BROKER', { host: 'mq', username: 'u', passwordSecretCode: 'p', port: 5671, ssl: true }, { vhost: '/' }],
        ['SQS', { region: 'eu-central-1' }, {}],
        ['REST', {}, { auth: { type: 'NONE' } }],
        ['GRAPHQL', {}, { auth: { type: 'NONE' } }],
        ['FTP', { host: 'ftp.example.com' }, {}],
        ['SFTP', { host: 'sftp.example.com' }, {}],
        ['OBJECT_STORAGE', {}, {}],
        ['POSTGRES', { host: 'db.example.com' }, {}],
        ['MYSQL', { host: 'db.example.com' }, {}],
        ['BROKER', { host: 'mq.example.com' }, {}],
        ['REDIS', { host: 'redis.example.com' }, {}],
        ['REDIS', { host: '::1', passwordSecretCode: 'p' }, { port: 6379, db: 0, ssl: false }],
    ])('%s %j fits', (code, settings, expected) => {
        const parsed = check(code, settings);
        expect(parsed.ok ? parsed.value : parsed.issues).toMatchObject(expected);
    });

    it.each<[TypeCode, JsonObject, readonly unknown[]]>([
        ['HTTP', { timeoutMs: 0 }, [message('settings.timeoutMs', 0, 1, 300_000)]],
        ['HTTP', { timeoutMs: 300_001 }, [message('settings.timeoutMs', 300_001, 1, 300_000)]],
        [
            'HTTP',
            { auth: { type: 'DIGEST' } },
            ['settings.auth.type is "DIGEST"; allowed: "NONE", "BASIC", "BEARER", "API_KEY", "OAUTH2"'],
        ],
        ['HTTP', { baseUrl: 'ftp://example.com' }, ['settings.baseUrl: has the scheme ftp; allowed: http, https']],
        [
            'HTTP',
            { baseUrl: '/relative' },
            ['settings.baseUrl: is not a URL; allowed: http://host or https://host, with an optional port and path'],
        ],
        ['HTTP', { baseUrl: 'https://user:pw@example.com' }, [message('settings.baseUrl', 'password')]],
        ['HTTP', { baseUrl: 'https://@example.com' }, [message('settings.baseUrl', 'password')]],
        ['HTTP', { baseUrl: 'https://example.com/#a' }, ['settings.baseUrl: has a fragment (#…), which is never sent']],
        [
            'HTTP',
            { baseUrl: 'https://example.com/?key=1' },
            [
                'settings.baseUrl: has a query (?…), which would be lost when a path is joined to it; give it where the path is given',
            ],
        ],
        ['HTTP', { baseUrl: 'https:example.com' }, ['settings.baseUrl: has no // after its scheme']],
        [
            'HTTP',
            { auth: { type: 'BEARER', secretCode: 'token' } },
            [
                'settings.baseUrl: is missing; with authentication (auth.type BEARER) it is required, since it says where the secret may go',
            ],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'BEARER' } },
            [message('settings.auth.secretCode', 'BEARER')],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'BASIC', secretCode: 'pw' } },
            ['settings.auth.username: is missing; BASIC needs username or usernameSecretCode'],
        ],
        [
            'HTTP',
            {
                baseUrl: 'https://a.example',
                auth: { type: 'BASIC', secretCode: 'pw', username: 'a', usernameSecretCode: 'b' },
            },
            ['settings.auth.usernameSecretCode: give either username or usernameSecretCode, not both'],
        ],
        [
            'REST',
            { baseUrl: 'https://a.example', auth: { type: 'OAUTH2', secretCode: 'key', clientId: 'shop' } },
            [
                'settings.auth.secretCode: is not used by the type OAUTH2; its secret is named by clientSecretCode',
                'settings.auth.tokenUrl: is missing; OAUTH2 needs it',
                'settings.auth.clientSecretCode: is missing; OAUTH2 needs it',
            ],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'BEARER', secretCode: 'key', scope: 'read' } },
            ['settings.auth.scope: belongs to the type OAUTH2; the type is BEARER'],
        ],
        [
            'HTTP',
            {
                auth: {
                    type: 'OAUTH2',
                    tokenUrl: 'https://user:c4nary@login.example/token',
                    clientId: 'shop',
                    clientSecretCode: 'key',
                },
            },
            [
                message('settings.auth.tokenUrl', 'password'),
                'settings.baseUrl: is missing; with authentication (auth.type OAUTH2) it is required, since it says where the secret may go',
            ],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'API_KEY', secretCode: 'key' } },
            ['settings.auth.headerName: is missing; API_KEY needs the name of a header'],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'API_KEY', secretCode: 'key', headerName: 'Host' } },
            ['settings.auth.headerName: says where a request goes or comes from, which a configuration may not change'],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: { type: 'BEARER', secretCode: 'key', headerName: 'X-Key' } },
            ['settings.auth.headerName: belongs to the type API_KEY; the type is BEARER'],
        ],
        [
            'HTTP',
            { auth: { secretCode: 'key' } },
            ['settings.auth.secretCode: is not used by the type NONE; choose a type or leave it out'],
        ],
        [
            'HTTP',
            { baseUrl: 'https://a.example', auth: KEY, headers: { 'x-shop-key': 'abc' } },
            ['settings.headers.x-shop-key: is the header that auth.headerName sets; leave it out here'],
        ],
        [
            'HTTP',
            { nonsense: 1, timeoutMs: 'x', auth: { type: 'BEARER' } },
            [
                message('settings.auth.secretCode', 'BEARER'),
                'settings.timeoutMs is "x"; allowed: a whole number, 1 to 300000',
                message('settings.nonsense', 'baseUrl', 'auth', 'headers', 'timeoutMs'),
                'settings.baseUrl: is missing; with authentication (auth.type BEARER) it is required, since it says where the secret may go',
            ],
        ],
        // Without a value in quotes, as there is none.
        ['FTP', {}, [expect.stringMatching(/^settings\.host [^"]+$/)]],
        [
            'FTP',
            { host: 'ftp://example.com' },
            [
                'settings.host is "ftp://example.com"; allowed: the name or the address of a server, without scheme, port, user name or path',
            ],
        ],
        [
            'FTP',
            { host: 'a:21' },
            [
                'settings.host is "a:21"; allowed: the name or the address of a server, without scheme, port, user name or path',
            ],
        ],
        [
            'FTP',
            { host: '999.1.1.1' },
            [
                'settings.host is "999.1.1.1"; allowed: the name or the address of a server, without scheme, port, user name or path',
            ],
        ],
        ['FTP', { host: 'a', port: 65_536 }, ['settings.port is 65536; allowed: 1 to 65535']],
        [
            'FTP',
            { host: 'a', passwordSecretCode: 'pw' },
            ['settings.username: is missing; a password needs a user name'],
        ],
        [
            'FTP',
            { host: 'a', password: 'c4nary' },
            [
                'settings.password is an unknown field; known: host, port, username, passwordSecretCode, secure, caSecretCode, passiveMode, timeoutMs',
            ],
        ],
        [
            'SFTP',
            { host: 'a', username: 'u', passphraseSecretCode: 'p' },
            ['settings.privateKeySecretCode: is missing; a passphrase needs the private key that it opens'],
        ],
        [
            'SFTP',
            { host: 'a', privateKeySecretCode: 'k' },
            ['settings.username: is missing; a password or private key needs a user name'],
        ],
        [
            'OBJECT_STORAGE',
            { accessKeyIdSecretCode: 'a' },
            ['settings.secretAccessKeySecretCode: is missing; accessKeyIdSecretCode requires it. Set both or neither'],
        ],
        [
            'SQS',
            { region: 'x', secretAccessKeySecretCode: 'a' },
            ['settings.accessKeyIdSecretCode: is missing; secretAccessKeySecretCode requires it. Set both or neither'],
        ],
        [
            'OBJECT_STORAGE',
            { bucket: 'a/b' },
            [
                'settings.bucket is "a/b"; allowed: 3 to 63 letters, digits, dots, hyphens and underscores, the first and last a letter or digit',
            ],
        ],
        ['POSTGRES', {}, ['settings.host: is missing; give host, or connectionStringSecretCode instead']],
        [
            'POSTGRES',
            { host: 'db', port: 5432, connectionStringSecretCode: 'dsn' },
            [
                'settings.host: is part of the connection string; use either connectionStringSecretCode or the fields of the server',
                'settings.port: is part of the connection string; use either connectionStringSecretCode or the fields of the server',
            ],
        ],
        [
            'MYSQL',
            { host: 'db', ssl: { enabled: true, certSecretCode: 'cert' } },
            ['settings.ssl.keySecretCode: is missing; certSecretCode needs it'],
        ],
        [
            'MYSQL',
            { host: 'db', ssl: { caSecretCode: 'ca' } },
            ['settings.ssl.caSecretCode: is of no use while enabled is false'],
        ],
        [
            'POSTGRES',
            { host: '10.0.0.1', ssl: { enabled: true } },
            [
                'settings.host: is an address; a certificate is verified against a host name, so name one or set ssl.rejectUnauthorized to false',
            ],
        ],
        ['POSTGRES', { host: 'db', pool: { max: 11 } }, ['settings.pool.max is 11; allowed: 1 to 10']],
        [
            'BROKER',
            { host: 'mq', username: 'u' },
            ['settings.passwordSecretCode: is missing; username requires it. Set both or neither'],
        ],
        ['REDIS', { host: 'r', db: -1 }, ['settings.db is -1; allowed: 0 to 65535']],
    ])('%s %j is rejected', (code, settings, expected) => {
        expect(issues(code, settings)).toEqual(expected);
    });
});

it("the types are those of the specification, and a file of the server's own is for the shop's code alone", () => {
    expect(connections.map(({ code }) => code)).toEqual([
        'HTTP',
        'REST',
        'GRAPHQL',
        'FTP',
        'SFTP',
        'OBJECT_STORAGE',
        'POSTGRES',
        'MYSQL',
        'SQLITE',
        'BROKER',
        'SQS',
        'REDIS',
    ]);
    expect(connections.filter(type => type.isCodeFirstOnly).map(({ code }) => code)).toEqual(['SQLITE']);
});

describe('static headers of a connection', () => {
    const problem = (name: string, value = 'a'): string | undefined =>
        issues('HTTP', { headers: { [name]: value } })[0];

    it.each([
        'Accept',
        'Accept-Language',
        'Content-Type',
        'User-Agent',
        'X-Tenant',
        'X-Request-Source',
        'If-Modified-Since',
        'X-Author',
        'X-Keyboard',
        'Idempotency-Key',
    ])('may be %s', name => {
        expect(problem(name)).toBeUndefined();
    });

    it.each([
        'Authorization',
        'authorization',
        'Proxy-Authorization',
        'X-Authorization',
        'X-Api-Key',
        'x-apikey',
        'Api-Key',
        'X-Auth-Token',
        'X-Amz-Security-Token',
        'X-Hub-Signature-256',
        'X-Flow-Signature',
        'Cookie',
        'Set-Cookie',
        'X-Client-Secret',
        'X-Password',
        'Ocp-Apim-Subscription-Key',
        'X-Session',
        'X-Access-Key',
        'Host',
        'X-Forwarded-Host',
        'X-Forwarded-For',
        'Forwarded',
        'Proxy-Connection',
        'Connection',
        'Keep-Alive',
        'TE',
        'Trailer',
        'Transfer-Encoding',
        'Upgrade',
        'Content-Length',
        'Expect',
        ':authority',
        'X-HTTP-Method-Override',
    ])('may not be %s', name => {
        expect(problem(name)).toMatch(new RegExp(`^settings\\.headers\\.${name}: `));
    });

    it.each([
        ['', 'a'],
        ['a b', 'a'],
        ['a\r\nHost', 'a'],
        ['ä', 'a'],
        ['X-A', 'a\r\nHost: b'],
        ['X-A', 'a\0'],
        ['X-A', '€'],
    ])('are text that a header can be: %j: %j is not', (name, value) => {
        expect(problem(name, value)).toBeDefined();
    });

    it('come once each, at most fifty', () => {
        expect(issues('HTTP', { headers: { Accept: 'a', accept: 'b' } })).toEqual([
            message('settings.headers.accept', 'case'),
        ]);
        const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, 'a']));
        expect(issues('HTTP', { headers: many })).toEqual([message('settings.headers', 51, 50)]);
    });
});
