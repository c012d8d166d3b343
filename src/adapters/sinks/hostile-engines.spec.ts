import { AlgoliaServer } from '../../../test/kit/engines/algolia';
import { type BulkEngineServer } from '../../../test/kit/engines/bulk';
import { type MeilisearchServer } from '../../../test/kit/engines/meilisearch';
import { ENGINE_STANDS, type EngineStand, runInto } from '../../../test/kit/engines/stands';
import { type TypesenseServer } from '../../../test/kit/engines/typesense';
import { MemoryState } from '../../../test/kit/memory-ports';
import type { OutboundRequest } from '../../core/adapter/http';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../core/value/json';

const standOf = (code: string): EngineStand => ENGINE_STANDS[code]!();
const of = (...list: readonly string[]): JsonObject[] => list.map(sku => ({ sku }));
const SEARCH = ['meilisearch', 'elasticsearch', 'opensearch', 'typesense', 'algolia'];
const HEADERS = { 'x-elastic-product': 'Elasticsearch' };

describe.each(SEARCH)('%s', code => {
    it.each<readonly [what: string, body: JsonValue]>([
        ['a page', '<!doctype html><html><body>Sign in</body></html>'],
        ['nothing', ''],
        ['a list', []],
        ['null', null],
        ['an object of something else', { ok: true }],
        ['a number where a list is due', { items: 7, taskUid: 'x', taskID: 'x' }],
    ])('guesses nothing if the response is 200 with %s', async (_, body) => {
        const stand = standOf(code);
        stand.engine.script = ({ body: sent }) => (sent.includes('"sku"') ? { body, headers: HEADERS } : undefined);
        const { end, rejected } = await runInto(stand, { code, records: of('A', 'B') });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_MALFORMED' } });
        expect(rejected).toEqual([]);
    });

    it('gives each request a deadline and its own origin, which no redirect leads away from', async () => {
        const stand = standOf(code);
        const { outbound } = stand.engine;
        const requested: OutboundRequest[] = [];
        const http: typeof outbound.http = {
            send: request => {
                requested.push(request);
                return outbound.http.send(request);
            },
        };
        await runInto(
            stand,
            { code, records: [...of('A'), { sku: 'B', __operation: 'DELETE' }] },
            {
                outbound: { ...outbound, http },
            },
        );
        expect(requested.length).toBeGreaterThan(1);
        for (const { url, timeoutMs, originLock, expected } of requested) {
            // A minute, however long the engine would continue.
            expect(timeoutMs).toBe(60_000);
            expect(originLock).toBe(new URL(url).origin);
            // An answer that it is: the door does not go where it leads, and its key goes nowhere else.
            expect([301, 302, 303].every(status => expected!.includes(status))).toBe(true);
        }
    });

    it('is retried if it hangs or breaks off, and rejects nothing for it', async () => {
        for (const accident of ['hangs', 'breaks off'] as const) {
            const stand = standOf(code);
            let times = 0;
            stand.engine.script = ({ body }) => (body.includes('"sku"') && ++times <= 2 ? accident : undefined);
            const { end, rejected } = await runInto(stand, { code, records: of('A', 'B') });
            expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 2 } } });
            expect(rejected).toEqual([]);
            expect([...stand.stored().keys()]).toEqual(['A', 'B']);
        }
    });

    it('does not interpret ids and texts, whatever they look like', async () => {
        const stand = standOf(code);
        const text = '"}}\n{"delete":{"_index":"products","_id":"A"}}\n\u2028\u0000';
        const hostile = code === 'meilisearch' ? 'B' : text;
        const records = [
            { sku: 'A', text },
            { sku: hostile, text },
        ];
        const { end } = await runInto(stand, { code, records });
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 2 } } });
        expect(stand.stored().get('A')).toMatchObject({ text });
        expect(stand.stored().get(hostile)).toMatchObject({ text });
    });
});

describe.each(['elasticsearch', 'opensearch', 'typesense'])('%s', code => {
    const resultsOf = (...all: readonly JsonObject[]): JsonValue =>
        code === 'typesense'
            ? all.map(one => JSON.stringify(one)).join('\n')
            : { took: 1, errors: false, items: all.map(one => ({ index: one })) };
    const good: JsonObject = code === 'typesense' ? { success: true } : { status: 201 };

    it.each<readonly [what: string, results: readonly JsonObject[]]>([
        ['fewer documents', [good]],
        ['more documents', [good, good, good]],
        ['documents of which it says nothing', [good, {}]],
        ['documents with an unknown result', [good, { success: 'yes', status: '201' }]],
    ])('guesses nothing if the response reports %s', async (_, results) => {
        const stand = standOf(code);
        stand.engine.script = ({ body }) =>
            body.includes('"sku"') ? { body: resultsOf(...results), headers: HEADERS } : undefined;
        const { end, rejected } = await runInto(stand, { code, records: of('A', 'B') });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_MALFORMED' } });
        expect(rejected).toEqual([]);
    });
});

