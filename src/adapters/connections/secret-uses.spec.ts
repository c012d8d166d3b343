import { referencesOf } from '../../core/schema/references';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { connections } from '../index';

const usesOf = (code: string, given: JsonObject) => {
    const type = connections.find(one => one.code === code)!;
    const settings = type.config.parse(given);
    return type.secretUses!(settings, () => undefined).map(
        ({ field, secretCode, host, port }) => `${field}: ${secretCode} → ${host}:${port}`,
    );
};

describe('secrets of a connection are sent', () => {
    it.each<[string, JsonObject, string[]]>([
        [
            'REST',
            { baseUrl: 'https://erp.example.com/api', auth: { type: 'BEARER', secretCode: 'token' } },
            ['auth.secretCode: token → erp.example.com:443'],
        ],
        [
            'HTTP',
            {
                baseUrl: 'http://erp.example.com:8080',
                auth: { type: 'BASIC', usernameSecretCode: 'user', secretCode: 'password' },
            },
            [
                'auth.secretCode: password → erp.example.com:8080',
                'auth.usernameSecretCode: user → erp.example.com:8080',
            ],
        ],
        [
            'GRAPHQL',
            {
                baseUrl: 'https://api.example.com/graphql',
                auth: {
                    type: 'OAUTH2',
                    tokenUrl: 'https://login.example.com/t',
                    clientId: 'a',
                    clientSecretCode: 'client',
                },
            },
            [
                'auth.clientSecretCode: client → login.example.com:443',
                'auth.clientSecretCode: client → api.example.com:443',
            ],
        ],
        [
            'BROKER',
            { host: 'mq.example.com', username: 'shop', passwordSecretCode: 'mq', ssl: true },
            ['passwordSecretCode: mq → mq.example.com:5671', 'passwordSecretCode: mq → mq.example.com:15671'],
        ],
        ['REDIS', { host: '::1', passwordSecretCode: 'r' }, ['passwordSecretCode: r → ::1:6379']],
        [
            'FTP',
            { host: 'ftp.example.com', username: 'shop', passwordSecretCode: 'p', secure: true, caSecretCode: 'ca' },
            ['passwordSecretCode: p → ftp.example.com:21', 'caSecretCode: ca → ftp.example.com:21'],
        ],
        [
            'SFTP',
            {
                host: 'sftp.example.com',
                port: 2222,
                username: 'shop',
                privateKeySecretCode: 'key',
                passphraseSecretCode: 'phrase',
                hostKeyFingerprintSecretCode: 'print',
            },
            [
                'privateKeySecretCode: key → sftp.example.com:2222',
                'passphraseSecretCode: phrase → sftp.example.com:2222',
                'hostKeyFingerprintSecretCode: print → sftp.example.com:2222',
            ],
        ],
        [
            'SQS',
            { region: 'cn-north-1', accessKeyIdSecretCode: 'id', secretAccessKeySecretCode: 'key' },
            [
                'accessKeyIdSecretCode: id → sqs.cn-north-1.amazonaws.com.cn:443',
                'secretAccessKeySecretCode: key → sqs.cn-north-1.amazonaws.com.cn:443',
            ],
        ],
        [
            'OBJECT_STORAGE',
            {
                endpoint: 'https://storage.example.com:9000',
                accessKeyIdSecretCode: 'id',
                secretAccessKeySecretCode: 'key',
            },
            [
                'accessKeyIdSecretCode: id → storage.example.com:9000',
                'secretAccessKeySecretCode: key → storage.example.com:9000',
            ],
        ],
        [
            'MYSQL',
            {
                host: 'erp.example.com',
                username: 'shop',
                passwordSecretCode: 'p',
                ssl: { enabled: true, caSecretCode: 'ca', certSecretCode: 'cert', keySecretCode: 'key' },
            },
            [
                'passwordSecretCode: p → erp.example.com:3306',
                'ssl.caSecretCode: ca → erp.example.com:3306',
                'ssl.certSecretCode: cert → erp.example.com:3306',
                'ssl.keySecretCode: key → erp.example.com:3306',
            ],
        ],
        ['POSTGRES', { connectionStringSecretCode: 'dsn' }, []],
    ])('of the type %s, %j', (code, settings, expected) => {
        expect(usesOf(code, settings)).toEqual(expected);
    });

    it.each(connections.map(type => [type.code, type] as const))('in every example of %s', (_, type) => {
        for (const { settings } of type.examples ?? []) {
            const parsed = type.config.parse(settings) as JsonObject;
            const named = referencesOf(type.config, parsed as JsonValue)
                .filter(({ to, path }) => to === 'secret' && path !== 'connectionStringSecretCode')
                .map(({ path }) => path);
            const declared = new Set(type.secretUses?.(parsed as never, () => undefined).map(({ field }) => field));
            expect(named.filter(path => !declared.has(path))).toEqual([]);
        }
    });
});
