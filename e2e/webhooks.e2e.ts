import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowPipelineRun } from '../src/plugin/entities/run';
import { FlowWebhookKey } from '../src/plugin/entities/webhook-key';
import { FIRST_PORT, freePort } from '../test/servers/process';
import { type FlowServer, flowServer, until } from './config/flow-server';
import { onEachServer } from './config/matrix';
import { scriptArguments } from './config/script-process';
import { type Posted, poster, sha256Of } from './webhooks/poster';
import type { ServerOrder } from './webhooks/webhook-server';
import { HOOK_KEY, largerBodies, webhookPlugin } from './webhooks/webhook-shop';

jest.setTimeout(600_000);

/** Boots another server of the same shop. */
async function otherServer(order: ServerOrder): Promise<ChildProcess> {
    const file = join(__dirname, 'webhooks/webhook-server.ts');
    const child = spawn(process.execPath, scriptArguments(file, order), {
        cwd: join(__dirname, '..'),
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_OPTIONS: '', VENDURE_DISABLE_TELEMETRY: 'true' },
    });
    process.once('exit', () => child.kill('SIGKILL'));
    let output = '';
    await new Promise<void>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', chunk => {
                output = (output + String(chunk)).slice(-8_000);
                if (output.includes('ready\n')) resolve();
            });
        }
        child.once('exit', code => reject(new Error(`The server ended with ${code}:\n${output}`)));
    });
    return child;
}

const gone = (child: ChildProcess): Promise<unknown> =>
    child.exitCode !== null || child.signalCode !== null
        ? Promise.resolve()
        : new Promise(resolve => child.once('exit', resolve));

