import type { TransactionalConnection } from '@vendure/core';
import { type DataSource, MoreThan } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { asFlowError } from '../../core/errors/flow-error';
import { databaseOf } from '../../database/open-database';
import type { Id } from '../../database/write';
import type { JsonText } from '../entities/columns';
import { FlowPipeline } from '../entities/pipeline';
import { FlowReceivedMessage } from '../entities/received-message';
import { memoryShop } from '../../../test/fixtures/memory-shop';
import type { CheckedStartRequest, RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import { setUp } from '../setup';
import type { ActiveTrigger } from '../triggers/active-triggers';
import { MessageReceiver, type ValidMessage } from './message-receiver';

let dataSource: DataSource;
let stores: RunStores;
let pipelineId: FlowPipeline['id'];
/** The records of each run. */
let seeds: unknown[];
/** Happens before the next run is stored. */
let before: () => Promise<void>;
let receiver: MessageReceiver;

const trigger = (queueName = 'stock'): ActiveTrigger =>
    ({
        pipelineId,
        pipelineCode: 'stock',
        channelId: 1,
        revisionId: 5,
        publishedBy: null,
        stepKey: 'in',
        config: { enabled: true, message: { connectionCode: 'mq', queueName } },
    }) as unknown as ActiveTrigger;
const message = (identity: string | undefined, record: object = { id: identity }): ValidMessage => {
    const text = JSON.stringify(record);
    return {
        message: { handle: text, id: identity, identity, body: Buffer.from(text), headers: {} },
        records: { text: `[${text}]`, count: 1 },
    };
};

beforeEach(async () => {
    dataSource = await memoryShop();
    await dataSource.runMigrations();
    const database = databaseOf(dataSource);
    stores = new RunStores({ rawConnection: dataSource } as TransactionalConnection, database, setUp({}));
    seeds = [];
    before = () => Promise.resolve();
    const startRead = async (
        { seed }: CheckedStartRequest,
        beside?: (runId: Id) => StatementProgram<void>,
    ): Promise<Id> => {
        const now = before;
        before = () => Promise.resolve();
        await now();
        if (beside) await database.transaction(() => beside(seeds.length + 1));
        seeds.push(JSON.parse((seed as JsonText).text));
        return seeds.length;
    };
    receiver = new MessageReceiver({ startRead } as unknown as RunStarter, stores);
    const pipeline = new FlowPipeline({
        code: 'stock',
        name: 'Stock',
        channelId: 1,
        status: 'DRAFT',
        selectedRevisionId: 5,
    });
    pipelineId = (await dataSource.getRepository(FlowPipeline).save(pipeline)).id;
});
afterEach(() => dataSource.destroy());

describe('messages that are taken', () => {
    it('start one run together, and nothing when they are delivered again', async () => {
        await receiver.store(trigger(), [message('a'), message('b')]);
        await receiver.store(trigger(), [message('b'), message('c')]);
        await receiver.store(trigger(), [message('a'), message('c')]);
        expect(seeds).toEqual([[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }]]);
    });

    it('are one message where id and content are the same, be it in one batch, and only there', async () => {
        await receiver.store(trigger(), [message('a'), message('a'), message('a', { other: true })]);
        await receiver.store(trigger('orders'), [message('a')]);
        expect(seeds).toEqual([[{ id: 'a' }, { other: true }], [{ id: 'a' }]]);
    });

    it('start a run as often as they come where they have no id', async () => {
        await receiver.store(trigger(), [message(undefined, { n: 1 })]);
        await receiver.store(trigger(), [message(undefined, { n: 1 }), message('a')]);
        expect(seeds).toEqual([[{ n: 1 }], [{ n: 1 }, { id: 'a' }]]);
    });

    it('start another run once they are forgotten, with the purge or without', async () => {
        const rows = dataSource.getRepository(FlowReceivedMessage);
        await receiver.store(trigger(), [message('a'), message('b')]);
        await rows.createQueryBuilder().update().set({ expiresAt: 1 }).execute();
        await receiver.store(trigger(), [message('a')]);
        expect(seeds).toHaveLength(2);
        expect(await rows.count()).toBe(2);
        let purged = 0;
        for await (const count of stores.receivedMessages.purge()) purged += count;
        expect([purged, await rows.count()]).toEqual([1, 1]);
    });

    it('are remembered for seven days', async () => {
        const rows = dataSource.getRepository(FlowReceivedMessage);
        const passed = (hours: number) => rows.decrement({ expiresAt: MoreThan(0) }, 'expiresAt', hours * 3_600_000);
        await receiver.store(trigger(), [message('a')]);
        await passed(7 * 24 - 1);
        await receiver.store(trigger(), [message('a')]);
        expect(seeds).toHaveLength(1);
        await passed(1);
        await receiver.store(trigger(), [message('a')]);
        expect(seeds).toHaveLength(2);
    });

    it('that another process stores at the same moment are stored once', async () => {
        before = () => receiver.store(trigger(), [message('a')]);
        await receiver.store(trigger(), [message('a'), message('b')]);
        expect(seeds).toEqual([[{ id: 'a' }], [{ id: 'b' }]]);
    });

    it.each([
        ['is disabled', { enabled: false }],
        ['is archived', { archived: true }],
        ['has another revision', { selectedRevisionId: 6 }],
    ])('start nothing when the pipeline %s', async (_, change) => {
        await dataSource.getRepository(FlowPipeline).update({ id: pipelineId }, change);
        const rejected = await receiver.store(trigger(), [message('a')]).catch(asFlowError);
        expect(rejected).toMatchObject({ code: 'PIPELINE_NOT_RUNNABLE' });
        expect(seeds).toEqual([]);
    });
});

describe('how a trigger gets on', () => {
    it('is kept for those who ask, until it is in force no more', async () => {
        const { messageTriggers: states } = stores;
        await states.tell('1/in', 'away');
        await states.refused('1/in');
        await states.refused('1/in');
        await states.tell('2/in', null);
        const found = await states.find(['1/in', '2/in', '3/in']);
        expect([...found.keys()].sort()).toEqual(['1/in', '2/in']);
        expect(found.get('1/in')).toMatchObject({ problem: 'away', refused: 2 });
        expect(found.get('1/in')!.refusedAgoMs).not.toBeNull();
        expect(found.get('2/in')).toEqual({ problem: null, refused: 0, refusedAgoMs: null });
        await states.tell('1/in', null);
        expect((await states.find(['1/in'])).get('1/in')).toMatchObject({ problem: null, refused: 2 });
        await states.forget('1/in');
        expect((await states.find(['1/in'])).size).toBe(0);
    });
});
