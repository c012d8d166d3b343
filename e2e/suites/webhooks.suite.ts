import { createHmac } from 'node:crypto';
import { Logger } from '@vendure/core';
import { countStatements, watchStatements } from '../../bench/meter';
import { pipeline, type JsonObject, type PipelineSource } from '../../src';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FlowWebhookKey } from '../../src/plugin/entities/webhook-key';
import { RunStores } from '../../src/plugin/runs/run-stores';
import { ProcessTaskQueue } from '../../src/plugin/process-task-queue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';
import { type Posted, poster, sha256Of } from '../webhooks/poster';
import { ERRORS } from '../../src/core/errors/catalogue';
import { guideBlocks } from '../../test/kit/guide-blocks';
import { buildsPipeline, pipelinesOf } from '../../test/kit/guide-pipelines';

countStatements();

const blocksOf = (page: string, under: string) =>
    guideBlocks.filter(({ place, heading }) => place.startsWith(`docs/guide/${page}.md:`) && heading === under);
const recipe = blocksOf('webhooks', 'Example: stock levels');
const shops = ['recipes/shopify', 'recipes/woocommerce'].flatMap(page => blocksOf(page, 'Webhooks'));

const KEY = 'hook-secret-1';
const NEW_KEY = 'hook-secret-2';
const STANDARD_KEY = Buffer.from('0123456789abcdef0123456789abcdef');
const MIB = 1024 * 1024;

/** Rejects all records, so that the test can read them. */
const taking = (code: string, trigger: JsonObject) =>
    pipeline(code)
        .trigger('hook', { type: 'WEBHOOK', ...trigger } as never)
        .extract('in', { adapterCode: 'inMemory', data: [{ of: 'its own' }] })
        .validate('check', { rules: [{ type: 'required', spec: { field: 'missing' } }] })
        .build();

const HMAC = { authentication: 'HMAC', secretCode: 'webhook-key' };
const REFUSED = {
    statusCode: 401,
    code: 'WEBHOOK_REFUSED',
    message: ERRORS.WEBHOOK_REFUSED.text,
};

