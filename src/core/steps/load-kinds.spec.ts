import { z } from 'zod';
import { MemoryState, type ShopTransaction } from '../../../test/kit/memory-ports';
import { ids, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader } from '../../../test/kit/toy-adapters';
import {
    defineLoader,
    defineRemoteLoader,
    defineServiceLoader,
    type Change,
    type Loader,
    type Outcome,
} from '../adapter/loader';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';

const declared = { title: 'Toy', summary: 'Loads toys.', config: z.strictObject({}) };

/** A load with this batch size; a failure is final. */
const into = (adapterCode: string, records: readonly JsonObject[], batchSize = 100) =>
    sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
            write: ['LOAD', { adapterCode }],
            after: ['LOAD', { adapterCode: 'toyUpsert', table: 'after' }],
        },
        edges: ['start > read > write > after'],
        throughput: { batchSize },
        errorHandling: { maxRetries: 0 },
    });

const bad = (): never => {
    throw recordInvalid('bad', 'it is bad');
};

const dies = (last: string) => {
    let left = Number(last.split('#')[1] ?? 1);
    const [point] = last.split('#');
    return async (reached: string): Promise<void> => {
        if (reached === point && --left === 0) throw flowError('DATABASE_LOST', { problem: 'gone' });
    };
};

describe('a load that settles record by record', () => {
    it.each(['services', 'remote'] as const)(
        'of %s reports rejections and notes from before an attempt that failed temporarily',
        async through => {
            let failed = false;
            const told: unknown[] = [];
            const failsOnce = (id: unknown): void => {
                if (id !== 3 || failed) return;
                failed = true;
                throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
            };
            const change = ({ data }: { readonly data: JsonObject }): Change => ({
                action: 'create',
                key: String(data['id']),
                after: data,
                note: { code: 'NOTED', what: 'Noted', example: String(data['id']) },
            });
            const service = defineServiceLoader({
                ...declared,
                code: 'tells',
                open: () =>
                    Promise.resolve({
                        locks: () => [],
                        dryRun: record => Promise.resolve(change(record)),
                        async loadOne(_, record) {
                            if (record.data['id'] === 1) bad();
                            failsOnce(record.data['id']);
                            return Promise.resolve(change(record));
                        },
                    }),
            });
            const remote = defineRemoteLoader({
                ...declared,
                code: 'tells',
                open: () =>
                    Promise.resolve({
                        batchSize: 1,
                        dryRun: change,
                        deliver([record]): Promise<Outcome[]> {
                            const { id } = record!.data;
                            if (id === 1) return Promise.resolve([{ ok: false, error: recordInvalid('bad', 'bad') }]);
                            failsOnce(id);
                            return Promise.resolve([{ ok: true }]);
                        },
                    }),
            });
            const definition = sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(4) }] }],
                    write: ['LOAD', { adapterCode: 'tells' }],
                },
                edges: ['start > read > write'],
                errorHandling: { maxRetries: 1, retryDelayMs: 0 },
                hooks: { ON_RECORD_ERROR: [{ type: 'SCRIPT', scriptName: 'tell' }] },
            });
            const tell = (records: readonly JsonObject[]): readonly JsonObject[] => {
                told.push(...records);
                return records;
            };
            const { state, end } = await runPipeline(definition, {
                adapters: [through === 'services' ? service : remote, ...hookScripts({ tell })],
            });
            expect(end).toMatchObject({ end: 'completed', counters: { write: { created: 3, rejected: 1 } } });
            expect(told).toMatchObject([{ id: 1 }]);
            const notes = state.events.filter(event => event.type === 'log' && event.message.startsWith('Noted'));
            expect(notes).toMatchObject([{ message: expect.stringContaining('3 records') as string }]);
        },
    );
});

