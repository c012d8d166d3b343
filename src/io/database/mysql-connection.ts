import type { Connection, ConnectionOptions } from 'mysql2';
import type { OutboundSocket } from '../../core/adapter/outbound';
import type { SqlTarget } from './session';

/** Statements that stay prepared: those of one source. */
const MAX_PREPARED = 16;

/** The options of a connection over a socket of the gateway, with which it loses no value and reveals nothing. */
export function optionsOf(
    { host, port, user, password, database, tls }: SqlTarget,
    socket: OutboundSocket,
): ConnectionOptions {
    return {
        host,
        port,
        ...(user !== undefined && { user }),
        ...(password !== undefined && { password }),
        database,
        stream: () => socket,
        ...(tls && {
            ssl: {
                ...(tls.ca !== undefined && { ca: tls.ca }),
                ...(tls.cert !== undefined && { cert: tls.cert }),
                ...(tls.key !== undefined && { key: tls.key }),
                rejectUnauthorized: tls.rejectUnauthorized !== false,
                // By default the driver accepts any certificate with a trusted signature, whichever host it was
                // issued for.
                verifyIdentity: tls.rejectUnauthorized !== false,
            },
        }),
        charset: 'utf8mb4',
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
        jsonStrings: true,
        multipleStatements: false,
        // A server may ask for any file of ours otherwise.
        flags: ['-LOCAL_FILES'],
        maxPreparedStatements: MAX_PREPARED,
    };
}

/** Sends one of Flow's own statements by the text protocol. */
export function askText<R>(connection: Connection, text: string): Promise<readonly R[]> {
    return new Promise((resolve, reject) => {
        connection.query(text, (error: unknown, rows: unknown) =>
            error ? reject(error as Error) : resolve((Array.isArray(rows) ? rows : []) as readonly R[]),
        );
    });
}
