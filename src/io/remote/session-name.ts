import { createHash } from 'node:crypto';

/** By which a session is found again: a digest of all that it was opened with, so that another password is another session. */
export function sessionName(protocol: string, server: object): string {
    return `${protocol} ${createHash('sha256')
        .update(JSON.stringify(Object.entries(server)))
        .digest('base64')}`;
}
