import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MemoryState } from '../../../test/kit/memory-ports';
import { type Answering, type Delivering, Partner, type PartnerRequest, type Reply } from '../../../test/kit/partner';
import { ids } from '../../../test/kit/pipeline';
import { flowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject } from '../../core/value/json';
import { restPost } from './rest-post';

const partner = new Partner();

/** Runs against a partner that answers so; `config` says the path behind its address. */
async function post(
    answer: Answering,
    { endpoint = '/products', ...config }: JsonObject = {},
    more: Partial<Delivering> = {},
) {
    const { port, seen } = await partner.serve(answer);
    const url = `http://127.0.0.1:${port}${String(endpoint)}`;
    const given = { loader: restPost, config: { endpoint: url, retries: 0, ...config }, records: ids(3), ...more };
    return {
        ...(await partner.load(given)),
        seen,
        again: (next: Partial<Delivering>) => partner.load({ ...given, ...next }),
    };
}

const sentBy = (seen: readonly PartnerRequest[]): readonly unknown[] =>
    seen.map(({ body }) => JSON.parse(body) as unknown);
const keysOf = (seen: readonly PartnerRequest[]): readonly unknown[] =>
    seen.map(({ headers }) => headers['idempotency-key']);
const fine = (): Reply => ({ status: 201 });

describe('records that are sent one by one', () => {
    it('go as objects, each under a key of its own, with the token and the headers of the step', async () => {
        const { end, seen, state } = await post(fine, {
            bearerTokenSecretCode: 'token',
            headers: { 'X-Shop': 'one' },
            deliveryIdField: 'message.id',
        });
        expect(end).toMatchObject({
            end: 'completed',
            counters: { send: { in: 3, out: 3, updated: 3 }, after: { in: 3 } },
        });
        const [first] = seen;
        expect(first).toMatchObject({
            method: 'POST',
            url: '/products',
            headers: {
                authorization: `Bearer ${partner.secrets['token']}`,
                'content-type': 'application/json',
                'x-shop': 'one',
            },
        });
        expect(first!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
        expect(new Set(keysOf(seen)).size).toBe(3);
        expect(sentBy(seen)).toEqual(keysOf(seen).map((id, i) => ({ id: i, message: { id } })));
        expect([...state.shop.values()]).toEqual(ids(3));
    });

    it('take their address from the record, and are rejected where it has none or would lead elsewhere', async () => {
        const records: JsonObject[] = [{ id: 'a/b ä' }, {}, { id: '..' }, { id: ['x'] }, { id: 'ß'.repeat(2_000) }];
        const { rejected, seen, state } = await post(
            fine,
            { endpoint: '/p/{{id}}?x={{id}}', method: 'PUT' },
            { records },
        );
        expect(seen.map(({ method, url }) => [method, url])).toEqual([['PUT', '/p/a%2Fb%20%C3%A4?x=a%2Fb%20%C3%A4']]);
        expect(rejected.map(({ seq, code }) => [seq, code])).toEqual([1, 2, 3, 4].map(seq => [seq, 'RECORD_INVALID']));
        expect([...state.rejects.values()].map(({ path }) => path)).toEqual(['id', 'id', 'id', 'id']);
    });

    it('are created where the strategy says so, and deleted by a step that does that', async () => {
        const created = await post(fine, { strategy: 'CREATE', headers: { Accept: 'text/csv' } });
        expect(created.end).toMatchObject({ counters: { send: { created: 3 } } });
        const records: JsonObject[] = [{ id: 1 }, { id: 2, __operation: 'DELETE' }, { id: 3, __operation: 'UPSERT' }];
        const deleted = await post(
            ({ url }) => ({ status: url === '/2' ? 404 : 204 }),
            { endpoint: '/{{id}}', method: 'DELETE' },
            { records },
        );
        expect(deleted.end).toMatchObject({ counters: { send: { deleted: 2, rejected: 1 } } });
        expect(deleted.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
            ['DELETE', '/1', ''],
            ['DELETE', '/2', ''],
        ]);
        const kept = await post(fine, {}, { records });
        expect(sentBy(kept.seen)).toEqual([{ id: 1 }, { id: 3 }]);
        expect(kept.rejected).toMatchObject([{ seq: 1, code: 'RECORD_INVALID' }]);
    });

    const page = '<html><body>Sorry</body></html>';
    it.each<readonly [what: string, type: string, body: Reply['body'], reason: RegExp]>([
        ['a message', 'application/json', { message: 'Price is missing.' }, /it answered 422: Price is missing\.$/],
        [
            'a problem by RFC 9457',
            'application/problem+json',
            { title: 'Bad', detail: 'No such tax' },
            /: No such tax\.$/,
        ],
        ['an error with a message', 'application/json', { error: { message: 'Too wide' } }, /: Too wide\.$/],
        [
            'a list of errors',
            'application/json',
            { message: 'Invalid', errors: [{ field: 'sku', message: 'is taken' }] },
            /: Invalid: sku: is taken\.$/,
        ],
        [
            'errors by field',
            'application/json',
            { errors: { price: ['is odd', 'is low'] } },
            /: price: is odd; is low\.$/,
        ],
        ['many texts', 'application/json', ['one', 'two', 'three', 'four'], /: one; two; three\.$/],
        ['lines of text', 'text/plain', 'No\n  way', /: No way\.$/],
        ['a page', 'text/html', page, /it answered 422\.$/],
        ['broken JSON', 'application/json', '{"message": "broken', /it answered 422\.$/],
        ['JSON that says nothing', 'application/json', { code: 7 }, /it answered 422\.$/],
        ['a giant text', 'text/plain', 'x'.repeat(5_000_000), /: x{300}…\.$/],
        ['giant JSON', 'application/json', { message: 'y'.repeat(100_000) }, /it answered 422\.$/],
    ])('are rejected with the reason that the answer gives: %s', async (_, type, body, reason) => {
        const answer = (__: unknown, number: number): Reply =>
            number === 2 ? { status: 422, headers: { 'content-type': type }, body: body! } : { body: '<html>' };
        const { end, rejected } = await post(answer);
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 2, rejected: 1 } } });
        expect(rejected).toMatchObject([{ seq: 1, code: 'TARGET_REFUSED' }]);
        expect(rejected[0]!.message).toMatch(reason);
    });

    it('are delivered by an answer of 200, whatever comes behind it', async () => {
        const bodies = ['<html>', '{"broken', 'z'.repeat(3_000_000), ''];
        const { end } = await post((_, number) => ({ body: bodies[number - 1]! }), {}, { records: ids(4) });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 4 } } });
    });
});