function webhooks(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let post: ReturnType<typeof poster>;

    beforeAll(async () => {
        shop = await open();
        post = poster(shop.url);
    });

    afterEach(() => jest.restoreAllMocks());

    const signed = (code: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Posted> =>
        post(code, body, { 'x-flow-signature': sha256Of(KEY, body), ...headers });
    /** The id in the database for an id of the API. */
    const rowId = (id: unknown): string => String(id).replace('T_', '');
    const came = async (runId: unknown): Promise<unknown[]> => {
        await shop.ended(String(runId));
        const errors = await shop.dataSource
            .getRepository(FlowRecordError)
            .find({ where: { runId: rowId(runId), stepKey: 'check' }, order: { seq: 'ASC' } });
        return errors.map(({ payload }) => payload);
    };
    const rowOf = (runId: unknown) =>
        shop.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: rowId(runId) });
    const runsOf = async (code: string): Promise<number> => {
        const [row] = await shop.dataSource.query<Array<{ n: unknown }>>(
            `SELECT count(*) AS n FROM flow_pipeline_run WHERE pipeline_id = (SELECT id FROM flow_pipeline WHERE code = '${code}')`,
        );
        return Number(row!.n);
    };

    describe('an authenticated post', () => {
        it('starts a run with its records, and no source of the pipeline is read', async () => {
            const body = '[{"n":1,"id":12345678901234567890},{"n":2,"deep":{"a":[null,"ü😀"]}}]';
            const { status, body: answer } = await signed('hook-hmac', body);
            expect([status, answer]).toEqual([
                202,
                {
                    accepted: true,
                    duplicate: false,
                    runId: expect.stringMatching(/^T_\d+$/),
                    pipelineCode: 'hook-hmac',
                    recordCount: 2,
                },
            ]);
            expect(await came(answer['runId'])).toEqual([
                { n: 1, id: '12345678901234567890' },
                { n: 2, deep: { a: [null, 'ü😀'] } },
            ]);
            expect(await rowOf(answer['runId'])).toMatchObject({
                triggerType: 'WEBHOOK',
                triggerKey: 'hook',
                startedByUserId: null,
                status: 'COMPLETED',
                recordsRead: 2,
                dryRun: false,
            });
        });

        it('may be one object, or an empty list, which starts a run without records', async () => {
            const one = await signed('hook-hmac', ' {"n":1}');
            expect(one.body).toMatchObject({ recordCount: 1 });
            expect(await came(one.body['runId'])).toEqual([{ n: 1 }]);
            const none = await signed('hook-hmac', '[]');
            expect([none.status, none.body]).toMatchObject([202, { recordCount: 0 }]);
            expect(await came(none.body['runId'])).toEqual([]);
        });

        it.each<[mode: string, headers: (body: string) => Record<string, string>]>([
            ['hook-api-key', () => ({ 'x-api-key': KEY })],
            ['hook-basic', () => ({ authorization: `Basic ${Buffer.from('erp:pass').toString('base64')}` })],
            ['hook-jwt', () => ({ authorization: `Bearer ${token(KEY)}` })],
            ['hook-standard', body => delivery('msg_1', body)],
            ['hook-rotating', body => ({ 'x-flow-signature': `sha512=${sha256Of(KEY, body, 'sha512')}` })],
            ['hook-rotating', body => ({ 'x-flow-signature': sha256Of(NEW_KEY, body, 'sha512') })],
            ['hook-open', () => ({})],
        ])('is accepted with %s', async (code, headers) => {
            const body = JSON.stringify({ of: code });
            const { status, body: answer } = await post(code, body, headers(body));
            expect([status, answer]).toMatchObject([202, { accepted: true, pipelineCode: code, recordCount: 1 }]);
            expect(await came(answer['runId'])).toEqual([{ of: code }]);
        });

        it('creates no session and needs none, and its token is not taken for one of the shop', async () => {
            const { headers } = await post('hook-jwt', '{}', {
                authorization: `Bearer ${token(KEY)}`,
                cookie: 'session=abc',
            });
            expect([headers['vendure-auth-token'], headers['set-cookie']]).toEqual([undefined, undefined]);
        });

        it('may have 10 MiB, whole or in chunks, and not one byte more', async () => {
            const wrapped = (size: number): Buffer => Buffer.from(`{"pad":"${'x'.repeat(size - 10)}"}`);
            const most = wrapped(10 * MIB);
            const { status, body } = await signed('hook-large', most);
            expect([status, body]).toMatchObject([202, { recordCount: 1 }]);
            await shop.ended(String(body['runId']));
            const beyond = wrapped(10 * MIB + 1);
            const rejected = { statusCode: 413, code: 'BODY_TOO_LARGE', message: expect.any(String) };
            expect((await signed('hook-large', beyond)).body).toEqual(rejected);
            const chunked = { 'x-flow-signature': sha256Of(KEY, beyond), 'transfer-encoding': 'chunked' };
            expect((await post('hook-large', beyond, chunked)).body).toEqual(rejected);
        });

        it('of several MiB is processed in turns', async () => {
            const text = 'some text '.repeat(100);
            const body = JSON.stringify(Array.from({ length: 2_500 }, (_, n) => ({ n, text, list: [1, 2] })));
            // Reading the body yields often (src/io/formats/json-body.spec.ts), and the queue lets other tasks run in between.
            const taskQueue = jest.spyOn(shop.app.get(ProcessTaskQueue), 'done');
            const { body: small } = await signed('hook-large', '{"n":1}');
            const before = taskQueue.mock.calls.length;
            const { body: answer } = await signed('hook-large', body);
            expect([small['recordCount'], answer['recordCount']]).toEqual([1, 2_500]);
            // One task for its signature and one for its records.
            expect(taskQueue.mock.calls.length - before).toBeGreaterThanOrEqual(2);
        });

        it('acts for the publisher of the revision', async () => {
            const made = await published('hook-published', HMAC);
            const { body } = await signed('hook-published', '{}');
            const run = await shop.ended(String(body['runId']));
            expect(run.startedBy).toEqual({ identifier: 'superadmin' });
            expect(made.revision?.number).toBe(1);
        });
    });

    describe('an unauthenticated post', () => {
        it.each<[title: string, code: string, headers: Record<string, string>]>([
            ['has no signature', 'hook-hmac', {}],
            ['has a wrong signature', 'hook-hmac', { 'x-flow-signature': sha256Of('other', '{}') }],
            ['has no key', 'hook-api-key', {}],
            ['has a wrong key', 'hook-api-key', { 'x-api-key': 'other' }],
            ['has a wrong password', 'hook-basic', { authorization: 'Basic ZXJwOm90aGVy' }],
            ['has an unsigned token', 'hook-jwt', { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
            ['has the session of a superadmin in the place of a token', 'hook-jwt', { authorization: 'SESSION' }],
            ['is an old delivery', 'hook-standard', delivery('msg_0', '{}', Date.now() / 1000 - 400)],
            ['is for a pipeline that does not exist', 'hook-of-nobody', {}],
            ['is for a pipeline without a webhook', 'hook-manual', {}],
            ['is for a pipeline that is disabled', 'hook-disabled', {}],
            ['is for a trigger that is disabled', 'hook-off', {}],
            ['is for a webhook whose secret is missing', 'hook-lacking', { 'x-api-key': '' }],
            ['is for a webhook whose secret is unfit', 'hook-unfit', delivery('msg_0', '{}')],
            ['is for an invalid code', 'Hook%20HMAC', {}],
            ['is for a code with a character that no database accepts', 'hook%00', {}],
            ['is for a code that is far too long', 'h'.repeat(5_000), {}],
            ['names a channel that does not exist', 'hook-hmac?vendure-token=nobody', {}],
        ])('gets the same 401 in each case: it %s', async (_, code, headers) => {
            const authorization = headers['authorization']?.replace(
                'SESSION',
                `Bearer ${shop.adminClient.getAuthToken()}`,
            );
            const answer = await post(code, '{}', { ...headers, ...(authorization && { authorization }) });
            expect([answer.status, answer.body]).toEqual([401, REFUSED]);
            expect(answer.headers['www-authenticate']).toBeUndefined();
        });

        it('costs as many statements for every pipeline', async () => {
            const codes = [
                'hook-hmac',
                'hook-of-nobody',
                'hook-manual',
                'hook-disabled',
                'hook-off',
                'hook-api-key',
                'hook-lacking',
            ];
            const counted: Record<string, string[]> = {};
            // Once before the count, so that each revision is in memory.
            for (const code of codes) await post(code, '{}', {});
            let code = '';
            // Other parts of the shop run meanwhile; only posts use these two tables.
            const stop = watchStatements(text => {
                const of = /flow_secret/.exec(text)?.[0] ?? /flow_pipeline.? p JOIN .?channel/.exec(text)?.[0];
                if (of !== undefined) (counted[code] ??= []).push(of.replaceAll(/[^\w ]/g, ''));
            });
            for (code of codes) await post(code, '{}', {});
            stop();
            const usual = ['flow_pipeline p JOIN channel', 'flow_secret'];
            expect(counted).toEqual(Object.fromEntries(codes.map(each => [each, usual])));
        });

        it.each<[title: string, body: string, headers: Record<string, string>, status: number, code: string]>([
            ['is text', '"text"', {}, 400, 'INPUT_INVALID'],
            ['is a number', '1', {}, 400, 'INPUT_INVALID'],
            ['is null', 'null', {}, 400, 'INPUT_INVALID'],
            ['is empty', '', {}, 400, 'INPUT_INVALID'],
            ['is broken', '{"a":', {}, 400, 'INPUT_INVALID'],
            ['is two objects', '{}{}', {}, 400, 'INPUT_INVALID'],
            ['has a key twice', '{"a":1,"a":2}', {}, 400, 'INPUT_INVALID'],
            ['is too deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, {}, 400, 'INPUT_INVALID'],
            ['is a form', '{}', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
            ['is said to be text', '{}', { 'content-type': 'text/plain' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
            [
                'is in another charset',
                '{}',
                { 'content-type': 'application/json; charset=latin1' },
                415,
                'MEDIA_TYPE_UNSUPPORTED',
            ],
            ['is compressed', '{}', { 'content-encoding': 'gzip' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
            ['is compressed twice', '{}', { 'content-encoding': 'identity, gzip' }, 415, 'MEDIA_TYPE_UNSUPPORTED'],
        ])('is rejected, and nothing is stored, if its body %s', async (_, body, headers, status, code) => {
            const before = await runsOf('hook-hmac');
            const answer = await signed('hook-hmac', body, headers);
            expect([answer.status, answer.body]).toEqual([
                status,
                { statusCode: status, code, message: expect.any(String) },
            ]);
            expect(await runsOf('hook-hmac')).toBe(before);
        });

        it('gets an error with the place of an element that is not an object', async () => {
            const { body } = await signed('hook-hmac', '[{},{},7]');
            expect(body['message']).toContain('element 2');
        });

        it('may name its charset, and a JSON subtype', async () => {
            for (const type of ['application/json; charset=UTF-8', 'application/cloudevents+json'])
                expect((await signed('hook-hmac', '{}', { 'content-type': type })).status).toBe(202);
        });
    });

    describe('an idempotency key', () => {
        const keyed = (key: string, body = '{"n":1}'): Promise<Posted> =>
            signed('hook-hmac', body, { 'x-idempotency-key': key });
        const keys = () => shop.dataSource.getRepository(FlowWebhookKey);

        it('returns the first run for the same post, and rejects another body', async () => {
            const first = await keyed('order-1');
            const again = await keyed('order-1');
            expect(first.body).toMatchObject({ accepted: true, duplicate: false });
            expect([again.status, again.body]).toEqual([202, { ...first.body, duplicate: true }]);
            const other = await keyed('order-1', '{"n": 1}');
            expect([other.status, other.body]).toEqual([
                409,
                { statusCode: 409, code: 'IDEMPOTENCY_CONFLICT', message: expect.any(String) },
            ]);
            expect((await keyed('Order-1')).body).toMatchObject({ duplicate: false });
            expect((await keyed('order-1 ')).body).toMatchObject({ duplicate: true });
        });

        it('starts one run for fifty simultaneous posts', async () => {
            const before = await runsOf('hook-hmac');
            const answers = await Promise.all(Array.from({ length: 50 }, () => keyed('at-once')));
            expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
            expect(new Set(answers.map(({ body }) => body['runId'])).size).toBe(1);
            expect(answers.filter(({ body }) => body['duplicate'] === false)).toHaveLength(1);
            expect(await runsOf('hook-hmac')).toBe(before + 1);
        });

        it('is separate for each webhook, and is the id of a Standard Webhooks delivery', async () => {
            const first = await signed('hook-hmac', '{}', { 'x-idempotency-key': 'shared' });
            const other = await post('hook-api-key', '{}', { 'x-api-key': KEY, 'x-idempotency-key': 'shared' });
            expect([first.body['duplicate'], other.body['duplicate']]).toEqual([false, false]);
            const sent = await post('hook-standard', '{}', delivery('msg_2', '{}'));
            const again = await post('hook-standard', '{}', delivery('msg_2', '{}'));
            expect(again.body).toEqual({ ...sent.body, duplicate: true });
            const changed = await post('hook-standard', '{"a":1}', delivery('msg_2', '{"a":1}'));
            expect(changed.status).toBe(409);
        });

        it('may be used again when it has expired, by one of several simultaneous posts, and is purged', async () => {
            const first = await keyed('expiring');
            await keys().update({ runId: rowId(first.body['runId']) as never }, { expiresAt: 1 });
            const answers = await Promise.all(Array.from({ length: 5 }, () => keyed('expiring', '{"n":2}')));
            expect(answers.filter(({ body }) => body['duplicate'] === false)).toHaveLength(1);
            const runId = answers[0]!.body['runId'];
            expect(new Set(answers.map(({ body }) => body['runId']))).toEqual(new Set([runId]));
            expect(runId).not.toBe(first.body['runId']);
            const before = await keys().count();
            await keys().update({ runId: rowId(runId) as never }, { expiresAt: 1 });
            let purged = 0;
            for await (const count of shop.app.get(RunStores).webhookKeys.purge()) purged += count;
            expect([purged, await keys().count()]).toEqual([1, before - 1]);
        });

        it('is remembered for as long as the trigger is configured to', async () => {
            const shortly = await post('hook-required', '{}', { 'x-api-key': KEY, 'x-delivery': 'a' });
            const usually = await keyed('for-a-day');
            const endOf = async ({ body }: Posted): Promise<number> =>
                (await keys().findOneByOrFail({ runId: rowId(body['runId']) as never })).expiresAt;
            // Two minutes and a day: compared in hours, so that the time between the posts does not matter.
            expect(Math.round(((await endOf(usually)) - (await endOf(shortly))) / 3_600_000)).toBe(24);
        });

        it.each<[title: string, headers: Record<string, string | string[]>]>([
            ['is missing', {}],
            ['is empty', { 'x-delivery': '' }],
            ['comes twice', { 'x-delivery': ['a', 'b'] }],
            ['is too long', { 'x-delivery': 'x'.repeat(257) }],
            ['comes in the usual header if another one is required', { 'x-idempotency-key': 'a' }],
        ])('is rejected with 400 if it is required and %s', async (_, headers) => {
            const answer = await post('hook-required', '{}', { 'x-api-key': KEY, ...headers });
            expect([answer.status, answer.body]).toEqual([
                400,
                { statusCode: 400, code: 'INPUT_INVALID', message: expect.stringContaining('x-delivery') },
            ]);
        });

        it('may have 256 characters', async () => {
            const answer = await post('hook-required', '{}', { 'x-api-key': KEY, 'x-delivery': 'x'.repeat(256) });
            expect(answer.status).toBe(202);
        });
    });

    it('a webhook above its limit of posts returns 429, and the time of the next post', async () => {
        const answers = [];
        for (let i = 0; i < 4; i++) answers.push(await post('hook-limited', '{}', { 'x-api-key': KEY }));
        expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
        expect(answers[3]!.body).toEqual({ statusCode: 429, code: 'RATE_LIMITED', message: expect.any(String) });
        expect(Number(answers[3]!.headers['retry-after'])).toBeGreaterThan(0);
    });

    it('a pipeline that is published, disabled, enabled and archived accepts posts only while it is active', async () => {
        const told = jest.spyOn(Logger, 'error');
        const security = (): number =>
            told.mock.calls.filter(([line]) => line.includes('hook-life') && line.includes('NONE')).length;
        const pipelines = as(shop.adminClient);
        const status = async (): Promise<number> => (await post('hook-life', '{}', {})).status;
        expect(await status()).toBe(401);
        const draft = await pipelines.create({
            code: 'hook-life',
            definition: taking('x', { authentication: 'NONE' }).definition,
        });
        expect(draft.workingCopy!.issues.map(({ code, path }) => [code, path])).toEqual([
            ['LIKELY_MISTAKE', 'steps[0].config.authentication'],
        ]);
        expect([await status(), security()]).toEqual([401, 0]);
        let life: PipelineAnswer = await pipelines.publish(draft);
        expect([await status(), await status(), security()]).toEqual([202, 202, 1]);
        life = await pipelines.disable(life);
        expect([await status(), security()]).toEqual([401, 1]);
        life = await pipelines.enable(life);
        expect([await status(), security()]).toEqual([202, 2]);
        life = await pipelines.archive(life);
        expect(await status()).toBe(401);
        life = await pipelines.restore(life);
        const guarded = await pipelines.update(life, { definition: taking('x', HMAC).definition });
        const { revision: open } = guarded;
        await pipelines.publish(guarded);
        expect([await status(), (await signed('hook-life', '{}')).status]).toEqual([401, 202]);
        const before = security();
        await pipelines.select(life, open!.id);
        expect([await status(), security()]).toEqual([202, before + 1]);
    });

    it('the recipe for stock levels sets what is posted, once, and rejects invalid levels', async () => {
        const catalogue = await shop.perform('hook-catalogue');
        expect(catalogue).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2 });
        const body = recipe.find(({ language }) => language === 'json')!.text;
        const send = (): Promise<Posted> =>
            post('warehouse-stock', body, {
                'x-flow-signature': `sha256=${sha256Of(KEY, body)}`,
                'x-idempotency-key': 'delivery-1',
            });
        const { body: answer } = await send();
        const run = await shop.ended(String(answer['runId']));
        expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 2, recordsLoaded: 1, recordsRejected: 1 });
        expect((await send()).body).toEqual({ ...answer, duplicate: true });
        const levels = await shop.dataSource.query<Array<{ sku: string; level: number }>>(
            `SELECT v.sku AS sku, l.${quoted('stockOnHand')} AS level FROM product_variant v
             JOIN stock_level l ON l.${quoted('productVariantId')} = v.id WHERE v.sku LIKE 'LAMP-_' AND l.${quoted('stockOnHand')} > 0`,
        );
        expect(levels).toEqual([{ sku: 'LAMP-1', level: 12 }]);
    });

    describe('the recipe for the webhooks of', () => {
        const bodies = shops.filter(({ language }) => language === 'json').map(({ text }) => text);
        const base64 = (body: string): string => createHmac('sha256', KEY).update(body).digest('base64');
        const variants = (prefix: string) =>
            shop.dataSource.query<unknown[]>(
                `SELECT DISTINCT v.sku AS sku, p.price AS price FROM product_variant v
                 JOIN product_variant_price p ON p.${quoted('variantId')} = v.id WHERE v.sku LIKE '${prefix}%' ORDER BY v.sku`,
            );

        it.each([
            [
                'Shopify',
                'shopify-updates',
                { signature: 'x-shopify-hmac-sha256', id: 'x-shopify-webhook-id', body: bodies[0]! },
                { prefix: 'EXAMPLE-', prices: [2150, 1999] },
            ],
            [
                'WooCommerce',
                'woo-updates',
                { signature: 'x-wc-webhook-signature', id: 'x-wc-webhook-delivery-id', body: bodies[1]! },
                { prefix: 'WOO-', prices: [1800] },
            ],
        ])('%s loads what is posted, once', async (_, code, { signature, id, body }, { prefix, prices }) => {
            const send = () => post(code, body, { [signature]: base64(body), [id]: 'delivery-1' });
            const { status, body: answer } = await send();
            expect([status, answer]).toMatchObject([202, { recordCount: 1 }]);
            const run = await shop.ended(String(answer['runId']));
            expect(run).toMatchObject({ status: 'COMPLETED', recordsLoaded: 1, recordsRejected: 0 });
            expect(await variants(prefix)).toMatchObject(prices.map(price => ({ price })));
            expect((await send()).body).toEqual({ ...answer, duplicate: true });
            expect((await post(code, body, { [signature]: base64(`${body} `) })).status).toBe(401);
        });
    });

    it.each(['woo-updates', 'hook-of-nobody'])('an unsigned ping to %s gets 200 and starts no run', async code => {
        const before = await runsOf(code);
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const { status, body } = await post(code, 'webhook_id=12', form);
        expect([status, body]).toEqual([200, { ping: true }]);
        expect((await post(code, 'webhook_id=12&a=b', form)).status).toBe(415);
        expect(await runsOf(code)).toBe(before);
    });

    /** A name in the quotes of the current database. */
    const quoted = (name: string): string => shop.dataSource.driver.escape(name);

    async function published(code: string, trigger: JsonObject): Promise<PipelineAnswer> {
        const pipelines = as(shop.adminClient);
        return pipelines.publish(await pipelines.create({ code, definition: taking('x', trigger).definition }));
    }
}

function token(key: string): string {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256' })}.${part({ exp: Math.floor(Date.now() / 1000) + 3600 })}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

function delivery(id: string, body: string, at = Date.now() / 1000): Record<string, string> {
    const timestamp = String(Math.floor(at));
    const digest = createHmac('sha256', STANDARD_KEY).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

/** Requests to `/flow/webhook`. */
export const webhooksSuite: SharedSuite = {
    title: 'webhooks',
    secrets: [
        { code: 'webhook-key', provider: 'INLINE', value: KEY },
        { code: 'warehouse-hook', provider: 'INLINE', value: KEY },
        { code: 'shopify-hook', provider: 'INLINE', value: KEY },
        { code: 'woo-hook', provider: 'INLINE', value: KEY },
        { code: 'webhook-key-2', provider: 'INLINE', value: NEW_KEY },
        { code: 'webhook-unset', provider: 'ENV', value: 'FLOW_TEST_NOBODY_SETS_THIS' },
        { code: 'webhook-login', provider: 'INLINE', value: 'erp:pass' },
        { code: 'webhook-standard', provider: 'INLINE', value: `whsec_${STANDARD_KEY.toString('base64')}` },
    ],
    pipelines: [
        taking('hook-hmac', HMAC),
        pipeline('hook-large')
            .trigger('hook', { type: 'WEBHOOK', authentication: 'HMAC', secretCode: 'webhook-key' })
            .transform('small', [{ op: 'set', args: { path: 'pad', value: '' } }])
            .build(),
        taking('hook-rotating', {
            authentication: 'HMAC',
            hmacAlgorithm: 'SHA512',
            secretCodes: ['webhook-key', 'webhook-key-2'],
        }),
        taking('hook-api-key', { authentication: 'API_KEY', apiKeySecretCode: 'webhook-key' }),
        taking('hook-basic', { authentication: 'BASIC', basicSecretCode: 'webhook-login' }),
        taking('hook-jwt', { authentication: 'JWT', jwtSecretCode: 'webhook-key' }),
        taking('hook-standard', { authentication: 'STANDARD', secretCode: 'webhook-standard' }),
        taking('hook-lacking', { authentication: 'API_KEY', apiKeySecretCode: 'webhook-unset' }),
        taking('hook-unfit', { authentication: 'STANDARD', secretCode: 'webhook-key' }),
        taking('hook-open', { authentication: 'NONE' }),
        taking('hook-off', { ...HMAC, enabled: false }),
        taking('hook-required', {
            authentication: 'API_KEY',
            apiKeySecretCode: 'webhook-key',
            requireIdempotencyKey: true,
            idempotencyKeyHeader: 'x-delivery',
            idempotencyTtlSec: 120,
        }),
        taking('hook-limited', { authentication: 'API_KEY', apiKeySecretCode: 'webhook-key', rateLimit: 3 }),
        ...[...recipe, ...shops]
            .filter(buildsPipeline)
            .flatMap(pipelinesOf)
            .map(shown => shown as PipelineSource),
        pipeline('hook-catalogue')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', {
                adapterCode: 'inMemory',
                data: [1, 2].map(n => ({ name: `Lamp ${n}`, sku: `LAMP-${n}`, slug: `hook-lamp-${n}`, price: 100 })),
            })
            .load('products', { adapterCode: 'productUpsert' })
            .build(),
        { ...taking('hook-disabled', HMAC), enabled: false },
        pipeline('hook-manual')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'inMemory', data: [] })
            .build(),
    ],
    tests: webhooks,
};
