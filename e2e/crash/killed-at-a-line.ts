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

/** Where a process dies: before a statement arrives, before the COMMIT behind it does, or when that is done and its answer not there yet. */
export type Line = 'statement' | 'commit' | 'answer';

/** The statement that a process dies at, or in whose transaction: an insert by the table that it is into. */
interface Place {
    readonly into: string | RegExp;
    readonly line: Line;
    /** Only once such a statement has been seen. */
    readonly behind?: RegExp;
}

const LONGEST_COMMIT = 40;
/** Pages that a delivery has at first; then it has one. */
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

/** How many times each tag is there whose value begins so. */
export async function tagged({ database }: CrashBench, prefix: string): Promise<ReadonlyMap<string, number>> {
    const rows = await database.rows<{ value: string; n: unknown }>(
        `SELECT value, count(*) AS n FROM tag WHERE value LIKE '${prefix}%' GROUP BY value`,
    );
    return new Map(rows.map(({ value, n }) => [value, Number(n)]));
}

/** The one number that a statement answers. */
export async function counted({ database }: CrashBench, statement: string): Promise<number> {
    const [found] = await database.rows<{ n: unknown }>(statement);
    return Number(found?.n);
}

/** Nothing waits to be started, and nothing that was started is on its way. */
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

/** What became of a run whose approval met with deaths. */
export interface ApprovedInVain {
    /** Where it stood when a server had died before its COMMIT. */
    readonly states: readonly string[];
    readonly run: RunAnswer;
    readonly decisions: number;
    /** How many times what waited at the gate was loaded, each of it. */
    readonly loads: readonly number[];
    /** What somebody was told who came later. */
    readonly later: string;
}

/** Servers of the API are killed in the middle of an approval: between its statements, before its COMMIT, and behind it. */
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

/** A server of the APIs, made to be killed, with a proxy before its database. */
export async function mortalServer(
    bench: CrashBench,
): Promise<{ readonly server: ProxiedProcess; readonly url: string }> {
    const port = await freePort(FIRST_PORT + 30);
    const order: ServerOrder = { ...bench.order, port };
    const server = await standBy(order, { script: 'server.ts', isProxied: true });
    return { server: server as ProxiedProcess, url: `http://127.0.0.1:${port}` };
}

/** Somebody approves it at a server of his own, which dies there. */
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
    if ((await answer) !== 'broken') throw new Error(`A server that was killed has answered: ${await answer}`);
}

/** Answers what its caller was told: the code of a refusal, that the connection broke, or nothing special. */
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

/** A worker is killed while it starts the run of an event: before the run's row, and behind its COMMIT. Answers how often each event was told. */
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
 * A worker is killed while a hook of its run starts another pipeline. Answers how often each record was loaded by both, and how many runs the hooks have
 * started beyond one a batch.
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

/** What was made of orders whose worker was killed within the transaction of one of them. */
export interface OrderedByTheDead {
    readonly run: RunAnswer;
    /** How many orders there are, their lines, what is on these, and the drafts that history tells of. */
    readonly made: readonly number[];
}

/** A worker is killed while OrderService makes an order, which has its row by then and no line. */
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

/** What became of products that were missing in their source. */
export interface SweptByTheDead {
    readonly run: RunAnswer;
    /** How many the step has counted. */
    readonly deleted: number | undefined;
    /** How many were there before, are left, and are deleted. */
    readonly products: readonly number[];
}

/** A worker is killed while it deletes what is missing: before a statement, before the COMMIT behind it, and behind that. */
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

/** What it answers waits for the worker's death, and lets another one go on. */
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

/** An order that has just been placed; answers its id. */
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
