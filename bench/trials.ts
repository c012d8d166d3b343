import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { chanceOf, hostileFiles, nextRequest, type TrialRequest } from './trial-mix';

const USUAL_TRIALS = 2_000;
const AT_ONCE = 20;
const SEED = 20261122;
const IDLE_MS = 5_000;

/**
 * How much memory a server may take and how long it may keep others waiting while users test steps and preview files.
 */
const BAR = { rssMib: 512, pingMs: 200 };

interface Memory {
    readonly rssMib: number;
    readonly peakMib: number;
    /** The longest time for which the event loop was blocked, and the most work in such a time. */
    readonly blockMs: number;
    readonly blockCpuMs: number;
}

interface Figures {
    readonly trials: number;
    readonly grownMib: number;
    readonly endMib: number;
    readonly blockMs: number;
    readonly blockCpuMs: number;
    readonly pings: number;
    readonly slowestMs: number;
    readonly slow: number;
    /** The slowest ping without trials: the delay of the machine itself. */
    readonly idleMs: number;
    readonly answers: ReadonlyMap<string, number>;
}

/**
 * Executes step tests and previews that try to use much memory, twenty at once, on a separate server. Measures how far
 * its memory grows above that of its start, and how long it keeps others waiting. Returns whether the limits were kept.
 */
export async function benchTrials(trials = USUAL_TRIALS): Promise<boolean> {
    const server = fork(path.join(__dirname, 'trials-server.ts'), [], {
        execArgv: ['-r', '@swc-node/register'],
        serialization: 'json',
    });
    try {
        const { port } = await answerOf<{ port: number }>(server);
        const shop = await Visitor.of(`http://127.0.0.1:${port}`);
        const files = await shop.upload(hostileFiles());
        // Executes both kinds once, so that the figures do not include what is loaded only once.
        await shop.tried(
            { kind: 'first', operators: [{ op: 'set', args: { path: 'a', value: 1 } }], records: [{}] },
            files,
        );
        await shop.tried({ kind: 'first', preview: 'cells.csv' }, files);
        const figures = await measured(server, shop, { port, trials, files });
        print(figures);
        return figures.grownMib <= BAR.rssMib && figures.slowestMs <= BAR.pingMs;
    } finally {
        server.send('end');
    }
}

async function measured(
    server: ChildProcess,
    shop: Visitor,
    {
        port,
        trials,
        files,
    }: { readonly port: number; readonly trials: number; readonly files: ReadonlyMap<string, string> },
): Promise<Figures> {
    const idle = new Pings(port);
    await new Promise(resolve => setTimeout(resolve, IDLE_MS));
    const { slowestMs: idleMs } = await idle.stop();
    const before = await memoryOf(server, 'start');
    const pings = new Pings(port);
    const chance = chanceOf(SEED);
    const answers = new Map<string, number>();
    let started = 0;
    const visit = async (): Promise<void> => {
        while (started < trials) {
            started++;
            const request = nextRequest(chance, [...files.keys()]);
            const said = `${request.kind.padEnd(12)} ${await shop.tried(request, files)}`;
            answers.set(said, (answers.get(said) ?? 0) + 1);
            if (started % 200 === 0) console.error(`${started} of ${trials}`);
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, visit));
    const after = await memoryOf(server, 'now');
    const { count, slowestMs, slow } = await pings.stop();
    return {
        trials,
        grownMib: after.peakMib - before.rssMib,
        endMib: after.rssMib - before.rssMib,
        blockMs: after.blockMs,
        blockCpuMs: after.blockCpuMs,
        pings: count,
        slowestMs,
        slow,
        idleMs,
        answers,
    };
}

/** A user who is signed in. */
class Visitor {
    private constructor(
        private readonly base: string,
        private readonly token: string,
    ) {}

