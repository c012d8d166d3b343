import { type AlgoliaServer } from '../../../test/kit/engines/algolia';
import { type BulkEngineServer } from '../../../test/kit/engines/bulk';
import { type MeilisearchServer } from '../../../test/kit/engines/meilisearch';
import { ENGINE_STANDS, type EngineStand, runInto, type ThroughSink } from '../../../test/kit/engines/stands';
import { TypesenseServer } from '../../../test/kit/engines/typesense';
import { MemoryState } from '../../../test/kit/memory-ports';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';

const standOf = (code: string): EngineStand => ENGINE_STANDS[code]!();
const skus = (stand: EngineStand, index?: string): readonly string[] => [...stand.stored(index).keys()];
const of = (...list: readonly string[]): JsonObject[] => list.map(sku => ({ sku }));

const STARTED_AT = 1_700_000_000_000;

/** Another worker that continues the run a minute later. */
const takeover = () => ({ clock: new VirtualClock(STARTED_AT + 60_000), input: { startedAt: STARTED_AT } });

/** Dies when a point is reached for the first time. */
const dies = (point: string) => {
    let isDead = false;
    return async (reached: string): Promise<void> => {
        if (reached !== point || isDead) return;
        isDead = true;
        throw flowError('DATABASE_LOST', { problem: 'gone' });
    };
};

describe.each(['elasticsearch', 'opensearch', 'typesense', 'algolia'])('%s', code => {
    it('rejects exactly the records that the service rejects, with its reason', async () => {
        const stand = standOf(code);
        const records = [...of('A'), { sku: 'B', bad: 'x' }, ...of('C')];
        const { end, rejected } = await runInto(stand, { code, records });
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 2, rejected: 1 } } });
        expect(skus(stand)).toEqual(['A', 'C']);
        expect(rejected[0]).toMatch(/bad|too big/);
    });
});

describe.each(['elasticsearch', 'opensearch', 'typesense'])('%s', code => {
    it('sends again just those that the service was too busy for, and nothing newer before them', async () => {
        const stand = standOf(code);
        let isBusy = true;
        const serve = stand.engine.answer.bind(stand.engine);
        stand.engine.answer = request => {
            const body = isBusy ? request.body : request.body.replaceAll('"busy":true', '"busy":false');
            isBusy = false;
            return serve({ ...request, body });
        };
        const records: JsonObject[] = [...of('A'), { sku: 'B', n: 1, busy: true }, { sku: 'B', n: 2 }];
        const { end } = await runInto(stand, { code, records });
        expect(end).toMatchObject({ outcome: 'SUCCESS', counters: { send: { updated: 3 } } });
        expect(stand.stored().get('B')).toMatchObject({ n: 2 });
        const bodies = stand.engine.seen.map(({ body }) => body).filter(body => /"sku"/.test(body));
        expect(bodies.map(body => [...body.matchAll(/"sku":"(.)"/g)].map(([, sku]) => sku))).toEqual([
            ['A', 'B'],
            ['B'],
            ['B'],
        ]);
    });

    it.each<readonly [what: string, body: JsonObject | string]>([
        ['is a page', '<html>Welcome</html>'],
        ['has too few results', code === 'typesense' ? '{"success":true}' : { took: 1, errors: false, items: [] }],
    ])('fails the step if the response %s: nothing is guessed', async (_, body) => {
        const stand = standOf(code);
        stand.engine.script = ({ body: sent }) =>
            sent.includes('sku') ? { body, headers: { 'x-elastic-product': 'Elasticsearch' } } : undefined;
        const { end, rejected } = await runInto(stand, { code, records: of('A', 'B') });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_MALFORMED' } });
        expect(rejected).toEqual([]);
    });
});

describe.each(['meilisearch', 'elasticsearch', 'opensearch', 'typesense', 'algolia'])('%s', code => {
    it('halves a list that is too large, and rejects records that are too large alone', async () => {
        const stand = standOf(code);
        stand.engine.script = ({ body }) =>
            body.includes('"huge"') || (body.match(/"sku"/g) ?? []).length > 2
                ? { status: 413, body: { message: 'too large' } }
                : undefined;
        const records = [...of('A', 'B', 'C'), { sku: 'D', huge: 1 }, ...of('E')];
        const { end } = await runInto(stand, { code, records });
        expect(end).toMatchObject({ outcome: 'PARTIAL', counters: { send: { updated: 4, rejected: 1 } } });
        expect(skus(stand)).toEqual(['A', 'B', 'C', 'E']);
    });

    it('fails the step at a redirect, which is not followed', async () => {
        const stand = standOf(code);
        stand.engine.script = () => ({ status: 302, headers: { location: 'https://other.example.com/' } });
        const { end } = await runInto(stand, { code, records: of('A') });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
    });

    it('sends its secret only to the service', async () => {
        const stand = standOf(code);
        const { state } = await runInto(stand, { code, records: [...of('A'), { sku: 'B', bad: 1 }] });
        expect(JSON.stringify([...state.rejects.values(), ...state.events])).not.toContain('key-value');
        expect(stand.engine.seen.every(({ body, query }) => !`${body}${query}`.includes('key-value'))).toBe(true);
    });
});

