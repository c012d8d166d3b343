import { MemoryState } from '../../../test/kit/memory-ports';
import { runPipeline, sketched } from '../../../test/kit/pipeline';
import { batchOf } from '../../../test/kit/record';
import { RUN } from '../../../test/kit/run-facts';
import { contextWith } from '../../testing/context';
import { noResources } from './no-resources';
import { revealInProcess, Secret } from './secret';
import { secretsSentTo } from './secret-hosts';
import { referencesOf } from '../schema/references';
import { parseWith } from '../schema/issues';
import { jsonSchemaOf } from '../schema/json-schema';
import type { JsonObject } from '../value/json';
import { adaptedSink } from './adapted-sink';
import type { CustomSink, SinkContext, SinkResult } from './custom-sink';

const none: SinkResult = { indexed: 0, deleted: 0, failed: 0 };

/** A sink that implements `CustomSink`, which notes what it is called with. */
class Shelf {
    readonly calls: unknown[] = [];
    readonly contexts: SinkContext[] = [];
    answer: (records: readonly JsonObject[]) => SinkResult = records => ({ ...none, indexed: records.length });

    readonly sink: CustomSink = {
        type: 'SINK',
        code: 'shelf',
        name: 'Shelf',
        sinkType: 'CUSTOM',
        schema: {
            fields: [
                { key: 'indexName', label: 'Index', type: 'string', required: true, placeholder: 'products' },
                { key: 'apiKeySecretCode', label: 'Key', type: 'string' },
                { key: 'password', label: 'Password', type: 'password' },
                { key: 'mode', label: 'Mode', type: 'select', options: [{ value: 'fast', label: 'Fast' }] },
            ],
        },
        secretUses: config =>
            secretsSentTo({ host: 'shelf.example.com', port: 443 }, config, ['apiKeySecretCode', 'password']),
        index: async (context, config, records) => {
            this.contexts.push(context);
            this.calls.push(['index', config['indexName'], records]);
            return this.answer(records);
        },
        delete: async (_context, _config, ids) => {
            this.calls.push(['delete', ids]);
            const failed = ids.filter(id => id === 'locked');
            const errors = failed.map(sku => ({ record: { sku }, message: 'is locked' }));
            return { ...none, deleted: ids.length - failed.length, failed: failed.length, errors };
        },
        refresh: async () => void this.calls.push(['refresh']),
    };

    run(records: readonly JsonObject[], config: JsonObject = {}, more = {}) {
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
                send: ['SINK', { adapterCode: 'shelf', indexName: 'products', ...config }],
            },
            edges: ['start > read > send'],
            errorHandling: { maxRetries: 1 },
        });
        return runPipeline(definition, { adapters: [adaptedSink(this.sink)], ...more });
    }
}

