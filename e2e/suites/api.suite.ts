import { Logger } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { pipeline } from '../../src';
import { LOG_EVENTS } from '../../src/core/log/log-events';
import { naming } from '../../test/kit/naming';
import { anonymousClient, inChannel, makeAdministrator, makeChannel, refusal } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, RUN_FIELDS, type RunAnswer } from '../config/flow-server';
import { tagLoader } from '../config/tag-loader';
import { errorOf } from '../fixtures/authoring-api';

const CHANNEL_B = 'api-b';

const samples = (code: string, requires: string[] = []) =>
    pipeline(code)
        .capabilities({ requires: requires as never })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [{ value: ' a ' }, { value: '' }, { value: 'b' }] })
        .transform('check', [
            { op: 'trim', args: { path: 'value' } },
            { op: 'validateRequired', args: { fields: ['value'] } },
        ]);

const disabled = { ...samples('disabled').build(), enabled: false };
const twoTriggers = pipeline('two-triggers')
    .trigger('by-day', { type: 'MANUAL' })
    .trigger('by-night', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [{ value: 'a' }] })
    .build();

const additions = {
    pipelines: [samples('open').build(), samples('catalogue', ['UpdateCatalog']).build(), disabled, twoTriggers],
    adapters: [tagLoader],
} satisfies Partial<SharedSuite>;

const START = gql`mutation Start($id: ID!, $key: String) { startFlowPipelineRun(pipelineId: $id, triggerKey: $key) { ${RUN_FIELDS} triggerKey } }`;