    static async of(base: string): Promise<Visitor> {
        const query = 'mutation { login(username: "superadmin", password: "superadmin") { __typename } }';
        const response = await fetch(`${base}/admin-api`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
        });
        await response.text();
        return new Visitor(base, response.headers.get('vendure-auth-token') ?? '');
    }

    /** The ids of the files by their names. */
    async upload(contents: ReadonlyMap<string, Buffer | string>): Promise<ReadonlyMap<string, string>> {
        const ids = new Map<string, string>();
        for (const [name, content] of contents) {
            const form = new FormData();
            form.append('file', new Blob([content as string]), name);
            const response = await fetch(`${this.base}/flow/upload`, {
                method: 'POST',
                headers: this.headers,
                body: form,
            });
            const { file, ...issue } = (await response.json()) as { file?: { id: string } };
            if (!file) throw new Error(`${name}: ${JSON.stringify(issue)}`);
            ids.set(name, file.id);
        }
        return ids;
    }

    /** Returns how it ended: "shown", or the code of its error. If the server is busy, it tries again. */
    async tried(request: TrialRequest, files: ReadonlyMap<string, string>): Promise<string> {
        for (;;) {
            const said =
                'preview' in request
                    ? await this.preview(files.get(request.preview)!)
                    : await this.step(request, files);
            if (!said.endsWith('_BUSY')) return said;
            await new Promise(resolve => setTimeout(resolve, 100));
        }
    }

    private async preview(id: string): Promise<string> {
        const response = await fetch(`${this.base}/flow/files/${id}/preview?rows=500`, { headers: this.headers });
        const text = await response.text();
        return response.ok ? 'shown' : (/"(?:code|error)":"([A-Z_]+)"/.exec(text)?.[1] ?? `HTTP ${response.status}`);
    }

    private async step(
        request: Exclude<TrialRequest, { readonly preview: string }>,
        files: ReadonlyMap<string, string>,
    ): Promise<string> {
        const isFile = 'file' in request;
        const read = isFile
            ? { adapterCode: request.file.split('.')[1]!, fileId: files.get(request.file)! }
            : { adapterCode: 'inMemory', data: [{}] };
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: read },
                { key: 'shape', kind: 'TRANSFORM', config: { operators: request.operators } },
                { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'shape' },
                { from: 'shape', to: 'out' },
            ],
        };
        const query =
            'mutation Test($input: TestFlowStepInput!) { testFlowStep(input: $input) { in out operators { before after faults { code } } rejected { code record } error { code } } }';
        const input = {
            definition,
            stepKey: 'shape',
            ...(isFile ? { limit: request.limit } : { records: request.records }),
        };
        const response = await fetch(`${this.base}/admin-api`, {
            method: 'POST',
            headers: { ...this.headers, 'content-type': 'application/json' },
            body: JSON.stringify({ query, variables: { input } }),
        });
        const text = await response.text();
        const [, issue] = /"errors":\[.*?"code":"([A-Z_]+)"/s.exec(text.slice(0, 4_000)) ?? [];
        if (issue !== undefined) return issue;
        if (!response.ok) return `HTTP ${response.status}`;
        return /"rejected":\[\{"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'shown';
    }

    private get headers(): Readonly<Record<string, string>> {
        return { authorization: `Bearer ${this.token}` };
    }
}

/** Pings the server every 50 ms from a separate thread that does nothing else. */
class Pings {
    private readonly worker: Worker;

    constructor(port: number) {
        const code = `
            const { parentPort } = require('node:worker_threads');
            const http = require('node:http');
            const figures = { count: 0, slowestMs: 0, slow: 0 };
            let isOver = false;
            const ping = () => {
                const from = performance.now();
                const next = () => {
                    const ms = performance.now() - from;
                    figures.count++;
                    figures.slowestMs = Math.max(figures.slowestMs, ms);
                    if (ms > ${BAR.pingMs}) figures.slow++;
                    if (isOver) parentPort.postMessage(figures); else setTimeout(ping, 50);
                };
                http.get('http://127.0.0.1:${port}/health', response => response.resume().on('end', next)).on('error', next);
            };
            parentPort.on('message', () => { isOver = true; });
            ping();`;
        this.worker = new Worker(code, { eval: true });
    }

    stop(): Promise<{ readonly count: number; readonly slowestMs: number; readonly slow: number }> {
        return new Promise(resolve => {
            this.worker.once('message', figures => void this.worker.terminate().then(() => resolve(figures)));
            this.worker.postMessage('stop');
        });
    }
}

function answerOf<T>(server: ChildProcess): Promise<T> {
    return new Promise((resolve, reject) => {
        server.once('exit', code => reject(new Error(`the server ended with ${code}`)));
        server.once('message', message => resolve(message as T));
    });
}

function memoryOf(server: ChildProcess, requested: 'start' | 'now'): Promise<Memory> {
    const answer = answerOf<Memory>(server);
    server.send(requested);
    return answer;
}

function print({ answers, ...figures }: Figures): void {
    console.log(`${figures.trials} step tests and previews, ${AT_ONCE} at once`);
    console.log(
        `server above its start: ${figures.grownMib.toFixed(0)} MiB at most, ${figures.endMib.toFixed(0)} at the end (allowed: ${BAR.rssMib})`,
    );
    console.log(
        `slowest of ${figures.pings} pings: ${figures.slowestMs.toFixed(0)} ms, ${figures.slow} slower than allowed (${BAR.pingMs}); ${figures.idleMs.toFixed(0)} ms without trials`,
    );
    console.log(
        `the event loop was blocked for ${figures.blockMs.toFixed(0)} ms at most, of it work for ${figures.blockCpuMs.toFixed(0)} ms at most`,
    );
    for (const [said, count] of [...answers].sort()) console.log(`  ${said}  ${count}`);
}
