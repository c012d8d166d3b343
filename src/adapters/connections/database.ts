import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { secretCode, wholeNumber, withRules } from '../../core/schema/fields';
import { host, isIpAddress, port, username } from './address';

const ssl = withRules(
    z.strictObject({
        enabled: z.boolean().default(false).meta({ title: 'Enabled', description: 'Encrypts the connection.' }),
        rejectUnauthorized: z.boolean().default(true).meta({
            title: 'Verify',
            description: 'Refuses a server whose certificate does not check out. Needs a host name, not an address.',
        }),
        caSecretCode: secretCode(
            'CA secret',
            'The secret that holds the certificate of the authority to trust, as PEM text.',
        ).optional(),
        certSecretCode: secretCode(
            'Certificate secret',
            "The secret that holds the client's certificate, as PEM text. Needs keySecretCode.",
        ).optional(),
        keySecretCode: secretCode(
            'Key secret',
            "The secret that holds the key of the client's certificate, as PEM text. Needs certSecretCode.",
        ).optional(),
    }),
    ({ enabled, caSecretCode, certSecretCode, keySecretCode }, fault) => {
        if (certSecretCode !== undefined && keySecretCode === undefined)
            fault('keySecretCode', 'is missing; certSecretCode needs it');
        if (keySecretCode !== undefined && certSecretCode === undefined)
            fault('certSecretCode', 'is missing; keySecretCode needs it');
        if (enabled !== false) return;
        for (const [field, value] of Object.entries({ caSecretCode, certSecretCode, keySecretCode })) {
            if (value !== undefined) fault(field, 'is of no use while enabled is false');
        }
    },
);

const pool = z.strictObject({
    max: wholeNumber(
        { min: 1, max: 10 },
        { title: 'Most', description: 'How many connections a step may open.' },
    ).default(10),
    idleTimeoutMs: wholeNumber(
        { min: 1, max: 300_000 },
        { title: 'Idle timeout', description: 'How long an idle one is kept, in milliseconds.' },
    ).default(30_000),
});

/** Fields that a connection string says already. */
const HOST_FIELDS = ['host', 'port', 'database', 'username', 'passwordSecretCode'] as const;

function serverSettings(defaultPort: number, scheme: string) {
    return withRules(
        z.strictObject({
            host: host('The name or address of the server.').optional(),
            port: port(`The port of the server; ${defaultPort} where absent.`).optional(),
            database: z
                .string()
                .min(1)
                .max(255)
                .regex(/^\P{Cc}*$/u, 'must be one line')
                .optional()
                .meta({ title: 'Database', description: 'The name of the database; a step may name another one.' }),
            username: username('Who logs in.').optional(),
            passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
            connectionStringSecretCode: secretCode(
                'Connection string secret',
                `The secret that holds a whole ${scheme}://user:password@host:port/database instead of the fields above; one host, no query.`,
            ).optional(),
            ssl: ssl.prefault({}).meta({ title: 'TLS', description: 'How the connection is encrypted.' }),
            pool: pool
                .prefault({})
                .meta({ title: 'Pool', description: 'How many connections are opened, and for how long.' }),
        }),
        (given, fault) => {
            if (given.connectionStringSecretCode !== undefined) {
                for (const field of HOST_FIELDS) {
                    if (given[field] !== undefined)
                        fault(
                            field,
                            'stands in the connection string; give either connectionStringSecretCode or the fields of the server',
                        );
                }
                return;
            }
            if (given.host === undefined) fault('host', 'is missing; give host, or connectionStringSecretCode instead');
            if (given.passwordSecretCode !== undefined && given.username === undefined)
                fault('username', 'is missing; a password needs a user name');
            if (
                typeof given.ssl !== 'object' ||
                !given.ssl.enabled ||
                given.ssl.rejectUnauthorized === false ||
                typeof given.host !== 'string'
            )
                return;
            if (isIpAddress(given.host))
                fault(
                    'host',
                    'is an address; a certificate is verified against a host name, so name one or set ssl.rejectUnauthorized to false',
                );
        },
    );
}

/** A PostgreSQL server (spec 2, "database"). */
export const postgresConnection = defineConnection({
    code: 'POSTGRES',
    aliases: ['DB_KIND_A'],
    category: 'Databases',
    title: 'PostgreSQL',
    summary: 'Leads to a PostgreSQL database.',
    config: serverSettings(5432, 'postgres'),
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

/** A MySQL or MariaDB server (spec 2, "database"). */
export const mysqlConnection = defineConnection({
    code: 'MYSQL',
    aliases: ['DB_KIND_B'],
    category: 'Databases',
    title: 'MySQL or MariaDB',
    summary: 'Leads to a MySQL or MariaDB database.',
    config: serverSettings(3306, 'mysql'),
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

/** A SQLite file of the server's own disk, hence for the shop's code alone (spec 1, "Connection"). */
export const sqliteConnection = defineConnection({
    code: 'SQLITE',
    aliases: ['DB_KIND_C'],
    category: 'Databases',
    title: 'SQLite',
    isCodeFirstOnly: true,
    summary: 'Leads to a SQLite database file.',
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
        "Only the shop's code can define one (plugin option connections): the path is one of the server's own disk.",
    ],
});
