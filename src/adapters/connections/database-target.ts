import type { Connection } from '../../core/adapter/connection';
import type { AdapterContext } from '../../core/adapter/context';
import { readAddressed } from '../../core/adapter/secret';
import {
    allowedEntriesOf,
    mergedSecretsSentTo,
    type SavedConnections,
    type SecretUse,
} from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import type { PoolSize } from '../../io/database/session-pool';
import type { SqlTarget } from '../../io/database/session';
import type { SqlDialect } from '../../io/database/sql-tokens';
import { isHost, isIpAddress } from './address';
import { ADDRESS_UNVERIFIED, DATABASE_PORTS, SERVER_SECRETS } from './database-fields';

/** The kinds of databases, as connections and steps call them. */
export const DATABASE_TYPES = ['POSTGRES', 'MYSQL', 'SQLITE'] as const;
export type DatabaseType = (typeof DATABASE_TYPES)[number];

/** Other spellings of the kinds of databases that definitions may use. */
export const DATABASE_ALIASES = { DB_KIND_A: 'POSTGRES', DB_KIND_B: 'MYSQL', DB_KIND_C: 'SQLITE' } as const;

/** The language of each kind. */
export const DIALECTS: Readonly<Record<DatabaseType, SqlDialect>> = {
    POSTGRES: 'postgres',
    MYSQL: 'mysql',
    SQLITE: 'sqlite',
};

/** How to reach a database, as a connection or a step says it. Schemas have checked it. */
interface DatabaseSettings {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    readonly database?: string | undefined;
    readonly username?: string | undefined;
    readonly passwordSecretCode?: string | undefined;
    readonly connectionStringSecretCode?: string | undefined;
    readonly ssl?: SslSettings | undefined;
    readonly pool?: PoolSize | undefined;
}

interface SslSettings {
    readonly enabled: boolean;
    readonly rejectUnauthorized: boolean;
    readonly caSecretCode?: string | undefined;
    readonly certSecretCode?: string | undefined;
    readonly keySecretCode?: string | undefined;
}

/** The database settings of a step: all of them, or those that differ from its connection. */
export interface StepDatabase extends DatabaseSettings {
    readonly connectionCode?: string | undefined;
    readonly databaseType?: DatabaseType | undefined;
}

/** A database and how many connections there may be to it. */
interface FoundDatabase {
    readonly target: SqlTarget;
    readonly pool: PoolSize;
}

type Opener = Pick<AdapterContext, 'connections' | 'secrets'>;

const DEFAULT_POOL: PoolSize = { max: 10, idleTimeoutMs: 30_000 };
const DEFAULT_PORT: Readonly<Record<SqlDialect, number>> = {
    postgres: DATABASE_PORTS.POSTGRES,
    mysql: DATABASE_PORTS.MYSQL,
    sqlite: 0,
};
const SCHEMES: Readonly<Record<Exclude<SqlDialect, 'sqlite'>, readonly string[]>> = {
    postgres: ['postgres:', 'postgresql:'],
    mysql: ['mysql:', 'mariadb:'],
};
const WHOLE: Readonly<Record<Exclude<SqlDialect, 'sqlite'>, string>> = {
    postgres: 'postgres://user:password@host:port/database',
    mysql: 'mysql://user:password@host:port/database',
};

/** Whether a step names another server than its connection, or another encryption. */
function leadsElsewhere({ host, port, ssl, connectionStringSecretCode }: StepDatabase): boolean {
    return [host, port, ssl, connectionStringSecretCode].some(one => one !== undefined);
}

/** Where the secrets of a step and of its connection are sent. Empty if a connection string names the server. */
export function stepDatabaseUses(step: StepDatabase, connections: SavedConnections): readonly SecretUse[] {
    const connection = step.connectionCode === undefined ? undefined : connections(step.connectionCode);
    const saved = (connection?.settings ?? {}) as DatabaseSettings;
    const dsn =
        step.connectionStringSecretCode ?? (leadsElsewhere(step) ? undefined : saved.connectionStringSecretCode);
    const host = step.host ?? saved.host;
    if (dsn !== undefined || host === undefined) return [];
    const dialect = DIALECTS[(connection?.type ?? step.databaseType) as DatabaseType];
    const port = step.port ?? saved.port ?? DEFAULT_PORT[dialect];
    const merged = {
        passwordSecretCode: step.passwordSecretCode ?? saved.passwordSecretCode,
        ssl: step.ssl ?? saved.ssl,
    };
    return mergedSecretsSentTo({ host, port }, { step, merged }, SERVER_SECRETS);
}

/**
 * The server of a saved connection, as an entry of `allowedHosts`. Throws SECRET_UNREADABLE if the connection string is
 * invalid.
 */
export function databaseServers(
    type: Exclude<DatabaseType, 'SQLITE'>,
    { connectionStringSecretCode: dsn, ...given }: DatabaseSettings,
    secrets: Opener['secrets'],
): readonly string[] {
    const dialect = DIALECTS[type] as Exclude<SqlDialect, 'sqlite'>;
    const { host, port = DEFAULT_PORT[dialect] } =
        dsn === undefined ? given : readAddressed(secrets.get(dsn), text => fromString(dsn, text, dialect));
    return allowedEntriesOf(host === undefined ? undefined : { host, port });
}

/** The database of a saved connection. Throws what secrets throw, and CONNECTION_INVALID. */
export function savedDatabase(connection: Connection, secrets: Opener['secrets']): FoundDatabase {
    return foundDatabase({ connectionCode: connection.code }, { connections: { get: () => connection }, secrets });
}

