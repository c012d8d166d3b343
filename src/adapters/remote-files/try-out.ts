import type { Connection, TriedOut, TryOutContext } from '../../core/adapter/connection';
import { FtpFiles } from '../../io/remote/ftp';
import { SftpFiles } from '../../io/remote/sftp';
import { openRemote } from './open-remote';

/** Logs in like a run, and reports what it finds. */
export async function tryOutRemote(connection: Connection, cx: TryOutContext): Promise<string | TriedOut> {
    if (connection.type === 'OBJECT_STORAGE' && connection.settings['bucket'] === undefined)
        return 'The connection names no bucket, so there is nothing to ask; steps that use it name one.';
    const files = await openRemote(connection, cx);
    try {
        if (files instanceof SftpFiles) return await triedSftp(files, connection, cx);
        if (files instanceof FtpFiles) {
            const encrypted = connection.settings['secure'] === true ? '' : ' The connection is not encrypted.';
            return `The server lets the user in, at ${await files.home()}.${encrypted}`;
        }
        const first = files.list({ under: '', recursive: false, bounds: { depth: 0, entries: 1, pages: 1 } });
        await first.next();
        await first.return();
        return `The bucket ${String(connection.settings['bucket'])} is there, and may be listed.`;
    } finally {
        files.close();
    }
}

/** If the host key is unknown, only the key is read, unless runs would log in as well. */
async function triedSftp(
    files: SftpFiles,
    { settings }: Connection,
    { outbound }: TryOutContext,
): Promise<string | TriedOut> {
    const isTrusted = ['hostKeyFingerprint', 'hostKeyFingerprintSecretCode'].some(name => settings[name] !== undefined);
    if (isTrusted) {
        await files.fingerprint();
        return 'The server lets the user in, and its host key is the trusted one.';
    }
    const then = 'Compare it with the one that the operator of the server gives you, then save it with the connection.';
    if (outbound.rules.unknownHostKeys) {
        const hostKeyFingerprint = await files.fingerprint();
        const message = `The server lets the user in. The fingerprint of its host key is ${hostKeyFingerprint}. ${then}`;
        return { message, hostKeyFingerprint };
    }
    const hostKeyFingerprint = await files.hostKey();
    const message = `The host key of ${files.host} is unknown. Its fingerprint is ${hostKeyFingerprint}. ${then}`;
    return { message, hostKeyFingerprint, code: 'REMOTE_REFUSED' };
}
