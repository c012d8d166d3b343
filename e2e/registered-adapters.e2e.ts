import type { OnApplicationBootstrap } from '@nestjs/common';
import { bootstrapWorker, mergeConfig, PluginCommonModule, VendurePlugin, type VendureWorker } from '@vendure/core';
import gql from 'graphql-tag';
import {
    type CustomSink,
    defineConnection,
    defineExtractor,
    defineOperator,
    defineRemoteLoader,
    defineRule,
    FlowAdapterRegistry,
    FlowPlugin,
    type OwnAdapter,
    type PipelineSource,
    reporting,
    z,
} from '../src';
import { type FlowServer, flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';
import { sqlQueue, SparingQueue } from './config/sql-queue';
import { vendureConfig } from './config/vendure-config';

const words = { category: 'Own', title: 'Shelf', summary: 'Is a part of the warehouse.' };
const about = (title: string) => ({ title, description: `The ${title.toLowerCase()}.` });
/** What the sink and the loader of the warehouse have received. */
const shelved: unknown[] = [];

const shelf: CustomSink = {
    type: 'SINK',
    code: 'shelf',
    name: 'Shelf',
    sinkType: 'SEARCH_A',
    icon: 'warehouse',
    schema: {
        fields: [
            { key: 'room', label: 'Room', type: 'string', required: true },
            { key: 'side', label: 'Side', type: 'select', options: [{ value: 'l', label: 'Left' }] },
        ],
    },
    async index(_context, config, records) {
        shelved.push([config['room'], records]);
        return { indexed: records.length, deleted: 0, failed: 0 };
    },
};

/** One adapter of each kind that pipelines and connections consist of, except triggers, which only Flow can start. */
const ADAPTERS: readonly OwnAdapter[] = [
    shelf,
    defineConnection({ ...words, code: 'DOCK', config: z.strictObject({ gate: z.int().meta(about('Gate')) }) }),
    defineExtractor({
        ...words,
        code: 'shelfRows',
        config: z.strictObject({ count: z.int().meta(about('Count')) }),
        async *extract({ count }) {
            yield { records: Array.from({ length: count }, (_, n) => ({ id: n })) };
        },
    }),
    defineOperator({
        ...words,
        code: 'shelfLabel',
        config: z.strictObject({}),
        examples: [],
        compile: () => data => ({ ...data, label: `S${String(data['id'])}` }),
    }),
    defineRule({
        ...words,
        code: 'shelfFits',
        config: z.strictObject({ field: z.string().meta(about('Field')), ...reporting() }),
        examples: [],
        compile:
            ({ field }) =>
            data =>
                data[field] === 'S1' ? { path: field, problem: 'does not fit' } : undefined,
    }),
    defineRemoteLoader({
        ...words,
        code: 'shelfCount',
        config: z.strictObject({}),
        open: async () => ({
            dryRun: ({ data }) => ({ action: 'create', key: String(data['id']), after: data }),
            deliver: async batch => {
                shelved.push(batch.length);
                return batch.map(() => ({ ok: true }));
            },
        }),
    }),
];

/** The errors of registering an adapter for the second time, on the server and on the worker. */
const rejections: unknown[] = [];

/** Another plugin, whose hook Nest would call after Flow's. */
@VendurePlugin({ imports: [PluginCommonModule], compatibility: '^3.7.0' })
class WarehousePlugin implements OnApplicationBootstrap {
    constructor(private readonly adapters: FlowAdapterRegistry) {}

    async onApplicationBootstrap(): Promise<void> {
        await Promise.resolve();
        for (const adapter of ADAPTERS) this.adapters.register(adapter);
        try {
            this.adapters.register(shelf);
        } catch (error) {
            rejections.push(error);
        }
    }
}

const stocktaking: PipelineSource = {
    code: 'stocktaking',
    name: 'Stocktaking',
    description: '',
    enabled: true,
    definition: {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'rows', kind: 'EXTRACT', config: { adapterCode: 'shelfRows', count: 3 } },
            { key: 'label', kind: 'TRANSFORM', config: { operators: [{ op: 'shelfLabel', args: {} }] } },
            { key: 'fits', kind: 'VALIDATE', config: { rules: [{ type: 'shelfFits', spec: { field: 'label' } }] } },
            { key: 'count', kind: 'LOAD', config: { adapterCode: 'shelfCount' } },
            { key: 'shelve', kind: 'SINK', config: { adapterCode: 'shelf', room: 'north' } },
        ],
        edges: [
            { from: 'start', to: 'rows' },
            { from: 'rows', to: 'label' },
            { from: 'label', to: 'fits' },
            { from: 'fits', to: 'count' },
            { from: 'count', to: 'shelve' },
        ],
    },
};
const flow = FlowPlugin.init({
    pipelines: [stocktaking],
    connections: [{ code: 'dock', type: 'DOCK', settings: { gate: 7 } }],
});

onOneDatabase('adapters that another plugin registers as it starts', database => {
    let shop: FlowServer;
    let worker: VendureWorker | undefined;
    beforeAll(async () => {
        shop = await flowServer(database, WarehousePlugin, { jobs: 'none', plugins: [flow] });
    });
    afterAll(async () => {
        await worker?.app.close();
        await shop?.destroy();
    });

    it('can be used in code-first pipelines and connections, and are shown by the API', async () => {
        expect(await shop.pipelineId('stocktaking')).toBeDefined();
        const { flowAdapters, flowConnection } = await shop.adminClient.query(gql`
            query {
                flowAdapters {
                    kind
                    code
                    icon
                    sinkType
                    schema
                }
                flowConnection(code: "dock") {
                    type
                }
            }
        `);
        const own = (flowAdapters as ReadonlyArray<{ kind: string; code: string }>).filter(({ code }) =>
            /^(shelf|DOCK)/.test(code),
        );
        expect(own.map(({ kind, code }) => `${kind} ${code}`).sort()).toEqual([
            'CONNECTION DOCK',
            'EXTRACTOR shelfRows',
            'LOADER shelfCount',
            'OPERATOR shelfLabel',
            'RULE shelfFits',
            'SINK shelf',
        ]);
        expect(own.find(({ kind }) => kind === 'SINK')).toMatchObject({
            icon: 'warehouse',
            sinkType: 'MEILISEARCH',
            schema: { required: ['room'], properties: { side: { labels: { l: 'Left' } } } },
        });
        expect(flowConnection).toEqual({ type: 'DOCK' });
    });

    it('are rejected for the second time, and once pipelines have been checked', () => {
        expect(rejections).toEqual([expect.objectContaining({ code: 'ADAPTER_DUPLICATE' })]);
        const late = { ...shelf, code: 'late' };
        expect(() => shop.app.get(FlowAdapterRegistry).register(late)).toThrow(
            expect.objectContaining({ code: 'ADAPTER_REFUSED' }),
        );
    });

    it('exist on a worker, which runs pipelines that use them', async () => {
        const config = mergeConfig(vendureConfig(shop.connection), {
            plugins: [sqlQueue(), SparingQueue, flow, WarehousePlugin],
        });
        worker = await bootstrapWorker(config);
        expect(rejections).toHaveLength(2);
        await worker.startJobQueue();
        const run = await shop.perform('stocktaking');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', error: null, recordsRejected: 1 });
        const kept = [
            { id: 0, label: 'S0' },
            { id: 2, label: 'S2' },
        ];
        expect(shelved).toEqual([2, ['north', kept]]);
    });
});
