import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoIncrementIdStrategy, preBootstrapConfig, UuidIdStrategy } from '@vendure/core';
import { DataSource } from 'typeorm';
import {
    type DatabaseServer,
    mariadbDatabases,
    postgresDatabases,
    scratchName,
} from '../../test/servers/scratch-databases';
import { SERVER_FACTS } from '../../test/servers/server';
import { flowEntities } from '../../src/plugin/entities/flow-entities';
import type { Database } from './databases';
import { FlowTablesOnly } from './flow-tables';
import { type DatabaseConnection, vendureConfig } from './vendure-config';

/** The ids that the shop's EntityIdStrategy generates. */
export type Ids = 'numbers' | 'uuids';

/** An empty database without a server in front of it. */
export interface BareDatabase {
    /** For another process, which connects with `connectBare`. */
    readonly place: BarePlace;
    /** A connected data source with the shop's tables, and with Flow's on request. The caller closes it. */
    connect(tables: 'shop' | 'shop and flow' | 'flow'): Promise<DataSource>;
    drop(): Promise<void>;
}

let count = 0;

/** Creates a database without tables. A process must use one kind of ids: TypeORM remembers the first. */
export async function bareDatabase(database: Database, ids: Ids): Promise<BareDatabase> {
    count += 1;
    const databaseName = scratchName(process.env.FLOW_TEST_RUN ?? String(process.pid), `bare${process.pid}x${count}`);
    const { connection, drop } = await emptyDatabase(database, databaseName);
    const place = { connection, ids };
    return { place, drop, connect: tables => connectBare(place, tables) };
}

/** Where such a database is, and the kind of its ids. */
export interface BarePlace {
    readonly connection: DatabaseConnection;
    readonly ids: Ids;
}

/** Connects to an existing database. The caller closes it. */
export async function connectBare(
    { connection, ids }: BarePlace,
    tables: 'shop' | 'shop and flow' | 'flow',
): Promise<DataSource> {
    const entityIdStrategy = ids === 'uuids' ? new UuidIdStrategy() : new AutoIncrementIdStrategy();
    const config = await preBootstrapConfig(
        vendureConfig(connection, {
            entityOptions: { entityIdStrategy },
            plugins: tables === 'shop' ? [] : [FlowTablesOnly],
        }),
    );
    const { dbConnectionOptions } = config;
    return new DataSource({
        ...dbConnectionOptions,
        entities: tables === 'flow' ? flowEntities : dbConnectionOptions.entities,
        subscribers: [],
        migrations: tables === 'shop' ? [] : dbConnectionOptions.migrations,
    } as typeof dbConnectionOptions).initialize();
}

async function emptyDatabase(
    database: Database,
    name: string,
): Promise<{ connection: DatabaseConnection; drop(): Promise<void> }> {
    if (database === 'sqlite') {
        const file = join(tmpdir(), `${name}.sqlite`);
        return {
            connection: { type: 'better-sqlite3', database: file },
            drop: () => Promise.resolve(rmSync(file, { force: true })),
        };
    }
    const url = new URL(process.env[SERVER_FACTS[database].variable] ?? '');
    const open = (): Promise<DatabaseServer> =>
        (database === 'postgres' ? postgresDatabases : mariadbDatabases)(url.href);
    await onServer(open, server => server.create(name));
    const own = new URL(url);
    own.pathname = `/${name}`;
    return {
        connection: { type: database, url: own.href, database: name },
        drop: () => onServer(open, server => server.drop(name)),
    };
}

async function onServer(
    open: () => Promise<DatabaseServer>,
    work: (server: DatabaseServer) => Promise<void>,
): Promise<void> {
    const server = await open();
    await work(server).finally(() => server.close());
}