describe('a loader that prepares', () => {
    /** Uses what was prepared for a record; the preparation is outdated `stale` times. */
    const prepared = (stale = 0) => {
        const toy = toyLoader();
        let times = 0;
        const loader = defineLoader({
            ...toy,
            code: 'prepares',
            open: async (config, cx) => {
                const session = await toy.open(config as never, cx);
                return {
                    locks: batch => session.locks(batch),
                    prepare: async batch => {
                        times++;
                        await Promise.resolve();
                        return new Map(batch.map(record => [record, { ...record.data, fetched: times }]));
                    },
                    *plan(batch, ready: ReadonlyMap<unknown, JsonObject>) {
                        if (times <= stale) throw flowError('LOAD_UNPREPARED', {});
                        return yield* session.plan(
                            batch.map(record => ({ ...record, data: ready.get(record)! })),
                            undefined,
                        );
                    },
                };
            },
        });
        return { loader, times: () => times };
    };

    it('prepares before the transaction, once per batch, including its halves', async () => {
        const { loader, times } = prepared();
        const records = [...ids(3), { id: 'p', poison: true }, { id: 4 }];
        const { state } = await runPipeline(into('prepares', records), { adapters: [loader] });
        expect(state.shop.get('t/4')).toEqual({ id: 4, fetched: 1 });
        expect([state.counters['write'], times()]).toMatchObject([{ created: 4, rejected: 1 }, 1]);
    });

    it('prepares again what has changed meanwhile, a few times', async () => {
        const soon = prepared(3);
        const { state } = await runPipeline(into('prepares', ids(2)), { adapters: [soon.loader] });
        expect([state.counters['write'], soon.times()]).toMatchObject([{ created: 2 }, 4]);
        const never = prepared(Infinity);
        const { end } = await runPipeline(into('prepares', ids(2)), { adapters: [never.loader] });
        expect([end, never.times()]).toMatchObject([{ error: { code: 'LOAD_UNPREPARED' } }, 5]);
    });

    it('prepares for a dry run as well', async () => {
        const { state } = await runPipeline(into('prepares', ids(1)), {
            adapters: [prepared().loader],
            input: { mode: 'dryRun' },
        });
        expect(state.events).toContainEqual(
            expect.objectContaining({ change: { action: 'create', key: 't/0', after: { id: 0, fetched: 1 } } }),
        );
    });
});

