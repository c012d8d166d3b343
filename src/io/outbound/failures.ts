import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import type { FailedTry } from './retry';

/** Which try of which request it was, for the message. */
export interface TryFacts {
    readonly host: string;
    readonly tried: number;
    /** For all of it. */
    readonly timeoutMs: number;
    /** Between two signs of life, where that is something else. */
    readonly idleMs?: number;
}

/** There was no connection, so nothing was sent. */
const UNREACHED: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'rejects connections',
    EHOSTUNREACH: 'cannot be reached',
    ENETUNREACH: 'cannot be reached',
    EAI_AGAIN: 'has a name that cannot be looked up now',
    ETIMEDOUT: 'cannot be reached',
    ENETDOWN: 'cannot be reached',
    EADDRNOTAVAIL: 'cannot be reached',
    EMFILE: 'cannot be reached: too many files are open',
};
/** The connection broke while the request was on its way. */
const BROKEN = new Set([
    'UND_ERR_SOCKET',
    // Flow's own error, if the run was closed meanwhile or the process ends.
    'UND_ERR_ABORTED',
    'UND_ERR_DESTROYED',
    'UND_ERR_CLOSED',
    'ECONNRESET',
    'EPIPE',
    'ECONNABORTED',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'Z_BUF_ERROR',
    'ERR_STREAM_PREMATURE_CLOSE',
]);
const UNTRUSTED = /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;
/** ERR_ASSERTION is what undici throws for a status like 099. */
const GARBLED = /^(HPE_|Z_|ERR_BROTLI|ERR_PADDING|ERR__ERROR_FORMAT|ERR_ASSERTION$)/;

/**
 * Converts an error of undici, Node's network or zlib. Flow's own errors, and errors of anything other than the
 * network, are thrown unchanged.
 */
export function failureOf(thrown: unknown, facts: TryFacts): FailedTry {
    if (isFlowError(thrown)) throw thrown;
    const { host, tried } = facts;
    const code = codeOf(thrown);
    const cause = { cause: thrown };
    const busy = (problem: string, isUnheard: boolean): FailedTry => ({
        error: flowError('REMOTE_BUSY', { host, problem, attempts: tried }, cause),
        isUnheard,
        isTrouble: true,
    });
    const final = (error: FlowError): FailedTry => ({ error, isUnheard: true, isTrouble: false });
    if (UNREACHED[code] !== undefined) return busy(UNREACHED[code], true);
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return { ...tooSlow('did not answer', facts), isUnheard: true };
    if (code === 'UND_ERR_HEADERS_TIMEOUT') return silent('did not answer', facts);
    if (code === 'UND_ERR_BODY_TIMEOUT') return silent('sent nothing more', facts);
    if (BROKEN.has(code)) return busy('broke the connection off', false);
    if (code === 'ENOTFOUND' || code === 'ENODATA')
        return final(flowError('REMOTE_REFUSED', { host, problem: 'is an unknown host name' }, cause));
    if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW')
        return final(flowError('OUTBOUND_TOO_LARGE', { host, what: 'headers', maxBytes: MAX_HEADER_BYTES }, cause));
    if (UNTRUSTED.test(code))
        return final(
            flowError(
                'REMOTE_REFUSED',
                { host, problem: `has no certificate that can be trusted for it (${code})` },
                cause,
            ),
        );
    // Without its cause, which contains data of the server.
    if (GARBLED.test(code))
        return final(flowError('REMOTE_MALFORMED', { host, problem: `it is not what was agreed on (${code})` }));
    if (/^E[A-Z]+$/.test(code)) return busy(`cannot be talked to (${code})`, false);
    throw thrown;
}

/** The greatest size of a response's headers. */
export const MAX_HEADER_BYTES = 16_384;

/** Its whole time is up. */
export function timedOut(facts: TryFacts): FailedTry {
    return tooSlow(facts.idleMs === undefined ? 'did not answer' : 'did not come to the end of its answer', facts);
}

/** Nothing was sent either way for too long. */
export function idledOut(facts: TryFacts & { readonly idleMs: number }): FailedTry {
    return silent('sent nothing more', facts);
}

/** The server has sent nothing for too long. */
function silent(what: string, facts: TryFacts): FailedTry {
    const { idleMs } = facts;
    return idleMs === undefined ? timedOut(facts) : tooSlow(what, { ...facts, timeoutMs: idleMs });
}

function tooSlow(what: string, { host, tried, timeoutMs }: TryFacts): FailedTry {
    const error = flowError('OUTBOUND_TIMEOUT', { host, what, timeoutMs, attempts: tried });
    return { error, isUnheard: false, isTrouble: true };
}

/** If several addresses were tried, Node has the errors of all; the first one is enough. */
function codeOf(thrown: unknown): string {
    if (typeof thrown !== 'object' || thrown === null) return '';
    const { name, code, errors, cause } = thrown as {
        readonly name?: unknown;
        readonly code?: unknown;
        readonly errors?: readonly unknown[];
        readonly cause?: unknown;
    };
    if (typeof code === 'string') return code;
    // Not every protocol error has a code.
    if (name === 'HTTPParserError') return 'HPE_INVALID';
    return errors?.[0] !== undefined ? codeOf(errors[0]) : cause === undefined ? '' : codeOf(cause);
}
