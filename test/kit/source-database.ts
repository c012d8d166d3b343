import { createConnection, type Connection } from 'mysql2/promise';
import { Client } from 'pg';
import type { ExtractContext, Page } from '../../src/core/adapter/extractor';
import type { JsonObject } from '../../src/core/value/json';
import { database } from '../../src/adapters/extractors/database';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { systemResolve } from '../../src/io/outbound/socket';
import type { SqlTarget } from '../../src/io/database/session';
import { readPages } from '../../src/testing/bare-extract';
import { contextWith } from '../../src/testing/context';
import { providedResources } from '../../src/testing/provided-resources';
import { setUp } from '../../src/plugin/setup';
import { mariadbDatabases, postgresDatabases, scratchName } from '../servers/scratch-databases';

const PASSWORD = 'r3ader pw';
let count = 0;

/** A database of a test on a server, and a user that may do no more than read it. */
export interface SourceDatabase {
    readonly type: 'POSTGRES' | 'MYSQL';
    /** How a step refers to it, with a user that can only read. */
    readonly step: JsonObject;
    readonly target: SqlTarget;
    /** Runs a statement as the owner. */
    ask(sql: string): Promise<ReadonlyArray<Record<string, unknown>>>;
    /** Another connection of the same one. */
    another(): Promise<{ ask(sql: string): Promise<unknown>; end(): Promise<void> }>;
    drop(): Promise<void>;
}

export async function postgresSource(url: string): Promise<SourceDatabase> {
    const server = await postgresDatabases(url);
    const name = scratchName(String(process.pid), `source${++count}`);
    const reader = `${name}_reader`;
    await server.create(name);
    const at = new URL(url);
    at.pathname = `/${name}`;
    const admin = new Client({ connectionString: at.href });
    await admin.connect();
    const ask = async (sql: string) =>
        ([] as Array<Record<string, unknown>>).concat((await admin.query(sql)).rows ?? []);
    await ask(`CREATE ROLE "${reader}" LOGIN PASSWORD '${PASSWORD}'`);
    await ask(`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO "${reader}"`);
    return {
        type: 'POSTGRES',
        ...reached('POSTGRES', { at, name, reader }),
        ask,
        another: async () => {
            const other = new Client({ connectionString: at.href });
            await other.connect();
            return { ask: sql => other.query(sql), end: () => other.end() };
        },
        drop: async () => {
            await admin.end();
            await server.drop(name);
            const last = new Client({ connectionString: url });
            await last.connect();
            await last.query(`DROP ROLE "${reader}"`);
            await last.end();
            await server.close();
        },
    };
}

export async function mariadbSource(url: string): Promise<SourceDatabase> {
    const server = await mariadbDatabases(url);
    const name = scratchName(String(process.pid), `source${++count}`);
    const reader = `flow_r${process.pid}_${count}`;
    await server.create(name);
    const at = new URL(url);
    at.pathname = `/${name}`;
    const admin: Connection = await createConnection({ uri: at.href });
    const ask = async (sql: string) => {
        const [rows] = await admin.query(sql);
        return (Array.isArray(rows) ? rows : []) as Array<Record<string, unknown>>;
    };
    await ask(`CREATE USER '${reader}'@'%' IDENTIFIED BY '${PASSWORD}'`);
    await ask(`GRANT SELECT, SHOW VIEW ON \`${name}\`.* TO '${reader}'@'%'`);
    return {
        type: 'MYSQL',
        ...reached('MYSQL', { at, name, reader }),
        ask,
        another: async () => {
            const other = await createConnection({ uri: at.href });
            return { ask: sql => other.query(sql), end: () => other.end() };
        },
        drop: async () => {
            await ask(`DROP USER '${reader}'@'%'`);
            await admin.end();
            await server.drop(name);
            await server.close();
        },
    };
}

interface Reached {
    readonly at: URL;
    readonly name: string;
    readonly reader: string;
}

function reached(type: 'POSTGRES' | 'MYSQL', { at, name, reader }: Reached): Pick<SourceDatabase, 'step' | 'target'> {
    const port = Number(at.port || (type === 'POSTGRES' ? 5432 : 3306));
    const { hostname: host } = at;
    return {
        step: {
            databaseType: type,
            host,
            port,
            database: name,
            username: reader,
            passwordSecretCode: 'reader-password',
        },
        target: {
            dialect: type === 'POSTGRES' ? 'postgres' : 'mysql',
            host,
            port,
            database: name,
            user: reader,
            password: PASSWORD,
            tls: undefined,
        },
    };
}

/** A gateway that connects to servers of the test, and the secrets of their readers. */
export function sourceContext(
    secrets: Readonly<Record<string, string>> = {},
    connections: Parameters<typeof providedResources>[0]['connections'] = {},
): Partial<ExtractContext> {
    const gateway = new OutboundGateway({
        allowedHostnames: ['127.0.0.1', 'localhost', 'svc.test', 'other.test'],
        resolve: host => (host.endsWith('.test') ? Promise.resolve(['127.0.0.1']) : systemResolve(host)),
    });
    const { registry } = setUp({});
    return {
        ...contextWith(
            providedResources({ registry, connections, secrets: { 'reader-password': PASSWORD, ...secrets } }),
        ),
        outbound: gateway.forRun({ scope: 'test', rateLimitRps: 0 }),
    };
}

/** All pages of a step. */
export function pagesOf(config: object, part: Partial<ExtractContext> = {}): Promise<readonly Page[]> {
    return readPages({ extractor: database, config }, { ...sourceContext(), ...part });
}

/** All records of a step. */
export async function recordsOf(config: object, part: Partial<ExtractContext> = {}): Promise<readonly JsonObject[]> {
    return (await pagesOf(config, part)).flatMap(({ records }) => records);
}
