import { EventBus, type ID, Tag } from '@vendure/core';
import gql from 'graphql-tag';
import {
    createPipelineBuilder,
    FlowRunCancelled,
    FlowRunCompleted,
    FlowRunFailed,
    FlowRunStarted,
    type BuiltinCatalogue,
} from '../../src';
import { FlowDifference } from '../../src/plugin/entities/difference';
import { FlowLog } from '../../src/plugin/entities/log';
import { FlowPendingEffect } from '../../src/plugin/entities/pending-effect';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, until } from '../config/flow-server';
import { slowNumbers, tagLoader } from '../config/tag-loader';
import { as, errorOf } from '../fixtures/authoring-api';

interface TagCatalogue extends Omit<BuiltinCatalogue, 'extractors' | 'loaders'> {
    readonly extractors: readonly [...BuiltinCatalogue['extractors'], typeof slowNumbers];
    readonly loaders: readonly [...BuiltinCatalogue['loaders'], typeof tagLoader];
}
const pipeline = createPipelineBuilder<TagCatalogue>();

/** The tables that a dry run writes. */
const TOLD = [FlowLog, FlowRecordError, FlowDifference] as const;

const records = Array.from({ length: 25 }, (_, i) => ({ value: i === 7 ? '' : ` Tag ${i} ` }));

const tags = pipeline('tags')
    .capabilities({ requires: ['UpdateCatalog'] })
    .throughput({ batchSize: 10 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: records })
    .transform('clean', [{ op: 'trim', args: { path: 'value' } }])
    .load('out', { adapterCode: 'tags' })
    .build();

const manySlices = pipeline('many-slices')
    .throughput({ batchSize: 5 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'slowNumbers', count: 60, pageSize: 5, pageMs: 100 })
    .load('out', { adapterCode: 'tags' })
    .build();

const broken = pipeline('broken')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'csv', csvText: 'a,b\n"1,2\n' })
    .load('out', { adapterCode: 'tags' })
    .build();

const additions = {
    pipelines: [tags, manySlices, broken],
    adapters: [tagLoader, slowNumbers],
} satisfies Partial<SharedSuite>;

