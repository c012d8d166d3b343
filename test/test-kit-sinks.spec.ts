import {
    type CustomSink,
    type DefinitionInput,
    defineSink,
    flowError,
    type JsonObject,
    type Outcome,
    recordInvalid,
    type Sink,
    sinkFields,
    type SinkSession,
    z,
} from '../src';
import { sinks } from '../src/adapters';
import { type ContractCheck, runPipeline, sinkContract, type SinkHarness } from '../src/testing';
import { textNaming } from './kit/naming';

/** The names of the checks that a sink does not pass. */
async function failing(checks: readonly ContractCheck[]): Promise<string[]> {
    const names: string[] = [];
    for (const { name, run } of checks)
        await run().catch(() => {
            names.push(name);
        });
    return names;
}

describe('sinkContract for the result of defineSink', () => {
    const RECORDS: readonly JsonObject[] = [{ id: 'a' }, { id: 'b' }];

    /** A target that accepts names of less than ten characters, and a sink that delivers to it. */
    function standing(change: Partial<SinkSession> = {}, more: Partial<Sink> = {}) {
        let requests = 0;
        let isDown = false;
        const gone: unknown[] = [];
        const request = (): void => {
            requests++;
            if (isDown) throw flowError('REMOTE_BUSY', { host: 'shelf', problem: 'is down', attempts: 1 });
        };
        const sink = defineSink({
            code: 'shelf',
            category: 'Own',
            title: 'Shelf',
            summary: 'Puts records on a shelf.',
            config: z.strictObject({ ...sinkFields }),
            examples: [
                { config: {}, in: [{ id: 'a' }, { id: 'b', __operation: 'DELETE' }], does: ['deliver', 'remove'] },
            ],
            open: async () => ({
                async deliver(batch) {
                    request();
                    return batch.map(({ data: { id } }) =>
                        id === 'no' ? { ok: false, error: recordInvalid('id', 'is invalid') } : { ok: true },
                    );
                },
                async remove(identities) {
                    request();
                    gone.push(...identities);
                    return identities.map(() => ({ ok: true }));
                },
                ...change,
            }),
        });
        const harness: SinkHarness = {
            config: {},
            records: RECORDS,
            refused: [{ id: 'no' }],
            requests: () => requests,
            deleted: () => gone,
            breakDown: down => {
                isDown = down;
            },
        };
        return { sink: { ...sink, ...more }, stand: harness, request };
    }
    const good = standing();

    it.each(sinkContract(good.sink, good.stand).map(({ name, run }) => [name, run] as const))(
        'a sink %s',
        (_name, run) => run(),
    );

    const failed = ({ sink, stand }: ReturnType<typeof standing>): Promise<string[]> =>
        failing(sinkContract(sink, stand));

    it('finds missing texts, and examples that are wrong', async () => {
        const config = z.strictObject({ url: z.string().optional() });
        const examples = [{ config: {}, in: [{ id: 'a' }], does: ['reject' as const], rejects: ['id'] }];
        expect(await failed(standing({}, { summary: 'no sentence', config, examples } as never))).toEqual([
            expect.stringContaining('camelCase code'),
            expect.stringMatching(/every field/),
            expect.stringContaining('example 1'),
        ]);
    });

    it('finds requests while the sink is opened', async () => {
        const one = standing();
        const sink: Sink = {
            ...one.sink,
            open: (config, cx) => {
                one.request();
                return one.sink.open(config, cx);
            },
        };
        expect(await failing(sinkContract(sink, one.stand))).toEqual([expect.stringContaining('sends nothing')]);
    });

    it('finds an outage that is reported as a success or as an error of the records, and changed ids', async () => {
        const success = async (batch: readonly unknown[]): Promise<Outcome[]> => batch.map(() => ({ ok: true }));
        expect(await failed(standing({ deliver: success }))).toEqual([
            expect.stringMatching(/them again/),
            textNaming('target', 'down', 'neither'),
            expect.stringContaining('were rejected'),
        ]);
        const one = standing();
        const blaming: Partial<SinkSession> = {
            deliver: async batch => {
                try {
                    one.request();
                } catch {
                    return batch.map(() => ({ ok: false, error: recordInvalid('id', 'was not taken') }));
                }
                return batch.map(({ data: { id } }) =>
                    id === 'no' ? { ok: false, error: recordInvalid('id', 'is invalid') } : { ok: true },
                );
            },
        };
        const blamed: Sink = {
            ...one.sink,
            open: async (config, cx) => ({ ...(await one.sink.open(config, cx)), ...blaming }),
        };
        expect(await failing(sinkContract(blamed, one.stand))).toEqual([textNaming('target', 'down', 'neither')]);
        const spoilt = standing();
        const numbers: Sink = {
            ...spoilt.sink,
            open: async (config, cx) => {
                const session = await spoilt.sink.open(config, cx);
                return {
                    ...session,
                    remove: (all, ids, batch) =>
                        session.remove!(
                            all.map(id => String(Number(id) || id)),
                            ids,
                            batch,
                        ),
                };
            },
        };
        expect(await failing(sinkContract(numbers, spoilt.stand))).toEqual([expect.stringMatching(/^deletes/)]);
    });
});