describe('a loader through services', () => {
    const changeOf = (data: JsonObject, before: JsonObject | undefined): Change => {
        const key = `s/${String(data['id'])}`;
        if (data['bad'] === true) bad();
        if (!before) return { action: 'create', key, after: data };
        return before['v'] === data['v']
            ? { action: 'unchanged', key }
            : { action: 'update', key, before, after: data };
    };
    /** Saves first and reports errors afterwards, as services do. */
    const services = (contexts: unknown[] = []): Loader =>
        defineServiceLoader({
            ...declared,
            code: 'serves',
            open: async () => ({
                locks: ({ data }) => [`s/${String(data['id'])}`],
                dryRun: async ({ data }) => changeOf(data, undefined),
                async loadOne(ctx, { data }) {
                    contexts.push(ctx);
                    const shop = ctx as ShopTransaction;
                    const key = `s/${String(data['id'])}`;
                    const before = shop.find(key);
                    shop.save(key, data);
                    if (data['refused'] === true)
                        return { action: 'reject', key, error: recordInvalid('refused', 'not so') };
                    return changeOf(data, before);
                },
            }),
        });
    const records: readonly JsonObject[] = [
        { id: 1 },
        { id: 2, bad: true },
        { id: 3, refused: true },
        { id: 1, v: 2 },
        { id: 1, v: 2 },
        { id: 4 },
    ];
    const told = { created: 2, updated: 1, unchanged: 1, rejected: 2 };

    it('gives each record a separate context, and keeps nothing of what it rejects', async () => {
        const contexts: unknown[] = [];
        const { state, end } = await runPipeline(into('serves', records), { adapters: [services(contexts)] });
        expect(end).toMatchObject({
            end: 'completed',
            outcome: 'PARTIAL',
            counters: { write: told, after: { in: 4 } },
        });
        expect(new Set(contexts).size).toBe(records.length);
        expect([...state.shop.keys()].filter(key => key.startsWith('s/'))).toEqual(['s/1', 's/4']);
        expect([...state.rejects.values()].map(({ seq, path }) => [seq, path])).toEqual([
            [1, 'bad'],
            [2, 'refused'],
        ]);
        expect(state.markers.get('write read 0 0')?.result.verdicts).toBe('CXXU=C 0-5');
    });

    it.each(['loads.serve.before#2', 'loads.serve.after#1', 'loads.serve.after#3', 'loads.settle.after#2'])(
        'resumes after the last record with a stored outcome when it died at %s',
        async point => {
            const state = new MemoryState();
            const crashed = await runPipeline(into('serves', records), {
                state,
                adapters: [services()],
                at: dies(point),
            });
            expect([crashed.end.end, state.commits]).toEqual(['stopped', []]);
            const contexts: unknown[] = [];
            await runPipeline(into('serves', records), { state, adapters: [services(contexts)] });
            expect(contexts.length).toBeLessThan(records.length);
            expect(state.counters['write']).toMatchObject({ ...told, in: 6, out: 4 });
            expect(state.counters['after']).toMatchObject({ in: 4 });
            expect(state.rejects.size).toBe(2);
        },
    );

    it('loads the new records of a batch that it has loaded in part', async () => {
        const state = new MemoryState();
        const adapters = [services()];
        await runPipeline(into('serves', ids(3)), { state, adapters, at: dies('loads.serve.after#2') });
        await runPipeline(into('serves', ids(5)), { state, adapters });
        expect(state.counters['write']).toMatchObject({ in: 5, out: 5, created: 5 });
    });

    it('fails the run, not the record, if the record does not cause the failure', async () => {
        const broken = defineServiceLoader({
            ...declared,
            code: 'serves',
            open: async () => ({
                locks: () => [],
                dryRun: bad,
                loadOne: () => Promise.reject(flowError('DATABASE_REFUSED', { problem: 'no such table' })),
            }),
        });
        const { end, state } = await runPipeline(into('serves', ids(1)), { adapters: [broken] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_REFUSED' }, stepKey: 'write' });
        expect(state.rejects.size).toBe(0);
    });

    it('reloads what was cached of an undone record, and rejects it if that fails', async () => {
        let undone = 0;
        const caches = defineServiceLoader({
            ...declared,
            code: 'serves',
            open: async () => ({
                locks: () => [],
                dryRun: bad,
                loadOne: async (_, { data }) => (data['id'] === 2 ? bad() : changeOf(data, undefined)),
                async undone() {
                    undone++;
                    throw new Error('it cannot be read now');
                },
            }),
        });
        const { end } = await runPipeline(into('serves', ids(3)), { adapters: [caches] });
        expect(end).toMatchObject({ counters: { write: { created: 2, rejected: 1 } } });
        expect(undone).toBe(1);
    });

    it('reports its changes in a dry run', async () => {
        const contexts: unknown[] = [];
        const { end, state } = await runPipeline(into('serves', records.slice(0, 2)), {
            adapters: [services(contexts)],
            input: { mode: 'dryRun' },
        });
        expect(end).toMatchObject({ counters: { write: { created: 1, rejected: 1 } } });
        expect([contexts, state.markers.size]).toEqual([[], 0]);
    });
});

describe('a loader with modes', () => {
    const done: string[] = [];
    const config = z.strictObject({ mode: z.enum(['BULK', 'SERVED']) });
    const served = defineServiceLoader({
        ...declared,
        code: 'modes',
        config,
        open: async () => ({
            locks: () => [],
            dryRun: async () => ({ action: 'unchanged', key: '' }),
            async loadOne(_ctx, { data }) {
                done.push(`served ${String(data['id'])}`);
                return { action: 'unchanged', key: '' };
            },
        }),
    });
    const toy = toyLoader();
    const modes = defineLoader({
        ...declared,
        code: 'modes',
        config,
        open: async (_config, cx) => {
            done.push('bulk');
            return toy.open({} as never, cx);
        },
        instead: ({ mode }) => (mode === 'SERVED' ? served : undefined),
    });

    it.each([
        ['BULK', ['bulk']],
        ['SERVED', ['served 0', 'served 1']],
    ])('works with the method that %s requires', async (mode, does) => {
        done.length = 0;
        const requested = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: ids(2) }] }],
                write: ['LOAD', { adapterCode: 'modes', mode }],
            },
            edges: ['start > read > write'],
        });
        const { state } = await runPipeline(requested, { adapters: [modes] });
        expect(done).toEqual(does);
        expect(state.counters['write']).toMatchObject({ in: 2, out: 2 });
    });
});

