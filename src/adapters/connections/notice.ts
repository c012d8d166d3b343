import type { Connection, ConnectionType } from '../../core/adapter/connection';
import { flowError } from '../../core/errors/flow-error';
import { authOf } from '../../io/outbound/auth';

/** How often a notice is tried within its time. */
const ATTEMPTS = 3;
/** Only the status of the response matters, so the rest of a longer body is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** As the schema of the connection types has checked it. */
interface Settings {
    readonly baseUrl?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
}

/** Sends a notice as one POST of JSON, with the connection's own authentication and to its own origin. */
export const notify: NonNullable<ConnectionType['notify']> = async (
    connection: Connection,
    { path, id, body, timeoutMs },
    { http, secrets, signal },
) => {
    const { baseUrl, headers, timeoutMs: longest } = connection.settings as unknown as Settings;
    if (baseUrl === undefined)
        throw flowError('CONNECTION_INVALID', {
            code: connection.code,
            problem: `it has no baseUrl that "${path}" could start from`,
        });
    await http.send({
        method: 'POST',
        url: `${baseUrl.replace(/\/$/, '')}/${path.replace(/^\//, '')}`,
        originLock: new URL(baseUrl).origin,
        headers: { ...headers, 'content-type': 'application/json', 'x-flow-id': id },
        auth: authOf(connection, secrets),
        body: JSON.stringify(body),
        timeoutMs: Math.min(timeoutMs, longest),
        attempts: ATTEMPTS,
        isRepeatable: true,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
    });
};