function api(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    const clients: Record<string, SimpleGraphQLClient> = {};

    beforeAll(async () => {
        shop = await open();
        await makeChannel(shop, CHANNEL_B);
        await administrator('runner', ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun']);
        await administrator('cataloguer', [
            'ReadFlowPipeline',
            'RunFlowPipeline',
            'ReadFlowRun',
            'ReadFlowRecord',
            'UpdateCatalog',
        ]);
        await administrator('watcher', ['ReadFlowPipeline']);
        await administrator('leaver', ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun', 'UpdateCatalog']);
    });

    const administrator = async (name: string, permissions: readonly string[]): Promise<void> => {
        clients[name] = await makeAdministrator(shop, { name, permissions });
    };
    const client = (name: string): SimpleGraphQLClient => clients[name] ?? shop.adminClient;
    const startAs = async (name: string, code: string): Promise<RunAnswer> =>
        (await client(name).query(START, { id: await shop.pipelineId(code) })).startFlowPipelineRun as RunAnswer;

    describe('pipelines', () => {
        it("are listed with their published revision and triggers, filtered and sorted like Vendure's lists", async () => {
            const { flowPipelines } = await shop.adminClient.query(gql`query List {
                flowPipelines(options: { filter: { enabled: { eq: true } }, sort: { code: DESC }, take: 2 }) {
                    totalItems items { code name enabled codeFirst revision { number triggers { key type enabled } } }
                }
            }`);
            expect(flowPipelines.totalItems).toBe(3);
            expect(flowPipelines.items.map(({ code }: { code: string }) => code)).toEqual(['two-triggers', 'open']);
            expect(flowPipelines.items[1]).toEqual({
                code: 'open',
                name: 'open',
                enabled: true,
                codeFirst: true,
                revision: { number: 1, triggers: [{ key: 'start', type: 'MANUAL', enabled: true }] },
            });
        });

        it('of another channel are not visible', async () => {
            const id = await shop.pipelineId('open');
            await inChannel(shop.adminClient, CHANNEL_B, async () => {
                const answer = await shop.adminClient.query(
                    gql`query Foreign($id: ID!) { flowPipeline(id: $id) { id } flowPipelines { totalItems } }`,
                    { id },
                );
                expect(answer).toEqual({ flowPipeline: null, flowPipelines: { totalItems: 0 } });
                expect(await refusal(shop.adminClient.query(START, { id }))).toMatchObject({
                    code: 'PIPELINE_NOT_FOUND',
                });
            });
        });

        it('that cannot be started give the reason', async () => {
            expect(await errorOf(startAs('superadmin', 'disabled'))).toMatchObject({
                code: 'PIPELINE_NOT_RUNNABLE',
                facts: { code: 'disabled', problem: expect.stringContaining('disabled') },
            });
            expect(await errorOf(startAs('superadmin', 'two-triggers'))).toMatchObject({
                code: 'PIPELINE_NOT_RUNNABLE',
                message: expect.stringMatching(naming('"by-day"', '"by-night"', 'triggerKey')),
            });
            const id = await shop.pipelineId('two-triggers');
            expect((await shop.adminClient.query(START, { id, key: 'by-night' })).startFlowPipelineRun).toMatchObject({
                triggerKey: 'by-night',
            });
        });
    });

    describe('runs', () => {
        it('keep the reason of each rejected record, and its content for users who may read it', async () => {
            const { id } = await startAs('runner', 'open');
            expect(await shop.ended(id)).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 1 });
            const ask = gql`query Errors($id: ID!) { flowRecordErrors(runId: $id) { totalItems items { stepKey sourceKey seq code path message payload } } }`;
            const seen = (await shop.adminClient.query(ask, { id })).flowRecordErrors;
            expect(seen.totalItems).toBe(1);
            expect(seen.items[0]).toMatchObject({
                stepKey: 'check',
                sourceKey: 'in',
                seq: 1,
                path: 'value',
                payload: { value: '' },
            });
            expect((await client('runner').query(ask, { id })).flowRecordErrors.items[0]).toMatchObject({
                seq: 1,
                payload: null,
            });
        });

        it('have a log', async () => {
            const { id } = await startAs('superadmin', 'open');
            await shop.ended(id);
            const { flowLogs } = await shop.adminClient.query(
                gql`query Logs($id: ID!) {
                flowLogs(runId: $id, options: { take: 10, sort: { id: ASC } }) { totalItems items { id level code message facts stepKey createdAt runId } }
            }`,
                { id },
            );
            expect(flowLogs.items[0]).toMatchObject({
                level: 'INFO',
                code: 'RUN_STARTED',
                message: LOG_EVENTS.RUN_STARTED.text,
                stepKey: null,
                runId: id,
            });
            expect(flowLogs.items.at(-1)).toMatchObject({
                code: 'RUN_COMPLETED',
                message: expect.stringContaining('PARTIAL'),
                facts: { outcome: 'PARTIAL' },
            });
        });

        it('are listed by pipeline, the newest first, and can be filtered by status', async () => {
            const pipelineId = await shop.pipelineId('open');
            const { flowPipelineRuns } = await shop.adminClient.query(
                gql`query Runs($pipelineId: ID!) {
                flowPipelineRuns(pipelineId: $pipelineId, options: { filter: { status: { eq: "COMPLETED" } } }) {
                    totalItems items { id status pipeline { code } revision { number } startedBy { identifier } progress { elapsedMs recordsPerSecond } }
                }
            }`,
                { pipelineId },
            );
            expect(flowPipelineRuns.totalItems).toBe(2);
            expect(flowPipelineRuns.items.map((run: RunAnswer) => run.startedBy?.identifier)).toEqual([
                'superadmin',
                'runner@shop.test',
            ]);
            expect(flowPipelineRuns.items[0]).toMatchObject({ pipeline: { code: 'open' }, revision: { number: 1 } });
        });

        it('of another channel are not visible, nor are their logs and records', async () => {
            const { id } = await startAs('superadmin', 'open');
            await shop.ended(id);
            await inChannel(shop.adminClient, CHANNEL_B, async () => {
                const answer = await shop.adminClient.query(
                    gql`query Foreign($id: ID!) {
                    flowPipelineRun(id: $id) { id } flowPipelineRuns { totalItems } flowLogs(runId: $id) { totalItems } flowRecordErrors(runId: $id) { totalItems }
                }`,
                    { id },
                );
                expect(answer).toEqual({
                    flowPipelineRun: null,
                    flowPipelineRuns: { totalItems: 0 },
                    flowLogs: { totalItems: 0 },
                    flowRecordErrors: { totalItems: 0 },
                });
                const cancel = gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`;
                expect(await refusal(shop.adminClient.query(cancel, { id }))).toMatchObject({ code: 'RUN_NOT_FOUND' });
            });
        });
    });

    describe('mistakes of callers', () => {
        afterEach(() => jest.restoreAllMocks());

        it.each([
            ['an unknown id', `mutation { cancelFlowPipelineRun(id: "999999") { id } }`],
            [
                'a definition with errors',
                `mutation { testFlowStep(input: { definition: { version: 2 }, stepKey: "a" }) { out } }`,
            ],
            ['wrong input', `query { exportFlowPipeline(id: "999999") { content } }`],
        ])('return an error, and do not log one of the server: %s', async (_, text) => {
            const errors = jest.spyOn(Logger, 'error').mockImplementation();
            const debug = jest.spyOn(Logger, 'debug').mockImplementation();
            const { code } = await refusal(shop.adminClient.query(gql(text)));
            expect(errors).not.toHaveBeenCalled();
            const lines = debug.mock.calls.filter(([, context]) => context === 'FlowPlugin').map(([line]) => line);
            expect(lines).toEqual([expect.stringMatching(new RegExp(`^${String(code)}: [^\\n]*$`))]);
        });
    });

    describe('permissions', () => {
        it('guard every operation', async () => {
            expect(await refusal(startAs('watcher', 'open'))).toMatchObject({ code: 'FORBIDDEN' });
            expect(
                await refusal(client('watcher').query(gql`query Runs { flowPipelineRuns { totalItems } }`)),
            ).toMatchObject({ code: 'FORBIDDEN' });
            expect(await refusal(client('watcher').query(gql`query Logs { flowLogs { totalItems } }`))).toMatchObject({
                code: 'FORBIDDEN',
            });
            const anonymous = anonymousClient(shop);
            expect(await refusal(anonymous.query(gql`query All { flowPipelines { totalItems } }`))).toMatchObject({
                code: 'FORBIDDEN',
            });
        });

        it('are those of the user who started the run, not of the worker', async () => {
            const { id } = await startAs('runner', 'catalogue');
            const run = await shop.ended(id);
            expect(run).toMatchObject({
                status: 'FAILED',
                startedBy: { identifier: 'runner@shop.test' },
                error: { code: 'FORBIDDEN' },
            });
            expect(run.error?.message).toMatch(naming('runner@shop.test', 'UpdateCatalog', 'capabilities.requires'));
            expect(await shop.ended((await startAs('cataloguer', 'catalogue')).id)).toMatchObject({
                status: 'COMPLETED',
            });
        });

        it('are those of the user who started the dry run', async () => {
            const dryRun = gql`mutation Dry($id: ID!) { dryRunFlowPipeline(pipelineId: $id) { id } }`;
            const endOf = async (name: string): Promise<RunAnswer> => {
                const { dryRunFlowPipeline: run } = await client(name).query(dryRun, {
                    id: await shop.pipelineId('catalogue'),
                });
                return shop.ended(run.id as string);
            };
            expect(await endOf('runner')).toMatchObject({ status: 'FAILED', error: { code: 'FORBIDDEN' } });
            expect(await endOf('cataloguer')).toMatchObject({ status: 'COMPLETED' });
        });

        it('are looked up when the run begins: a user who was deleted meanwhile runs nothing', async () => {
            const leaver = await startAs('leaver', 'catalogue');
            await shop.ended(leaver.id);
            const { administrators } = await shop.adminClient.query(
                gql`query Admins { administrators(options: { filter: { emailAddress: { eq: "leaver@shop.test" } } }) { items { id } } }`,
            );
            await shop.adminClient.query(gql`mutation Leave($id: ID!) { deleteAdministrator(id: $id) { result } }`, {
                id: administrators.items[0].id,
            });
            // The run waits again, as if no worker had claimed it before.
            await shop.dataSource.query(
                `UPDATE flow_pipeline_run SET status = 'PENDING', lease_token = NULL WHERE id = ${leaver.id.replace('T_', '')}`,
            );
            const run = await shop.ended(leaver.id);
            expect(run).toMatchObject({ status: 'FAILED', error: { code: 'ACTOR_GONE' } });
            expect(run.error?.message).toContain('leaver');
        });
    });
}

export const adminApiSuite: SharedSuite = { title: 'the admin API', ...additions, tests: api };