describe.each(['elasticsearch', 'opensearch'])('%s', code => {
    it.each([429, 503])('is sent a document again for which it has answered %d, and rejects nothing', async status => {
        const stand = standOf(code);
        let times = 0;
        const items: JsonObject[] = [{ index: { status: 201 } }, { index: { status, error: { reason: 'not now' } } }];
        stand.engine.script = ({ body }) =>
            body.includes('"sku"') && ++times === 1
                ? { headers: HEADERS, body: { took: 1, errors: true, items } }
                : undefined;
        const { end, rejected } = await runInto(stand, { code, records: of('A', 'B') });
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 2 } } });
        expect(rejected).toEqual([]);
        expect(stand.stored().has('B')).toBe(true);
    });
});

describe.each(SEARCH)('%s, which responds incorrectly to everything except documents', code => {
    it.each<readonly [what: string, body: JsonValue]>([
        ['nothing', ''],
        ['a list', []],
        ['null', null],
        ['an object of something else', { ok: true }],
        ['lists that are not lists', { results: 7, items: 'x', taskUid: {}, taskID: 'x', status: 5 }],
        ['lists of nothing', { results: [null], items: [null] }],
    ])('is reported as malformed, and not as a bug: %s', async (_, body) => {
        for (const rebuild of [false, true]) {
            const stand = standOf(code);
            stand.engine.script = ({ body: sent }) => (sent.includes('"sku"') ? undefined : { body, headers: HEADERS });
            const { end } = await runInto(stand, { code, config: { rebuild }, records: of('A') });
            const told = end.end === 'stopped' ? end.error.code : end.end;
            // The others have no tasks: what they say of documents has come with the documents.
            if (code === 'meilisearch' || code === 'algolia') expect(told).toBe('REMOTE_MALFORMED');
            else expect(['completed', 'REMOTE_BUSY', 'REMOTE_REFUSED', 'REMOTE_MALFORMED']).toContain(told);
            expect(told === 'completed' && rebuild).toBe(false);
        }
    });
});

describe('tasks that never end', () => {
    it('of Meilisearch end the run for a reason that may pass, after an hour', async () => {
        const stand = standOf('meilisearch');
        const meilisearch = stand.engine as MeilisearchServer;
        meilisearch.script = ({ path, query }) =>
            path === '/tasks' && query.get('statuses')?.includes('processing')
                ? { body: { results: [{ uid: 0, status: 'processing' }], total: 1, limit: 1, from: 0, next: null } }
                : undefined;
        const { end } = await runInto(stand, { code: 'meilisearch', records: of('A') });
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'send', error: { code: 'REMOTE_BUSY' } });
        // The polling intervals grow, so there are not a hundred thousand requests.
        expect(meilisearch.seen.length).toBeLessThan(10_000);
    });

    it('of Algolia do the same', async () => {
        const stand = standOf('algolia');
        stand.engine.script = ({ path }) =>
            path.includes('/task/') ? { body: { status: 'notPublished', pendingTask: true } } : undefined;
        const { end } = await runInto(stand, { code: 'algolia', records: of('A') });
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'send', error: { code: 'REMOTE_BUSY' } });
    });

    it('are not waited for if others keep adding tasks to the same index', async () => {
        const stand = standOf('meilisearch');
        const meilisearch = stand.engine as MeilisearchServer;
        let others = 0;
        meilisearch.script = ({ path }) => {
            if (path !== '/tasks') return undefined;
            // Each request finds one more.
            others++;
            meilisearch.answer({
                method: 'POST',
                path: '/indexes/products/documents',
                query: new URLSearchParams({ primaryKey: 'sku' }),
                headers: { authorization: 'Bearer other' },
                body: JSON.stringify([{ sku: `other-${others}` }]),
            });
            return undefined;
        };
        const { end } = await runInto(stand, { code: 'meilisearch', records: of('A', 'B') }, { batchSize: 1 });
        expect(end).toMatchObject({ outcome: 'SUCCESS' });
        expect(others).toBeGreaterThan(1);
        expect(others).toBeLessThan(50);
        expect([...meilisearch.documents('products').keys()]).toEqual(expect.arrayContaining(['A', 'B']));
    });

    it('are checked together, however many there are', async () => {
        const stand = standOf('meilisearch');
        const records = of(...Array.from({ length: 150 }, (_, i) => `S-${i}`));
        await runInto(stand, { code: 'meilisearch', config: { batchSize: 1 }, records });
        const requested = stand.engine.seen.filter(({ path }) => path.startsWith('/tasks'));
        expect(requested.length).toBeLessThan(10);
    });
});

