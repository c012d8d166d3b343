import {
    EventBus,
    LanguageCode,
    Product,
    ProductEvent,
    ProductService,
    type RequestContext,
    RequestContextService,
    TransactionalConnection,
    User,
    VendureEvent,
} from '@vendure/core';
import gql from 'graphql-tag';
import { type JsonObject, pipeline } from '../../src';
import type { Database } from '../../src/database/database';
import { FlowEventTriggerOutbox } from '../../src/plugin/entities/event-trigger-outbox';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { COLLECTIONS_STALE } from '../../src/plugin/stores/effects';
import { EventOutbox, type NewEvent } from '../../src/plugin/event-triggers/event-outbox';
import { EVENT_TRIES } from '../../src/plugin/event-triggers/event-starter';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import { FLOW_DATABASE } from '../../src/plugin/tokens';
import { ActiveTriggers } from '../../src/plugin/triggers/active-triggers';
import { DEFAULT_CHANNEL } from '../config/administrators';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

/** An event that no platform knows. */
class SupplierRang extends VendureEvent {
    constructor(
        readonly supplier: string,
        readonly ctx?: RequestContext,
    ) {
        super();
    }
}

/** Rejects the records of its trigger, so that the test can read them. */
const hearing = (code: string, event: string) =>
    pipeline(code)
        .trigger('start', { type: 'EVENT', event })
        .extract('in', { adapterCode: 'inMemory', data: [] })
        .validate('check', { rules: [{ type: 'required', spec: { field: 'missing' } }] });

const facetOf = (code: string, event: string) =>
    pipeline(code)
        .trigger('start', { type: 'EVENT', event })
        .extract('in', { adapterCode: 'inMemory', data: [] })
        .transform('name', [
            { op: 'set', args: { path: 'code', value: 'told-by-event' } },
            { op: 'template', args: { template: 'Told by ${id}', target: 'name' } },
        ])
        .load('facet', { adapterCode: 'facetUpsert' })
        .build();

const product = [
    { op: 'set', args: { path: 'slug', value: 'told-by-facet' } },
    { op: 'template', args: { template: 'Told at ${occurredAt}', target: 'name' } },
] as const;
const productOf = (code: string, event: string) =>
    pipeline(code)
        .trigger('start', { type: 'EVENT', event })
        .extract('in', { adapterCode: 'inMemory', data: [] })
        .transform('name', [...product])
        .load('product', { adapterCode: 'productUpsert' })
        .build();

/** Creates a group, and receives its event. */
const groupOf = (code: string, includeOwnChanges: boolean) =>
    pipeline(code)
        .trigger('by-hand', { type: 'MANUAL' })
        .trigger('start', { type: 'EVENT', event: 'CustomerGroupEvent', includeOwnChanges })
        .extract('in', { adapterCode: 'inMemory', data: [{ __operation: 'CREATE' }] })
        .transform('name', [{ op: 'set', args: { path: 'name', value: code } }])
        .load('group', { adapterCode: 'customerGroupUpsert' })
        .build();

const loading = (code: string, many: number, sideEffects: 'BATCHED' | 'EACH' | 'NONE') =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', {
            adapterCode: 'inMemory',
            data: Array.from({ length: many }, (_, n) => ({ slug: `${code}-${n}`, name: `${code} ${n}` })),
        })
        .load('products', { adapterCode: 'productUpsert', sideEffects })
        .build();