function runs(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });
    afterEach(() => shop.dataSource.getRepository(Tag).createQueryBuilder().delete().execute());

    const stored = async (): Promise<string[]> =>
        (await shop.dataSource.getRepository(Tag).find()).map(({ value }) => value).sort();

    it('completes and counts every record', async () => {
        const run = await shop.perform('tags');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            attempt: 1,
            error: null,
            recordsRead: 25,
            recordsProcessed: 25,
            recordsLoaded: 24,
            recordsRejected: 1,
        });
        expect(run.counters.find(({ stepKey }) => stepKey === 'out')).toMatchObject({
            in: 25,
            out: 24,
            created: 24,
            rejected: 1,
        });
        for (const step of run.counters)
            expect(step.in + step.expanded).toBe(step.out + step.filtered + step.rejected + step.held);
        expect(await stored()).toHaveLength(24);
    });

    it('changes nothing when it is repeated', async () => {
        await shop.perform('tags');
        const again = await shop.perform('tags');
        expect(again).toMatchObject({ status: 'COMPLETED', recordsLoaded: 0, recordsUnchanged: 24 });
    });

    it('writes nothing in a dry run, whose counts equal those of the real run', async () => {
        const dry = await shop.perform('tags', 'dryRunFlowPipeline');
        expect(await stored()).toEqual([]);
        const real = await shop.perform('tags');
        expect(dry).toMatchObject({ status: 'COMPLETED', dryRun: true, outcome: 'PARTIAL' });
        expect(dry.counters).toEqual(real.counters);
        expect(dry.report?.steps).toEqual([{ stepKey: 'out', created: 24, updated: 0, unchanged: 0, rejected: 1 }]);
        expect(dry.report?.differencesTotal).toBe(24);
        const page = async (
            options: object,
        ): Promise<{ totalItems: number; items: ReadonlyArray<{ seq: number }> }> => {
            const { flowDryRunDifferences } = await shop.adminClient.query(
                gql`query Page($id: ID!, $options: FlowDryRunDifferenceListOptions) {
                    flowDryRunDifferences(runId: $id, options: $options) {
                        totalItems items { stepKey sourceKey seq action key before after }
                    }
                }`,
                { id: dry.id, options },
            );
            return flowDryRunDifferences as Awaited<ReturnType<typeof page>>;
        };
        const [first, last] = [await page({ take: 20 }), await page({ skip: 20, take: 20 })];
        expect([first.totalItems, first.items.length, last.items.length]).toEqual([24, 20, 4]);
        expect(new Set([...first.items, ...last.items].map(({ seq }) => seq)).size).toBe(24);
        expect(first.items[0]).toMatchObject({ stepKey: 'out', action: 'CREATE', before: null });
        expect((await page({ filter: { seq: { eq: last.items[0]!.seq } } })).items).toEqual([last.items[0]]);
        expect(dry.report?.differences[0]).toEqual({
            action: 'CREATE',
            key: 'Tag 0',
            before: null,
            after: { value: 'Tag 0' },
        });
        expect(real.report).toBeNull();
    });

    it('releases its slot after a slice and continues, as one attempt', async () => {
        const run = await shop.perform('many-slices');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            attempt: 1,
            recordsRead: 60,
            recordsLoaded: 60,
        });
    });

    it('lets the runs of a pipeline wait for each other, first come, first served', async () => {
        const ids = [];
        for (let i = 0; i < 3; i++) ids.push((await shop.start('tags')).id);
        const ended = await Promise.all(ids.map(id => shop.ended(id)));
        expect(ended.map(run => [run.status, run.recordsLoaded])).toEqual([
            ['COMPLETED', 24],
            ['COMPLETED', 0],
            ['COMPLETED', 0],
        ]);
    });

    it('fails with a code and a reason when the source is malformed', async () => {
        const run = await shop.perform('broken');
        expect(run).toMatchObject({
            status: 'FAILED',
            outcome: null,
            error: { code: 'SOURCE_MALFORMED', stepKey: 'in' },
        });
    });

    it('dry-runs a working copy that was never published, as it was when the dry run was started, and runs none of it', async () => {
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                {
                    key: 'in',
                    kind: 'EXTRACT',
                    config: { adapterCode: 'slowNumbers', count: 3, pageSize: 1, pageMs: 1 },
                },
                { key: 'out', kind: 'LOAD', config: { adapterCode: 'tags', sleepMs: 0 } },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'out' },
            ],
            hooks: { RUN_COMPLETED: [{ type: 'LOG', message: 'The trial is over' }] },
        };
        const before = await stored();
        const pipelines = as(shop.adminClient);
        const { id } = await pipelines.create({ code: 'unpublished', definition });
        const dry = (how: string) =>
            shop.adminClient.query(gql`mutation Dry($id: ID!) { ${how} { id revisionId revision { id } } }`, { id });
        const { run } = await dry('run: dryRunFlowPipeline(pipelineId: $id, workingCopy: true)');
        expect(run).toMatchObject({ revisionId: null, revision: null });
        expect(await shop.ended(run.id as string)).toMatchObject({
            status: 'COMPLETED',
            dryRun: true,
            recordsRead: 3,
            report: { differencesTotal: 3 },
        });
        expect(await stored()).toEqual(before);
        const log = gql`query Log($id: ID!) { flowLogs(runId: $id, options: { take: 100 }) { items { message } } }`;
        await until(
            () => shop.adminClient.query(log, { id: run.id }),
            ({ flowLogs }) => JSON.stringify(flowLogs).includes('The trial is over'),
        );
        for (const how of ['dryRunFlowPipeline(pipelineId: $id)', 'startFlowPipelineRun(pipelineId: $id)'])
            expect(await errorOf(dry(how))).toMatchObject({ code: 'PIPELINE_NOT_RUNNABLE' });
        const current = (await pipelines.read({ id }))!;
        await pipelines.update(current, { definition: { ...definition, edges: [] } });
        expect(await errorOf(dry('dryRunFlowPipeline(pipelineId: $id, workingCopy: true)'))).toMatchObject({
            code: 'DEFINITION_INVALID',
        });
    });

    it('is deleted with a pipeline that was only dry-run, once its runs have ended, and leaves the lists intact', async () => {
        const step = (key: string, kind: string, config: object) => ({ key, kind, config });
        const reading = (config: object) => ({
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', config),
                step('out', 'LOAD', { adapterCode: 'tags' }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'out' },
            ],
        });
        const pipelines = as(shop.adminClient);
        const definition = reading({ adapterCode: 'inMemory', data: [{ value: 'Trial' }, { value: '' }] });
        const { id } = await pipelines.create({ code: 'only-tried', definition });
        const dry = async (): Promise<string> => {
            const mutation = gql`mutation Dry($id: ID!) { run: dryRunFlowPipeline(pipelineId: $id, workingCopy: true) { id } }`;
            return (await shop.adminClient.query(mutation, { id })).run.id as string;
        };
        const first = await dry();
        expect(await shop.ended(first)).toMatchObject({ status: 'COMPLETED', recordsRejected: 1 });
        const runId = first.replace('T_', '');
        const repository = (entity: new () => { runId: ID }) => shop.dataSource.getRepository(entity);
        const left = () => Promise.all(TOLD.map(entity => repository(entity).countBy({ runId })));
        expect(Math.min(...(await left()))).toBeGreaterThan(0);
        await until(
            () => repository(FlowPendingEffect).countBy({ runId }),
            count => count === 0,
        );
        await shop.dataSource.getRepository(FlowPendingEffect).save({ runId, stepKey: '', kind: 'TEST', payload: {} });

        const endless = reading({ adapterCode: 'slowNumbers', count: 1_000, pageSize: 1, pageMs: 100 });
        await pipelines.update((await pipelines.read({ id }))!, { definition: endless });
        const second = await dry();
        const current = (await pipelines.read({ id }))!;
        expect(await errorOf(pipelines.delete(current))).toMatchObject({ code: 'PIPELINE_STATE_CONFLICT' });
        await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, {
            id: second,
        });
        expect(await shop.ended(second)).toMatchObject({ status: 'CANCELLED' });

        expect(await pipelines.delete(current)).toBe('DELETED');
        expect(await left()).toEqual(TOLD.map(() => 0));
        expect(await repository(FlowPendingEffect).countBy({ runId })).toBe(0);
        const { flowPipelineRuns } = await shop.adminClient.query(
            gql`query { flowPipelineRuns(options: { take: 1000 }) { items { id pipeline { code } } } }`,
        );
        expect(
            (flowPipelineRuns.items as Array<{ id: string }>).filter(run => [first, second].includes(run.id)),
        ).toEqual([]);
    });

    it("writes rejects of a working copy with the columns and the delimiter of its file's step", async () => {
        const step = (key: string, kind: string, config: object) => ({ key, kind, config });
        const definition = {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', { adapterCode: 'csv', csvText: 'sku;price\nA-1;\nA-2;9', delimiter: ';' }),
                step('check', 'VALIDATE', { rules: [{ type: 'required', spec: { field: 'price' } }] }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'check' },
            ],
        };
        const pipelines = as(shop.adminClient);
        const { id } = await pipelines.create({ code: 'trial-rejects', definition });
        const dry = gql`mutation Dry($id: ID!) { run: dryRunFlowPipeline(pipelineId: $id, workingCopy: true) { id } }`;
        const { run } = await shop.adminClient.query(dry, { id });
        expect(await shop.ended(run.id as string)).toMatchObject({ status: 'COMPLETED', recordsRejected: 1 });
        const csv = await fetch(`${shop.url}/flow/runs/${run.id}/rejects.csv`, {
            headers: { authorization: `Bearer ${shop.adminClient.getAuthToken()}`, 'vendure-token': shop.channelToken },
        });
        expect((await csv.text()).replace(/^\uFEFF/, '').split(/\r?\n/)[0]).toBe('Flow: reason;Flow: place;sku;price');
    });

    it('lists a failed optional operation of a record as a warning, without rejecting the record', async () => {
        const step = (key: string, kind: string, config: object) => ({ key, kind, config });
        const pdf = { op: 'pdfGenerate', args: { templateField: 'letter', targetField: 'pdf' } };
        const definition = {
            version: 1,
            steps: [
                step('start', 'TRIGGER', { type: 'MANUAL' }),
                step('in', 'EXTRACT', { adapterCode: 'inMemory', data: [{ letter: 'Dear' }, { letter: '${' }] }),
                step('letters', 'TRANSFORM', { operators: [pdf] }),
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'letters' },
            ],
        };
        const pipelines = as(shop.adminClient);
        await pipelines.publish(await pipelines.create({ code: 'letters', definition }));
        const run = await shop.perform('letters');
        expect(run).toMatchObject({ outcome: 'SUCCESS', recordsRead: 2, recordsRejected: 0 });
        const list = gql`query List($id: ID!, $severity: String!) {
            flowRecordErrors(runId: $id, options: { filter: { severity: { eq: $severity } } }) {
                totalItems items { seq stepKey severity code path }
            }
        }`;
        const errorsOf = async (severity: string) =>
            (await shop.adminClient.query(list, { id: run.id, severity })).flowRecordErrors as unknown;
        expect(await errorsOf('ERROR')).toEqual({ totalItems: 0, items: [] });
        expect(await errorsOf('WARNING')).toEqual({
            totalItems: 1,
            items: [{ seq: 1, stepKey: 'letters', severity: 'WARNING', code: 'RECORD_INVALID', path: 'letter' }],
        });
    });

    it('notifies the rest of the shop with typed events, except about dry runs', async () => {
        const seen: string[] = [];
        const bus = shop.app.get(EventBus);
        const subscriptions = [FlowRunStarted, FlowRunCompleted, FlowRunFailed, FlowRunCancelled].map(type =>
            bus
                .ofType(type as typeof FlowRunCompleted)
                .subscribe(event => seen.push(`${event.constructor.name} ${event.run.pipelineCode}`)),
        );
        try {
            await shop.perform('tags', 'dryRunFlowPipeline');
            await shop.perform('broken', 'dryRunFlowPipeline');
            expect(seen).toEqual([]);
            await shop.perform('tags');
            await shop.perform('broken');
            expect(seen).toEqual([
                'FlowRunStarted tags',
                'FlowRunCompleted tags',
                'FlowRunStarted broken',
                'FlowRunFailed broken',
            ]);
        } finally {
            for (const subscription of subscriptions) subscription.unsubscribe();
        }
    });
}

export const runsSuite: SharedSuite = { title: 'runs', ...additions, tests: runs };