function twoServers(database: 'postgres' | 'mariadb'): void {
    let shop: FlowServer;
    let other: ChildProcess;
    let posts: ReadonlyArray<ReturnType<typeof poster>>;
    let order: ServerOrder;

    beforeAll(async () => {
        shop = await flowServer(database, webhookPlugin(), { config: largerBodies('*splat') });
        order = { connection: shop.connection, port: await freePort(FIRST_PORT + 20) };
        other = await otherServer(order);
        posts = [poster(shop.url), poster(`http://127.0.0.1:${order.port}`)];
    });
    afterAll(async () => {
        other?.kill('SIGKILL');
        if (other) await gone(other);
        await shop?.destroy();
    });

    const send = (to: 0 | 1, body: string, key: string): Promise<Posted> =>
        posts[to]!('hook', body, { 'x-flow-signature': sha256Of(HOOK_KEY, body), 'x-idempotency-key': key });
    const runs = () => shop.dataSource.getRepository(FlowPipelineRun);
    const keys = () => shop.dataSource.getRepository(FlowWebhookKey);
    const scopeOf = async (key: string): Promise<string> => {
        const [row] = await shop.dataSource.query<Array<{ id: unknown }>>(
            `SELECT id FROM flow_pipeline WHERE code = 'hook'`,
        );
        return createHash('sha256')
            .update(JSON.stringify([String(row!.id), 'hook', key]))
            .digest('hex');
    };

    it("the shop's own body parsers, on *splat and on /, do not affect webhook posts and uploads", async () => {
        const body = '{ "n":  1 }';
        const answers = [await send(0, body, 'parsers-0'), await send(1, body, 'parsers-1')];
        expect(answers.map(({ status }) => status)).toEqual([202, 202]);
        for (const url of [shop.url, `http://127.0.0.1:${order.port}`]) {
            const uploaded = await fetch(`${url}/flow/upload`, {
                method: 'POST',
                headers: {
                    authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                    'content-type': 'application/json',
                    connection: 'close',
                },
                body: JSON.stringify({ filename: 'a.csv', content: Buffer.alloc(200_000, 'a,b\n').toString('base64') }),
            });
            expect(await uploaded.json()).toMatchObject({ success: true });
        }
    });

    it('fifty posts with one key to two servers start one run, and all responses are equal', async () => {
        const before = await runs().count();
        const body = JSON.stringify({ text: 'x'.repeat(1_000) });
        const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => send((i % 2) as 0 | 1, body, 'one')));
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
        const alike = new Set(answers.map(({ body: { duplicate: _, ...rest } }) => JSON.stringify(rest)));
        expect(alike.size).toBe(1);
        expect(answers.filter(({ body: { duplicate } }) => duplicate === false)).toHaveLength(1);
        expect(await runs().count()).toBe(before + 1);
        const { runId } = answers[0]!.body as { runId: string };
        expect(await shop.ended(runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
    });

    it('a hundred posts with different keys to two servers start a hundred runs, and all of them end', async () => {
        const before = await runs().countBy({ status: 'COMPLETED' });
        const answers = await Promise.all(
            Array.from({ length: 100 }, (_, i) => send((i % 2) as 0 | 1, `{"n":${i}}`, `each-${i}`)),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
        expect(new Set(answers.map(({ body }) => body['runId'])).size).toBe(100);
        await until(
            () => runs().countBy({ status: 'COMPLETED' }),
            count => count === before + 100,
        );
    });

    it.each([
        // A statement that quotes it has two characters for each, which exceeds MariaDB's default message size.
        ['what a database has to escape', '\\"', 5 * 1024 * 1024 - 10],
        ['characters of four bytes', '😀', 2.5 * 1024 * 1024 - 10],
    ])('a post of ten MiB is accepted completely: %s', async (_, piece, count) => {
        const body = `{"a":"${piece.repeat(count)}"}`;
        const { status, body: answer } = await send(0, body, `whole-${count}`);
        expect([status, answer]).toMatchObject([202, { recordCount: 1 }]);
        const { runId } = answer as { runId: string };
        expect(await shop.ended(runId)).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
    });

    // From here on there is only one server.
    it('a server that is killed within the transaction of a post leaves nothing of it, and the post may be repeated', async () => {
        const before = { runs: await runs().count(), keys: await keys().count() };
        const runner = shop.dataSource.createQueryRunner();
        await runner.startTransaction();
        // A post with the same key waits for this transaction, in which the run is inserted and the key is not.
        await runner.manager.insert(FlowWebhookKey, {
            scope: await scopeOf('killed'),
            bodyDigest: '0'.repeat(64),
            runId: 1,
            recordCount: 1,
            expiresAt: Date.now() + 600_000,
        });
        const lost = send(1, '{"n":1}', 'killed').then(
            () => 'answered',
            () => 'broken',
        );
        await until(
            () => waiting(),
            count => count > 0,
        );
        other.kill('SIGKILL');
        expect(await lost).toBe('broken');
        await gone(other);
        await runner.rollbackTransaction();
        await runner.release();
        await until(
            () => waiting(),
            count => count === 0,
        );
        expect({ runs: await runs().count(), keys: await keys().count() }).toEqual(before);
        const again = await send(0, '{"n":1}', 'killed');
        expect([again.status, again.body]).toMatchObject([202, { duplicate: false, recordCount: 1 }]);
        expect(await runs().count()).toBe(before.runs + 1);
    });

    it('an address whose posts were rejected too often is blocked for a while, right or wrong, and no other one', async () => {
        const wrong = () => posts[0]!('hook', '{}', { 'x-flow-signature': 'wrong' });
        const nobody = () => posts[0]!('nobody', '{}', {});
        const statuses = [];
        for (const ask of [wrong, nobody, wrong, nobody, wrong, wrong]) statuses.push((await ask()).status);
        expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
        const right = await send(0, '{}', 'after-failures');
        expect([right.status, right.body]).toEqual([
            429,
            { statusCode: 429, code: 'RATE_LIMITED', message: expect.any(String) },
        ]);
        expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    });

    /** Sessions that wait for a lock. InnoDB refreshes the list at most every 100 ms. */
    async function waiting(): Promise<number> {
        await sleep(150);
        const [row] = await shop.dataSource.query<Array<{ n: unknown }>>(
            database === 'postgres'
                ? `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
                : `SELECT count(*) AS n FROM information_schema.innodb_trx t
                   JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
                   WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()`,
        );
        return Number(row!.n);
    }
}

onEachServer('webhooks of two servers', twoServers);
