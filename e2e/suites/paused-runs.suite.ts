import { EventBus, Tag } from '@vendure/core';
import { withHolding } from '../../test/kit/pipeline';
import { createPipelineBuilder, type BuiltinCatalogue, FlowEntitiesChanged, FlowRunPaused } from '../../src';
import { FlowHeldBatch } from '../../src/plugin/entities/held-batch';
import { RunPreparation } from '../../src/plugin/runs/run-preparation';
import { RunQueue } from '../../src/plugin/runs/run-queue';
import { RunStores } from '../../src/plugin/runs/run-stores';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import { tagLoader } from '../config/tag-loader';

interface TagCatalogue extends Omit<BuiltinCatalogue, 'loaders'> {
    readonly loaders: readonly [typeof tagLoader, ...BuiltinCatalogue['loaders']];
}
const pipeline = createPipelineBuilder<TagCatalogue>();

const RECORDS = 25;
const records = Array.from({ length: RECORDS }, (_, i) => ({ value: `held-${String(i).padStart(2, '0')}` }));

/** The step that stands where a gate will. */
const held = pipeline('waits-plain')
    .throughput({ batchSize: 10 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: records })
    .transform('gate', [{ op: 'set', args: { path: 'passed', value: true } }])
    .load('out', { adapterCode: 'tags' })
    .build();

/** What it loads before it waits is in the shop. */
const told = pipeline('waits-told')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', {
        adapterCode: 'inMemory',
        data: [{ slug: 'held-lamp', name: 'Held lamp', sku: 'HELD-1', price: 100, value: 'held-lamp' }],
    })
    .load('products', { adapterCode: 'productUpsert' })
    .transform('gate', [{ op: 'set', args: { path: 'passed', value: true } }])
    .load('out', { adapterCode: 'tags' })
    .build();

function pausing(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });
    beforeEach(() => {
        const { prepare } = RunPreparation.prototype;
        jest.spyOn(RunPreparation.prototype, 'prepare').mockImplementation(async function (
            this: RunPreparation,
            ...args
        ) {
            const prepared = await prepare.apply(this, args);
            withHolding(prepared.compiled, ['gate']);
            return prepared;
        });
    });
    afterEach(async () => {
        jest.restoreAllMocks();
        await shop.dataSource.getRepository(Tag).createQueryBuilder().delete().execute();
    });

    const paused = async (code: string): Promise<RunAnswer> => {
        const { id } = await shop.start(code);
        return until(
            () => shop.run(id),
            ({ status }) => status !== 'PENDING' && status !== 'RUNNING',
        );
    };
    const rowOf = (id: string): string => id.replace('T_', '');
    /** As an approval will. */
    const letGoOn = async ({ id }: RunAnswer): Promise<RunAnswer> => {
        const runId = rowOf(id);
        expect(await shop.app.get(RunStores).pauses.release(runId, 'gate')).toBe(true);
        await shop.app.get(RunQueue).add(runId);
        return shop.ended(id);
    };

    it('waits without a worker, and goes on with all that was held when it is let', async () => {
        const heard: FlowRunPaused[] = [];
        const listening = shop.app
            .get(EventBus)
            .ofType(FlowRunPaused)
            .subscribe(event => heard.push(event));
        const run = await paused('waits-plain');
        expect(run).toMatchObject({ status: 'PAUSED', outcome: null, recordsRead: RECORDS, recordsLoaded: 0 });
        expect(await shop.dataSource.getRepository(Tag).count()).toBe(0);
        await until(
            async () => heard.map(({ gate }) => gate.stepKey),
            steps => steps.length > 0,
        );
        listening.unsubscribe();
        const ended = await letGoOn(run);
        expect(ended).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            recordsLoaded: RECORDS,
            recordsRead: RECORDS,
        });
        expect(await shop.dataSource.getRepository(Tag).count()).toBe(RECORDS);
        expect(await shop.dataSource.getRepository(FlowHeldBatch).countBy({ runId: rowOf(run.id) })).toBe(0);
    });

    it('makes known what it has changed before it waits', async () => {
        const heard: FlowEntitiesChanged[] = [];
        const listening = shop.app
            .get(EventBus)
            .ofType(FlowEntitiesChanged)
            .subscribe(event => heard.push(event));
        const run = await paused('waits-told');
        expect(run).toMatchObject({ status: 'PAUSED', recordsLoaded: 1 });
        await until(
            async () => heard.map(({ entity, operation }) => `${operation} ${entity}`),
            events => events.includes('CREATE Product') && events.includes('CREATE ProductVariant'),
        );
        const times = heard.length;
        expect(await letGoOn(run)).toMatchObject({ status: 'COMPLETED', recordsLoaded: 2 });
        listening.unsubscribe();
        expect(heard.slice(times).filter(({ entity }) => entity !== 'Collection')).toEqual([]);
    });

    it('lets a later run go first', async () => {
        const first = await paused('waits-plain');
        const second = await paused('waits-plain');
        expect([first.status, second.status]).toEqual(['PAUSED', 'PAUSED']);
        expect(await letGoOn(second)).toMatchObject({ status: 'COMPLETED' });
        expect(await letGoOn(first)).toMatchObject({ status: 'COMPLETED', recordsUnchanged: RECORDS });
    });
}

export const pausedRunsSuite: SharedSuite = {
    title: 'runs that are paused',
    pipelines: [held, told],
    adapters: [tagLoader],
    tests: pausing,
};
