import { CurrencyCode, EventBus, Order, OrderPlacedEvent, RequestContextService } from '@vendure/core';
import gql from 'graphql-tag';
import { FIRST_PORT, freePort } from '../../test/servers/process';
import { anonymousClient, DEFAULT_CHANNEL } from '../config/administrators';
import type { Cut } from '../config/fault-proxy';
import { type RunAnswer, until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { approved, hooking, HOOKED, ordering, sweeping, TOLD } from './crash-shop';
import { deliver, PAGE } from './delivery';
import { PATIENCE_MS } from './import';
import type { ServerOrder } from './server';
import { type ProxiedProcess, standBy } from './worker-process';

/**
 * Where a process dies: before a statement arrives, before the COMMIT after it arrives, or after the COMMIT and before
 * its response.
 */
export type Line = 'statement' | 'commit' | 'answer';

/** The statement at which, or in whose transaction, a process dies: an insert, named by its table. */
interface Place {
    readonly into: string | RegExp;
    readonly line: Line;
    /** Only after such a statement. */
    readonly behind?: RegExp;
}

const LONGEST_COMMIT = 40;
/** How many pages a delivery has at first; later it has one. */
export const SWEPT_PAGES = 3;

/** Resolves when the process has been killed there. */
export function killedAt(victim: ProxiedProcess, { into, line, behind: after }: Place): Promise<void> {
    const { proxy } = victim;
    const insert = typeof into === 'string' ? new RegExp(`INSERT INTO ["\`]${into}["\`]`) : into;
    return new Promise(resolve => {
        const sessions = new Set<object>();
        let isDue = after === undefined;
        const kill = (batchSize: Cut): Cut => {
            proxy.onMessage(() => undefined);
            void victim.kill('SIGKILL').then(resolve);
            return batchSize;
        };
        proxy.onMessage((text, session) => {
            if (!isDue) {
                isDue = after!.test(text);
                return undefined;
            }
            if (
                line !== 'statement' &&
                sessions.has(session) &&
                text.length <= LONGEST_COMMIT &&
                text.includes('COMMIT')
            )
                return kill(line === 'commit' ? 'before' : 'after');
            if (!insert.test(text)) return undefined;
            sessions.add(session);
            return line === 'statement' ? kill('before') : undefined;
        });
    });
}

/** Returns how often each tag with this prefix exists. */
export async function tagged({ database }: CrashBench, prefix: string): Promise<ReadonlyMap<string, number>> {
    const rows = await database.rows<{ value: string; n: unknown }>(
        `SELECT value, count(*) AS n FROM tag WHERE value LIKE '${prefix}%' GROUP BY value`,
    );
    return new Map(rows.map(({ value, n }) => [value, Number(n)]));
}

/** Returns the only number in the result of a statement. */
export async function counted({ database }: CrashBench, statement: string): Promise<number> {
    const [found] = await database.rows<{ n: unknown }>(statement);
    return Number(found?.n);
}

/** Waits until no run has to be started or is in progress. */
export async function settled(bench: CrashBench): Promise<void> {
    await until(
        async () => {
            await bench.crew.working();
            return counted(
                bench,
                `SELECT (SELECT count(*) FROM flow_event_trigger_outbox) +
                    (SELECT count(*) FROM flow_pipeline_run WHERE status IN ('PENDING', 'RUNNING')) AS n`,
            );
        },
        count => count === 0,
        PATIENCE_MS,
    );
}

/** The result of a run whose approving servers died. */
export interface ApprovedInVain {
    /** Its state after a server had died before its COMMIT. */
    readonly states: readonly string[];
    readonly run: RunAnswer;
    readonly decisions: number;
    /** How often each record that waited at the gate was loaded. */
    readonly loads: readonly number[];
    /** The response to a later approval. */
    readonly later: string;
}

/** Kills servers of the API in the middle of an approval: between its statements, before its COMMIT, and after it. */
export async function approvedByTheDead(bench: CrashBench): Promise<ApprovedInVain> {
    const { crew, order, shop } = bench;
    await crew.working();
    const name = 'linekills';
    deliver(order.delivery, { name, pages: 1, ready: 1 });
    const { id } = await shop.start(approved.code);
    await until(
        () => shop.run(id),
        ({ status }) => status === 'PAUSED',
        PATIENCE_MS,
    );
    const states: string[] = [];
    for (const line of ['statement', 'commit', 'answer'] as const) {
        await approvedBy(bench, { id, line });
        if (line !== 'answer') states.push((await shop.run(id)).status);
    }
    const run = await shop.ended(id, PATIENCE_MS);
    const later = await approve(shop, id);
    return {
        states,
        run,
        later,
        decisions: await counted(
            bench,
            `SELECT count(*) AS n FROM flow_gate_decision WHERE step_key = 'gate'
            AND run_id = (SELECT max(id) FROM flow_pipeline_run)`,
        ),
        loads: [...(await tagged(bench, `${name}-`)).values()],
    };
}

/** Starts a server of the APIs that will be killed, with a database proxy. */
export async function mortalServer(
    bench: CrashBench,
): Promise<{ readonly server: ProxiedProcess; readonly url: string }> {
    const port = await freePort(FIRST_PORT + 30);
    const order: ServerOrder = { ...bench.order, port };
    const server = await standBy(order, { script: 'server.ts', isProxied: true });
    return { server: server as ProxiedProcess, url: `http://127.0.0.1:${port}` };
}

/** Approves it on a separate server, which dies there. */
async function approvedBy(
    bench: CrashBench,
    { id, line }: { readonly id: string; readonly line: Line },
): Promise<void> {
    const { server, url } = await mortalServer(bench);
    const adminClient = anonymousClient({ ...bench.shop, url });
    adminClient.setChannelToken(DEFAULT_CHANNEL);
    await adminClient.asSuperAdmin();
    const dead = killedAt(server, { into: 'flow_gate_decision', line });
    const answer = approve({ adminClient }, id);
    await dead;
    if ((await answer) !== 'broken') throw new Error(`A killed server has responded: ${await answer}`);
}

/** Returns the response to its caller: the code of an error, a broken connection, or success. */
export async function approve({ adminClient }: Pick<CrashBench['shop'], 'adminClient'>, id: string): Promise<string> {
    const mutation = gql`
        mutation Approve($id: ID!) {
            approveFlowGate(runId: $id, stepKey: "gate") {
                id
            }
        }
    `;
    try {
        await adminClient.query(mutation, { id });
        return 'approved';
    } catch (error) {
        const { response } = error as { response?: { errors?: Array<{ extensions?: { code?: string } }> } };
        return response?.errors?.[0]?.extensions?.code ?? 'broken';
    }
}

/**
 * Kills a worker while it starts the run of an event: before the run's row, and after its COMMIT. Returns how many runs
 * each event started.
 */
export async function eventsToldByTheDead(bench: CrashBench): Promise<readonly number[]> {
    const told: number[] = [];
    for (const line of ['statement', 'answer'] as const) {
        const dead = await workerKilledAt(bench, line);
        const order = await placedOrder(bench);
        await dead();
        await settled(bench);
        told.push((await tagged(bench, `${TOLD}${order}`)).get(`${TOLD}${order}`) ?? 0);
    }
    return told;
}

/**
 * Kills a worker while a hook of its run starts another pipeline. Returns how often each record was loaded by both, and
 * how many runs the hooks have started in addition to one per batch.
 */
export async function hooksCalledByTheDead(bench: CrashBench): Promise<{ readonly loads: readonly number[] }> {
    const loads: number[] = [];
    for (const line of ['statement', 'answer'] as const) {
        const name = `hookkills${line}`;
        const dead = await workerKilledAt(bench, line);
        deliver(bench.order.delivery, { name, pages: 1, ready: 1 });
        await bench.shop.start(hooking.code);
        await dead();
        await settled(bench);
        for (const prefix of [`${name}-`, `${HOOKED}${name}-`]) {
            const tags = await tagged(bench, prefix);
            if (tags.size !== PAGE) throw new Error(`${tags.size} of ${PAGE} records have left a tag ${prefix}…`);
            loads.push(...tags.values());
        }
    }
    return { loads };
}

/** The result of orders whose worker was killed within the transaction of one of them. */
export interface OrderedByTheDead {
    readonly run: RunAnswer;
    /** The number of orders, of their lines, of the items on these, and of drafts in the history. */
    readonly made: readonly number[];
}

/** Kills a worker while OrderService creates an order that already has a row, but no line. */
export async function orderedByTheDead(bench: CrashBench): Promise<OrderedByTheDead> {
    const name = 'orderkills';
    const dead = await workerKilledAt(bench, 'statement', 'order_line');
    deliver(bench.order.delivery, { name, pages: 1, ready: 1 });
    const { id } = await bench.shop.start(ordering.code);
    await dead();
    const run = await bench.shop.ended(id, PATIENCE_MS);
    const orders = `SELECT id FROM "order" WHERE code LIKE '${name}-%'`;
    const made = [
        `SELECT count(*) AS n FROM (${orders}) o`,
        `SELECT count(*) AS n FROM order_line WHERE "orderId" IN (${orders})`,
        `SELECT sum(quantity) AS n FROM order_line WHERE "orderId" IN (${orders})`,
        `SELECT count(*) AS n FROM history_entry WHERE "orderId" IN (${orders})`,
    ];
    return { run, made: await Promise.all(made.map(statement => counted(bench, statement))) };
}

/** The result for products that were missing from their source. */
export interface SweptByTheDead {
    readonly run: RunAnswer;
    /** How many the step has counted. */
    readonly deleted: number | undefined;
    /** How many existed before, how many are left, and how many are deleted. */
    readonly products: readonly number[];
}

/** Kills a worker while it deletes missing records: before a statement, before the COMMIT after it, and after that. */
export async function sweptByTheDead(bench: CrashBench): Promise<readonly SweptByTheDead[]> {
    const { crew, order, shop } = bench;
    const swept: SweptByTheDead[] = [];
    for (const line of ['statement', 'commit', 'answer'] as const) {
        const name = `sweepkills${line}`;
        const many = (is: string): Promise<number> =>
            counted(
                bench,
                `SELECT count(*) AS n FROM product WHERE "deletedAt" IS ${is} AND id IN
                    (SELECT "baseId" FROM product_translation WHERE slug LIKE 'product-${name}-%')`,
            );
        deliver(order.delivery, { name, pages: SWEPT_PAGES, ready: SWEPT_PAGES });
        await crew.working();
        await shop.ended((await shop.start(sweeping.code)).id, PATIENCE_MS);
        const before = await many('NULL');
        const dead = await workerKilledAt(bench, line, /UPDATE ["`]product["`] SET ["`]deletedAt["`]/);
        deliver(order.delivery, { name, pages: 1, ready: 1 });
        const { id } = await shop.start(sweeping.code);
        await dead();
        const run = await shop.ended(id, PATIENCE_MS);
        const deleted = run.counters.find(({ stepKey }) => stepKey === 'products')?.deleted;
        swept.push({ run, deleted, products: [before, await many('NULL'), await many('NOT NULL')] });
    }
    return swept;
}

/** The returned function waits for the worker's death, and lets another worker continue. */
export async function workerKilledAt(
    bench: CrashBench,
    line: Line,
    at: Place['into'] | Omit<Place, 'line'> = 'flow_pipeline_run',
): Promise<() => Promise<void>> {
    const { crew } = bench;
    const place = typeof at === 'string' || at instanceof RegExp ? { into: at } : at;
    const dead = killedAt(await crew.proxied(), { ...place, line });
    crew.bootAhead();
    return async () => {
        await dead;
        await bench.endLeases();
        await crew.relieve();
    };
}

/** Returns the id of a newly placed order. */
export async function placedOrder({ shop }: CrashBench): Promise<string> {
    const ctx = await shop.app.get(RequestContextService).create({ apiType: 'admin' });
    const placed = await shop.dataSource.getRepository(Order).save(
        new Order({
            code: `line-${Date.now()}`,
            state: 'PaymentSettled',
            active: false,
            couponCodes: [],
            shippingAddress: {},
            billingAddress: {},
            currencyCode: CurrencyCode.USD,
            subTotal: 0,
            subTotalWithTax: 0,
        }),
    );
    await shop.app.get(EventBus).publish(new OrderPlacedEvent('ArrangingPayment', 'PaymentSettled', ctx, placed));
    return String(placed.id);
}