describe('a partner that is away or busy', () => {
    it('is waited for as long as it asks, and refuses nothing', async () => {
        const answer = (_: unknown, number: number): Reply =>
            number === 2 ? { status: 429, headers: { 'retry-after': '7' } } : fine();
        const { end, waited, seen } = await post(answer, { retries: 1 });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS', counters: { send: { updated: 3 } } });
        expect(waited).toEqual([7]);
        expect(keysOf(seen)[1]).toBe(keysOf(seen)[2]);
    });

    it('is waited for by errorHandling where it asks for more than a minute', async () => {
        const answer = (_: unknown, number: number): Reply =>
            number === 1 ? { status: 503, headers: { 'retry-after': '90' } } : fine();
        const { end, waited } = await post(
            answer,
            { retries: 3 },
            { errorHandling: { maxRetries: 1, retryDelayMs: 1 } },
        );
        expect([end, waited]).toMatchObject([{ end: 'completed', counters: { send: { updated: 3 } } }, [90]]);
    });

    it.each<readonly [what: string, answer: Reply | 'hangs' | 'breaks off', code: string]>([
        ['is down', { status: 503 }, 'REMOTE_BUSY'],
        ['fails', { status: 500, body: { message: 'Oops' } }, 'REMOTE_BUSY'],
        ['breaks off', 'breaks off', 'REMOTE_BUSY'],
        ['says nothing', 'hangs', 'OUTBOUND_TIMEOUT'],
    ])('fails the run and rejects nothing when it %s; the next run goes on where it was', async (_, trouble, code) => {
        let isDown = true;
        const first = await post((__, number) => (number > 1 && isDown ? trouble : fine()), { timeoutMs: 200 });
        expect(first.end).toMatchObject({ end: 'stopped', stepKey: 'send', error: { code } });
        expect(first.rejected).toEqual([]);
        isDown = false;
        const { end, state } = await first.again({ state: first.state });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(state.counters['send']).toMatchObject({ updated: 3, rejected: 0 });
        expect(sentBy(first.seen)).toEqual([{ id: 0 }, { id: 1 }, { id: 1 }, { id: 2 }]);
        expect(keysOf(first.seen)[1]).toBe(keysOf(first.seen)[2]);
    });

    it('rejects nothing where nobody listens', async () => {
        const closed = createServer();
        await partner.servers.listening(closed);
        const { port } = closed.address() as AddressInfo;
        await new Promise(done => closed.close(done));
        const config = { endpoint: `http://127.0.0.1:${port}/`, retries: 1 };
        const { end, rejected } = await partner.load({ loader: restPost, config, records: ids(2) });
        expect([end, rejected]).toMatchObject([{ end: 'stopped', error: { code: 'REMOTE_BUSY' } }, []]);
    });

    it.each([401, 403, 404, 405, 410, 415])('fails the run with %d, which is about no record', async status => {
        const { end, rejected, seen } = await post(() => ({ status, body: { message: 'no' } }), { retries: 2 });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED', details: { status } } });
        expect([rejected, seen.length]).toEqual([[], 1]);
    });

    it('rejects a record whose own address is not there', async () => {
        const { rejected } = await post(({ url }) => ({ status: url === '/1' ? 404 : 200 }), {
            endpoint: '/{{id}}',
            method: 'PATCH',
        });
        expect(rejected).toMatchObject([{ seq: 1, code: 'TARGET_REFUSED' }]);
    });
});