describe('a sink by the interface of the specification', () => {
    it('indexes, deletes by the ids as texts, and is refreshed once at the end', async () => {
        const shelf = new Shelf();
        const records: readonly JsonObject[] = [{ sku: '007' }, { sku: '008', __operation: 'DELETE' }, { sku: '009' }];
        const { end } = await shelf.run(records, { idField: 'sku' });
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2, deleted: 1 } } });
        expect(shelf.calls).toEqual([
            ['index', 'products', [{ sku: '007' }]],
            ['delete', ['008']],
            ['index', 'products', [{ sku: '009' }]],
            ['refresh'],
        ]);
    });

    it('gets at most as many records as its batch size allows', async () => {
        const shelf = new Shelf();
        await shelf.run([{ id: 1 }, { id: 2 }, { id: 3 }], { batchSize: 2 });
        expect(shelf.calls).toHaveLength(3);
    });

    it('gets the run, and the secrets that its fields name', async () => {
        const shelf = new Shelf();
        const secrets = { get: (code: string) => new Secret(code, `${code}!`) };
        await shelf.run([{ id: 1 }], {}, { resources: { ...noResources, secrets }, input: { pipelineId: '7' } });
        const [context] = shelf.contexts;
        expect(context).toMatchObject({
            pipelineId: '7',
            stepKey: 'send',
            dryRun: false,
            pipelineContext: { runId: 'run', throughput: { batchSize: 100 }, dryRun: false },
        });
        expect(revealInProcess(context!.secrets.get('key'))).toBe('key!');
    });

    it('gets the channel, the language and the currency of its run', async () => {
        const shelf = new Shelf();
        const ctx = { channelId: 2, channel: { token: 'eu' }, languageCode: 'de', currencyCode: 'EUR' };
        const sink = adaptedSink(shelf.sink);
        const config = sink.config.parse({ indexName: 'a' });
        const session = await sink.open(config, { ...contextWith({ platform: { ctx } }), run: RUN });
        await session.deliver(batchOf({ id: 1 }), ['d1']);
        expect(shelf.contexts[0]).toMatchObject({
            ctx,
            pipelineContext: { channelId: '2', channelToken: 'eu', languageCode: 'de', currencyCode: 'EUR' },
        });
    });

    it('is not called in a dry run', async () => {
        const shelf = new Shelf();
        const { end } = await shelf.run([{ id: 1 }], {}, { input: { mode: 'dryRun' } });
        expect([shelf.calls, end]).toMatchObject([[], { counters: { send: { updated: 1 } } }]);
    });

    it('rejects just the records that it has errors of, be they the same objects or others like them', async () => {
        const shelf = new Shelf();
        shelf.answer = records => ({
            indexed: 2,
            deleted: 0,
            failed: 2,
            errors: [
                { record: { ...records[1]! }, message: 'has no name.' },
                { record: records[3]!, message: 'is too long', statusCode: 422 },
            ],
        });
        const records: readonly JsonObject[] = [{ id: 1 }, { id: 2, x: 1 }, { id: 3 }, { id: 4 }];
        const { end, state } = await shelf.run(records);
        expect(end).toMatchObject({ counters: { send: { updated: 2, rejected: 2 } } });
        expect([...state.rejects.values()]).toMatchObject([
            { seq: 1, code: 'TARGET_REFUSED' },
            { seq: 3, code: 'TARGET_REFUSED' },
        ]);
        const removing = await new Shelf().run(
            [
                { sku: 'a', __operation: 'DELETE' },
                { sku: 'locked', __operation: 'DELETE' },
            ],
            { idField: 'sku' },
        );
        expect(removing.end).toMatchObject({ counters: { send: { deleted: 1, rejected: 1 } } });
    });

    it('rejects no record that its target was too busy for, and sends that one alone again', async () => {
        const shelf = new Shelf();
        shelf.answer = records =>
            records.length === 1
                ? { ...none, indexed: 1 }
                : {
                      ...none,
                      indexed: records.length - 1,
                      failed: 1,
                      errors: [{ record: records[1]!, message: 'slow down', statusCode: 429 }],
                  };
        const { end, state } = await shelf.run([{ id: 1 }, { id: 2 }, { id: 3 }]);
        expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 3, rejected: 0 } } });
        expect(shelf.calls[1]).toEqual(['index', 'products', [{ id: 2 }]]);
        expect(state.rejects.size).toBe(0);
    });

    it.each<[string, SinkResult]>([
        ['has lost a record', { ...none, indexed: 1 }],
        ['has more errors than failures', { ...none, indexed: 2, errors: [{ record: { id: 1 }, message: 'no' }] }],
        ['has a count that is not a number', { ...none, indexed: '2' as never }],
        ['is undefined', undefined as never],
        [
            'has errors of others',
            { ...none, indexed: 1, failed: 1, errors: [{ record: { id: 'other' }, message: 'no' }] },
        ],
    ])('fails the run where its result %s', async (_, result) => {
        const shelf = new Shelf();
        shelf.answer = () => result;
        const state = new MemoryState();
        const { end } = await shelf.run([{ id: 1 }, { id: 2 }], {}, { state });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'SINK_RESULT_INVALID' }, stepKey: 'send' });
        expect(state.markers.size).toBe(0);
    });

    it('counts failures without errors as rejected records of their call', async () => {
        const shelf = new Shelf();
        shelf.answer = records => ({ ...none, indexed: 0, failed: records.length });
        const all = await shelf.run([{ id: 1 }, { id: 2 }]);
        expect(all.end).toMatchObject({ end: 'completed', counters: { send: { updated: 0, rejected: 2 } } });
        shelf.answer = records => ({
            ...none,
            indexed: 1,
            failed: 2,
            errors: [{ record: records[2]!, message: 'is too long' }],
        });
        const some = await shelf.run([{ id: 1 }, { id: 2 }, { id: 3 }]);
        expect(some.end).toMatchObject({ end: 'completed', counters: { send: { updated: 1, rejected: 2 } } });
        expect([...some.state.rejects.values()].map(({ seq, code }) => [seq, code])).toEqual([
            [1, 'TARGET_REFUSED'],
            [2, 'TARGET_REFUSED'],
        ]);
    });

    describe('handles an exception', () => {
        /** Throws for some records, whatever else is in the call. */
        const throwing = (thrown: unknown, isBad: (record: JsonObject) => boolean = () => true): Shelf => {
            const shelf = new Shelf();
            shelf.answer = records => {
                if (records.some(isBad)) throw thrown;
                return { ...none, indexed: records.length };
            };
            return shelf;
        };
        const withFields = (fields: object, message = 'no'): Error => Object.assign(new Error(message), fields);

        it.each([
            ['status', { status: 422 }],
            ['statusCode', { statusCode: 400 }],
            ['the status of an answer', { response: { status: 413 } }],
        ])('with %s 4xx as an error of the records that it is thrown for', async (_, fields) => {
            const shelf = throwing(withFields(fields), ({ id }) => id === 2);
            const { end, state } = await shelf.run([{ id: 1 }, { id: 2 }, { id: 3 }]);
            expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2, rejected: 1 } } });
            expect([...state.rejects.values()]).toMatchObject([{ seq: 1, code: 'TARGET_REFUSED' }]);
        });

        it.each([
            ['status 503', withFields({ status: 503 }), 'REMOTE_BUSY'],
            ['statusCode 429', withFields({ statusCode: 429 }), 'REMOTE_BUSY'],
            ['code ECONNREFUSED', withFields({ code: 'ECONNREFUSED' }), 'REMOTE_BUSY'],
            [
                'a cause with ECONNRESET',
                new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }),
                'REMOTE_BUSY',
            ],
            ['nothing that says why', new Error('boom'), 'SINK_FAILED'],
            ['a text', 'boom', 'SINK_FAILED'],
            ['null', null, 'SINK_FAILED'],
        ])('with %s as one that passes, and tries again', async (_, thrown, code) => {
            let left = 1;
            const passing = throwing(thrown, () => left-- > 0);
            const { end, state } = await passing.run([{ id: 1 }, { id: 2 }]);
            expect(end).toMatchObject({ end: 'completed', counters: { send: { updated: 2, rejected: 0 } } });
            expect(state.rejects.size).toBe(0);
            const lasting = await throwing(thrown).run([{ id: 1 }]);
            expect(lasting.end).toMatchObject({ end: 'stopped', error: { code }, stepKey: 'send' });
        });

        it('about a credential as one that fails the run and rejects nothing', async () => {
            const { end, state } = await throwing(withFields({ status: 401 })).run([{ id: 1 }]);
            expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_REFUSED' } });
            expect(state.rejects.size).toBe(0);
        });

        it('of delete and refresh as well, and never as a bug of Flow', async () => {
            const shelf = new Shelf();
            const refusing: CustomSink = {
                ...shelf.sink,
                delete: async () => {
                    throw withFields({ status: 409 });
                },
                refresh: async () => {
                    throw withFields({ status: 500 });
                },
            };
            Object.assign(shelf, { sink: refusing });
            const { end, state } = await shelf.run([{ id: 1 }, { id: 2, __operation: 'DELETE' }]);
            expect([...state.rejects.values()]).toMatchObject([{ seq: 1, code: 'TARGET_REFUSED' }]);
            expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_BUSY' } });
        });
    });

    it.each([
        ['SEARCH_A', 'MEILISEARCH'],
        ['SEARCH_B', 'ELASTICSEARCH'],
        ['SEARCH_B2', 'OPENSEARCH'],
        ['SEARCH_C', 'ALGOLIA'],
        ['SEARCH_D', 'TYPESENSE'],
        ['MEILISEARCH', 'MEILISEARCH'],
        ['ELASTICSEARCH', 'ELASTICSEARCH'],
        ['OPENSEARCH', 'OPENSEARCH'],
        ['ALGOLIA', 'ALGOLIA'],
        ['TYPESENSE', 'TYPESENSE'],
        ['WEBHOOK', 'WEBHOOK'],
        ['CUSTOM', 'CUSTOM'],
    ] as const)('may be of the type %s, which is %s', (sinkType, shown) => {
        expect(adaptedSink({ ...new Shelf().sink, sinkType, icon: 'warehouse' })).toMatchObject({
            sinkType: shown,
            icon: 'warehouse',
        });
    });

    it('has the labels of its options, and texts that are required, in its form', () => {
        const { config } = adaptedSink(new Shelf().sink);
        expect(jsonSchemaOf(config)).toMatchObject({
            required: ['indexName'],
            properties: {
                indexName: { title: 'Index', minLength: 1 },
                mode: { enum: ['fast'], labels: { fast: 'Fast' } },
            },
        });
        const empty = parseWith(config, { indexName: '' });
        expect(empty.ok ? [] : empty.issues.map(({ path }) => path)).toEqual(['indexName']);
    });

    it('has a configuration with the fields of the sink and the common fields of all sinks', () => {
        const { config, summary, title } = adaptedSink(new Shelf().sink);
        expect([summary, title]).toEqual([expect.stringMatching(/ Shelf\.$/), 'Shelf']);
        const given = { indexName: 'a', apiKeySecretCode: 'key', password: 'pass', mode: 'fast' };
        expect(parseWith(config, given)).toMatchObject({
            ok: true,
            value: { ...given, batchSize: 100, defaultOperation: 'UPSERT' },
        });
        expect(referencesOf(config, given)).toEqual([
            { to: 'secret', code: 'key', path: 'apiKeySecretCode' },
            { to: 'secret', code: 'pass', path: 'password' },
        ]);
        expect(adaptedSink(new Shelf().sink).secretUses!(given as never, () => undefined)).toEqual([
            { field: 'apiKeySecretCode', secretCode: 'key', host: 'shelf.example.com', port: 443 },
            { field: 'password', secretCode: 'pass', host: 'shelf.example.com', port: 443 },
        ]);
        const faulty = parseWith(config, { mode: 'slow', nonsense: 1, batchSize: 0 });
        expect(faulty.ok ? [] : faulty.issues.map(({ path }) => path).sort()).toEqual([
            'batchSize',
            'indexName',
            'mode',
            'nonsense',
        ]);
    });

    it.each<[Partial<CustomSink>, string]>([
        [{ code: 'No Code' }, 'code is "No Code"'],
        [{ name: ' ' }, 'name of "shelf" is " "'],
        [{ sinkType: 'SHELF' as never }, 'sinkType of "shelf" is "SHELF"'],
        [{ icon: 7 as never }, 'icon of "shelf" is 7'],
        [{ icon: 'werehouse' }, 'icon of "shelf" is "werehouse"; allowed: bell, box, cloud, '],
        [
            { schema: { fields: [{ key: '__proto__', label: 'A', type: 'string' }] } },
            'schema.fields[0].key is "__proto__"',
        ],
        [{ schema: { fields: [{ key: 'a', label: '', type: 'string' }] } }, 'schema.fields[0].label is ""'],
        [{ schema: { fields: [{ key: 'a', label: 'A', type: 'date' as never }] } }, 'schema.fields[0].type is "date"'],
        [{ schema: { fields: [{ key: 'a', label: 'A', type: 'select' }] } }, 'schema.fields[0].options is empty'],
    ])('is rejected if it is %j', (issue, problem) => {
        expect(() => adaptedSink({ ...new Shelf().sink, ...issue })).toThrow(problem);
    });
});
