import { RequestContextService, Tag, TransactionalConnection } from '@vendure/core';
import gql from 'graphql-tag';
import { pipeline } from '../../src';
import type { Database } from '../../src/database/database';
import { tableOf } from '../../src/database/table';
import { insertRows } from '../../src/database/write';
import { FlowLease } from '../../src/plugin/entities/lease';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { RunStarter, type StartRequest } from '../../src/plugin/runs/run-starter';
import { FLOW_DATABASE } from '../../src/plugin/tokens';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

const once = (code: string) =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [{ value: 'a' }] })
        .build();

function starting(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });

    /** Starts a run as triggers do: with the ids of the database, not of the API. */
    async function started(code: string, more: Partial<StartRequest>) {
        const { channel } = await shop.app
            .get(RequestContextService)
            .create({ apiType: 'admin', channelOrToken: shop.channelToken });
        const [row] = await shop.dataSource.query<Array<{ id: number }>>(
            `SELECT id FROM flow_pipeline WHERE code = '${code}'`,
        );
        return shop.app.get(RunStarter).startOnce({
            pipelineId: row!.id,
            channelId: channel.id,
            actor: null,
            dryRun: false,
            ...more,
        });
    }
    const runsOf = (occurrenceKey: string) => shop.dataSource.getRepository(FlowPipelineRun).countBy({ occurrenceKey });

    it('one occurrence starts one run, however many processes report it at the same time or later', async () => {
        const many = await Promise.all(
            Array.from({ length: 6 }, () => started('started-once', { occurrenceKey: '2026-11-22T20:15' })),
        );
        expect(many.filter(({ isNew }) => isNew)).toHaveLength(1);
        expect(new Set(many.map(({ runId }) => String(runId))).size).toBe(1);
        const later = await started('started-once', { occurrenceKey: '2026-11-22T20:15' });
        expect(later).toEqual({ runId: many[0]!.runId, isNew: false });
        expect(await runsOf('2026-11-22T20:15')).toBe(1);
    });

    it('another occurrence, or another pipeline, starts another run; keys are compared letter by letter', async () => {
        const [first] = [await started('started-once', { occurrenceKey: 'Order-1' })];
        const others = [
            await started('started-once', { occurrenceKey: 'order-1' }),
            await started('started-twice', { occurrenceKey: 'Order-1' }),
            await started('started-once', {}),
            await started('started-once', {}),
        ];
        expect([first, ...others].every(({ isNew }) => isNew)).toBe(true);
        expect(await runsOf('Order-1')).toBe(2);
    });

    it('two rows of one occurrence are rejected by the database itself', async () => {
        await started('started-once', { occurrenceKey: 'unique' });
        const runs = shop.dataSource.getRepository(FlowPipelineRun);
        const { pipelineId, channelId, revisionId } = await runs.findOneByOrFail({ occurrenceKey: 'unique' });
        const twin = new FlowPipelineRun({
            pipelineId,
            channelId,
            revisionId,
            occurrenceKey: 'unique',
            triggerKey: 'start',
            triggerType: 'MANUAL',
        });
        await expect(runs.insert(twin as never)).rejects.toThrow();
    });

    it('a run shows its occurrence, and the runs that led to it', async () => {
        const cause = await started('started-twice', {});
        const { runId } = await started('started-once', {
            occurrenceKey: 'shown',
            causes: [{ pipelineCode: 'started-twice', runId: cause.runId }],
        });
        const ask = async (id: string) => {
            const { flowPipelineRun } = await shop.adminClient.query(
                gql`query Causes($id: ID!) { flowPipelineRun(id: $id) { occurrenceKey causes { pipelineCode runId } } }`,
                { id },
            );
            return flowPipelineRun as unknown;
        };
        expect(await ask(`T_${runId}`)).toEqual({
            occurrenceKey: 'shown',
            causes: [{ pipelineCode: 'started-twice', runId: `T_${cause.runId}` }],
        });
        expect(await ask(`T_${cause.runId}`)).toEqual({ occurrenceKey: null, causes: [] });
    });

    it.each([
        [{ occurrenceKey: '' }, 'occurrenceKey has 0 characters; allowed: 1 to 255'],
        [{ occurrenceKey: 'x'.repeat(256) }, 'occurrenceKey has 256 characters; allowed: 1 to 255'],
        [
            { causes: Array.from({ length: 51 }, () => ({ pipelineCode: 'a', runId: 1 })) },
            'causes names 51 runs that led to this one; allowed: at most 50',
        ],
    ])('is rejected if its reason is invalid (%#)', async (more, problem) => {
        await expect(started('started-once', more)).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringContaining(problem) as string,
        });
    });

    it('belongs to the selected revision, or to another one of its pipeline', async () => {
        const selected = await started('started-once', {});
        const { revisionId } = await shop.dataSource
            .getRepository(FlowPipelineRun)
            .findOneByOrFail({ id: selected.runId });
        const named = await started('started-once', { revisionId: revisionId! });
        expect(await shop.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id: named.runId })).toMatchObject(
            {
                revisionId,
            },
        );
        await expect(started('started-twice', { revisionId: revisionId! })).rejects.toMatchObject({
            code: 'PIPELINE_NOT_RUNNABLE',
            facts: { code: 'started-twice' },
            message: expect.stringMatching(naming('revision', String(revisionId))) as string,
        });
        await expect(
            started('started-once', { revisionId: revisionId!, workingCopy: true, dryRun: true }),
        ).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: expect.stringContaining('workingCopy and revisionId') as string,
        });
    });

    describe('rows that commit together with their cause', () => {
        let count = 0;
        /** A row of Flow's, written within the transaction of a request that creates a tag. */
        async function request(end: 'commits' | 'fails' | 'has no transaction'): Promise<[rows: number, tags: number]> {
            const mark = `within-${++count}`;
            const { app, dataSource } = shop;
            const database = app.get<Database>(FLOW_DATABASE);
            const connection = app.get(TransactionalConnection);
            const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
            const leases = { table: tableOf(dataSource, FlowLease), dialect: database.dialect };
            const row = { name: mark, holder: null, term: 0, expiresAt: 0 };
            const write = async (own: typeof ctx): Promise<void> => {
                const tags = connection.getRepository(own, Tag);
                await tags.save(new Tag({ value: mark }));
                await database.within(tags.manager, () => insertRows(leases, [row]));
                if (end === 'fails') throw new Error('the request fails');
            };
            if (end === 'has no transaction') await write(ctx);
            else await connection.withTransaction(ctx, write).catch(() => undefined);
            return Promise.all([
                dataSource.getRepository(FlowLease).countBy({ name: mark }),
                dataSource.getRepository(Tag).countBy({ value: mark }),
            ]);
        }

        it('exist when it has committed, and do not when it has failed', async () => {
            expect(await request('commits')).toEqual([1, 1]);
            expect(await request('fails')).toEqual([0, 0]);
        });

        it('have a separate transaction if the request has none', async () => {
            expect(await request('has no transaction')).toEqual([1, 1]);
        });
    });
}

/** Starts by triggers, and rows that are written with their cause. */
export const startingSuite: SharedSuite = {
    title: 'starts of runs',
    pipelines: [once('started-once'), once('started-twice')],
    tests: starting,
};
