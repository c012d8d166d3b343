import { Inject, Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import type { Connection, TryOutContext } from '../../core/adapter/connection';
import type { OutboundRequest, OutboundResponse } from '../../core/adapter/http';
import { Redactor } from '../../core/adapter/redactor';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { authOf } from '../../io/outbound/auth';
import { readJson } from '../../io/outbound/json';
import { ConnectionAccess } from './connection-access';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { Connections } from './connections';

/** The result of a connection test. */
export interface ConnectionTest {
    readonly result: 'PASSED' | 'FAILED' | 'UNTESTED';
    /** One or two sentences for the user, without secrets. */
    readonly message: string;
    /** The code of the error, if there was one. */
    readonly code: string | null;
    /** The HTTP status of the response, if there was one. */
    readonly status: number | null;
    /** The fingerprint of an SFTP server whose host key is not trusted yet. */
    readonly hostKeyFingerprint: string | null;
    readonly durationMs: number;
}

const TESTABLE: readonly string[] = ['HTTP', 'REST', 'GRAPHQL'];
/** A user waits for the result. */
const MAX_WAIT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** All 4xx statuses except 401, 403, 407, 408 and 429: they show that the server is reachable and has not rejected the caller. */
const SHOWS_ITSELF = Array.from({ length: 100 }, (_, i) => 400 + i).filter(
    status => ![401, 403, 407, 408, 429].includes(status),
);

/** Tests whether a saved connection works. */
@Injectable()
export class ConnectionTests {
    constructor(
        private readonly connections: Connections,
        private readonly access: ConnectionAccess,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws CONNECTION_NOT_FOUND. If the connection does not work, the result says why. */
    async test(ctx: RequestContext, id: ID): Promise<ConnectionTest> {
        const row = await this.connections.find(ctx, { id });
        if (!row) throw flowError('CONNECTION_NOT_FOUND', { which: 'with this id', hint: 'It may be deleted.' });
        const startedAt = performance.now();
        const redactor = new Redactor();
        const answer = (
            test: Partial<ConnectionTest> & Pick<ConnectionTest, 'result' | 'message'>,
        ): ConnectionTest => ({
            code: null,
            status: null,
            hostKeyFingerprint: null,
            ...test,
            message: redactor.text(test.message),
            durationMs: Math.round(performance.now() - startedAt),
        });
        const { tryOut } = this.setup.registry.find('connection', row.type) ?? {};
        if (!tryOut && !TESTABLE.includes(row.type)) {
            const types = this.setup.registry.list('connection').filter(type => type.tryOut);
            const testable = [...TESTABLE, ...types.map(type => type.code)];
            return answer({
                result: 'UNTESTED',
                message: `Connections of type ${row.type} cannot be tested yet; those of type ${testable.join(', ')} can.`,
            });
        }
        let hasAuth = false;
        try {
            const connection = await this.connections.open(ctx.channelId, row.code);
            if (tryOut) {
                const tried = await tryOut(connection, await this.surroundings(ctx.channelId, connection, redactor));
                if (typeof tried === 'string') return answer({ result: 'PASSED', message: tried });
                const { code = null, message, hostKeyFingerprint = null } = tried;
                return answer({ result: code === null ? 'PASSED' : 'FAILED', code, message, hostKeyFingerprint });
            }
            const auth = connection.settings['auth'];
            hasAuth = isJsonObject(auth) && auth['type'] !== 'NONE';
            if (connection.settings['baseUrl'] === undefined)
                return answer({
                    result: 'UNTESTED',
                    message: 'The connection has no base URL, so it cannot be tested.',
                });
            return answer(judged(connection.type, await this.ask(ctx.channelId, connection, redactor)));
        } catch (error) {
            if (!isFlowError(error) || error.treat === 'bug') throw error;
            const status = error.details?.['status'];
            return answer({
                result: 'FAILED',
                code: error.code,
                message: turnedAway(status, hasAuth) ?? error.message,
                status: typeof status === 'number' ? status : null,
            });
        }
    }

    /** The context of the test. The redactor learns the connection's secrets first. */
    private async surroundings(channelId: ID, connection: Connection, redactor: Redactor): Promise<TryOutContext> {
        return {
            ...(await this.access.surroundings(connection, { channelId, scope: 'test', redactor })),
            timeoutMs: MAX_WAIT_MS,
            signal: AbortSignal.timeout(2 * MAX_WAIT_MS),
        };
    }

    private async ask(channelId: ID, connection: Connection, redactor: Redactor): Promise<OutboundResponse> {
        const { outbound, secrets, signal } = await this.surroundings(channelId, connection, redactor);
        const auth = authOf(connection, secrets);
        const { baseUrl, headers, timeoutMs } = connection.settings as unknown as Settings;
        const request: OutboundRequest = {
            ...(connection.type === 'GRAPHQL'
                ? { method: 'POST', body: '{"query":"{ __typename }"}', isRepeatable: true }
                : { method: 'GET', expected: SHOWS_ITSELF }),
            url: baseUrl,
            headers,
            auth,
            originLock: new URL(baseUrl).origin,
            timeoutMs: Math.min(timeoutMs, MAX_WAIT_MS),
            maxBytes: MAX_ANSWER_BYTES,
            signal,
        };
        return outbound.http.send(request);
    }
}

/** The settings as the schema of the connection type has checked them. */
interface Settings {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
}

/** Explains a status with which the server rejects the caller; undefined for other statuses. */
function turnedAway(status: JsonValue | undefined, hasAuth: boolean): string | undefined {
    if (status === 401)
        return hasAuth
            ? "The server does not accept the connection's credentials (401)."
            : 'The server requires credentials, and the connection has none (401).';
    if (status === 403)
        return hasAuth
            ? 'The server accepts the credentials but does not allow the request (403): they lack the permission to read the base URL.'
            : 'The server does not allow the request (403). It may require credentials, and the connection has none.';
    return undefined;
}

function judged(type: string, response: OutboundResponse): Pick<ConnectionTest, 'result' | 'message' | 'status'> {
    const { status } = response;
    if (type === 'GRAPHQL') {
        const answer = readJson(response, 'the server');
        const isGraphql = isJsonObject(answer) && ('data' in answer || 'errors' in answer);
        return isGraphql
            ? { result: 'PASSED', status, message: 'The server answers GraphQL.' }
            : { result: 'FAILED', status, message: `The server answered ${status}, but not with GraphQL.` };
    }
    const message =
        status < 300
            ? `The server answered ${status}.`
            : `The server answered ${status} for the base URL itself. It is reachable and has not rejected the connection's authentication.`;
    return { result: 'PASSED', status, message };
}
