import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { pipeline, type FlowPluginOptions } from '../src';

const KEY = 'the-key-of-the-bench';
const HOOK = { type: 'WEBHOOK', authentication: 'HMAC', secretCode: 'bench-hook', rateLimit: 0 } as const;

/** The options of the processes of a shop with webhooks. */
export const HOOK_OPTIONS: FlowPluginOptions = {
    secrets: [{ code: 'bench-hook', provider: 'INLINE', value: KEY }],
    pipelines: [
        // Drops all records, so that only the cost of posts is measured.
        pipeline('bench-hook')
            .trigger('hook', HOOK)
            .transform('same', [{ op: 'set', args: { path: 'seen', value: true } }])
            .build(),
        pipeline('bench-product').trigger('hook', HOOK).load('products', { adapterCode: 'productUpsert' }).build(),
    ],
    webhooks: { failuresPerAddress: 0 },
};

/** The settings that a process of the shop is started with. */
export interface ProcessOrder {
    readonly as: 'server' | 'worker';
    readonly url: string;
    readonly queue: 'sql' | 'bullmq';
    /** With BullMQ: a separate prefix for all that this shop keeps in Redis. */
    readonly prefix: string;
    /** The number of products to import in the shop of the storefront bench. The shop of the webhook bench has none. */
    readonly imports?: number;
    /** The shop does not have the pipelines of the options. */
    readonly isBare?: boolean;
}

/** A process of the shop. Only a server has a `port`. */
export interface ShopProcess {
    readonly child: ChildProcess;
    readonly port: number;
    /** Returns how often a worker has updated collections. */
    refreshes(): Promise<number>;
    end(): Promise<void>;
}

export async function shopProcess(order: ProcessOrder): Promise<ShopProcess> {
    const child = fork(path.join(__dirname, 'hook-process.ts'), [JSON.stringify(order)], {
        execArgv: ['-r', '@swc-node/register'],
        serialization: 'json',
    });
    const answer = <T>(): Promise<T> =>
        new Promise((resolve, reject) => {
            child.once('message', message => resolve(message as T));
            child.once('exit', code => reject(new Error(`A process of the shop ended with ${code}`)));
        });
    const { port } = await answer<{ port: number }>();
    return {
        child,
        port,
        refreshes: () => {
            const answered = answer<number>();
            child.send('refreshes');
            return answered;
        },
        end: () =>
            new Promise(resolve => {
                child.once('exit', () => resolve());
                child.kill('SIGKILL');
            }),
    };
}

/** The result of a post, and how long it took in milliseconds. */
export interface PostFigure {
    readonly status: number;
    readonly runId: string | undefined;
    readonly ms: number;
    readonly retryAfter: string | undefined;
}

/** Sends posts to the webhooks of some servers in turn, over connections that stay open. */
export class Sender {
    private readonly agent: Agent;
    private turn = 0;

    constructor(
        private readonly ports: readonly number[],
        connections: number,
    ) {
        this.agent = new Agent({ keepAlive: true, maxSockets: Math.ceil(connections / ports.length) });
    }

    /** `since`: when it should have been sent. A broken connection has the status 0. */
    post(code: string, body: string, since = performance.now()): Promise<PostFigure> {
        const port = this.ports[this.turn++ % this.ports.length]!;
        const headers = {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'x-flow-signature': createHmac('sha256', KEY).update(body).digest('hex'),
        };
        return new Promise(resolve => {
            const ended = (status: number, text = '', retryAfter?: string): void => {
                const { runId } = (status === 202 ? JSON.parse(text) : {}) as { runId?: string };
                resolve({ status, runId, ms: performance.now() - since, retryAfter });
            };
            const options = { host: '127.0.0.1', port, path: `/flow/webhook/${code}`, method: 'POST', headers };
            const sent = request({ ...options, agent: this.agent }, response => {
                const chunks: Buffer[] = [];
                response.on('data', (chunk: Buffer) => chunks.push(chunk));
                response.on('end', () =>
                    ended(response.statusCode ?? 0, Buffer.concat(chunks).toString(), response.headers['retry-after']),
                );
            });
            sent.on('error', () => ended(0));
            sent.end(body);
        });
    }

    close(): void {
        this.agent.destroy();
    }
}

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
