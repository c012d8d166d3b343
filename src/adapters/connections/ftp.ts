import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { allowedEntriesOf, secretsSentTo } from '../../core/adapter/secret-hosts';
import { secretCode, timeoutMs, withRules } from '../../core/schema/fields';
import { tryOutRemote } from '../remote-files/try-out';
import { host, port, username } from './address';

const server = {
    host: host('The name or address of the server.'),
    username: username('The username for the login.').optional(),
    passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
    timeoutMs: timeoutMs('Timeout', 'The time limit for a response of the server, in milliseconds.'),
};

/** Every port of a host, as an entry of `allowedHosts`. */
function hostEntryOf(name: string): string {
    return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}

/** The fields of both protocols that name a secret, in connections and steps. */
export const FILE_SERVER_SECRETS = [
    'passwordSecretCode',
    'privateKeySecretCode',
    'passphraseSecretCode',
    'hostKeyFingerprintSecretCode',
    'caSecretCode',
] as const;

/** Connection to an FTP or FTPS server. */
export const ftp = defineConnection({
    code: 'FTP',
    category: 'Files',
    title: 'FTP',
    summary: 'Connects to an FTP or FTPS server.',
    config: withRules(
        z.strictObject({
            host: server.host,
            port: port('The port of the control connection.').default(21),
            username: server.username,
            passwordSecretCode: server.passwordSecretCode,
            secure: z
                .boolean()
                .default(false)
                .meta({ title: 'Secure', description: 'Encrypts the connection (FTPS, AUTH TLS).' }),
            caSecretCode: secretCode(
                'Authority secret',
                "The secret that holds the CA certificate (PEM) that signed the server's certificate, if it is not a public CA.",
            ).optional(),
            passiveMode: z.boolean().default(true).meta({
                title: 'Passive mode',
                description: 'Flow opens the data connections (passive mode), not the server.',
            }),
            timeoutMs: server.timeoutMs,
        }),
        ({ username: user, passwordSecretCode, secure, caSecretCode }, issue) => {
            if (passwordSecretCode !== undefined && user === undefined)
                issue('username', clause`is missing; a password needs a user name`);
            if (caSecretCode !== undefined && secure !== true)
                issue('secure', clause`is not true; caSecretCode needs it, since nothing else is encrypted`);
        },
    ),
    secretUses: given => secretsSentTo(given, given, FILE_SERVER_SECRETS),
    // Data connections go to other ports of the same host.
    servers: given => [hostEntryOf(given.host)],
    tryOut: tryOutRemote,
    notes: [
        'Needs the package basic-ftp.',
        'Without "secure", the password is sent as plain text.',
        'Data connections go to the host of the connection, even if the server names another address. In active mode the server opens the data connection, so a firewall has to allow it.',
        'Port 990 with "secure" uses TLS from the first byte. Other ports switch to TLS with AUTH TLS.',
    ],
    examples: [
        {
            settings: { host: 'ftp.example.com', username: 'shop', passwordSecretCode: 'ftp-password', secure: true },
        },
    ],
});

/** Connection to an SFTP server. */
export const sftp = defineConnection({
    code: 'SFTP',
    category: 'Files',
    title: 'SFTP',
    summary: 'Connects to an SFTP server.',
    config: withRules(
        z.strictObject({
            host: server.host,
            port: port('The port of the SSH server.').default(22),
            username: server.username,
            passwordSecretCode: server.passwordSecretCode,
            privateKeySecretCode: secretCode(
                'Private key secret',
                'The secret that holds the private key, as OpenSSH or PEM text.',
            ).optional(),
            passphraseSecretCode: secretCode(
                'Passphrase secret',
                'The secret that holds the passphrase of the private key.',
            ).optional(),
            hostKeyFingerprintSecretCode: secretCode(
                'Host key secret',
                'The secret that holds the fingerprint of the trusted host key, in the form SHA256:<base64>, instead of hostKeyFingerprint.',
            ).optional(),
            hostKeyFingerprint: z
                .string()
                .regex(
                    /^SHA256:[A-Za-z0-9+/]{43}=?$/,
                    'allowed: SHA256: and 43 characters of base64, as ssh-keygen -lf shows it',
                )
                .optional()
                .meta({
                    title: 'Host key fingerprint',
                    description:
                        'The fingerprint of the trusted host key, in the form SHA256:<base64>. It is public, so it needs no secret: test the connection to see it. Needed in production, here or in a secret.',
                }),
            timeoutMs: server.timeoutMs,
        }),
        (given, issue) => {
            const { username: user, passwordSecretCode, privateKeySecretCode, passphraseSecretCode } = given;
            if (given.hostKeyFingerprint !== undefined && given.hostKeyFingerprintSecretCode !== undefined)
                issue('hostKeyFingerprint', clause`is given next to hostKeyFingerprintSecretCode; give one of them`);
            if ((passwordSecretCode !== undefined || privateKeySecretCode !== undefined) && user === undefined) {
                issue('username', clause`is missing; a password or private key needs a user name`);
            }
            if (passphraseSecretCode !== undefined && privateKeySecretCode === undefined) {
                issue('privateKeySecretCode', clause`is missing; a passphrase needs the private key that it opens`);
            }
        },
    ),
    secretUses: given => secretsSentTo(given, given, FILE_SERVER_SECRETS),
    servers: given => allowedEntriesOf(given),
    tryOut: tryOutRemote,
    notes: [
        'Needs the package ssh2.',
        'A host key is trusted only if its fingerprint is saved, as hostKeyFingerprint or in the secret of hostKeyFingerprintSecretCode. Without it, runs connect to the server only in development (plugin option security.unknownHostKeys). Testing the connection shows the fingerprint of the server, and the dashboard offers to save it: compare it with the one that the operator of the server gives you. Nothing secret is sent to a server whose key is unknown.',
    ],
    examples: [
        {
            settings: {
                host: 'sftp.example.com',
                username: 'shop',
                privateKeySecretCode: 'sftp-key',
                passphraseSecretCode: 'sftp-passphrase',
                hostKeyFingerprintSecretCode: 'sftp-host-key',
            },
        },
    ],
});
