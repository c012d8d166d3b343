import type { ServerResponse } from 'node:http';
import type { AdapterDefinition } from '../../src/core/adapter/definition';
import { noResources } from '../../src/core/adapter/no-resources';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import { compilePipeline } from '../../src/core/run/compile';
import { executeRun, type RunEnd } from '../../src/core/run/execute';
import type { ErrorHandling } from '../../src/core/schema/settings';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import type { Clock } from '../../src/core/concurrency/clock';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { type MemoryOptions, memoryPorts, MemoryState } from './memory-ports';
import { sketched } from './pipeline';
import { type StubServer, StubServers } from './stub-server';
import { toyRegistry } from './toy-adapters';

/** The answer of a partner; a text is sent unchanged, anything else as JSON. */
export interface Reply {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: JsonValue;
}

/** A request that a partner has received. */
export type PartnerRequest = StubServer['seen'][number];

/** How a partner answers. */
export type Answering = (request: PartnerRequest, number: number) => Reply | 'hangs' | 'breaks off' | Promise<Reply>;

/** Waits end at once, and are recorded; only they advance the time. */
class NotedWaits implements Clock {
    readonly waits: number[] = [];
    private time = Date.parse('2026-11-23T12:00:00Z');

    now(): number {
        return this.time;
    }

    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
        signal?.throwIfAborted();
        this.waits.push(ms);
        this.time += ms;
    }
}

/** A run that loads into a partner's system. */
export interface Delivering extends MemoryOptions {
    readonly loader: AdapterDefinition;
    readonly config: JsonObject;
    readonly records: readonly JsonObject[];
    /** The state of an earlier run that this one continues. */
    readonly state?: MemoryState;
    readonly isDry?: boolean;
    readonly batchSize?: number;
    readonly errorHandling?: Partial<ErrorHandling>;
}

export interface Delivered {
    readonly end: RunEnd;
    readonly state: MemoryState;
    /** The waits in seconds that another system has requested; those of the run itself are shorter. */
    readonly waited: readonly number[];
    /** The reject of each rejected record, by its position. */
    readonly rejected: ReadonlyArray<{ readonly seq: number; readonly code: string; readonly message: string }>;
}

/** Another system as a real server on this machine, and runs that load into it with the executor and a real gateway. */
export class Partner {
    readonly servers = new StubServers();
    readonly secrets: Readonly<Record<string, string>> = { token: 'a-token-of-the-partner' };
    connection: JsonObject = {};

    /** Starts a server that answers with `answer`. */
    serve(answer: Answering): Promise<StubServer> {
        const server = this.servers.serve((_, response, number) => {
            void server.then(async ({ seen }) => reply(response, await answer(seen[number - 1]!, number)));
        });
        return server;
    }

    async load({ loader, config, records, isDry = false, errorHandling, ...more }: Delivering): Promise<Delivered> {
        const { state = new MemoryState(), batchSize = 100, ...options } = more;
        const clock = new NotedWaits();
        const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'], clock });
        const outbound = gateway.forRun({ scope: 'partner', rateLimitRps: 0 });
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
                send: ['LOAD', { adapterCode: loader.code, ...config }],
                after: ['LOAD', { adapterCode: 'toyUpsert', table: 'after' }],
            },
            edges: ['start > read > send > after'],
            throughput: { batchSize },
            errorHandling: { maxRetries: 0, ...errorHandling },
        });
        const mode = isDry ? ('dryRun' as const) : ('live' as const);
        const input = { runId: 'run', mode, triggerKey: 'start', startedAt: clock.now() };
        const pipeline = compilePipeline(definition, input, {
            registry: toyRegistry(loader),
            clock,
            platform: undefined,
            outbound,
            resources: {
                ...noResources,
                secrets: { get: code => new Secret(code, this.secrets[code]!, EVERY_HOST) },
                connections: { get: code => ({ code, type: 'REST', settings: this.connection }) },
            },
        });
        const { signal } = new AbortController();
        const end = await executeRun(pipeline, memoryPorts(state, options), { signal });
        outbound.close();
        await gateway.close();
        const rejected = [...state.rejects.values()]
            .map(({ seq, code, message }) => ({ seq, code, message }))
            .sort((a, b) => a.seq - b.seq);
        return { end, state, waited: clock.waits.filter(ms => ms > 1_000).map(ms => ms / 1_000), rejected };
    }
}

function reply(response: ServerResponse, answer: Reply | 'hangs' | 'breaks off'): void {
    if (answer === 'hangs') return;
    if (answer === 'breaks off') return void response.destroy();
    const { status = 200, headers = {}, body = {} } = answer;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
