import type { AdapterContext } from '../../core/adapter/context';
import type { Connection } from '../../core/adapter/connection';
import type { Secret } from '../../core/adapter/secret';
import { allowedEntryOf, type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import { textFor } from '../../io/outbound/auth';
import { FtpFiles } from '../../io/remote/ftp';
import { S3Files } from '../../io/remote/s3';
import { SftpFiles } from '../../io/remote/sftp';
import { cloudEndpoint } from '../clients/cloud-endpoint';
import { optionalClient } from '../clients/optional-client';

/** Types of connections that lead to files. */
export const REMOTE_TYPES = ['FTP', 'SFTP', 'OBJECT_STORAGE'] as const;
type RemoteType = (typeof REMOTE_TYPES)[number];

/** The settings of a connection or a step, checked by the schemas of the three connection types. */
interface Settings {
    readonly host?: string;
    readonly port?: number;
    readonly username?: string;
    readonly passwordSecretCode?: string;
    readonly privateKeySecretCode?: string;
    readonly passphraseSecretCode?: string;
    readonly hostKeyFingerprint?: string;
    readonly hostKeyFingerprintSecretCode?: string;
    readonly secure?: boolean;
    readonly caSecretCode?: string;
    readonly passiveMode?: boolean;
    readonly timeoutMs?: number;
    readonly bucket?: string;
    readonly region?: string;
    readonly endpoint?: string;
    readonly forcePathStyle?: boolean;
    readonly accessKeyIdSecretCode?: string;
    readonly secretAccessKeySecretCode?: string;
}

/** The location of files: a connection, or the settings of a step instead. */
export type RemoteTarget = Connection;

/** The dependencies of opening. */
export interface RemoteContext extends Pick<AdapterContext, 'outbound' | 'signal'> {
    readonly secrets: { get(code: string): Secret };
}

const TIMEOUT_MS = 30_000;

/**
 * Remote files of a target of one of REMOTE_TYPES. Does not connect yet. Must be closed. Throws CONNECTION_INVALID,
 * SECRET_UNREADABLE, SECRET_HOST_NOT_ALLOWED and CLIENT_MISSING.
 */
export async function openRemote(target: RemoteTarget, cx: RemoteContext): Promise<SftpFiles | FtpFiles | S3Files> {
    switch (target.type as RemoteType) {
        case 'SFTP':
            return sftpOf(target, cx);
        case 'FTP':
            return ftpOf(target, cx);
        case 'OBJECT_STORAGE':
            return s3Of(target, cx);
        default:
            throw invalid(
                target,
                `it is of the type ${target.type}, which leads to no files; allowed: ${REMOTE_TYPES.join(', ')}`,
            );
    }
}

async function sftpOf(target: RemoteTarget, { outbound, signal, secrets }: RemoteContext): Promise<SftpFiles> {
    const settings = settingsOf(target);
    const server = { host: hostOf(target), port: settings.port ?? 22 };
    const text = textsFor(server, secrets);
    const ssh2 = await optionalClient({ code: 'SFTP', name: 'ssh2' }, async () => (await import('ssh2')).default);
    return new SftpFiles(
        {
            ...server,
            username: settings.username ?? 'anonymous',
            password: text(settings.passwordSecretCode),
            privateKey: text(settings.privateKeySecretCode),
            passphrase: text(settings.passphraseSecretCode),
            hostKeyFingerprint: settings.hostKeyFingerprint ?? text(settings.hostKeyFingerprintSecretCode),
            timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
        },
        { ssh2, outbound, signal },
    );
}

async function ftpOf(target: RemoteTarget, { outbound, signal, secrets }: RemoteContext): Promise<FtpFiles> {
    const settings = settingsOf(target);
    const server = { host: hostOf(target), port: settings.port ?? 21 };
    const text = textsFor(server, secrets);
    const basicFtp = await optionalClient({ code: 'FTP', name: 'basic-ftp' }, () => import('basic-ftp'));
    return new FtpFiles(
        {
            ...server,
            username: settings.username,
            password: text(settings.passwordSecretCode),
            secure: settings.secure ?? false,
            ca: text(settings.caSecretCode),
            passiveMode: settings.passiveMode ?? true,
            timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
        },
        { basicFtp, outbound, signal },
    );
}

function s3Of(target: RemoteTarget, { outbound, signal, secrets }: RemoteContext): S3Files {
    const { bucket, region = 'us-east-1', endpoint, forcePathStyle = false, ...keys } = settingsOf(target);
    const { accessKeyIdSecretCode: id, secretAccessKeySecretCode: key } = keys;
    if (bucket === undefined) throw invalid(target, 'it names no bucket, and neither does the step');
    const hasKeys = id !== undefined && key !== undefined;
    // The server's own credentials are for its own cloud. They are not sent to a server whose address comes from a
    // connection.
    if (!hasKeys && endpoint !== undefined)
        throw invalid(target, 'a compatible service needs accessKeyIdSecretCode and secretAccessKeySecretCode');
    if (!hasKeys && !outbound.rules.cloudCredentials)
        throw invalid(
            target,
            "it has no access key (accessKeyIdSecretCode, secretAccessKeySecretCode); the server's own cloud credentials are used only where the plugin option security.cloudCredentialChain is true",
        );
    const service = secretTargetOf(endpoint ?? cloudEndpoint('s3', region))!;
    const text = textsFor(service, secrets);
    const credentials = hasKeys ? { accessKeyId: text(id), secretAccessKey: text(key) } : undefined;
    return new S3Files(
        { bucket, region, endpoint, forcePathStyle, credentials, service: allowedEntryOf(service)! },
        { outbound, signal },
    );
}

function settingsOf({ settings }: RemoteTarget): Settings {
    return settings as Settings;
}

function hostOf(target: RemoteTarget): string {
    const { host } = settingsOf(target);
    if (host === undefined) throw invalid(target, 'it names no host, and neither does the step');
    return host;
}

interface Texts {
    (code: string): string;
    (code: string | undefined): string | undefined;
}

/** The secrets for this server. */
function textsFor(server: SecretTarget, secrets: RemoteContext['secrets']): Texts {
    return ((code: string | undefined) =>
        code === undefined ? undefined : textFor(secrets.get(code), server)) as Texts;
}

function invalid({ code }: RemoteTarget, problem: string): Error {
    return flowError('CONNECTION_INVALID', { code, problem });
}