describe('a redirect', () => {
    const to =
        (location: string, status: number) =>
        ({ url }: PartnerRequest): Reply =>
            url === '/products' ? { status, headers: { location } } : fine();

    it('by 307 and 308 takes the record along within the origin', async () => {
        for (const status of [307, 308]) {
            const { end, seen } = await post(to('/there', status), {}, { records: ids(1) });
            expect(end).toMatchObject({ counters: { send: { updated: 1 } } });
            expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
                ['POST', '/products', '{"id":0}'],
                ['POST', '/there', '{"id":0}'],
            ]);
        }
    });

    it.each([301, 302, 303, 304])('by %d, which would make a GET of it, is not taken for a delivery', async status => {
        const { end, seen, rejected } = await post(to('/there', status));
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
        expect([seen.length, rejected]).toEqual([1, []]);
    });

    it('to another or a private address is not followed, and takes neither record nor token along', async () => {
        const other = await partner.serve(fine);
        for (const location of [
            `http://127.0.0.1:${other.port}/`,
            'http://10.0.0.8/',
            'http://169.254.169.254/latest',
        ]) {
            const { end, rejected } = await post(to(location, 307), { bearerTokenSecretCode: 'token' });
            expect(end).toMatchObject({
                end: 'stopped',
                error: { code: expect.stringMatching(/^OUTBOUND_/) as string },
            });
            expect(rejected).toEqual([]);
        }
        expect(other.seen).toEqual([]);
    });
});

describe('a worker that is killed between the answer and what it stores of it', () => {
    const dies = (point: string) => {
        let left = 2;
        return async (reached: string): Promise<void> => {
            if (reached === point && --left === 0) throw flowError('DATABASE_LOST', { problem: 'gone' });
        };
    };

    it('has that record alone sent again, under the same key', async () => {
        const state = new MemoryState();
        const first = await post(fine, {}, { state, at: dies('loads.settle.before') });
        expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
        const { end } = await first.again({ state });
        expect(end).toMatchObject({ end: 'completed' });
        expect(sentBy(first.seen)).toEqual([{ id: 0 }, { id: 1 }, { id: 1 }, { id: 2 }]);
        expect(keysOf(first.seen)[1]).toBe(keysOf(first.seen)[2]);
        expect(state.counters['send']).toMatchObject({ updated: 3 });
    });

    it('has nothing sent again that is known', async () => {
        const state = new MemoryState();
        const first = await post(fine, {}, { state, at: dies('loads.settle.after') });
        await first.again({ state });
        expect(sentBy(first.seen)).toEqual(ids(3));
        expect(state.counters['send']).toMatchObject({ updated: 3 });
    });
});