describe('a loader into another system', () => {
    type Delivery = readonly [id: string, data: JsonObject];
    const remote = (deliveries: Delivery[] = []): Loader =>
        defineRemoteLoader({
            ...declared,
            code: 'delivers',
            open: async () => ({
                dryRun: ({ data }) =>
                    data['bad'] === true ? bad() : { action: 'create', key: String(data['id']), after: data },
                deliver: async (batch, named) => {
                    batch.forEach(({ data }, i) => deliveries.push([named[i]!, data]));
                    return batch.map(({ data }): Outcome =>
                        data['refused'] === true
                            ? { ok: false, error: recordInvalid('refused', 'they do not want it') }
                            : { ok: true },
                    );
                },
            }),
        });
    const records: readonly JsonObject[] = [{ id: 1 }, { id: 2, bad: true }, { id: 3, refused: true }, { id: 4 }];

    it('counts delivered records, and rejects those that cannot be delivered or that they reject', async () => {
        const deliveries: Delivery[] = [];
        const { end, state } = await runPipeline(into('delivers', records), { adapters: [remote(deliveries)] });
        expect(end).toMatchObject({ counters: { write: { created: 2, rejected: 2 }, after: { in: 2 } } });
        expect(deliveries.map(([, { id }]) => id)).toEqual([1, 3, 4]);
        expect([...state.rejects.values()].map(({ seq, path }) => [seq, path])).toEqual([
            [1, 'bad'],
            [2, 'refused'],
        ]);
    });

    it('delivers again under the same ids if it may have delivered before it died', async () => {
        const deliveries: Delivery[] = [];
        const state = new MemoryState();
        const adapters = [remote(deliveries)];
        await runPipeline(into('delivers', records), { state, adapters, at: dies('loads.settle.before') });
        await runPipeline(into('delivers', records), { state, adapters });
        expect(deliveries).toHaveLength(6);
        expect(deliveries.slice(3)).toEqual(deliveries.slice(0, 3));
        expect(new Set(deliveries.map(([id]) => id)).size).toBe(3);
        expect(deliveries[0]![0]).toMatch(/^[0-9a-f]{32}$/);
        expect(state.counters['write']).toMatchObject({ created: 2, rejected: 2 });
    });

    it('does not deliver again what is known to be delivered', async () => {
        const deliveries: Delivery[] = [];
        const state = new MemoryState();
        const adapters = [remote(deliveries)];
        await runPipeline(into('delivers', records), { state, adapters, at: dies('loads.settle.after') });
        await runPipeline(into('delivers', records), { state, adapters });
        expect(deliveries).toHaveLength(3);
        expect(state.counters['write']).toMatchObject({ in: 4, out: 2, created: 2, rejected: 2 });
    });

    it('delivers nothing in a dry run', async () => {
        const deliveries: Delivery[] = [];
        const { end } = await runPipeline(into('delivers', records), {
            adapters: [remote(deliveries)],
            input: { mode: 'dryRun' },
        });
        expect([deliveries, end]).toMatchObject([[], { counters: { write: { created: 3, rejected: 1 } } }]);
    });

    it('takes outcomes of the wrong number for a bug', async () => {
        const short = defineRemoteLoader({
            ...declared,
            code: 'delivers',
            open: async () => ({
                dryRun: () => ({ action: 'delete', key: 'x', before: {} }) as const,
                deliver: async () => [],
            }),
        });
        const { end } = await runPipeline(into('delivers', ids(1)), { adapters: [short] });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'BUG' } });
    });
});