describe('meilisearch', () => {
    const into = async (
        records: readonly JsonObject[],
        config: JsonObject = {},
        options: ThroughSink = {},
        stand = standOf('meilisearch'),
    ) => ({
        engine: stand.engine as MeilisearchServer,
        ...(await runInto(stand, { code: 'meilisearch', config, records }, options)),
    });

    it('waits for its tasks at the end, and fails the step if one of them fails', async () => {
        const good = await into(of('A', 'B'));
        expect(good.engine.tasks.every(({ status }) => status === 'succeeded')).toBe(true);
        const { end, rejected } = await into([...of('A'), { sku: 'B', bad: 1 }]);
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' }, stepKey: 'send' });
        expect(end.end === 'stopped' && end.error.message).toContain('Value of `bad` is invalid');
        expect(rejected).toEqual([]);
    });

    it('finds the failed tasks of a worker that has died', async () => {
        const stand = standOf('meilisearch');
        const state = new MemoryState();
        const records = [{ sku: 'B', bad: 1 }];
        await into(records, {}, { state, at: dies('loads.settle.after') }, stand);
        const { end, engine } = await into(records, {}, { state, ...takeover() }, stand);
        expect(engine.tasks.filter(({ type }) => type === 'documentAdditionOrUpdate')).toHaveLength(1);
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
    });

    it.each([
        ['behind', -3_600_000],
        ['ahead', 3_600_000],
    ])("finds them if the server's clock is an hour %s, and none from before the run", async (_, aheadMs) => {
        const stand = standOf('meilisearch');
        const server = stand.engine as MeilisearchServer;
        server.aheadMs = aheadMs;
        // Of another program, half an hour ago.
        server.aheadMs -= 1_800_000;
        await into([{ sku: 'A', bad: 1 }], {}, {}, stand);
        server.aheadMs = aheadMs;
        const good = await into(of('B'), {}, {}, stand);
        expect(good.end).toMatchObject({ outcome: 'SUCCESS' });
        const state = new MemoryState();
        await into([{ sku: 'C', bad: 1 }], {}, { state, at: dies('loads.settle.after') }, stand);
        const { end } = await into([{ sku: 'C', bad: 1 }], {}, { state, ...takeover() }, stand);
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
    });

    it('rejects ids that it could not have before anything is sent', async () => {
        const { engine, rejected } = await into([
            { sku: 'variant:12' },
            { sku: 'x'.repeat(512) },
            { sku: 1.5 },
            ...of('ok'),
        ]);
        expect(rejected).toHaveLength(3);
        expect([...engine.documents('products').keys()]).toEqual(['ok']);
    });

    it('sets the configured settings once, and only if they differ', async () => {
        const stand = standOf('meilisearch');
        const config = { searchableFields: ['name', 'sku'], filterableFields: ['b', 'a'], batchSize: 1 };
        const updates = (engine: MeilisearchServer) =>
            engine.tasks.filter(({ type }) => type === 'settingsUpdate').length;
        const { engine } = await into(of('A', 'B'), config, {}, stand);
        expect(updates(engine)).toBe(1);
        expect(engine.indexes.get('products')).toMatchObject({
            primaryKey: 'sku',
            settings: { searchableAttributes: ['name', 'sku'] },
        });
        await into(of('C'), { ...config, filterableFields: ['a', 'b'] }, {}, stand);
        expect(updates(engine)).toBe(1);
        await into(of('D'), { ...config, searchableFields: ['sku', 'name'] }, {}, stand);
        expect(updates(engine)).toBe(2);
    });
});

/** What a rebuild begins with: an index of the name with an old document. */
const WITH_OLD: Readonly<Record<string, (stand: EngineStand) => void>> = {
    meilisearch: ({ engine }) =>
        void (engine as MeilisearchServer).make('products', 'sku').documents.set('old', { sku: 'old' }),
    elasticsearch: bulkOld,
    opensearch: bulkOld,
    algolia: ({ engine }) =>
        void (engine as AlgoliaServer)
            .make('products', { searchableAttributes: ['name'] })
            .records.set('old', { sku: 'old' }),
    typesense: ({ engine }) => {
        const typesense = engine as TypesenseServer;
        typesense.collections.delete('products');
        typesense.make('products_v1', { fields: [{ name: 'sku', type: 'string' }], default_sorting_field: 'sku' });
        typesense.aliases.set('products', 'products_v1');
        typesense.collections.get('products_v1')!.documents.set('old', { sku: 'old' });
    },
};

