import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonValue } from '../../../src/core/value/json';
import type { OutboundRequest, OutboundResponse } from '../../../src/core/adapter/http';
import { type Outbound, noNetwork, type OutboundStream } from '../../../src/core/adapter/outbound';
import { flowError } from '../../../src/core/errors/flow-error';
import { revealInProcess } from '../../../src/core/adapter/secret';

/** A request as an engine receives it. */
export interface EngineRequest {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
}

/** The answer of an engine; a text is sent unchanged, anything else as JSON. */
export interface EngineAnswer {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: JsonValue | undefined;
}

/** How a request ends that gets no answer. */
export type Accident = 'hangs' | 'breaks off';

/** A test double of a service, written from its public API description: it answers and rejects like the service, and does what a test scripts. */
export abstract class Engine {
    readonly seen: EngineRequest[] = [];
    isDown = false;
    /** Called first: if it returns an answer, that replaces the answer of the service. */
    script: (request: EngineRequest, number: number) => EngineAnswer | Accident | undefined = () => undefined;

    /** The answer of the service. */
    protected abstract serve(request: EngineRequest): EngineAnswer;

    answer(request: EngineRequest): EngineAnswer | Accident {
        this.seen.push(request);
        if (this.isDown) return { status: 503 };
        return this.script(request, this.seen.length) ?? this.serve(request);
    }

    /** A network that contains only this service. */
    get outbound(): Outbound {
        return {
            ...noNetwork,
            http: { send: async request => this.held(request) },
            stream: {
                open: async request => {
                    const { status, headers, body } = this.held({ ...request, timeoutMs: request.totalMs });
                    return { status, headers, body: pieces(body), close: () => undefined } satisfies OutboundStream;
                },
            },
        };
    }

    /** Listens at a port of this machine. */
    async listen(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
        const server = createServer((request, response) => {
            const chunks: Buffer[] = [];
            request
                .on('data', (chunk: Buffer) => chunks.push(chunk))
                .on('end', () => {
                    const url = new URL(request.url!, 'http://engine');
                    const headers = request.headers as Readonly<Record<string, string>>;
                    const requested = { method: request.method!, path: url.pathname, query: url.searchParams, headers };
                    const answer = this.answer({ ...requested, body: Buffer.concat(chunks).toString() });
                    if (answer === 'hangs') return;
                    if (answer === 'breaks off') return void response.destroy();
                    const { status = 200, headers: own = {} } = answer;
                    response.writeHead(status, { 'content-type': 'application/json', ...own }).end(textOf(answer));
                });
        });
        await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
        return {
            port: (server.address() as AddressInfo).port,
            close: () =>
                new Promise(done => {
                    server.close(() => done());
                    server.closeAllConnections();
                }),
        };
    }

    private held(request: OutboundRequest): OutboundResponse {
        const url = new URL(request.url);
        const headers: Record<string, string> = {};
        for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
        for (const { header, value } of [
            ...(request.auth && 'header' in request.auth ? [request.auth] : []),
            ...(request.signed?.() ?? []),
        ])
            headers[header.toLowerCase()] = revealInProcess(value);
        const { method, body = '' } = request;
        const requested = { method, path: url.pathname, query: url.searchParams, headers, body: String(body) };
        const answer = this.answer(requested);
        const busy = (problem: string): Error => flowError('REMOTE_BUSY', { host: url.host, problem, attempts: 1 });
        if (typeof answer === 'string') throw busy(answer);
        const { status = 200, headers: own = {} } = answer;
        if (status >= 500 || status === 429 || status === 408) throw busy(`answered ${status}`);
        if (status >= 300 && !request.expected?.includes(status))
            throw flowError('REMOTE_REFUSED', { host: url.host, problem: `answered ${status}` });
        return { status, headers: { 'content-type': 'application/json', ...own }, body: Buffer.from(textOf(answer)) };
    }
}

function textOf({ body }: EngineAnswer): string {
    if (body === undefined) return '';
    return typeof body === 'string' ? body : JSON.stringify(body);
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer, void, void> {
    yield body;
}
