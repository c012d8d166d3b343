import type { Connection } from '../../src/core/adapter/connection';
import type { ExtractContext, Extractor, Page } from '../../src/core/adapter/extractor';
import { noResources } from '../../src/core/adapter/no-resources';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import { asFlowError, type FlowError } from '../../src/core/errors/flow-error';
import type { JsonObject } from '../../src/core/value/json';
import type { Clock } from '../../src/core/concurrency/clock';
import { OutboundGateway, type RunOutbound } from '../../src/io/outbound/gateway';
import { extractContext, extractedPages } from '../../src/testing/bare-extract';
import { ApiServer, type Play } from './api-plays';

/** The outcome of a read. */
export interface ApiRead {
    readonly pages: readonly Page[];
    readonly records: readonly JsonObject[];
    readonly error: FlowError | undefined;
    /** `WARN message` */
    readonly log: readonly string[];
    /** The waiting times in milliseconds. */
    readonly waited: readonly number[];
}

export interface ApiReading {
    readonly config?: JsonObject;
    readonly connection?: Omit<Connection, 'code'>;
    readonly secrets?: Readonly<Record<string, string>>;
    readonly part?: Partial<Pick<ExtractContext, 'resumeFrom' | 'limit' | 'mode' | 'signal'>>;
    readonly maxResponseBytes?: number;
}

/** Waits end at once, and are recorded. */
export class QuickClock implements Clock {
    readonly waited: number[] = [];
    time = Date.parse('2026-11-23T12:00:00Z');

    now(): number {
        return this.time;
    }

    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
        signal?.throwIfAborted();
        this.waited.push(ms);
        this.time += ms;
    }
}

/** An extractor of APIs, a server that plays one, and a real gateway between them. It is closed after each test. */
export class ApiReader {
    private readonly closing: Array<() => Promise<void>> = [];
    readonly clock = new QuickClock();

    constructor(private readonly extractor: Extractor) {
        afterEach(async () => {
            for (const close of this.closing.splice(0).reverse()) await close();
        });
    }

    async serve(play: Play): Promise<ApiServer> {
        const server = await new ApiServer(play).listen();
        this.closing.push(() => server.close());
        return server;
    }

    door(maxResponseBytes?: number): RunOutbound {
        const made = new OutboundGateway({
            allowedHostnames: ['127.0.0.1'],
            clock: this.clock,
            ...(maxResponseBytes !== undefined && { maxResponseBytes }),
        });
        this.closing.push(() => made.close());
        return made.forRun({ scope: 'test', rateLimitRps: 0 });
    }

    /** The pages in order. */
    open(
        server: ApiServer,
        { config = {}, connection, secrets = {}, part = {}, maxResponseBytes }: ApiReading = {},
        log: string[] = [],
    ): AsyncGenerator<Page, void, void> {
        const line =
            (level: string) =>
            (message: string): void =>
                void log.push(`${level} ${message}`);
        const context = extractContext({
            ...noResources,
            ...part,
            clock: this.clock,
            outbound: this.door(maxResponseBytes),
            log: { debug: line('DEBUG'), info: line('INFO'), warn: line('WARN'), error: line('ERROR') },
            secrets: { get: code => new Secret(code, secrets[code]!, EVERY_HOST) },
            connections: { get: code => ({ code, ...connection! }) },
        });
        // Some get the address from their connection alone.
        const hasUrl = Object.hasOwn(this.extractor.config.shape, 'url');
        const whole = { ...(hasUrl && { url: `${server.url}/products` }), ...config };
        return extractedPages({ extractor: this.extractor, config: whole }, context);
    }

    /** All records, and how the read ended. */
    async read(server: ApiServer, reading: ApiReading = {}): Promise<ApiRead> {
        const pages: Page[] = [];
        const log: string[] = [];
        const waitedBefore = this.clock.waited.length;
        let error: FlowError | undefined;
        try {
            for await (const page of this.open(server, reading, log)) pages.push(page);
        } catch (thrown) {
            error = asFlowError(thrown);
        }
        const records = pages.flatMap(page => page.records);
        return { pages, records, error, log, waited: this.clock.waited.slice(waitedBefore) };
    }
}