describe('records that are sent as lists', () => {
    const listed = (config: JsonObject = {}): JsonObject => ({ batchSize: 10, ...config });

    it('go as many at a time as the step says, under one key, each with its id', async () => {
        const { end, seen } = await post(
            fine,
            listed({ batchSize: 2, listField: 'data.items', deliveryIdField: 'key' }),
        );
        expect(end).toMatchObject({ counters: { send: { updated: 3 } } });
        const lists = sentBy(seen) as Array<{ data: { items: JsonObject[] } }>;
        expect(lists.map(({ data }) => data.items.map(({ id }) => id))).toEqual([[0, 1], [2]]);
        expect(new Set(lists.flatMap(({ data }) => data.items.map(({ key }) => key))).size).toBe(3);
        expect(new Set(keysOf(seen)).size).toBe(2);
    });

    it('that are refused as a whole are sent in halves, until those are found that it is about', async () => {
        const answer = ({ body }: PartnerRequest): Reply => {
            const bad = (JSON.parse(body) as Array<{ id: number }>).find(({ id }) => id % 4 === 1);
            return bad ? { status: 400, body: { message: `no ${bad.id}` } } : fine();
        };
        const { end, rejected, seen } = await post(answer, listed(), { records: ids(8) });
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 6, rejected: 2 } } });
        expect(rejected.map(({ seq, message }) => [seq, message.slice(-5)])).toEqual([
            [1, 'no 1.'],
            [5, 'no 5.'],
        ]);
        const taken = seen.filter(request => answer(request).status === 201);
        expect((sentBy(taken) as JsonObject[][]).flat().map(({ id }) => id)).toEqual([0, 2, 3, 4, 6, 7]);
    });

    it('that are too large for a request are sent in halves, and a record that is too large alone is rejected', async () => {
        const [large, huge] = [18, 33].map(mib => 'x'.repeat(mib * 1024 * 1024));
        const records: JsonObject[] = [
            { id: 1, text: large! },
            { id: 2, text: large! },
            { id: 3, text: huge! },
        ];
        const { rejected, seen } = await post(fine, listed(), { records });
        expect(rejected).toMatchObject([{ seq: 2, code: 'TARGET_REFUSED' }]);
        expect(seen).toHaveLength(2);
    });

    it('keeps what is known where the partner goes away between two halves', async () => {
        let isDown = false;
        const answer = ({ body }: PartnerRequest): Reply => {
            if (isDown) return { status: 503 };
            const list = JSON.parse(body) as unknown[];
            isDown = list.length === 2;
            return list.length > 2 ? { status: 400 } : fine();
        };
        const first = await post(answer, listed(), { records: ids(4) });
        expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_BUSY' } });
        isDown = false;
        const { state } = await first.again({ state: first.state });
        expect(state.counters['send']).toMatchObject({ updated: 4, rejected: 0 });
        expect(sentBy(first.seen)).toEqual([ids(4), ids(2), ids(2, 2), ids(2, 2)]);
    });

    const half = ({ body }: PartnerRequest): JsonObject[] =>
        (JSON.parse(body) as Array<{ id: number }>).map(({ id }): JsonObject =>
            id % 2 === 0 ? { id, ok: true } : { id, error: { message: `no ${id}` } },
        );

    it.each<readonly [by: string, config: JsonObject, answer: (results: JsonObject[]) => Reply['body']]>([
        ['their order', { results: {} }, results => results],
        ['their order, at a place', { results: { path: 'answer.list' } }, results => ({ answer: { list: results } })],
        [
            'their ids, errors alone',
            { results: { idPath: 'id' } },
            results => results.filter(({ error }) => error !== undefined).reverse(),
        ],
        [
            'a status of each',
            { results: { statusPath: 'code' } },
            results =>
                results.map(({ error }): JsonObject => (error === undefined ? { code: 201 } : { code: 422, error })),
        ],
    ])('are told of by %s: half of them refused, the others delivered', async (_, config, answer) => {
        const { end, rejected, seen } = await post(
            request => ({ status: 207, body: answer(half(request))! }),
            listed(config),
            {
                records: ids(6),
            },
        );
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 3, rejected: 3 } } });
        expect(rejected.map(({ seq, message }) => [seq, message.slice(-5)])).toEqual(
            [1, 3, 5].map(id => [id, `no ${id}.`]),
        );
        expect(seen).toHaveLength(1);
    });

    it.each<readonly [what: string, results: JsonObject[], refused: readonly number[]]>([
        ['one of each', [{ id: 1, error: 'no' }, { id: 2 }, { id: 1 }], [0]],
        ['one of all', [{ id: 1, error: 'no' }], [0, 2]],
    ])('that have one id are told of by %s: no refusal is lost', async (_, results, refused) => {
        const records = [{ id: 1 }, { id: 2 }, { id: 1 }];
        const { rejected } = await post(() => ({ body: results }), listed({ results: { idPath: 'id' } }), { records });
        expect(rejected.map(({ seq }) => seq)).toEqual(refused);
    });

    it('that are busy by their own status are sent again, and the others are not', async () => {
        const answer = (request: PartnerRequest, number: number): Reply => ({
            body: half(request).map(({ id }) => ({ code: id === 1 && number === 1 ? 429 : 200 })),
        });
        const config = listed({ results: { statusPath: 'code' } });
        const { end, seen } = await post(answer, config, { errorHandling: { maxRetries: 1, retryDelayMs: 1 } });
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 3 } } });
        expect(sentBy(seen)).toEqual([ids(3), [{ id: 1 }]]);
    });

    it.each<readonly [what: string, body: Reply['body'], code: string]>([
        ['is no JSON', '[{"ok": tr', 'REMOTE_MALFORMED'],
        ['is a page', '<html>Welcome</html>', 'REMOTE_MALFORMED'],
        ['is empty', '', 'REMOTE_MALFORMED'],
        ['is no list', { ok: true }, 'REMOTE_MALFORMED'],
        ['tells of too few', [{}, {}], 'REMOTE_MALFORMED'],
        ['is giant', `["${'x'.repeat(33 * 1024 * 1024)}"]`, 'OUTBOUND_TOO_LARGE'],
    ])('fails the run where what should tell of each %s: nothing is guessed', async (_, body, code) => {
        const { end, rejected } = await post(() => ({ body: body! }), listed({ results: {} }));
        expect(end).toMatchObject({ end: 'stopped', error: { code } });
        expect(rejected).toEqual([]);
    });

    it('fails the run where a result has no status, or the id of another record', async () => {
        const code = 'REMOTE_MALFORMED';
        const odd = await post(() => ({ body: [{}, {}, {}] }), listed({ results: { statusPath: 'code' } }));
        expect(odd.end).toMatchObject({ end: 'stopped', error: { code } });
        const bare = await post(() => ({ body: [null, 'x', 200] }), listed({ results: { statusPath: 'code' } }));
        expect(bare.end).toMatchObject({ end: 'stopped', error: { code } });
        const strange = await post(() => ({ body: [{ id: 9 }] }), listed({ results: { idPath: 'id' } }));
        expect(strange.end).toMatchObject({ end: 'stopped', error: { code } });
        const twice = await post(() => ({ body: [{ id: 1 }, { id: 1 }] }), listed({ results: { idPath: 'id' } }));
        expect(twice.end).toMatchObject({ end: 'stopped', error: { code } });
    });
});

