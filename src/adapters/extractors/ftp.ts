import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup, shownIf } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import type { FileWatch, WatchProblem } from '../../core/adapter/source-reference';
import { defineExtractor } from '../../core/adapter/extractor';
import { mergedSecretsSentTo, type SavedConnections, type SecretUse } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import { compileNamePattern } from '../../core/data/name-pattern';
import { connectionCode, ignoreCase, namePattern, secretCode, wholeNumber, withRules } from '../../core/schema/fields';
import type { JsonObject } from '../../core/value/json';
import { host, port, username } from '../connections/address';
import { FILE_SERVER_SECRETS } from '../connections/ftp';
import { acknowledgeAt } from '../remote-files/acknowledge';
import type { RemoteTarget } from '../remote-files/open-remote';
import {
    checkAfterwards,
    checkRemoteGroups,
    LAST_RUN,
    maxFiles,
    modifiedAfter,
    remoteFields,
    remoteNotes,
} from './remote-config';
import { remotePages, remoteCheckpoint } from './remote-pages';
import type { RemoteReading } from './remote-reading';
import { watchProblem } from './watched-file';

const FIELD = '_ftp';

const folder = (title: string, description: string) =>
    z
        .string()
        .min(1)
        .max(1_024)
        .regex(/^(?!(?:.*\/)?\.\.(?:\/|$))\P{Cc}*$/u, 'allowed: one line, without a part ..')
        .meta({ title, description });

/** What a step may say in the place of a connection. Secrets of a connection are for its host alone. */
const OF_SERVER = ['host', 'port', 'username'] as const;
const SECRETS = ['passwordSecretCode', 'privateKeySecretCode', 'passphraseSecretCode'] as const;
const OF_SFTP = ['privateKeySecretCode', 'passphraseSecretCode', 'hostKeyFingerprintSecretCode'] as const;
const OF_FTP = ['secure', 'caSecretCode', 'passiveMode'] as const;
const TARGET = [...OF_SERVER, ...SECRETS, 'hostKeyFingerprintSecretCode', ...OF_FTP, 'timeoutMs'] as const;

