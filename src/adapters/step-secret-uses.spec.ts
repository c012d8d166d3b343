import type { AdapterBase } from '../core/adapter/base';
import type { SavedConnections } from '../core/adapter/secret-hosts';
import { secretFieldsOf } from '../core/schema/references';
import type { JsonObject } from '../core/value/json';
import { extractors, outsideOperators, remoteLoaders, sinks } from './index';

const saved: SavedConnections = code => SAVED[code];
const SAVED: Readonly<Record<string, { readonly type: string; readonly settings: JsonObject }>> = {
    partner: { type: 'REST', settings: { baseUrl: 'https://partner.example.com/api' } },
    files: {
        type: 'SFTP',
        settings: {
            host: 'sftp.example.com',
            port: 22,
            username: 'a',
            passwordSecretCode: 'saved',
            caSecretCode: 'ca',
        },
    },
    ftps: {
        type: 'FTP',
        settings: { host: 'ftp.example.com', port: 21, username: 'a', passwordSecretCode: 'saved', secure: true },
    },
    bucket: {
        type: 'OBJECT_STORAGE',
        settings: { region: 'eu-west-1', accessKeyIdSecretCode: 'saved-id', secretAccessKeySecretCode: 'saved-key' },
    },
    erp: {
        type: 'MYSQL',
        settings: { host: 'db.example.com', username: 'a', passwordSecretCode: 'saved', ssl: { keySecretCode: 'key' } },
    },
    dsn: { type: 'POSTGRES', settings: { connectionStringSecretCode: 'dsn' } },
};
const ADAPTERS = new Map<string, AdapterBase>(
    [...extractors, ...outsideOperators, ...remoteLoaders, ...sinks].map(one => [one.code, one]),
);

function usesOf(code: string, given: JsonObject): readonly string[] {
    const { config, secretUses } = ADAPTERS.get(code)!;
    return secretUses!(config.parse(given), saved).map(
        ({ field, secretCode, host, port }) => `${field}: ${secretCode} → ${host}:${port}`,
    );
}

const INDEX = { indexName: 'products', idField: 'id' };
const OAUTH = { type: 'OAUTH2', tokenUrl: 'https://tokens.evil.test/t', clientId: 'a', clientSecretCode: 'client' };
const QUERY = { query: 'SELECT id FROM a', pagination: { enabled: false } };