it('a dry run shows what would be sent, and asks for nothing', async () => {
    const { end, seen, state } = await post(
        fine,
        { bearerTokenSecretCode: 'token' },
        { isDry: true, records: [{ id: 7, __operation: 'UPDATE' }] },
    );
    expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 1 } } });
    expect(seen).toEqual([]);
    expect(JSON.stringify(state.events)).toContain('"after":{"id":7}');
    expect(JSON.stringify(state.events)).not.toContain(partner.secrets['token']);
});

describe('with a connection', () => {
    const settings = (baseUrl: string): JsonObject => ({
        baseUrl,
        auth: { type: 'API_KEY', headerName: 'X-Key', secretCode: 'token' },
        headers: { 'X-From': 'connection', 'X-Shop': 'connection' },
        timeoutMs: 30_000,
    });
    const through = async (config: JsonObject) => {
        const { port, seen } = await partner.serve(fine);
        partner.connection = settings(`http://127.0.0.1:${port}/api`);
        const given = { connectionCode: 'erp', ...config };
        return { ...(await partner.load({ loader: restPost, config: given, records: ids(1) })), seen };
    };

    it('records go below its base URL, with its headers and its key', async () => {
        const { seen } = await through({ endpoint: 'items', headers: { 'x-shop': 'step' } });
        expect(seen).toMatchObject([
            {
                url: '/api/items',
                headers: { 'x-key': partner.secrets['token'], 'x-from': 'connection', 'x-shop': 'step' },
            },
        ]);
        expect((await through({})).seen).toMatchObject([{ url: '/api' }]);
    });

    it('they go to no other origin', async () => {
        const { end, seen } = await through({ endpoint: 'http://other.example.com/items' });
        expect([end, seen]).toMatchObject([{ end: 'stopped', error: { code: 'OUTBOUND_ORIGIN' } }, []]);
    });
});

