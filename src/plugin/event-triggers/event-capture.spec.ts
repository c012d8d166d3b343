import {
    Channel,
    EventBus,
    Facet,
    FacetEvent,
    Logger,
    Product,
    ProductChannelEvent,
    ProductEvent,
    RequestContext,
    type TransactionalConnection,
    type TransactionSubscriber,
    VendureEvent,
    type VendureLogger,
} from '@vendure/core';
import { type EntityManager, QueryFailedError } from 'typeorm';
import { textNaming } from '../../../test/kit/naming';
import type { Database } from '../../database/database';
import { FlowEntitiesChanged } from '../../platform/effects/events';
import type { EventSource } from '../../platform/events/event-source';
import type { RunCause } from '../entities/run';
import { CausationChains } from '../runs/causation-chains';
import { setUp } from '../setup';
import type { ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { EventCapture } from './event-capture';
import type { EventOutbox, NewEvent } from './event-outbox';
import type { EventQueue } from './event-queue';

class SupplierEvent extends VendureEvent {
    constructor(readonly supplier: string) {
        super();
    }
}
const supplierEvent: EventSource = {
    event: SupplierEvent,
    seed: (event: SupplierEvent) => ({ supplier: event.supplier }),
};

const at = (channelId: number): RequestContext =>
    new RequestContext({
        apiType: 'admin',
        channel: new Channel({ id: channelId }),
        isAuthorized: true,
        authorizedAsOwnerOnly: false,
    });
const waiting = (pipelineId: number, event: string, more: Partial<ActiveTrigger> = {}): ActiveTrigger => ({
    pipelineId,
    pipelineCode: `p${pipelineId}`,
    channelId: 1,
    revisionId: pipelineId * 10,
    publishedAt: new Date(),
    publishedBy: null,
    stepKey: 'start',
    ...more,
    config: { event, enabled: true, includeOwnChanges: false, ...more.config },
});

/** The events of a shop with these active triggers. Statements that are sent to its database are counted. */
function shopWith(triggers: readonly ActiveTrigger[], { events = [supplierEvent], causes = [] as RunCause[] } = {}) {
    const seen = { statements: 0, hints: 0, rows: [] as NewEvent[] };
    const counted = <T extends object>(work: T): T =>
        new Proxy(work, { get: (target, key) => (seen.statements++, Reflect.get(target, key) as unknown) });
    const rawConnection = { manager: { getRepository: () => counted({ find: () => Promise.resolve([]) }) } };
    let change: () => void = () => undefined;
    const bus = new EventBus({} as TransactionSubscriber);
    const known = new CausationChains();
    jest.spyOn(known, 'current').mockResolvedValue(causes);
    new EventCapture(
        bus,
        {
            rawConnection,
            getRepository: () => ({ manager: rawConnection.manager }),
        } as unknown as TransactionalConnection,
        {} as TransactionSubscriber,
        { getDefaultChannel: () => Promise.resolve({ id: 1 }) } as never,
        {
            of: () => triggers,
            onChange: (listener: () => void) => void (change = listener),
        } as unknown as ActiveTriggers,
        known,
        { insert: (rows: NewEvent[]) => void seen.rows.push(...rows) } as unknown as EventOutbox,
        { hint: () => void seen.hints++ } as unknown as EventQueue,
        counted({
            within: (_: EntityManager, script: () => unknown) => Promise.resolve(script()),
        }) as unknown as Database,
        setUp({ events }),
    ).onModuleInit();
    change();
    return { bus, seen };
}

const product = (channelId: number, id = 4) => new ProductEvent(at(channelId), new Product({ id }), 'updated');

describe('the events of a shop', () => {
    const lines: string[] = [];
    beforeEach(() => {
        lines.length = 0;
        const logger = { debug: () => undefined, info: () => undefined, verbose: () => undefined };
        Logger.useLogger({
            ...logger,
            warn: (text: string) => void lines.push(`warn: ${text}`),
            error: (text: string) => void lines.push(`error: ${text}`),
        } as VendureLogger);
    });

    it('cost no statement if no trigger waits for them, even with 200 pipelines that wait for other events', async () => {
        const others = Array.from({ length: 200 }, (_, i) =>
            waiting(i, i % 2 ? 'OrderPlacedEvent' : 'FacetValueEvent'),
        );
        const { bus, seen } = shopWith([...others, waiting(201, 'ProductEvent', { channelId: 2 })]);
        for (let i = 0; i < 50; i++) await bus.publish(product(1));
        await bus.publish(new FlowEntitiesChanged(at(1), 'Product', 'CREATE', [1, 2]));
        await bus.publish(new FlowEntitiesChanged(at(1), 'StockLocation', 'CREATE', [1]));
        await bus.publish(new SupplierEvent('ACME'));
        expect(seen).toEqual({ statements: 0, hints: 0, rows: [] });
    });

    it('are stored for each trigger of their class and channel, with the live revision', async () => {
        const { bus, seen } = shopWith([
            waiting(1, 'ProductEvent'),
            waiting(2, 'ProductEvent'),
            waiting(3, 'ProductEvent', { channelId: 2 }),
            waiting(4, 'FacetEvent'),
        ]);
        const event = product(1);
        await bus.publish(event);
        const seed = [
            {
                event: 'ProductEvent',
                occurredAt: event.createdAt.toISOString(),
                channelId: 1,
                id: 4,
                productId: 4,
                __operation: 'UPDATE',
            },
        ];
        const row = { triggerKey: 'start', channelId: 1, event: 'ProductEvent', seed, causes: [] };
        expect(seen.rows).toEqual([
            { ...row, pipelineId: 1, revisionId: 10 },
            { ...row, pipelineId: 2, revisionId: 20 },
        ]);
        expect(seen).toMatchObject({ statements: 1, hints: 1 });
    });

    it('are those of the class itself, not those of derived classes', async () => {
        class LouderEvent extends SupplierEvent {}
        const { bus, seen } = shopWith([waiting(1, 'SupplierEvent')]);
        await bus.publish(new LouderEvent('ACME'));
        expect(seen.rows).toEqual([]);
        await bus.publish(new SupplierEvent('ACME'));
        expect(seen.rows).toMatchObject([{ event: 'SupplierEvent', channelId: 1, seed: [{ supplier: 'ACME' }] }]);
    });

    it('are also captured in the channel to which something was assigned, each with its own operation', async () => {
        const { bus, seen } = shopWith([
            waiting(1, 'ProductChannelEvent'),
            waiting(2, 'ProductChannelEvent', { channelId: 2 }),
            waiting(3, 'ProductChannelEvent', { channelId: 3 }),
        ]);
        await bus.publish(new ProductChannelEvent(at(1), new Product({ id: 4 }), 2, 'removed'));
        expect(
            seen.rows.map(({ pipelineId, channelId, seed }) => [pipelineId, channelId, seed[0]!['__operation']]),
        ).toEqual([
            [1, 1, 'UPDATE'],
            [2, 2, 'DELETE'],
        ]);
    });

    it('of a batch of a load are one row with a record for each entity; of thousands they are several', async () => {
        const { bus, seen } = shopWith([waiting(1, 'ProductEvent')]);
        const ids = Array.from({ length: 5_001 }, (_, i) => i + 1);
        await bus.publish(new FlowEntitiesChanged(at(1), 'Product', 'CREATE', ids));
        expect(seen.rows.map(({ seed }) => seed.length)).toEqual([5_000, 1]);
        expect(seen.rows[1]!.seed[0]).toMatchObject({ event: 'ProductEvent', id: 5_001, __operation: 'CREATE' });
    });

    it('do not start a pipeline that has led to them, unless it is configured to', async () => {
        const causes = [
            { pipelineCode: 'p1', runId: 7 },
            { pipelineCode: 'p3', runId: 8 },
        ];
        const own = { config: { includeOwnChanges: true } };
        const triggers = [1, 2].map(id => waiting(id, 'ProductEvent'));
        const { bus, seen } = shopWith([...triggers, waiting(3, 'ProductEvent', own)], { causes });
        await bus.publish(product(1));
        expect(seen.rows.map(({ pipelineId }) => pipelineId)).toEqual([2, 3]);
        expect(seen.rows[0]!.causes).toEqual(causes);
    });

    it('start no run if more pipelines have led to them than a run may have causes', async () => {
        const causes = Array.from({ length: 51 }, (_, i) => ({ pipelineCode: `c${i}`, runId: i }));
        const { bus, seen } = shopWith([waiting(1, 'ProductEvent')], { causes });
        await bus.publish(product(1));
        expect(seen.rows).toEqual([]);
        expect(lines).toEqual([textNaming('warn: ', 'ProductEvent', 51, 'run 0 of "c0"', 'allowed: 50')]);
    });

    it('fail together with the operation of the shop if the database rejects their seed', async () => {
        const rejected = new QueryFailedError('SELECT 1', [], new Error('out of order'));
        const broken: EventSource = { event: SupplierEvent, seed: () => Promise.reject(rejected) };
        const { bus, seen } = shopWith([waiting(1, 'SupplierEvent')], { events: [broken] });
        await expect(bus.publish(new SupplierEvent('ACME'))).rejects.toBe(rejected);
        expect(seen.rows).toEqual([]);
    });

    it('start nothing and roll back nothing if their seed fails in code of the shop', async () => {
        const broken: EventSource = {
            event: SupplierEvent,
            seed: () => {
                throw new Error('no supplier');
            },
        };
        const { bus, seen } = shopWith([waiting(1, 'SupplierEvent'), waiting(2, 'FacetEvent')], { events: [broken] });
        await bus.publish(new SupplierEvent('ACME'));
        expect(seen.rows).toEqual([]);
        expect(lines).toEqual([textNaming('error: ', 'SupplierEvent', 'Error: no supplier')]);
        await bus.publish(new FacetEvent(at(1), new Facet({ id: 1 }), 'created'));
        expect(seen.rows).toHaveLength(1);
    });
});