/**
 * The database of a step: what its connection says, and the step's own fields over that. Every secret is opened here, before anything is connected.
 * A password stays with the server that the connection names: a step that leads elsewhere, or weakens how it is encrypted, brings its own.
 */
export function foundDatabase(step: StepDatabase, { connections, secrets }: Opener): FoundDatabase {
    const connection = step.connectionCode === undefined ? undefined : connections.get(step.connectionCode);
    const type = (connection?.type ?? step.databaseType) as DatabaseType;
    const invalid = (problem: string): Error => {
        const code = step.connectionCode ?? step.connectionStringSecretCode ?? step.host ?? type;
        return flowError('CONNECTION_INVALID', { code, problem });
    };
    if (step.databaseType !== undefined && step.databaseType !== type)
        throw invalid(`it is of type ${type}, and the step's databaseType is ${step.databaseType}`);
    const saved = (connection?.settings ?? {}) as DatabaseSettings;
    const dialect = DIALECTS[type];
    const pool = step.pool ?? saved.pool ?? DEFAULT_POOL;
    if (dialect === 'sqlite' && connection && step.database !== undefined)
        throw invalid(
            'the step names another file; only the file of the connection, which is defined in code, is read',
        );
    if (dialect === 'sqlite') return { target: file(step.database ?? saved.database ?? ':memory:'), pool };
    const isElsewhere = leadsElsewhere(step);
    const isSavedSecret = saved.passwordSecretCode !== undefined || saved.connectionStringSecretCode !== undefined;
    const hasOwnSecret = step.passwordSecretCode !== undefined || step.connectionStringSecretCode !== undefined;
    if (isElsewhere && isSavedSecret && !hasOwnSecret)
        throw invalid(
            "the step sets host, port or ssl, and the connection's password is not sent there; set passwordSecretCode in the step too",
        );
    const dsn = step.connectionStringSecretCode ?? (isElsewhere ? undefined : saved.connectionStringSecretCode);
    const said =
        dsn === undefined ? undefined : readAddressed(secrets.get(dsn), text => fromString(dsn, text, dialect));
    const base = said ?? {
        host: step.host ?? saved.host,
        port: step.port ?? saved.port,
        database: saved.database,
        user: saved.username,
    };
    const { host } = base;
    const database = step.database ?? base.database;
    if (host === undefined) throw invalid('it names no host');
    if (database === undefined) throw invalid('neither it nor the step names a database');
    const ssl = step.ssl ?? saved.ssl;
    if (ssl?.enabled && ssl.rejectUnauthorized && isIpAddress(host))
        throw invalid(`its host ${ADDRESS_UNVERIFIED.message}`);
    const server = { host, port: base.port ?? DEFAULT_PORT[dialect] };
    const open = (code: string | undefined): string | undefined =>
        code === undefined ? undefined : secrets.get(code).revealFor(server);
    const password = step.passwordSecretCode ?? (said ? undefined : saved.passwordSecretCode);
    const target: SqlTarget = {
        dialect,
        ...server,
        database,
        user: step.username ?? base.user,
        password: password === undefined ? said?.password : open(password),
        tls: ssl?.enabled
            ? {
                  rejectUnauthorized: ssl.rejectUnauthorized,
                  ...pem('ca', open(ssl.caSecretCode)),
                  ...pem('cert', open(ssl.certSecretCode)),
                  ...pem('key', open(ssl.keySecretCode)),
              }
            : undefined,
    };
    return { target, pool };
}

function file(database: string): SqlTarget {
    return { dialect: 'sqlite', host: '', port: 0, database, user: undefined, password: undefined, tls: undefined };
}

function pem<N extends string>(name: N, text: string | undefined): { readonly [K in N]?: string } {
    return (text === undefined ? {} : { [name]: text }) as { readonly [K in N]?: string };
}

interface Said {
    readonly host: string;
    readonly port: number | undefined;
    readonly database: string;
    readonly user: string | undefined;
    readonly password: string | undefined;
}

/** Takes a connection string apart. Never says it: it holds a password. */
function fromString(code: string, text: string, dialect: Exclude<SqlDialect, 'sqlite'>): Said {
    const problem = (what: string): Error =>
        flowError('SECRET_UNREADABLE', {
            code,
            problem: `${what}; allowed: ${WHOLE[dialect]}, with one host and nothing after it`,
        });
    if (!/^[a-z]+:\/\//i.test(text) || !URL.canParse(text)) throw problem('it is not a connection string');
    const url = new URL(text);
    if (!SCHEMES[dialect].includes(url.protocol)) throw problem(`its scheme is not ${SCHEMES[dialect].join(' or ')}//`);
    // URL parsers remove these characters silently, so the password that is sent would differ from the secret.
    if (/[\t\r\n]/.test(text.trim())) throw problem('it has a tab or a line end in it');
    // Before it is taken apart, since an empty query or fragment is one as well.
    if (/[?#]/.test(text)) throw problem('it has a query or a fragment; TLS is set by the ssl fields');
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (!isHost(host)) throw problem('its host is neither a name nor an address');
    const [, ...path] = url.pathname.split('/');
    const part = (written: string): string => {
        try {
            return decodeURIComponent(written);
        } catch {
            throw problem('it has a % that begins no character');
        }
    };
    const [database = ''] = path;
    if (path.length !== 1 || database === '') throw problem('it does not name one database');
    return {
        host,
        port: url.port === '' ? undefined : Number(url.port),
        database: part(database),
        user: url.username === '' ? undefined : part(url.username),
        password: url.password === '' ? undefined : part(url.password),
    };
}
