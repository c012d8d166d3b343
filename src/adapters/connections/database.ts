import { z } from 'zod';
import { type ConnectionType, defineConnection } from '../../core/adapter/connection';
import { withRules } from '../../core/schema/fields';
import { flowError } from '../../core/errors/flow-error';
import { openSession } from '../../io/database/session-pool';
import { databaseServers, savedDatabase } from './database-target';
import { checkServer, DATABASE_PORTS, databaseSecretUses, pool, serverFields, ssl } from './database-fields';

const serverSettings = withRules(
    z.strictObject({
        ...serverFields,
        ssl: ssl.prefault({}).meta({ title: 'TLS', description: 'How the connection is encrypted.' }),
        pool: pool.prefault({}).meta({
            title: 'Pool',
            description: 'The size of the connection pool and how long idle connections are kept.',
        }),
    }),
    (given, issue) => checkServer(given, { isWhole: true }, issue),
);

/** Servers have these whatever else they have, for a connection that leaves the database to its steps. */
const ALWAYS_THERE: Readonly<Record<string, string>> = { POSTGRES: 'postgres', MYSQL: 'information_schema' };

/** Logs in like a run, and executes a statement that every database supports. */
const tryOut: NonNullable<ConnectionType['tryOut']> = async (connection, { outbound, secrets, ...limits }) => {
    const { settings, type } = connection;
    const isNamed = settings['database'] !== undefined || settings['connectionStringSecretCode'] !== undefined;
    const named = isNamed ? connection : { ...connection, settings: { ...settings, database: ALWAYS_THERE[type]! } };
    const session = await openSession(savedDatabase(named, secrets).target, { ...limits, outbound });
    try {
        const rows = await session.rows({ text: 'SELECT 1 AS answer', values: [] }, limits);
        if (rows.length !== 1) throw flowError('BUG', { problem: 'a database has no answer to SELECT 1' });
        const excess =
            session.excess === undefined
                ? ''
                : ` Its user ${session.excess.message}: one that may SELECT and nothing else is safer.`;
        return `${session.product} answers, and lets the user in.${excess}`;
    } finally {
        session.end();
    }
};

/** Connection to a PostgreSQL server. */
export const postgresConnection = defineConnection({
    code: 'POSTGRES',
    aliases: ['DB_KIND_A'],
    category: 'Databases',
    title: 'PostgreSQL',
    summary: 'Connects to a PostgreSQL database.',
    config: serverSettings,
    secretUses: given => databaseSecretUses(given, DATABASE_PORTS.POSTGRES),
    servers: (given, secrets) => databaseServers('POSTGRES', given, secrets),
    tryOut,
    examples: [
        {
            settings: {
                host: 'erp.example.com',
                database: 'erp',
                username: 'shop',
                passwordSecretCode: 'erp-password',
                ssl: { enabled: true },
                pool: { max: 2 },
            },
        },
        { settings: { connectionStringSecretCode: 'erp-dsn' } },
    ],
});

/** Connection to a MySQL or MariaDB server. */
export const mysqlConnection = defineConnection({
    code: 'MYSQL',
    aliases: ['DB_KIND_B'],
    category: 'Databases',
    title: 'MySQL or MariaDB',
    summary: 'Connects to a MySQL or MariaDB database.',
    config: serverSettings,
    secretUses: given => databaseSecretUses(given, DATABASE_PORTS.MYSQL),
    servers: (given, secrets) => databaseServers('MYSQL', given, secrets),
    tryOut,
    examples: [
        {
            settings: {
                host: 'erp.example.com',
                database: 'erp',
                username: 'shop',
                passwordSecretCode: 'erp-password',
                ssl: { enabled: true, caSecretCode: 'erp-ca' },
            },
        },
    ],
});

/** Connection to a SQLite file on the server's own disk, so only the shop's code may use it. */
export const sqliteConnection = defineConnection({
    code: 'SQLITE',
    aliases: ['DB_KIND_C'],
    category: 'Databases',
    title: 'SQLite',
    isCodeFirstOnly: true,
    tryOut,
    summary: 'Connects to a SQLite database file.',
    config: z.strictObject({
        database: z
            .string()
            .min(1)
            .max(4096)
            .regex(/^[^\0]*$/, 'must not hold a NUL character')
            .meta({
                title: 'Database',
                description: 'The path of the file, or :memory: for an empty database in memory.',
            }),
    }),
    examples: [{ settings: { database: '/var/lib/erp/stock.db' } }],
    notes: [
        'Only the shop\'s code can define one (plugin option "connections"), because the path is on the server\'s own disk.',
    ],
});
