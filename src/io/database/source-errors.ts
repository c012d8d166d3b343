import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { SqlTarget } from './session';
import { targetName } from './session';

/** What drivers throw. */
interface DriverError {
    readonly code?: unknown;
    readonly errno?: unknown;
    readonly message?: unknown;
    readonly sqlMessage?: unknown;
    readonly position?: unknown;
    readonly severity?: unknown;
}

type Kind = 'credentials' | 'untrusted' | 'database' | 'rights' | 'busy' | 'timeout' | 'tls' | 'lost' | 'stranger';

/** SQLSTATEs of PostgreSQL; two characters stand for a whole class. */
const POSTGRES: Readonly<Record<string, Kind>> = {
    '28000': 'credentials',
    '28P01': 'credentials',
    '3D000': 'database',
    '42501': 'rights',
    '57014': 'timeout',
    '25P03': 'lost',
    '57P01': 'lost',
    '57P02': 'lost',
    '57P03': 'busy',
    '57P05': 'lost',
    '53': 'busy',
    '40': 'busy',
    '55P03': 'busy',
    '08': 'lost',
    '58030': 'busy',
};

/** Numbers of errors of MySQL and MariaDB. */
const MYSQL: Readonly<Record<number, Kind>> = {
    1044: 'database',
    1045: 'credentials',
    1698: 'credentials',
    1049: 'database',
    1142: 'rights',
    1143: 'rights',
    1227: 'rights',
    1370: 'rights',
    1040: 'busy',
    1203: 'busy',
    1226: 'busy',
    1205: 'busy',
    1213: 'busy',
    1053: 'lost',
    1927: 'lost',
    1969: 'timeout',
    3024: 'timeout',
    1317: 'timeout',
    3159: 'tls',
};

/** Codes of Node and of the drivers for lost connections. */
const LOST = /^(ECONN|EPIPE|ETIMEDOUT|PROTOCOL_CONNECTION_LOST|PROTOCOL_SEQUENCE_TIMEOUT|ERR_STREAM|ERR_SOCKET)/;
const NO_TLS = /^HANDSHAKE_NO_SSL_SUPPORT$/;
/** Of mysql2, which speaks TLS itself; the gateway reports those of the other drivers. */
const UNTRUSTED =
    /^(HANDSHAKE_SSL_ERROR|CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;
const MAX_MESSAGE = 500;

/**
 * Converts what a database or its driver has thrown: whether a retry helps, and who has to change something. The
 * server's own message is kept if it is about the query, since the user needs it to correct the query.
 */
export function sourceError(thrown: unknown, target: SqlTarget, timeoutMs: number): FlowError {
    if (isFlowError(thrown)) return thrown;
    const host = targetName(target);
    const cause = { cause: thrown };
    const kind = kindOf(thrown as DriverError, target);
    const rejected = (problem: string): FlowError => flowError('REMOTE_REFUSED', { host, problem }, cause);
    const busy = (problem: string): FlowError => flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, cause);
    switch (kind) {
        case 'credentials':
            return rejected('does not take the user name or the password');
        case 'database':
            return rejected(`has no database "${target.database}", or the user may not use it`);
        case 'rights':
            return rejected(
                `does not let the user in, or lacks the right to read the data (${messageOf(thrown as DriverError)}); grant it CONNECT and SELECT`,
            );
        case 'stranger':
            return rejected('does not speak the protocol of PostgreSQL');
        case 'untrusted':
            return rejected('has no certificate that can be trusted for it');
        case 'tls':
            return rejected('wants the connection to be encrypted, or cannot do that; see ssl.enabled');
        case 'busy':
            return busy('has too much to do (too many connections, a lock, or it has just started)');
        case 'lost':
            return busy('broke the connection off');
        case 'timeout':
            return flowError(
                'OUTBOUND_TIMEOUT',
                { host, what: 'did not end the query', timeoutMs, attempts: 1 },
                cause,
            );
        case undefined:
            return flowError('QUERY_FAILED', { host, problem: messageOf(thrown as DriverError) }, cause);
    }
}

function kindOf({ code, errno, severity, message }: DriverError, { dialect }: SqlTarget): Kind | undefined {
    const text = typeof code === 'string' ? code : '';
    if (dialect === 'postgres' && severity !== undefined) return POSTGRES[text] ?? POSTGRES[text.slice(0, 2)];
    // pg's message about bytes that no PostgreSQL server sends there: it is another kind of server, or another port.
    if (
        dialect === 'postgres' &&
        text === '' &&
        /^Received unexpected |^unexpected message|^Unknown message/i.test(String(message))
    )
        return 'stranger';
    if (dialect === 'mysql' && typeof errno === 'number' && MYSQL[errno] !== undefined) return MYSQL[errno];
    if (NO_TLS.test(text)) return 'tls';
    if (UNTRUSTED.test(text)) return 'untrusted';
    if (
        LOST.test(text) ||
        /^Connection terminated|Connection lost|closed state|not queryable|Client was closed/i.test(String(message))
    )
        return 'lost';
    return dialect === 'sqlite' && /^SQLITE_(BUSY|LOCKED)/.test(text) ? 'busy' : undefined;
}

/** One line, since it is part of a sentence. */
function messageOf({ sqlMessage, message, position }: DriverError): string {
    const text = String(sqlMessage || message || 'it gives no reason')
        .replace(/\s+/g, ' ')
        .replace(/\.$/, '');
    const short = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
    return typeof position === 'string' ? `${short} (at character ${position} of what it was sent)` : short;
}

/** As the package's peers have them. */
const VERSIONS = { pg: '^8.11.0', mysql2: '^3.11.0', 'better-sqlite3': '>=11' } as const;

/** A driver that a shop need not have. Throws CLIENT_MISSING. */
export async function driver<T>(name: keyof typeof VERSIONS, load: () => Promise<T>): Promise<T> {
    try {
        return await load();
    } catch (error) {
        throw flowError(
            'CLIENT_MISSING',
            { code: 'database', package: name, version: VERSIONS[name] },
            { cause: error },
        );
    }
}
