import type { Connection, TryOutContext } from '../../core/adapter/connection';
import { FtpFiles } from '../../io/remote/ftp';
import { SftpFiles } from '../../io/remote/sftp';
import { openRemote } from './open-remote';

/** Logs in as a run would, and says what is there. */
export async function tryOutRemote(connection: Connection, cx: TryOutContext): Promise<string> {
    if (connection.type === 'OBJECT_STORAGE' && connection.settings['bucket'] === undefined)
        return 'The connection names no bucket, so there is nothing to ask; steps that use it name one.';
    const files = await openRemote(connection, cx);
    try {
        if (files instanceof SftpFiles) return told(await files.fingerprint(), connection);
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

function told(fingerprint: string, { settings }: Connection): string {
    if (settings['hostKeyFingerprintSecretCode'] !== undefined)
        return 'The server lets the user in, and its host key is the trusted one.';
    return `The server lets the user in. Nothing vouches for it yet: its host key is ${fingerprint}. Compare that with what whoever runs it says, and keep it as the secret of hostKeyFingerprintSecretCode.`;
}
