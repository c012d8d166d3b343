import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';

/** The databases of tests on a server. Their names distinguish them from those of others. */
export interface DatabaseServer {
    list(): Promise<string[]>;
    create(name: string, template?: string): Promise<void>;
    drop(name: string): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    close(): Promise<void>;
}

const PREFIX = 'flow_test';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Names are `flow_test_<seconds since 1970, base 36>_<owner>_<which>`: the time lets a later run drop databases of a killed one. */
export function scratchName(owner: string, which: string | number): string {
    return `${PREFIX}_${Math.floor(Date.now() / 1000).toString(36)}_${owner}_${which}`.toLowerCase();
}

/** Whether a scratch database was made more than a day ago. */
export function isStale(name: string, now: number = Date.now()): boolean {
    const made = new RegExp(`^${PREFIX}_([0-9a-z]+)_`).exec(name)?.[1];
    return made !== undefined && now - parseInt(made, 36) * 1000 > DAY_MS;
}

/** Drops every scratch database for which `goes` returns true. */
export async function dropScratch(server: DatabaseServer, goes: (name: string) => boolean): Promise<void> {
    const names = await server.list();
    for (const name of names.filter(known => known.startsWith(`${PREFIX}_`) && goes(known))) await server.drop(name);
}

/** The scratch databases of a PostgreSQL server. */
export async function postgresDatabases(url: string): Promise<DatabaseServer> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const statement = async (sql: string) => {
        await client.query(sql);
    };
    return {
        list: async () =>
            (await client.query('SELECT datname FROM pg_database')).rows.map(({ datname }) => String(datname)),
        create: async (name, template = 'template0') => {
            await statement(
                `CREATE DATABASE "${name}" TEMPLATE "${template}"${template === 'template0' ? " ENCODING 'UTF8'" : ''}`,
            );
            // Tests end workers, never the server, so a commit need not wait for the disk, which would take most of the time.
            await statement(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
            // There are no statistics for tables that are seconds old: PostgreSQL overestimates Vendure's joins of orders and
            // compiles each of them for seconds, to run it for milliseconds.
            await statement(`ALTER DATABASE "${name}" SET jit = off`);
        },
        drop: name => statement(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
        rename: (from, to) => statement(`ALTER DATABASE "${from}" RENAME TO "${to}"`),
        close: () => client.end(),
    };
}

/** The scratch databases of a MariaDB server, which supports neither templates nor renaming. */
export async function mariadbDatabases(url: string): Promise<DatabaseServer> {
    const connection = await createConnection({ uri: url });
    const statement = async (sql: string) => {
        await connection.query(sql);
    };
    return {
        list: async () => {
            const [rows] = await connection.query('SELECT schema_name AS name FROM information_schema.schemata');
            return (rows as Array<{ name: string }>).map(({ name }) => name);
        },
        create: (name, template) => {
            if (template) throw new Error('MariaDB cannot copy a database');
            return statement(`CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4`);
        },
        drop: name => statement(`DROP DATABASE IF EXISTS \`${name}\``),
        rename: () => {
            throw new Error('MariaDB cannot rename a database');
        },
        close: () => connection.end(),
    };
}
