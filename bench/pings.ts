import { readFileSync } from 'node:fs';
import { request } from 'node:http';

const PING_EVERY_MS = 10;

/** A server and the path of its ping. */
export interface PingedServer {
    readonly port: number;
    /** The id of the server's process. */
    readonly pid: number;
    /** Default: a path that does not exist. */
    readonly path?: string;
}

interface Pinged<T> {
    readonly value: T;
    readonly ms: number;
    readonly worst: number;
}

/**
 * Measures how long the server took at worst to respond to the simplest request during some work. Where the system
 * counts it (Linux), the time that it waited for a processor is subtracted, so that a busy machine does not matter.
 */
export async function pinging<T>(
    { port, pid, path = '/ping-of-the-bench' }: PingedServer,
    work: () => Promise<T>,
): Promise<Pinged<T>> {
    let isOver = false;
    let worst = 0;
    const waited = (): number => waitedMs(pid) + waitedMs(process.pid);
    const pings = (async () => {
        while (!isOver) {
            const [at, before] = [performance.now(), waited()];
            await send({ port, path });
            worst = Math.max(worst, performance.now() - at - (waited() - before));
            await new Promise(resolve => setTimeout(resolve, PING_EVERY_MS));
        }
    })();
    await new Promise(resolve => setTimeout(resolve, 100));
    worst = 0;
    const at = performance.now();
    try {
        const value = await work();
        return { value, ms: performance.now() - at, worst };
    } finally {
        isOver = true;
        await pings;
    }
}

/** How long the main thread of a process was ready but waited for a processor. */
function waitedMs(pid: number): number {
    try {
        return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
        // On other systems nothing is subtracted.
        return 0;
    }
}

interface Sent {
    readonly port: number;
    readonly path: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
    readonly text: string;
    readonly token: string | undefined;
}

/** Uses a separate connection: a blocked server may close those that are kept open. */
function send({ port, path, body, headers = {} }: Sent): Promise<Answered> {
    return new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, method: body === undefined ? 'GET' : 'POST', headers };
        const sent = request({ ...options, agent: false }, response => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => {
                const token = response.headers['vendure-auth-token'];
                resolve({
                    text: Buffer.concat(chunks).toString(),
                    token: typeof token === 'string' ? token : undefined,
                });
            });
        });
        sent.on('error', reject);
        sent.end(body);
    });
}

/** Sends operations to the admin API as the superadmin. Variables may be given as JSON text. */
export async function operator(
    port: number,
): Promise<(query: string, variables?: Readonly<Record<string, unknown>> | string) => Promise<string>> {
    let token = '';
    const ask = async (query: string, variables: Readonly<Record<string, unknown>> | string = {}): Promise<string> => {
        const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
        const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
        const body = `{"query":${JSON.stringify(query)},"variables":${text}}`;
        const answered = await send({ port, path: '/admin-api', body, headers });
        token = answered.token ?? token;
        return answered.text;
    };
    await ask('mutation { login(username: "superadmin", password: "superadmin") { __typename } }');
    return ask;
}
