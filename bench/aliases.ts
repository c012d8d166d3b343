import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { TransactionalConnection } from '@vendure/core';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { aliased, costOfText, flowQueries } from './flow-queries';
import { fillHistory } from './history';
import { shopProcess } from './hooks';
import { openShop } from './shop';

const HISTORY = { pipelines: 1_000, runs: 20_000, logs: 100_000, errors: 20_000 };
const BAR_MS = 300;
const PING_EVERY_MS = 10;
const MAX_COST = 10_000;

const TRIGGER = '{ type: "MANUAL" }';
const VALUES: Readonly<Record<string, string>> = {
    id: '7',
    'flowPipelineRun.id': '5000',
    'flowFile.id': '1',
    'flowEntityHistory.id': '1',
    pipelineId: '7',
    runId: '5000',
    'flowGatePreview.stepKey': '"load"',
    'flowCorrectedRecords.fileId': '1',
    'flowEntityHistory.entity': 'Product',
    from: `"${new Date(Date.now() - 30 * 86_400_000).toISOString()}"`,
    definition: '{ version: 1, steps: [], edges: [] }',
    config: TRIGGER,
};
/** Of one query or the other: the lists take all. */
const OPTIONAL = [
    'flowPipelineRuns.pipelineId',
    'flowLogs.runId',
    'flowRecordErrors.runId',
    'flowAnalytics.pipelineId',
];

interface AliasRow {
    readonly query: string;
    readonly cost: number;
    readonly aliases: number;
    readonly ms: number;
    readonly chars: number;
    readonly worstPingMs: number;
    readonly refusal: string;
}

/**
 * Every query of Flow under as many names as the budget allows, to a server that is a process of its own, and the worst ping of that server meanwhile.
 * Answers whether all were below the bar.
 */
export async function benchAliases(only: string | undefined): Promise<boolean> {
    const shop = await openShop('postgres', {});
    const { url } = shop.target as { readonly url: string };
    const { rawConnection } = shop.app.get(TransactionalConnection);
    const [[channel], [user]] = [
        await rawConnection.query('SELECT id FROM channel'),
        await rawConnection.query(`SELECT id FROM "user"`),
    ];
    await fillHistory(rawConnection, { ...HISTORY, channelId: channel.id, userId: user.id });
    await rawConnection.query('VACUUM ANALYZE');
    const server = await shopProcess({ as: 'server', url, queue: 'sql', prefix: '', isBare: true });
    try {
        const address = { port: server.port, pid: server.child.pid! };
        const ask = await operator(server.port);
        const { data } = JSON.parse(await ask(getIntrospectionQuery())) as { data: IntrospectionQuery };
        const schema = buildClientSchema(data);
        const given = Object.fromEntries(OPTIONAL.map(name => [name, 'null']));
        const rows: AliasRow[] = [];
        const idle = await pinging(address, () => new Promise(resolve => setTimeout(resolve, 2_000)));
        console.log(`worst ping of the idle server: ${idle.worst.toFixed(0)} ms`);
        for (const query of flowQueries(schema, { ...VALUES, ...given })) {
            if (only !== undefined && !query.name.includes(only)) continue;
            const one = aliased(query, 1);
            const { cost } = costOfText(schema, one);
            const aliases = Math.floor(MAX_COST / cost);
            if (aliases === 0) {
                console.log(`${query.name} (${query.form}) costs ${cost}: refused`);
                continue;
            }
            await ask(one);
            const { value, worst, ms } = await pinging(address, () => ask(aliased(query, aliases)));
            const refused = await ask(aliased(query, aliases + 1));
            if (!refused.includes('QUERY_TOO_COSTLY')) throw new Error(`${query.name}: one name more is not refused`);
            const refusal = /"code":"([A-Z_]+)"/.exec(value)?.[1] ?? '';
            const row = { query: `${query.name} (${query.form})`, cost, aliases, ms, chars: value.length, refusal };
            rows.push({ ...row, worstPingMs: worst });
            print(rows.at(-1)!);
        }
        const worst = Math.max(...rows.map(({ worstPingMs }) => worstPingMs));
        console.log(`worst ping of ${rows.length} operations: ${worst.toFixed(0)} ms (bar ${BAR_MS} ms)`);
        return worst < BAR_MS;
    } finally {
        await server.end();
        await shop.close();
    }
}

function print({ query, cost, aliases, ms, chars, worstPingMs, refusal }: AliasRow): void {
    const cells = [`cost ${cost}`, `${aliases} names`, `${ms.toFixed(0)} ms`, `${(chars / 1024).toFixed(0)} KiB`];
    const mark = worstPingMs >= BAR_MS ? '  ABOVE THE BAR' : '';
    const ping = `worst ping ${worstPingMs.toFixed(0)} ms`;
    console.log(`${query.padEnd(40)} ${cells.map(cell => cell.padStart(12)).join(' ')}  ${ping}${mark} ${refusal}`);
}

interface Address {
    readonly port: number;
    /** The process of the server. */
    readonly pid: number;
}

interface Pinged<T> {
    readonly value: T;
    readonly ms: number;
    readonly worst: number;
}

/**
 * How long the server took to answer the simplest request while it did something, at worst. What it waited for a processor is taken off where the system
 * counts that (Linux): a busy machine says nothing about the server.
 */
export async function pinging<T>({ port, pid }: Address, work: () => Promise<T>): Promise<Pinged<T>> {
    let isOver = false;
    let worst = 0;
    const waited = (): number => waitedMs(pid) + waitedMs(process.pid);
    const pings = (async () => {
        while (!isOver) {
            const [at, before] = [performance.now(), waited()];
            await send({ port, path: '/ping-of-the-bench' });
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

/** How long the main thread of a process has been ready to work, without a processor to work on. */
function waitedMs(pid: number): number {
    try {
        return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
        // Another system: nothing is taken off.
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

/** By a connection of its own: a server that is blocked may close those that are kept open. */
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

/** Sends operations to the admin API as the superadmin. */
export async function operator(port: number): Promise<(query: string) => Promise<string>> {
    let token = '';
    const ask = async (query: string): Promise<string> => {
        const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
        const answered = await send({ port, path: '/admin-api', body: JSON.stringify({ query }), headers });
        token = answered.token ?? token;
        return answered.text;
    };
    await ask('mutation { login(username: "superadmin", password: "superadmin") { __typename } }');
    return ask;
}
