import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { type SecretUse, secretsSentTo } from '../../core/adapter/secret-hosts';
import { secretCode, wholeNumber, withRules } from '../../core/schema/fields';
import { host, isIpAddress, port, username } from './address';
import type {} from '../../core/errors/rendered';

/** How a connection to a database is encrypted. */
export const ssl = withRules(
    z.strictObject({
        enabled: z.boolean().default(false).meta({ title: 'Enabled', description: 'Encrypts the connection.' }),
        rejectUnauthorized: z.boolean().default(true).meta({
            title: 'Verify',
            description: 'Rejects a server whose certificate is invalid. Needs a host name, not an IP address.',
        }),
        caSecretCode: secretCode(
            'CA secret',
            'The secret that holds the certificate (PEM) of the certificate authority to trust.',
        ).optional(),
        certSecretCode: secretCode(
            'Certificate secret',
            'The secret that holds the client certificate (PEM). Requires keySecretCode.',
        ).optional(),
        keySecretCode: secretCode(
            'Key secret',
            'The secret that holds the private key (PEM) of the client certificate. Requires certSecretCode.',
        ).optional(),
    }),
    ({ enabled, caSecretCode, certSecretCode, keySecretCode }, issue) => {
        if (certSecretCode !== undefined && keySecretCode === undefined)
            issue('keySecretCode', clause`is missing; certSecretCode needs it`);
        if (keySecretCode !== undefined && certSecretCode === undefined)
            issue('certSecretCode', clause`is missing; keySecretCode needs it`);
        if (enabled !== false) return;
        for (const [field, value] of Object.entries({ caSecretCode, certSecretCode, keySecretCode })) {
            if (value !== undefined) issue(field, clause`is of no use while enabled is false`);
        }
    },
);

/** How many connections to a database there may be. */
export const pool = z.strictObject({
    max: wholeNumber(
        { min: 1, max: 10 },
        {
            title: 'Most',
            description:
                'The maximum number of connections that the steps of a run may open to this database together.',
        },
    ).default(10),
    idleTimeoutMs: wholeNumber(
        { min: 1, max: 300_000 },
        { title: 'Idle timeout', description: 'How long an idle connection is kept, in milliseconds.' },
    ).default(30_000),
});

/** Fields that a connection string says already. */
const HOST_FIELDS = ['host', 'port', 'database', 'username', 'passwordSecretCode'] as const;

const ONE_LINE = /^\P{Cc}*$/u;

/** The fields of a server, for a connection and for a step that names a server or changes some of these fields. */
export const serverFields = {
    host: host('The name or address of the server.').optional(),
    port: port('The port of the server. Default: 5432 for PostgreSQL, 3306 for MySQL and MariaDB.').optional(),
    database: z
        .string()
        .min(1)
        .max(255)
        .regex(ONE_LINE, 'must be one line')
        .optional()
        .meta({ title: 'Database', description: 'The name of the database. A step may set another one.' }),
    username: username('The username for the login.').optional(),
    passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
    connectionStringSecretCode: secretCode(
        'Connection string secret',
        'The secret that holds a connection string, postgres://user:password@host:port/database or mysql://…, instead of the fields above. It has one host and no query.',
    ).optional(),
};

/** The fields that name a secret for the server; a connection string names its server itself. */
export const SERVER_SECRETS = [
    'passwordSecretCode',
    'ssl.caSecretCode',
    'ssl.certSecretCode',
    'ssl.keySecretCode',
] as const;

/** The default port of each kind of database. */
export const DATABASE_PORTS = { POSTGRES: 5432, MYSQL: 3306 } as const;

/**
 * Where the secrets of a database are sent. Empty if a connection string names the server, because it is not known
 * before the secret is opened.
 */
export function databaseSecretUses(
    given: { readonly host?: string | undefined; readonly port?: number | undefined },
    defaultPort: number,
): readonly SecretUse[] {
    const { host: name, port: number = defaultPort } = given;
    return secretsSentTo(name === undefined ? undefined : { host: name, port: number }, given, SERVER_SECRETS);
}

/** The fields that describe a server. A field with another issue may have any value. */
type ServerGiven = { readonly [F in keyof typeof serverFields | 'ssl']?: unknown };

/** Checks that the fields of a server fit together. `isWhole` means that nothing else names the server. */
export function checkServer(
    given: ServerGiven,
    { isWhole }: { readonly isWhole: boolean },
    issue: (path: string, problem: FactText) => void,
): void {
    if (given.connectionStringSecretCode !== undefined) {
        for (const field of HOST_FIELDS) {
            if (given[field] !== undefined)
                issue(
                    field,
                    clause`is part of the connection string; use either connectionStringSecretCode or the fields of the server`,
                );
        }
        return;
    }
    if (isWhole && given.host === undefined)
        issue('host', clause`is missing; give host, or connectionStringSecretCode instead`);
    if (isWhole && given.passwordSecretCode !== undefined && given.username === undefined)
        issue('username', clause`is missing; a password needs a user name`);
    const { enabled, rejectUnauthorized } = Object(given.ssl) as {
        readonly enabled?: unknown;
        readonly rejectUnauthorized?: unknown;
    };
    if (enabled !== true || rejectUnauthorized === false || typeof given.host !== 'string') return;
    if (isIpAddress(given.host)) issue('host', ADDRESS_UNVERIFIED);
}

/** The issue of an IP address whose certificate must be verified. */
export const ADDRESS_UNVERIFIED = clause`is an address; a certificate is verified against a host name, so name one or set ssl.rejectUnauthorized to false`;