function eventTriggers(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let ctx: RequestContext;
    let connection: TransactionalConnection;

    beforeAll(async () => {
        shop = await open();
        connection = shop.app.get(TransactionalConnection);
        ctx = await contextIn(shop.channelToken);
    });

    const contextIn = async (token: string): Promise<RequestContext> => {
        const user = await connection.rawConnection
            .getRepository(User)
            .findOneOrFail({ where: { identifier: 'superadmin' }, relations: { roles: { channels: true } } });
        return shop.app.get(RequestContextService).create({ apiType: 'admin', channelOrToken: token, user });
    };
    const outbox = () => shop.dataSource.getRepository(FlowEventTriggerOutbox);
    const pipelineOf = (code: string): Promise<FlowPipeline> =>
        shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
    const runsOf = async (code: string): Promise<FlowPipelineRun[]> => {
        const { id } = await pipelineOf(code);
        return shop.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId: id }, order: { id: 'ASC' } });
    };
    /** The runs of a pipeline, as soon as there is this number of runs and all have ended. */
    const ended = (code: string, many: number): Promise<FlowPipelineRun[]> =>
        until(
            () => runsOf(code),
            runs => runs.length >= many && runs.every(({ finishedAt }) => finishedAt !== null),
        );
    /**
     * Waits until everything in the channel is done: events, runs, and their changes; queried in one statement, since that reads one
     * moment. Tests here do not use collections, which are updated at most every five seconds.
     */
    const settled = async (): Promise<void> => {
        const here = `channel_id = '${String(ctx.channelId)}'`;
        await until(
            async () => {
                const [found] = await shop.dataSource.query<Array<{ n: unknown }>>(
                    `SELECT (SELECT count(*) FROM flow_event_trigger_outbox WHERE ${here})
                        + (SELECT count(*) FROM flow_pipeline_run WHERE ${here} AND finished_at IS NULL)
                        + (SELECT count(*) FROM flow_pending_effect WHERE kind <> '${COLLECTIONS_STALE}' AND run_id IN (SELECT id FROM flow_pipeline_run WHERE ${here})) AS n`,
                );
                return Number(found?.n);
            },
            count => count === 0,
        );
    };
    beforeEach(() => settled());
    const told = async (run: FlowPipelineRun): Promise<unknown[]> => {
        const rejects = await shop.dataSource
            .getRepository(FlowRecordError)
            .find({ where: { runId: run.id, stepKey: 'check' }, order: { seq: 'ASC' } });
        return rejects.map(({ payload }) => payload);
    };
    let products = 0;
    const makeProduct = (within: RequestContext): Promise<Product> => {
        const name = `Event ${++products}`;
        return shop.app.get(ProductService).create(within, {
            translations: [{ languageCode: LanguageCode.en, name, slug: name.toLowerCase(), description: '' }],
        });
    };
    const writeDown = (events: readonly NewEvent[]): Promise<void> =>
        shop.app.get<Database>(FLOW_DATABASE).run(() => shop.app.get(EventOutbox).insert(events));

    it('start a run with the event as its record, for the user who published the pipeline', async () => {
        const { id } = await connection.withTransaction(ctx, makeProduct);
        const [run] = await ended('events-heard', 1);
        expect(run).toMatchObject({ status: 'COMPLETED', triggerType: 'EVENT', triggerKey: 'start', causes: null });
        expect(run!.startedByUserId).toBeNull();
        const record = (await told(run!))[0] as JsonObject;
        expect(record).toMatchObject({
            event: 'ProductEvent',
            id,
            productId: id,
            channelId: ctx.channelId,
            __operation: 'CREATE',
        });
        const occurredAt = String(record['occurredAt']);
        expect(new Date(occurredAt).toISOString()).toBe(occurredAt);
    });

    it('leave nothing if the transaction in which they happened is rolled back', async () => {
        const before = (await runsOf('events-heard')).length;
        const failure = new Error('Somebody has no money');
        const failing = connection.withTransaction(ctx, async within => {
            await makeProduct(within);
            const { manager } = connection.getRepository(within, FlowEventTriggerOutbox);
            expect(await manager.count(FlowEventTriggerOutbox, { where: { channelId: ctx.channelId } })).toBe(2);
            throw failure;
        });
        await expect(failing).rejects.toBe(failure);
        expect(await outbox().countBy({ channelId: ctx.channelId })).toBe(0);
        await settled();
        expect(await runsOf('events-heard')).toHaveLength(before);
    });

    it('start runs in their own channel alone, and in the default channel if they have none', async () => {
        const bus = shop.app.get(EventBus);
        const here = (await runsOf('events-heard')).length;
        const there = (await runsOf('events-elsewhere')).length;
        await makeProduct(await contextIn(DEFAULT_CHANNEL));
        await bus.publish(new SupplierRang('ACME', ctx));
        await bus.publish(new SupplierRang('Nobody knows where'));
        const [called] = await ended('events-supplier', 1);
        const [nowhere] = await ended('events-elsewhere', there + 1);
        expect(await told(called!)).toMatchObject([
            { event: 'SupplierRang', supplier: 'ACME', channelId: ctx.channelId },
        ]);
        expect(await told(nowhere!)).toMatchObject([{ event: 'SupplierRang', supplier: 'Nobody knows where' }]);
        expect(await runsOf('events-heard')).toHaveLength(here);
    });

    it('of a batch that a load has written are one run with a record for each entity', async () => {
        const before = (await runsOf('events-heard')).length;
        const { id } = await shop.perform('events-batch');
        await settled();
        const own = [{ pipelineCode: 'events-batch', runId: rowId(id) }];
        // The other events concern the product that another pipeline creates from it.
        const [run, ...more] = (await runsOf('events-heard')).slice(before);
        expect(run!.causes).toEqual(own);
        expect(more.map(({ causes }) => causes?.length)).toEqual([3]);
        const records = (await told(run!)) as JsonObject[];
        expect(records.map(record => [record['event'], record['__operation']])).toEqual(
            [1, 2, 3].map(() => ['ProductEvent', 'CREATE']),
        );
        expect(new Set(records.map(record => record['id'])).size).toBe(3);
    });

    it('of a load start a run each if its side effects are EACH, and none with `NONE`', async () => {
        const before = (await runsOf('events-heard')).length;
        const { id } = await shop.perform('events-each');
        await shop.perform('events-none');
        await settled();
        const runs = (await runsOf('events-heard')).slice(before).filter(({ causes }) => causes?.length === 1);
        const cause = { pipelineCode: 'events-each', runId: rowId(id) };
        expect(runs.map(({ causes }) => causes)).toEqual([[cause], [cause]]);
        for (const run of runs)
            expect(await told(run)).toMatchObject([{ event: 'ProductEvent', __operation: 'CREATE' }]);
    });

    const rowId = (id: string): number | string => {
        const own = id.replace(/^T_/, '');
        return /^\d+$/.test(own) ? Number(own) : own;
    };

    it('end if two pipelines start each other', async () => {
        const before = (await runsOf('events-facet')).length;
        await connection.withTransaction(ctx, makeProduct);
        await settled();
        const facets = await runsOf('events-facet');
        const back = await runsOf('events-product');
        expect(facets).toHaveLength(before + 1);
        expect(back.at(-1)).toMatchObject({ status: 'COMPLETED', recordsLoaded: 1 });
        expect(back.at(-1)!.causes).toEqual([{ pipelineCode: 'events-facet', runId: facets.at(-1)!.id }]);
        // The event of the created product has both pipelines as its causes.
        const heard = (await runsOf('events-heard')).at(-1)!;
        expect(heard.causes?.map(({ pipelineCode }) => pipelineCode)).toEqual(['events-facet', 'events-product']);
    });

    it('of changes by the pipeline itself start it if it is configured so', async () => {
        const { id } = await shop.perform('events-group');
        await settled();
        expect(await runsOf('events-group')).toHaveLength(1);
        // The second run finds the group in its final state, and changes nothing.
        const [first, second, ...more] = await runsOf('events-own-group');
        const group = { pipelineCode: 'events-group', runId: rowId(id) };
        expect(first).toMatchObject({ causes: [group], recordsLoaded: 1 });
        expect(second!.causes).toEqual([group, { pipelineCode: 'events-own-group', runId: first!.id }]);
        expect(second).toMatchObject({ recordsUnchanged: 1 });
        expect(more).toEqual([]);
    });

    describe('that were stored', () => {
        let newer: FlowPipelineRevision;
        let older: FlowPipelineRevision;
        let row: NewEvent;

        beforeAll(async () => {
            const author = as(shop.adminClient);
            const definition = (field: string) => ({
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'EVENT', event: 'FacetValueEvent' } },
                    { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [] } },
                    { key: 'check', kind: 'VALIDATE', config: { rules: [{ type: 'required', spec: { field } }] } },
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'check' },
                ],
            });
            const created = await author.create({ code: 'events-republished', definition: definition('first') });
            const published = await author.publish(created);
            await author.publish(await author.update(published, { definition: definition('second') }));
            const { id } = await pipelineOf('events-republished');
            [older, newer] = (await shop.dataSource
                .getRepository(FlowPipelineRevision)
                .find({ where: { pipelineId: id }, order: { number: 'ASC' } })) as [
                FlowPipelineRevision,
                FlowPipelineRevision,
            ];
            row = {
                pipelineId: id,
                revisionId: older.id,
                triggerKey: 'start',
                channelId: ctx.channelId,
                event: 'FacetValueEvent',
                seed: [{ event: 'FacetValueEvent', id: 1 }],
                causes: null,
            };
        });

        it('start a run of the revision that was live then, for its publisher', async () => {
            expect(newer.number).toBe(2);
            await writeDown([row]);
            const [run] = await ended('events-republished', 1);
            expect(run).toMatchObject({ status: 'COMPLETED', revisionId: older.id });
            expect(run!.startedByUserId).toBe(older.publishedBy);
            expect(run!.startedByUserId).not.toBeNull();
        });

        it('start no run if the pipeline has another revision, or is disabled by now', async () => {
            const before = await shop.dataSource.getRepository(FlowPipelineRun).count();
            const other = await pipelineOf('events-heard');
            await as(shop.adminClient).disable({ id: await shop.pipelineId('events-republished') });
            await writeDown([row, { ...row, pipelineId: other.id }]);
            await settled();
            expect(await shop.dataSource.getRepository(FlowPipelineRun).count()).toBe(before);
            await as(shop.adminClient).enable({ id: await shop.pipelineId('events-republished') });
        });

        it('start no second run if a worker has died between the run and their end', async () => {
            const before = (await runsOf('events-republished')).length;
            const occurrenceKey = 'event:of-one-that-has-died';
            const { runId } = await shop.app.get(RunStarter).startOnce({
                pipelineId: row.pipelineId,
                channelId: row.channelId,
                revisionId: row.revisionId,
                triggerType: 'EVENT',
                occurrenceKey,
                actor: null,
                dryRun: false,
                seed: row.seed,
            });
            const died = { ...row, occurrenceKey, attempts: 1, leaseToken: 'dead' };
            await outbox().insert([
                { ...died, dueAt: 0 },
                { ...died, occurrenceKey: 'event:of-one-at-work', dueAt: 9_999_999_999_999 },
            ] as never);
            await until(
                () => outbox().countBy({ channelId: ctx.channelId }),
                count => count === 1,
            );
            // Only the one with the expired lease was taken.
            const [left] = await outbox().find({ where: { channelId: ctx.channelId } });
            expect(left).toMatchObject({ occurrenceKey: 'event:of-one-at-work', attempts: 1, leaseToken: 'dead' });
            await outbox().delete({ id: left!.id });
            await settled();
            const runs = (await runsOf('events-republished')).slice(before);
            expect(runs).toMatchObject([{ id: runId, occurrenceKey, status: 'COMPLETED' }]);
        });

        const givenUp = async (pipelineId?: string): Promise<unknown> => {
            const query = gql`
                query GivenUp($pipelineId: ID) {
                    flowGivenUpEvents(pipelineId: $pipelineId) {
                        items { id event triggerKey lastError attempts pipelineId pipeline { code } }
                        totalItems
                    }
                }
            `;
            return (await shop.adminClient.query(query, { pipelineId })).flowGivenUpEvents;
        };

        it('stay if they have failed, delay no others, and are finally given up, which users can see', async () => {
            const causes = Array.from({ length: 51 }, (_, i) => ({ pipelineCode: `c${i}`, runId: i }));
            const runs = (await runsOf('events-republished')).length;
            await writeDown([{ ...row, causes }, row]);
            await ended('events-republished', runs + 1);
            const stuck = await until(
                () => outbox().findOneByOrFail({ channelId: ctx.channelId }),
                ({ lastError }) => lastError !== null,
            );
            expect(stuck.lastError).toContain('51 runs');
            expect(stuck.dueAt).not.toBeNull();
            // Events that are retried need no attention.
            expect(await givenUp()).toMatchObject({ totalItems: 0 });
            await outbox().update({ id: stuck.id }, { attempts: EVENT_TRIES - 1, dueAt: 0 });
            const given = await until(
                () => outbox().findOneByOrFail({ id: stuck.id }),
                ({ dueAt }) => dueAt === null,
            );
            expect(given).toMatchObject({ attempts: EVENT_TRIES, leaseToken: null });
            const pipelineId = await shop.pipelineId('events-republished');
            const { event, triggerKey, lastError } = given;
            const shown = { event, triggerKey, lastError, attempts: EVENT_TRIES, pipelineId };
            const items = [{ ...shown, id: `T_${String(given.id)}`, pipeline: { code: 'events-republished' } }];
            expect(await givenUp(pipelineId)).toEqual({ items, totalItems: 1 });
            expect(await givenUp(await shop.pipelineId('events-heard'))).toEqual({ items: [], totalItems: 0 });
            expect(await shop.app.get(EventOutbox).removeGivenUp(1)).toBe(0);
            await outbox().update({ id: stuck.id }, { updatedAt: new Date(Date.now() - 3 * 86_400_000) });
            const { id: _, ...copy } = await outbox().findOneByOrFail({ id: stuck.id });
            const others = [1, 2].map(i => ({ ...copy, seed: row.seed, occurrenceKey: `event:of-others-${i}` }));
            await outbox().save(others.map(other => outbox().create(other)));
            await outbox().update({ channelId: ctx.channelId }, { updatedAt: new Date(Date.now() - 3 * 86_400_000) });
            expect(await shop.app.get(EventOutbox).removeGivenUp(1, 2)).toBe(3);
            expect(await outbox().countBy({ channelId: ctx.channelId })).toBe(0);
        });
    });

    it('cost no statement if none of 200 pipelines waits for them', async () => {
        const heard = await pipelineOf('events-heard');
        const { definition } = await shop.dataSource
            .getRepository(FlowPipelineRevision)
            .findOneByOrFail({ pipelineId: heard.id });
        const many = Array.from(
            { length: 200 },
            (_, i) =>
                new FlowPipeline({
                    code: `events-many-${i}`,
                    name: 'Many',
                    channelId: heard.channelId,
                    codeFirst: true,
                }),
        );
        await shop.dataSource.getRepository(FlowPipeline).save(many, { chunk: 100 });
        const revisions = many.map(
            ({ id, code }) =>
                new FlowPipelineRevision({ pipelineId: id, number: 1, definition: definition as never, digest: code }),
        );
        await shop.dataSource.getRepository(FlowPipelineRevision).save(revisions, { chunk: 100 });
        for (const [i, { id }] of many.entries())
            await shop.dataSource.getRepository(FlowPipeline).update({ id }, { selectedRevisionId: revisions[i]!.id });
        const triggers = shop.app.get(ActiveTriggers);
        await triggers.refresh();
        expect(triggers.of('EVENT').length).toBeGreaterThan(200);
        const nobody = new ProductEvent(await contextIn(DEFAULT_CHANNEL), new Product({ id: 1 }), 'updated');
        const { logger } = shop.dataSource;
        const queries = jest.fn();
        shop.dataSource.logger = Object.assign(Object.create(logger) as typeof logger, { logQuery: queries });
        try {
            // In one call, so that no statements of other work are counted.
            const publishing = shop.app.get(EventBus).publish(nobody);
            expect(queries).not.toHaveBeenCalled();
            await publishing;
        } finally {
            shop.dataSource.logger = logger;
        }
        for (const { id } of many) await shop.dataSource.getRepository(FlowPipeline).update({ id }, { enabled: false });
        await triggers.refresh();
        expect(await outbox().countBy({ channelId: nobody.ctx.channelId })).toBe(0);
    });
}

export const eventTriggersSuite: SharedSuite = {
    title: 'events',
    pipelines: [
        hearing('events-heard', 'ProductEvent').build(),
        hearing('events-supplier', 'SupplierRang').build(),
        hearing('events-elsewhere', 'SupplierRang').channel(DEFAULT_CHANNEL).build(),
        facetOf('events-facet', 'ProductEvent'),
        productOf('events-product', 'FacetEvent'),
        groupOf('events-group', false),
        groupOf('events-own-group', true),
        loading('events-batch', 3, 'BATCHED'),
        loading('events-each', 2, 'EACH'),
        loading('events-none', 2, 'NONE'),
    ],
    events: [{ event: SupplierRang, seed: ({ supplier }: SupplierRang) => ({ supplier }) }],
    tests: eventTriggers,
};
