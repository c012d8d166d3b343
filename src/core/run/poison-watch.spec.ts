import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import { pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { said } from '../../../test/kit/said';
import { toyLoader } from '../../../test/kit/toy-adapters';
import type { AdapterDefinition } from '../adapter/definition';
import { defineLoader, defineRemoteLoader, defineServiceLoader } from '../adapter/loader';
import { batchOperator } from '../adapter/operator';
import { flowError } from '../errors/flow-error';
import type { Batch } from '../data/record';
import type { JsonObject } from '../value/json';

/** A worker, and how it dies: its lease runs out, and nothing of it is heard any more. */
class Worker {
    private readonly controller = new AbortController();
    readonly signal = this.controller.signal;

    constructor(private readonly state: MemoryState) {}

    async meet(batch: Batch): Promise<void> {
        if (!batch.some(({ data }) => data['deadly'] === true)) return;
        this.state.fence++;
        this.controller.abort(flowError('LEASE_LOST', {}));
        await new Promise(() => undefined);
    }
}

const declared = { title: 'Deadly', summary: 'Kills workers.', config: z.strictObject({}) };

/** The ways in which a step meets a record. */
const DEADLY: Readonly<Record<string, (worker: Worker) => AdapterDefinition>> = {
    'an operator': worker =>
        batchOperator({
            ...declared,
            code: 'deadly',
            category: 'Logic',
            examples: [],
            open: () => async batch => {
                await worker.meet(batch);
                return batch.map(record => ({ ...record, data: { ...record.data, of: batch.length } }));
            },
        }),
    'a loader in bulk': worker => {
        const toy = toyLoader();
        return defineLoader({
            ...toy,
            code: 'deadly',
            open: async (config, cx) => {
                const session = await toy.open(config as never, cx);
                return { ...session, prepare: batch => worker.meet(batch) };
            },
        });
    },
    'a loader by services': worker =>
        defineServiceLoader({
            ...declared,
            code: 'deadly',
            open: () =>
                Promise.resolve({
                    locks: () => [],
                    dryRun: ({ data }) =>
                        Promise.resolve({ action: 'create', key: String(data['id']), after: data } as const),
                    loadOne: async (ctx, record) => {
                        await worker.meet([record]);
                        const key = `t/${String(record.data['id'])}`;
                        (ctx as { save(key: string, data: JsonObject): void }).save(key, record.data);
                        return { action: 'create', key, after: record.data } as const;
                    },
                }),
        }),
};

interface Ended {
    readonly ends: readonly string[];
    readonly state: MemoryState;
    readonly delivered: readonly string[];
}

/** Worker after worker, until one of them comes to an end, or `most` have died. */
async function worked(
    records: readonly JsonObject[],
    deadly: (worker: Worker) => AdapterDefinition,
    { batchSize = 4, most = 8 } = {},
): Promise<Ended> {
    const state = new MemoryState();
    const delivered: string[] = [];
    const far = defineRemoteLoader({
        ...declared,
        code: 'far',
        open: () =>
            Promise.resolve({
                dryRun: ({ data }) => ({ action: 'create', key: String(data['id']), after: {} }) as const,
                deliver: batch => {
                    delivered.push(batch.map(({ data }) => String(data['id'])).join(' '));
                    return Promise.resolve(batch.map(() => ({ ok: true }) as const));
                },
            }),
    });
    const ends: string[] = [];
    for (let attempt = 0; attempt < most; attempt++) {
        const worker = new Worker(state);
        const adapter = deadly(worker);
        const step = adapter.kind === 'operator' ? 'TRANSFORM' : 'LOAD';
        const config: JsonObject =
            step === 'TRANSFORM' ? { operators: [{ op: 'deadly', args: {} }] } : { adapterCode: 'deadly' };
        const definition = sketched({
            steps: {
                start: ['TRIGGER', {}],
                read: ['EXTRACT', pages([...records])],
                meets: [step, config],
                write: ['LOAD', { adapterCode: 'toyUpsert', table: 'behind' }],
                tell: ['LOAD', { adapterCode: 'far' }],
            },
            edges: ['start > read > meets > write > tell'],
            throughput: { batchSize, concurrency: 3 },
        });
        const { end } = await runPipeline(definition, {
            state,
            adapters: [adapter, far],
            signal: worker.signal,
            token: state.fence,
            ...(attempt > 0 && { takeover: { isTakeover: true, isCareful: true } }),
        });
        ends.push(end.end);
        if (end.end === 'completed') break;
    }
    return { ends, state, delivered };
}

const rows = (count: number, ...deadly: number[]): JsonObject[] =>
    Array.from({ length: count }, (_, id) => ({ id, ...(deadly.includes(id) && { deadly: true }) }));

describe('a record that kills the worker', () => {
    it.each(Object.entries(DEADLY))('in %s is set aside, and the rest goes on', async (_, deadly) => {
        const { ends, state, delivered } = await worked(rows(10, 6), deadly);
        // Unknown at what, with its batch, alone.
        expect(ends).toEqual(['stopped', 'stopped', 'stopped', 'completed']);
        expect([...state.rejects.values()]).toMatchObject([
            {
                code: 'RECORD_FATAL',
                stepKey: 'meets',
                seq: 6,
                payload: { id: 6 },
                message: said('worker-died-at-this-record', { step: 'meets' }),
            },
        ]);
        expect(state.counters['meets']).toMatchObject({ in: 10, out: 9, rejected: 1 });
        expect([...state.shop.keys()].filter(key => key.startsWith('behind/'))).toHaveLength(9);
        expect(delivered.flatMap(ids => ids.split(' ')).sort()).toEqual(['0', '1', '2', '3', '4', '5', '7', '8', '9']);
    });

    it('is found where several do, and each load is told once', async () => {
        const { ends, state } = await worked(rows(8, 1, 2), DEADLY['a loader in bulk']!);
        expect(ends).toEqual(['stopped', 'stopped', 'stopped', 'stopped', 'completed']);
        expect([...state.rejects.values()].map(({ seq, code }) => [seq, code])).toEqual([
            [1, 'RECORD_FATAL'],
            [2, 'RECORD_FATAL'],
        ]);
        expect(state.counters['meets']).toMatchObject({ in: 8, out: 6, created: 6, rejected: 2 });
        expect(state.events.filter(event => event.type === 'log' && event.level === 'WARN')).toEqual([]);
    });

    it('is found where it is alone in its batch', async () => {
        const { state } = await worked(rows(3, 1), DEADLY['a loader by services']!, { batchSize: 1 });
        expect([...state.rejects.values()].map(({ seq }) => seq)).toEqual([1]);
        expect(state.counters['write']).toMatchObject({ created: 2 });
    });

    it('leaves what an operator says of a whole batch as it is without that record', async () => {
        const { state } = await worked(rows(4, 3), DEADLY['an operator']!);
        expect([...state.shop.values()].map(data => data['of'])).toEqual([3, 3, 3]);
    });

    it('is nobody where the batch alone is too much: takeovers are counted anew once, and no record is set aside', async () => {
        const together = (worker: Worker): AdapterDefinition =>
            batchOperator({
                ...declared,
                code: 'deadly',
                category: 'Logic',
                examples: [],
                open: () => async batch => {
                    if (batch.length > 1) await worker.meet([{ ...batch[0]!, data: { deadly: true } }]);
                    return batch;
                },
            });
        const { ends, state } = await worked(rows(4), together, { most: 6 });
        expect(ends).toEqual(Array.from({ length: 6 }, () => 'stopped'));
        expect(state.rejects.size).toBe(0);
        expect(state.history.filter(line => line === 'takeovers counted anew')).toHaveLength(1);
    });
});