describe('secrets of a step are sent', () => {
    it.each<[string, JsonObject, string[]]>([
        [
            'httpApi',
            { connectionCode: 'partner', url: '/stock', auth: { type: 'BEARER', secretCode: 'token' } },
            ['auth.secretCode: token → partner.example.com:443'],
        ],
        [
            'httpApi',
            { connectionCode: 'partner', url: 'https://other.example.com:8443/x', auth: OAUTH },
            [
                'auth.clientSecretCode: client → tokens.evil.test:443',
                'auth.clientSecretCode: client → other.example.com:8443',
            ],
        ],
        [
            'graphql',
            { connectionCode: 'partner', url: '?', query: '{ a }', auth: OAUTH },
            [
                'auth.clientSecretCode: client → tokens.evil.test:443',
                'auth.clientSecretCode: client → partner.example.com:443',
            ],
        ],
        ['httpApi', { connectionCode: 'partner', url: '/stock' }, []],
        [
            'httpLookup',
            { connectionCode: 'partner', url: '/stock/{{sku}}', target: 'a', bearerTokenSecretCode: 'token' },
            ['bearerTokenSecretCode: token → partner.example.com:443'],
        ],
        [
            'restPost',
            { endpoint: 'http://evil.test:81/{{id}}', bearerTokenSecretCode: 'token' },
            ['bearerTokenSecretCode: token → evil.test:81'],
        ],
        [
            'graphqlMutation',
            {
                endpoint: 'https://evil.test/',
                mutation: 'mutation ($id: ID!) { a(id: $id) { id } }',
                bearerTokenSecretCode: 'token',
            },
            ['bearerTokenSecretCode: token → evil.test:443'],
        ],
        [
            'ftp',
            { protocol: 'ftp', host: 'evil.test', username: 'a', passwordSecretCode: 'p', remotePath: '/' },
            ['passwordSecretCode: p → evil.test:21'],
        ],
        ['ftp', { connectionCode: 'files', host: 'evil.test', remotePath: '/' }, ['connectionCode: ca → evil.test:22']],
        [
            'ftp',
            { connectionCode: 'files', port: 2222, passphraseSecretCode: 'own', remotePath: '/' },
            [
                'connectionCode: saved → sftp.example.com:2222',
                'passphraseSecretCode: own → sftp.example.com:2222',
                'connectionCode: ca → sftp.example.com:2222',
            ],
        ],
        ['ftp', { connectionCode: 'ftps', remotePath: '/' }, ['connectionCode: saved → ftp.example.com:21']],
        // The password of an encrypted connection is not sent as plain text.
        ['ftp', { connectionCode: 'ftps', secure: false, remotePath: '/' }, []],
        ['objectStorage', { connectionCode: 'bucket', bucket: 'feeds', endpoint: 'https://evil.test' }, []],
        [
            'objectStorage',
            {
                bucket: 'feeds',
                endpoint: 'https://evil.test',
                accessKeyIdSecretCode: 'id',
                secretAccessKeySecretCode: 'key',
            },
            ['accessKeyIdSecretCode: id → evil.test:443', 'secretAccessKeySecretCode: key → evil.test:443'],
        ],
        [
            'database',
            {
                databaseType: 'POSTGRES',
                host: 'evil.test',
                database: 'a',
                username: 'a',
                passwordSecretCode: 'p',
                ...QUERY,
            },
            ['passwordSecretCode: p → evil.test:5432'],
        ],
        [
            'database',
            { connectionCode: 'erp', host: 'evil.test', database: 'a', passwordSecretCode: 'p', ...QUERY },
            ['passwordSecretCode: p → evil.test:3306', 'connectionCode: key → evil.test:3306'],
        ],
        ['database', { connectionCode: 'dsn', database: 'a', ...QUERY }, []],
        [
            'meilisearch',
            { host: 'https://evil.test', apiKeySecretCode: 'k', indexName: 'a', primaryKey: 'id' },
            ['apiKeySecretCode: k → evil.test:443'],
        ],
        [
            'elasticsearch',
            { node: 'http://evil.test:9200', apiKeySecretCode: 'k', ...INDEX },
            ['apiKeySecretCode: k → evil.test:9200'],
        ],
        [
            'opensearch',
            { node: 'http://evil.test:9200', usernameSecretCode: 'u', passwordSecretCode: 'p', ...INDEX },
            ['usernameSecretCode: u → evil.test:9200', 'passwordSecretCode: p → evil.test:9200'],
        ],
        ['algolia', { appId: 'EVIL', apiKeySecretCode: 'k', ...INDEX }, ['apiKeySecretCode: k → evil.algolia.net:443']],
        [
            'typesense',
            { host: 'evil.test', port: 8108, apiKeySecretCode: 'k', collectionName: 'a', idField: 'id' },
            ['apiKeySecretCode: k → evil.test:8108'],
        ],
        [
            'webhook',
            {
                url: 'https://evil.test/in',
                apiKeySecretCode: 'k',
                hmacSecretCode: 'h',
                standardWebhooks: true,
                previousHmacSecretCode: 'p',
            },
            [
                'apiKeySecretCode: k → evil.test:443',
                'hmacSecretCode: h → evil.test:443',
                'previousHmacSecretCode: p → evil.test:443',
            ],
        ],
    ])('by %s with %j', (code, config, expected) => {
        expect(usesOf(code, config)).toEqual(expected);
    });

    it('as each adapter with a secret declares', () => {
        const silent = [...ADAPTERS.values()].filter(one => secretFieldsOf(one.config).length > 0 && !one.secretUses);
        expect(silent.map(({ code }) => code)).toEqual([]);
    });
});