describe('runPipeline into sinks', () => {
    /** From one source into a sink. */
    const into = (adapterCode: string, config: JsonObject = {}): DefinitionInput => ({
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [] } },
            { key: 'send', kind: 'SINK', config: { adapterCode, ...config } },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'send' },
        ],
        throughput: { batchSize: 2 },
    });
    const records: Readonly<Record<string, readonly JsonObject[]>> = {
        read: [{ id: 1 }, { id: 2 }, { id: 2, n: 2 }, { id: 4, __operation: 'DELETE' }, { id: 5 }],
    };

    it.each(sinks.map(({ code, examples }) => [code, examples![0]!.config] as const))(
        'keeps the records for %s, and sends nothing',
        async (code, config) => {
            const run = await runPipeline({ pipeline: into(code, config as JsonObject), records });
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null });
            expect(run.loaded).toEqual({ send: [{ id: 1 }, { id: 2 }, { id: 2, n: 2 }, { id: 5 }] });
            expect(run.counters['send']).toMatchObject({ in: 5, updated: 4, deleted: 1, rejected: 0 });
            expect(run.log.filter(({ level }) => level === 'WARN')).toEqual([]);
        },
    );

    it('reports which records require something that a sink does not support', async () => {
        const merge: Readonly<Record<string, readonly JsonObject[]>> = {
            read: [{ id: 1 }, { id: 2, __operation: 'MERGE' }],
        };
        const run = await runPipeline({
            pipeline: into('webhook', { url: 'https://erp.example.com', defaultOperation: 'DELETE' }),
            records: merge,
        });
        expect(run).toMatchObject({ outcome: 'PARTIAL', loaded: { send: [] } });
        expect(run.counters['send']).toMatchObject({ deleted: 1, rejected: 1 });
        expect(run.rejected).toMatchObject([{ stepKey: 'send', seq: 1, path: '__operation' }]);
    });

    it('keeps the records for your own sinks', async () => {
        const shelf = defineSink({
            code: 'shelf',
            title: 'Shelf',
            summary: 'Puts records on a shelf.',
            config: z.strictObject({ ...sinkFields }),
            open: async () => {
                throw new Error('nothing is opened');
            },
        });
        const run = await runPipeline({ pipeline: into('shelf'), records, options: { adapters: [shelf] } });
        expect([run.error, run.loaded['send']?.length]).toEqual([null, 4]);
    });
});

describe('the network of sinkContract', () => {
    it('is that of the test, with secrets and connections by their codes, for both kinds of sinks', async () => {
        let requests = 0;
        let isDown = false;
        const requested: string[] = [];
        const SHELF = { host: 'shelf.example.com', port: 443 };
        const harness: SinkHarness = {
            config: { keySecretCode: 'key', connectionCode: 'shop' },
            records: [{ id: 'a' }],
            secrets: { key: 'hush' },
            connections: { shop: { type: 'HTTP', settings: { baseUrl: 'https://shelf.example.com' } } },
            http: async ({ url, headers = {} }) => {
                requests++;
                requested.push(`${url} ${headers['x-key']}`);
                if (isDown) throw flowError('REMOTE_BUSY', { host: 'shelf', problem: 'is down', attempts: 1 });
                return { status: 200, headers: {}, body: Buffer.alloc(0) };
            },
            requests: () => requests,
            breakDown: down => {
                isDown = down;
            },
        };
        const custom: CustomSink = {
            type: 'SINK',
            code: 'shelf',
            name: 'Shelf',
            sinkType: 'CUSTOM',
            schema: {
                fields: [
                    { key: 'keySecretCode', label: 'Key', type: 'string' },
                    { key: 'connectionCode', label: 'Shop', type: 'string' },
                ],
            },
            async index({ outbound, secrets, connections, dryRun, pipelineContext: { signal } }, config, records) {
                if (!dryRun && records.length > 0) {
                    const { settings } = connections.get(String(config['connectionCode']));
                    const headers = { 'x-key': secrets.get(String(config['keySecretCode'])).revealFor(SHELF) };
                    const url = String(settings['baseUrl']);
                    await outbound.http.send({ url, method: 'PUT', headers, timeoutMs: 1_000, signal });
                }
                return { indexed: records.length, deleted: 0, failed: 0 };
            },
        };
        expect(await failing(sinkContract(custom, harness))).toEqual([]);
        const defined = defineSink({
            code: 'shelf',
            category: 'Own',
            title: 'Shelf',
            summary: 'Puts records on a shelf.',
            config: z.strictObject({
                keySecretCode: z.string().optional().meta({ title: 'Key', description: 'Of the shelf.' }),
                connectionCode: z.string().optional().meta({ title: 'Shop', description: 'Where the shelf is.' }),
            }),
            open: async (config, { outbound, secrets, connections, signal }) => ({
                async deliver(batch) {
                    const { settings } = connections.get(config.connectionCode!);
                    const headers = { 'x-key': secrets.get(config.keySecretCode!).revealFor(SHELF) };
                    const url = String(settings['baseUrl']);
                    await outbound.http.send({ url, method: 'PUT', headers, timeoutMs: 1_000, signal });
                    return batch.map(() => ({ ok: true }));
                },
            }),
        });
        expect(await failing(sinkContract(defined, harness))).toEqual([]);
        expect(new Set(requested)).toEqual(new Set(['https://shelf.example.com hush']));
    });
});