const config = withRules(
    z.strictObject({
        connectionCode: connectionCode(['FTP', 'SFTP'], {
            title: 'Connection',
            description: 'A saved connection. Settings of the step override it.',
        }).optional(),
        ...inGroup(GROUPS.server, {
            protocol: z.enum(['ftp', 'sftp']).optional().meta({
                title: 'Protocol',
                description: 'ftp or sftp. Default: the type of the connection.',
                aliases: {},
            }),
            host: host('The name or address of the server. Default: the host of the connection.').optional(),
            port: port(
                'The port. Default: the port of the connection, otherwise 21 for FTP and 22 for SFTP.',
            ).optional(),
            username: username('The username for the login.').optional(),
            passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
            ...shownIf(
                { protocol: [null, 'sftp'] },
                {
                    privateKeySecretCode: secretCode(
                        'Private key secret',
                        'SFTP: the secret that holds the private key, as OpenSSH or PEM text.',
                    ).optional(),
                    passphraseSecretCode: secretCode(
                        'Passphrase secret',
                        'SFTP: the secret that holds the passphrase of the private key.',
                    ).optional(),
                    hostKeyFingerprintSecretCode: secretCode(
                        'Host key secret',
                        'SFTP: the secret that holds the fingerprint of the trusted host key, in the form SHA256:<base64>. Needed in production.',
                    ).optional(),
                },
            ),
        }),
        remotePath: folder(
            'Folder',
            "The folder on the server: /out/stock. Relative to the user's home folder if it does not begin with /.",
        ),
        filePattern: namePattern('The file names to read, for example stock-*.{csv,txt}.').optional(),
        ignoreCase,
        ...remoteFields,
        modifiedAfter: modifiedAfter(
            `Only reads files modified after this time: an ISO date, or ${LAST_RUN} for files that the last completed run has not read.`,
        ),
        maxFiles: maxFiles(
            'At most',
            'The maximum number of files per run. The next run continues with the remaining ones.',
        ).default(50),
        ...inGroup(GROUPS.files, {
            includeFileMetadata: z
                .boolean()
                .default(false)
                .meta({
                    title: 'With metadata',
                    description: `Adds protocol, host, path, size and modified to each record, under ${FIELD}.`,
                }),
            moveAfterProcess: z
                .strictObject({
                    enabled: z
                        .boolean()
                        .default(false)
                        .meta({ title: 'Move', description: 'Moves each file after the run has completed.' }),
                    destinationPath: folder('To', 'The target folder: /out/stock/done.').optional(),
                })
                .prefault({})
                .meta({ title: 'Move afterwards', description: 'Where to move files that were read.' }),
        }),
        ...inGroup(GROUPS.server, {
            ...shownIf(
                { protocol: [null, 'ftp'] },
                {
                    secure: z
                        .boolean()
                        .optional()
                        .meta({ title: 'Secure', description: 'FTP: encrypts the connection (FTPS). Default: false.' }),
                    caSecretCode: secretCode(
                        'Authority secret',
                        "FTPS: the secret that holds the certificate (PEM) of the authority that signed the server's certificate.",
                    ).optional(),
                    passiveMode: z.boolean().optional().meta({
                        title: 'Passive mode',
                        description:
                            'FTP: Flow opens the data connections (passive mode), not the server. Default: true.',
                    }),
                },
            ),
            timeoutMs: wholeNumber(
                { min: 1, max: 300_000 },
                {
                    title: 'Timeout',
                    description: 'The time limit for a response of the server, in milliseconds. Default: 30,000.',
                },
            ).optional(),
        }),
    }),
    (given, issue) => {
        checkAfterwards(given, 'destinationPath', issue);
        checkRemoteGroups(given, issue);
        const { connectionCode: code, protocol } = given;
        if (code === undefined)
            for (const field of ['protocol', 'host'] as const)
                if (given[field] === undefined) issue(field, clause`is missing; give it, or a connection`);
        const odd = protocol === 'ftp' ? OF_SFTP : protocol === 'sftp' ? OF_FTP : [];
        for (const field of odd)
            if (given[field] !== undefined) issue(field, clause`is of the other protocol than ${String(protocol)}`);
        if (given.passphraseSecretCode !== undefined && given.privateKeySecretCode === undefined && code === undefined)
            issue('privateKeySecretCode', clause`is missing; a passphrase needs the private key that it opens`);
        const { remotePath, moveAfterProcess: move } = given;
        const to = (move as { readonly destinationPath?: unknown } | undefined)?.destinationPath;
        if (typeof to === 'string' && typeof remotePath === 'string' && bare(to) === bare(remotePath))
            issue(
                'moveAfterProcess.destinationPath',
                clause`is the folder that is read, so that what is moved there would be read again`,
            );
    },
);
type Config = z.output<typeof config>;

/** Reads the files of an FTP, FTPS or SFTP server. */
export const ftpExtractor = defineExtractor({
    code: 'ftp',
    category: 'Files',
    title: 'FTP and SFTP',
    summary: 'Reads records from files in a folder on an FTP, FTPS or SFTP server.',
    config,
    readsServer: true,
    notes: [
        ...remoteNotes,
        'Only files in the folder itself are read, not files in its subfolders.',
        'SFTP needs the package ssh2, FTP the package basic-ftp. Host keys, certificates and data connections work as in the connection types.',
        'A step that sets another host than its connection does not get the secrets of the connection and must name its own.',
    ],
    examples: [
        {
            config: {
                connectionCode: 'supplier-sftp',
                remotePath: '/out',
                filePattern: 'stock-*.csv',
                moveAfterProcess: { enabled: true, destinationPath: '/out/done' },
            },
            out: [],
            note: 'Reads each file once, then moves it.',
        },
        {
            config: {
                protocol: 'sftp',
                host: 'sftp.example.com',
                username: 'shop',
                privateKeySecretCode: 'sftp-key',
                hostKeyFingerprintSecretCode: 'sftp-host-key',
                remotePath: 'prices',
                modifiedAfter: 'LAST_RUN',
            },
            out: [],
            note: 'Without a saved connection; reads what is new since the last completed run.',
        },
    ],
    advise: ({ moveAfterProcess: { enabled, destinationPath } }): readonly Advice[] =>
        !enabled && destinationPath !== undefined
            ? [withoutEffect('moveAfterProcess.destinationPath', clause`without moveAfterProcess.enabled`)]
            : [],
    secretUses,
    readsPart: ({ modifiedAfter: after }) => after !== undefined,
    readsWatched,
    saved: async (given, cx) => remoteCheckpoint(readingOf(given, cx), cx),
    extract: (given, cx) => remotePages(readingOf(given, cx), cx),
    afterCompletion: (given, action, cx) => acknowledgeAt(targetOf(given, cx), action, cx),
});