function bulkOld({ engine }: EngineStand): void {
    const bulk = engine as BulkEngineServer;
    const mappings = { properties: { sku: { type: 'keyword' } } };
    bulk.make('products', { mappings, settings: { number_of_shards: '3' } }).documents.set('old', { sku: 'old' });
}

function namesOf({ engine }: EngineStand): readonly string[] {
    if (engine instanceof TypesenseServer) return [...engine.collections.keys()];
    return [...(engine as MeilisearchServer | BulkEngineServer | AlgoliaServer).indexes.keys()];
}

describe.each(Object.keys(WITH_OLD))('%s, rebuilt', code => {
    const old = (): EngineStand => {
        const stand = standOf(code);
        WITH_OLD[code]!(stand);
        return stand;
    };
    const rebuild = (stand: EngineStand, records: readonly JsonObject[], options: ThroughSink = {}) =>
        runInto(stand, { code, config: { rebuild: true, batchSize: 1 }, records }, options);

    it('keeps its documents until all records have arrived, then has only these, and nothing else is left', async () => {
        const stand = old();
        const before: Array<readonly string[]> = [];
        stand.engine.script = ({ body }) => {
            if (/"sku":"[AB]"/.test(body)) before.push(skus(stand));
            return undefined;
        };
        const { end } = await rebuild(stand, of('A', 'B'));
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2 } } });
        expect(before).toEqual([['old'], ['old']]);
        expect(skus(stand)).toEqual(['A', 'B']);
        expect(namesOf(stand)).toHaveLength(1);
    });

    it('is rebuilt again, and the next rebuild has the same name', async () => {
        const stand = old();
        await rebuild(stand, of('A'));
        await rebuild(stand, of('B', 'C'), { input: { runId: 'next' } });
        expect(skus(stand)).toEqual(['B', 'C']);
        expect(namesOf(stand)).toHaveLength(1);
    });

    it('stays as it was if the run has rejected something, and the new index is deleted', async () => {
        const stand = old();
        const { end, state } = await rebuild(stand, [...of('A'), { name: 'no sku' }]);
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(skus(stand)).toEqual(['old']);
        expect(namesOf(stand)).toHaveLength(1);
        expect(JSON.stringify(state.events)).toContain('"level":"WARN"');
    });

    it('stays as it was if the run fails, and the next run removes what is left', async () => {
        const stand = old();
        stand.engine.script = ({ body }) => (body.includes('"B"') ? { status: 403, body: {} } : undefined);
        expect((await rebuild(stand, of('A', 'B'))).end.end).toBe('stopped');
        expect(skus(stand)).toEqual(['old']);
        stand.engine.script = () => undefined;
        await rebuild(stand, of('C'), { input: { runId: 'next' } });
        expect(skus(stand)).toEqual(['C']);
        expect(namesOf(stand)).toHaveLength(1);
    });

    it('has the new documents, however often a worker dies during the swap', async () => {
        const count = old();
        await rebuild(count, of('A', 'B'));
        const requests = count.engine.seen.length;
        for (let dying = 1; dying <= requests; dying++) {
            const stand = old();
            const state = new MemoryState();
            const serve = stand.engine.answer.bind(stand.engine);
            let number = 0;
            // The request is executed, and its response is lost.
            stand.engine.answer = request => {
                const answer = serve(request);
                return ++number === dying ? 'breaks off' : answer;
            };
            const { end } = await rebuild(stand, of('A', 'B'), { state });
            expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
            expect(skus(stand)).toEqual(['A', 'B']);
            // A collection that Flow has not made is not known any more where the answer about its alias was lost.
            expect(namesOf(stand).filter(name => name !== 'products_v1')).toHaveLength(1);
        }
    });
});

it('a new index of Elasticsearch and a new collection of Typesense are like those before them', async () => {
    const bulk = standOf('elasticsearch');
    bulkOld(bulk);
    await runInto(bulk, { code: 'elasticsearch', config: { rebuild: true }, records: of('A') });
    const [index] = [...(bulk.engine as BulkEngineServer).indexes.values()];
    expect(index).toMatchObject({
        mappings: { properties: { sku: { type: 'keyword' } } },
        settings: { index: { number_of_shards: '3' } },
    });
    const typesense = standOf('typesense');
    WITH_OLD['typesense']!(typesense);
    await runInto(typesense, { code: 'typesense', config: { rebuild: true }, records: of('A') });
    const [collection] = [...(typesense.engine as TypesenseServer).collections.values()];
    expect(collection!.schema).toMatchObject({
        fields: [{ name: 'sku', type: 'string' }],
        default_sorting_field: 'sku',
    });
});

it('a collection that is not an alias is not rebuilt, and stays unchanged', async () => {
    const stand = standOf('typesense');
    const { end } = await runInto(stand, { code: 'typesense', config: { rebuild: true }, records: of('A') });
    expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
    expect(namesOf(stand)).toEqual(['products']);
});
