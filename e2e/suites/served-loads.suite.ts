import { EventBus, Facet, FacetEvent, FacetService, LanguageCode, type RequestContext } from '@vendure/core';
import { z } from 'zod';
import {
    type Change,
    defineServiceLoader,
    type FlowRecord,
    type JsonObject,
    createPipelineBuilder,
    pipeline,
    type BuiltinCatalogue,
    recordInvalid,
    type VendurePlatform,
} from '../../src';
import { FlowEventTriggerOutbox } from '../../src/plugin/entities/event-trigger-outbox';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { liveOrders, marketplace } from './live-orders.suite';

const heard: string[] = [];

/** Creates facets with Vendure's own service, and rejects some of them after they were created. */
const facetServe = defineServiceLoader({
    code: 'facetServe',
    title: 'Facets by their service',
    summary: 'Makes facets by their service.',
    config: z.strictObject({}),
    requires: ['CreateCatalog'],
    async open(_, cx) {
        const { injector, ctx } = cx.platform as VendurePlatform;
        const facets = injector.get(FacetService);
        const codeOf = ({ data }: FlowRecord): string => String(data['code']);
        const find = (code: string, own: RequestContext): Promise<unknown> =>
            facets.findByCode(own, code, LanguageCode.en).then(found => found ?? undefined);
        const created = (code: string): Change => ({ action: 'create', key: code, after: { code } });
        return {
            locks: record => [`facet:${codeOf(record)}`],
            dryRun: async record =>
                (await find(codeOf(record), ctx))
                    ? { action: 'unchanged', key: codeOf(record) }
                    : created(codeOf(record)),
            async loadOne(own, record) {
                const code = codeOf(record);
                const request = own as RequestContext;
                if (await find(code, request)) return { action: 'unchanged', key: code };
                await facets.create(request, {
                    code,
                    isPrivate: false,
                    translations: [{ languageCode: LanguageCode.en, name: code }],
                });
                const { fault: issue } = record.data;
                if (issue === 'answer')
                    return { action: 'reject', key: code, error: recordInvalid('fault', 'it is bad') };
                // The service throws: no entity has the id 0.
                if (issue === 'throw') await facets.update(request, { id: 0 });
                return created(code);
            },
        };
    },
});

const of = (code: string, records: readonly JsonObject[], concurrency = 1) =>
    createPipelineBuilder<Omit<BuiltinCatalogue, 'loaders'> & { readonly loaders: readonly [typeof facetServe] }>()(
        code,
    )
        .throughput({ batchSize: 3, concurrency })
        .trigger('start', { type: 'MANUAL' })
        .extract('read', { adapterCode: 'inMemory', data: [...records] })
        .load('write', { adapterCode: 'facetServe' })
        .build();

/** Creates a facet, and starts on events of facets. */
const own = createPipelineBuilder<
    Omit<BuiltinCatalogue, 'loaders'> & { readonly loaders: readonly [typeof facetServe] }
>()('own-facets')
    .trigger('by-hand', { type: 'MANUAL' })
    .trigger('facets', { type: 'EVENT', event: 'FacetEvent' })
    .extract('read', { adapterCode: 'inMemory', data: [{ code: 'own-facet' }] })
    .load('write', { adapterCode: 'facetServe' })
    .build();
const told = pipeline('own-told')
    .trigger('facets', { type: 'EVENT', event: 'FacetEvent' })
    .extract('read', { adapterCode: 'inMemory', data: [] })
    .validate('check', { rules: [{ type: 'required', spec: { field: 'code' } }] })
    .build();

const RECORDS: readonly JsonObject[] = [
    { code: 'served-1' },
    { code: 'served-2', fault: 'answer' },
    { code: 'served-3', fault: 'throw' },
    { code: 'served-1' },
    { code: 'served-4' },
];
const SAME = Array.from({ length: 12 }, () => ({ code: 'served-once' }));

function served(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        heard.length = 0;
        shop = await open();
        shop.app
            .get(EventBus)
            .ofType(FacetEvent)
            .subscribe(({ entity: { code }, type }) => {
                if ((code as string | undefined)?.startsWith('served-')) heard.push(`${type} ${code}`);
            });
    });
    const runsOf = async (code: string): Promise<readonly FlowPipelineRun[]> => {
        const { id } = await shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
        return shop.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId: id } });
    };
    const stored = async (): Promise<readonly string[]> =>
        (await shop.dataSource.getRepository(Facet).find({ order: { id: 'ASC' } }))
            .map(({ code }) => code)
            .filter(code => code.startsWith('served-'));

    it('are published with the chain of their run, and do not start it again', async () => {
        const own = await shop.perform('own-facets');
        expect(own).toMatchObject({ status: 'COMPLETED', recordsLoaded: 1 });
        // The event itself writes rows for all pipelines, so a row of this one would have been written with that of the other.
        const told = await until(
            () => runsOf('own-told'),
            runs => runs.some(({ finishedAt }) => finishedAt !== null),
        );
        expect(told.map(({ causes }) => causes?.map(({ pipelineCode }) => pipelineCode))).toEqual([['own-facets']]);
        const waiting = await shop.dataSource.getRepository(FlowEventTriggerOutbox).find();
        const { pipelineId } = (await runsOf('own-facets'))[0]!;
        expect(waiting.filter(row => String(row.pipelineId) === String(pipelineId))).toEqual([]);
        expect(await runsOf('own-facets')).toHaveLength(1);
    });

    it('write nothing in a dry run', async () => {
        const run = await shop.perform('served', 'dryRunFlowPipeline');
        expect(run).toMatchObject({ status: 'COMPLETED', recordsLoaded: 5 });
        expect([await stored(), heard]).toEqual([[], []]);
    });

    it('commit record by record, and leave nothing of rejected ones, not even an event', async () => {
        const run = await shop.perform('served');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsUnchanged: 1 });
        expect(await stored()).toEqual(['served-1', 'served-4']);
        expect(heard).toEqual(['created served-1', 'created served-4']);
        const errors = (await shop.dataSource.getRepository(FlowRecordError).find()).filter(({ payload }) =>
            String(payload['code']).startsWith('served-'),
        );
        expect(errors.map(({ code, seq }) => [seq, code]).sort()).toEqual([
            [1, 'RECORD_INVALID'],
            [2, 'SERVICE_REFUSED'],
        ]);
        // In words, not as the keys of Vendure's translations.
        expect(errors.filter(({ message }) => message.includes('error.'))).toEqual([]);
    });

    it('compare the keys of a record with those of its neighbours', async () => {
        expect(await shop.perform('served-twice')).toMatchObject({ status: 'COMPLETED', recordsRejected: 0 });
        expect((await stored()).filter(code => code.startsWith('served-once'))).toEqual(['served-once']);
    });
}

/** Loads that write with Vendure's services. */
export const servedLoadsSuite: SharedSuite = {
    title: 'loads through services',
    adapters: [facetServe],
    pipelines: [of('served', RECORDS), of('served-twice', SAME, 4), own, told, marketplace],
    tests(open) {
        served(open);
        describe('live orders', () => liveOrders(open));
    },
};