describe('an index whose name someone else assigns to another one during a rebuild', () => {
    it.each(['elasticsearch', 'opensearch'])('leads to the new one alone in the end: %s', async code => {
        const stand = standOf(code);
        const bulk = stand.engine as BulkEngineServer;
        bulk.make('products_v1').documents.set('old', { sku: 'old' });
        bulk.aliases.set('products', 'products_v1');
        let times = 0;
        bulk.script = ({ path }) => {
            if (path !== '/_aliases' || ++times > 1) return undefined;
            // Between the check and the swap, and again after it.
            bulk.indexes.delete('products_v1');
            bulk.make('theirs').documents.set('other', { sku: 'other' });
            bulk.aliases.set('products', 'theirs');
            return { status: 404, body: { error: { type: 'index_not_found_exception', reason: 'no such index' } } };
        };
        const { end } = await runInto(stand, { code, config: { rebuild: true }, records: of('A') });
        expect(end).toMatchObject({ outcome: 'SUCCESS' });
        expect([...stand.stored().keys()]).toEqual(['A']);
        expect([...bulk.indexes.keys()]).toHaveLength(1);
    });

    it.each(['elasticsearch', 'opensearch'])('is never dropped itself, and is reported: %s', async code => {
        const stand = standOf(code);
        const bulk = stand.engine as BulkEngineServer;
        bulk.script = ({ path, method }) => {
            // The listing contains both, whatever is done.
            if (method !== 'GET' || path !== '/products') return undefined;
            const [fresh = ''] = [...bulk.indexes.keys()].filter(name => name.includes('_flow_'));
            return { headers: HEADERS, body: { theirs: {}, ...(fresh !== '' && { [fresh]: {} }) } };
        };
        const { end } = await runInto(stand, { code, config: { rebuild: true }, records: of('A') });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_BUSY' } });
        const [fresh] = [...bulk.indexes.entries()].filter(([name]) => name.includes('_flow_'));
        expect([...fresh![1].documents.keys()]).toEqual(['A']);
    });

    it('leads to the new one in the end: typesense', async () => {
        const stand = standOf('typesense');
        const typesense = stand.engine as TypesenseServer;
        typesense.collections.delete('products');
        typesense.make('products_v1');
        typesense.aliases.set('products', 'products_v1');
        typesense.script = ({ path, method }) => {
            if (method !== 'PUT' || path !== '/aliases/products') return undefined;
            typesense.make('theirs');
            typesense.aliases.set('products', 'theirs');
            return undefined;
        };
        const { end } = await runInto(stand, { code: 'typesense', config: { rebuild: true }, records: of('A') });
        expect(end).toMatchObject({ outcome: 'SUCCESS' });
        expect([...stand.stored().keys()]).toEqual(['A']);
        // The collection belongs to someone else, and was not to be deleted.
        expect([...typesense.collections.keys()]).toContain('theirs');
    });
});

describe.each(SEARCH)('%s, whose worker is killed while it rebuilds an index', code => {
    it('keeps its documents, and the next run reports and removes what is left', async () => {
        const stand = standOf(code);
        const { engine } = stand;
        if ('make' in engine && code !== 'typesense')
            (engine as { make(name: string): { documents?: Map<string, JsonObject> } }).make('products');
        if (code === 'typesense') {
            const typesense = engine as TypesenseServer;
            typesense.collections.delete('products');
            typesense.make('products_v1');
            typesense.aliases.set('products', 'products_v1');
            typesense.collections.get('products_v1')!.documents.set('old', { sku: 'old' });
        } else if (engine instanceof AlgoliaServer) engine.indexes.get('products')!.records.set('old', { sku: 'old' });
        else
            (engine as MeilisearchServer | BulkEngineServer).indexes
                .get('products')!
                .documents.set('old', { sku: 'old' });
        const names = (): readonly string[] => [
            ...('collections' in engine
                ? (engine as TypesenseServer).collections
                : (engine as AlgoliaServer).indexes
            ).keys(),
        ];
        const state = new MemoryState();
        // From here on another worker has the run, and this one gets no responses.
        const at = async (point: string): Promise<void> => {
            if (point === 'loads.settle.after') throw flowError('LEASE_LOST', {});
        };
        const config = { rebuild: true, batchSize: 1 };
        const killed = await runInto(stand, { code, config, records: of('A', 'B') }, { state, at });
        expect(killed.end.end).not.toBe('completed');
        expect([...stand.stored().keys()]).toEqual(['old']);
        const left = names().filter(name => name.includes('_flow_'));
        expect(left).toHaveLength(1);

        const next = await runInto(stand, { code, config, records: of('C') }, { input: { runId: 'next' } });
        expect(next.end).toMatchObject({ outcome: 'SUCCESS' });
        expect([...stand.stored().keys()]).toEqual(['C']);
        expect(names()).not.toContain(left[0]);
        expect(next.state.events).toContainEqual(
            expect.objectContaining({ type: 'log', code: 'INDEX_DROPPED', facts: { index: left[0] } }),
        );
    });
});