/** What the step says over what its connection says. */
function settingsOf(given: Config, saved: JsonObject | undefined): JsonObject {
    const said = Object.fromEntries(
        TARGET.filter(field => given[field] !== undefined).map(field => [field, given[field]!]),
    );
    const settings = { ...saved };
    const isElsewhere = given.host !== undefined && given.host !== settings['host'];
    // A password of an encrypted connection is not sent as plain text.
    if (isElsewhere || (given.secure === false && settings['secure'] === true))
        for (const field of [...SECRETS, 'hostKeyFingerprint', 'hostKeyFingerprintSecretCode']) delete settings[field];
    if (given.hostKeyFingerprintSecretCode !== undefined) delete settings['hostKeyFingerprint'];
    return { ...settings, ...said };
}

function secretUses(given: Config, connections: SavedConnections): readonly SecretUse[] {
    const saved = given.connectionCode === undefined ? undefined : connections(given.connectionCode);
    const merged = settingsOf(given, saved?.settings);
    const { host: name, port: number = given.protocol === 'sftp' ? 22 : 21 } = merged as Pick<Config, 'host' | 'port'>;
    const target = name === undefined ? undefined : { host: name, port: number };
    return mergedSecretsSentTo(target, { step: given, merged }, FILE_SERVER_SECRETS);
}

function targetOf(given: Config, { connections }: Pick<AdapterContext, 'connections'>): RemoteTarget {
    const { connectionCode: code, protocol } = given;
    const saved = code === undefined ? undefined : connections.get(code);
    const type = saved?.type ?? (protocol === 'sftp' ? 'SFTP' : 'FTP');
    if (saved && protocol !== undefined && protocol.toUpperCase() !== saved.type) {
        const problem = `it is of the type ${saved.type}, and the step says protocol ${protocol}`;
        throw flowError('CONNECTION_INVALID', { code: saved.code, problem });
    }
    return { code: code ?? 'of the step', type, settings: settingsOf(given, saved?.settings) };
}

function readsWatched(
    { connectionCode: code, host: named, port: at, moveAfterProcess }: Config,
    watch: FileWatch,
): WatchProblem | undefined {
    const { enabled, destinationPath: to } = moveAfterProcess;
    const moves = enabled && to !== undefined ? { field: 'moveAfterProcess.destinationPath', to } : undefined;
    const elsewhere = { host: named, port: at };
    const isWithin = (folderName: string, { path, recursive }: FileWatch): boolean => {
        const [target, watched] = [bare(folderName), bare(path)];
        return target === watched || (recursive && target.startsWith(`${watched}/`));
    };
    return watchProblem({ connectionCode: code, elsewhere, moves, isWithin }, watch);
}

function readingOf(given: Config, cx: Pick<AdapterContext, 'connections'>): RemoteReading {
    const { remotePath, filePattern, includeFileMetadata, moveAfterProcess, deleteAfterProcess } = given;
    const target = targetOf(given, cx);
    const isNamed = filePattern === undefined ? () => true : compileNamePattern(filePattern, given);
    const to = moveAfterProcess.enabled ? moveAfterProcess.destinationPath : undefined;
    const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
    return {
        target,
        connectionCode: given.connectionCode,
        config: given,
        under: remotePath === '/' ? '/' : bare(remotePath),
        recursive: false,
        ...(filePattern !== undefined && { names: { filePattern, ...(given.ignoreCase && { ignoreCase: true }) } }),
        matches: path => isNamed(nameOf(path)),
        maxFiles: given.maxFiles,
        isInclusive: false,
        ...(includeFileMetadata && {
            metadata: ({ path, size, modifiedAt }) => ({
                field: FIELD,
                value: {
                    protocol: target.type.toLowerCase(),
                    host: target.settings['host'] ?? null,
                    path,
                    size,
                    modified: modifiedAt === undefined ? null : new Date(modifiedAt).toISOString(),
                },
            }),
        }),
        afterwards: ({ path }) =>
            deleteAfterProcess
                ? { action: 'DELETE' }
                : to === undefined
                  ? undefined
                  : { action: 'MOVE', to: `${bare(to)}/${nameOf(path)}` },
    };
}

/** Without the slash at its end. */
function bare(path: string): string {
    return path.replace(/\/+$/, '');
}