describe('the configuration', () => {
    const faultsOf = (config: JsonObject): readonly string[] => {
        const parsed = parseWith(restPost.config, config);
        return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };
    const endpoint = 'https://erp.example.com/products';

    it.each<readonly [config: JsonObject, paths: readonly string[]]>([
        [{}, ['endpoint']],
        [{ endpoint: '/products' }, ['endpoint']],
        [{ endpoint: 'https://{{host}}/products' }, ['endpoint']],
        [{ endpoint: 'ftp://erp.example.com' }, ['endpoint']],
        [{ endpoint: `${endpoint}/../x` }, ['endpoint']],
        [{ endpoint: `${endpoint}/{{id}}`, batchSize: 5 }, ['endpoint']],
        [{ endpoint, batchSize: 0 }, ['batchSize']],
        [{ endpoint, listField: 'a', results: {} }, ['listField', 'results']],
        [{ endpoint, method: 'DELETE' }, ['endpoint']],
        [{ endpoint: `${endpoint}/{{id}}`, method: 'DELETE', deliveryIdField: 'x' }, ['deliveryIdField']],
        [{ endpoint, method: 'GET' }, ['method']],
        [{ endpoint, strategy: 'MERGE' }, ['strategy']],
        [{ endpoint, idempotencyKeyHeader: 'X-Api-Key' }, ['idempotencyKeyHeader']],
        [{ endpoint, idempotencyKeyHeader: 'Content-Type' }, ['idempotencyKeyHeader']],
        [{ endpoint, headers: { Authorization: 'x' } }, ['headers.Authorization']],
        [{ endpoint, retries: 11, timeoutMs: 0 }, ['timeoutMs', 'retries']],
    ])('%j is refused at %j', (config, paths) => {
        expect([...faultsOf(config)].sort()).toEqual([...paths].sort());
    });

    it('warns of a placeholder in other brackets, and of a strategy of what deletes', () => {
        const advised = (config: JsonObject) => {
            const parsed = parseWith(restPost.config, config);
            if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
            return restPost.advise!(parsed.value as never).map(({ code, path }) => [code, path]);
        };
        expect(advised({ endpoint: `${endpoint}/\${id}` })).toEqual([['LIKELY_MISTAKE', 'endpoint']]);
        expect(advised({ endpoint: `${endpoint}/{{id}}`, method: 'DELETE', strategy: 'UPSERT' })).toEqual([
            ['WITHOUT_EFFECT', 'strategy'],
        ]);
    });
});
