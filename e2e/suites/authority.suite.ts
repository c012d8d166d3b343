import type { SimpleGraphQLClient } from '@vendure/testing';
import { Product } from '@vendure/core';
import gql from 'graphql-tag';
import { type JsonObject, pipeline } from '../../src';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import { HookTriggeredRuns } from '../../src/plugin/runs/hook-triggered-runs';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';

const LOW = 'low-publisher';
const LOW_PERMISSIONS = [
    'CreateFlowPipeline',
    'ReadFlowPipeline',
    'UpdateFlowPipeline',
    'PublishFlowPipeline',
    'RunFlowPipeline',
    'ReadFlowRun',
    'ReadFlowRecord',
    'ReadFlowFiles',
    'RetryFlowRecord',
    'ReadCatalog',
    'CreateCatalog',
    'UpdateCatalog',
];

/** Loads `data`, or the records that a hook or a user gives the run. */
const loading = (adapterCode: string, config: JsonObject = {}, data: readonly JsonObject[] = []) =>
    pipeline('any')
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .load('out', { adapterCode, ...config } as never)
        .build().definition as unknown as JsonObject;

const withHooks = (definition: JsonObject, pipelineCode: string): JsonObject => ({
    ...definition,
    hooks: { AFTER_EXTRACT: [{ type: 'TRIGGER_PIPELINE', pipelineCode }] },
});

function authority(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let low: SimpleGraphQLClient;

    beforeAll(async () => {
        shop = await open();
        low = await makeAdministrator(shop, { name: LOW, permissions: LOW_PERMISSIONS });
        low.setChannelToken(shop.channelToken);
    });

    const publish = async (
        client: SimpleGraphQLClient,
        code: string,
        definition: JsonObject,
    ): Promise<PipelineAnswer> => as(client).publish(await as(client).create({ code, definition }));
    const idOf = ({ id }: { readonly id: string }): string => id.replace('T_', '');
    const newest = async (one: PipelineAnswer): Promise<FlowPipelineRun | undefined> => {
        const runs = shop.dataSource.getRepository(FlowPipelineRun);
        return (await runs.find({ where: { pipelineId: idOf(one) }, order: { id: 'DESC' }, take: 1 }))[0];
    };
    const startedBy = async (runId: string): Promise<string | undefined> => {
        const { flowPipelineRun } = await shop.adminClient.query(
            gql`query Who($id: ID!) { flowPipelineRun(id: $id) { startedBy { identifier } } }`,
            { id: runId },
        );
        return flowPipelineRun.startedBy?.identifier as string | undefined;
    };
    const isDeleted = async (name: string): Promise<boolean> =>
        (await shop.dataSource.getRepository(Product).findOneByOrFail({ translations: { name } })).deletedAt !== null;
    const makeProduct = async (slug: string): Promise<void> => {
        const one = await publish(
            shop.adminClient,
            `makes-${slug}`,
            loading('productUpsert', {}, [{ slug, name: slug }]),
        );
        const { startFlowPipelineRun: run } = await as(shop.adminClient).start(one);
        await shop.ended(run.id as string);
    };
    /** As if the publisher had lost a permission since publishing: only the check of each record can notice. */
    const publishedByLow = async (one: PipelineAnswer, by: PipelineAnswer): Promise<void> => {
        const revisions = shop.dataSource.getRepository(FlowPipelineRevision);
        const { publishedBy } = await revisions.findOneByOrFail({ pipelineId: idOf(by) });
        await revisions.update({ pipelineId: idOf(one) }, { publishedBy });
    };

    describe('a run that a hook of a superadmin starts', () => {
        it('acts for the publisher of its revision', async () => {
            const started = await publish(low, 'authority-started', loading('productUpsert', { allowDeletes: false }));
            const boss = await publish(
                shop.adminClient,
                'authority-boss',
                withHooks(loading('productUpsert', {}, [{ slug: 'chain', name: 'Chain' }]), 'authority-started'),
            );
            await as(shop.adminClient).start(boss);
            const run = await until(
                () => newest(started),
                one => one !== undefined,
            );
            expect(await startedBy(`T_${run!.id}`)).toBe(`${LOW}@shop.test`);
        });

        it('deletes nothing that its publisher may not delete', async () => {
            await makeProduct('keep-me');
            const target = await publish(shop.adminClient, 'authority-target', loading('productUpsert'));
            await publishedByLow(
                target,
                await publish(low, 'authority-marker', loading('productUpsert', { allowDeletes: false })),
            );
            const boss = await publish(
                shop.adminClient,
                'authority-boss-deletes',
                withHooks(
                    loading('productUpsert', { allowDeletes: false }, [{ slug: 'keep-me', __operation: 'DELETE' }]),
                    'authority-target',
                ),
            );
            await as(shop.adminClient).start(boss);
            const run = await until(
                () => newest(target),
                one => one !== undefined,
            );
            expect(await shop.ended(`T_${run!.id}`)).toMatchObject({ status: 'COMPLETED', recordsRejected: 1 });
            expect(await isDeleted('keep-me')).toBe(false);
        });

        it('is not started if the user of the starting run lacks a permission of the started revision', async () => {
            await publish(shop.adminClient, 'authority-mighty', loading('productUpsert'));
            const weak = await publish(
                low,
                'authority-weak',
                withHooks(loading('productUpsert', { allowDeletes: false }), 'authority-mighty'),
            );
            const { startFlowPipelineRun: run } = await as(low).start(weak);
            await shop.ended(run.id as string);
            const order = { pipelineCode: 'authority-mighty', records: [{ slug: 'any' }], occurrence: 'authority/1' };
            await expect(
                shop.app
                    .get(HookTriggeredRuns)
                    .of(idOf({ id: run.id as string }))
                    .start(order),
            ).rejects.toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('DeleteCatalog') });
        });
    });

    it('acts for the publisher of the revision unless a user starts it', async () => {
        const one = await publish(low, 'authority-automated', loading('productUpsert', { allowDeletes: false }));
        const { channelId } = await shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ id: idOf(one) });
        const runId = await shop.app.get(RunStarter).start({ pipelineId: idOf(one), channelId, dryRun: false });
        expect(await startedBy(`T_${runId}`)).toBe(`${LOW}@shop.test`);
    });

    describe('publishing requires permissions that only some records need:', () => {
        const rule = (entity: string): JsonObject => ({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [] } },
                {
                    key: 'check',
                    kind: 'VALIDATE',
                    config: { rules: [{ type: 'reference', spec: { field: 'mail', entity } }] },
                },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'check' },
            ],
        });
        it.each([
            ['records that delete', () => loading('productUpsert'), 'DeleteCatalog'],
            ['records that delete variants', () => loading('variantUpsert'), 'DeleteCatalog'],
            ['records that delete facets', () => loading('facetUpsert'), 'DeleteCatalog'],
            ['a reference rule that reads customers', () => rule('CUSTOMER'), 'ReadCustomer'],
            ['the entity of a delete step', () => loading('entityDelete', { entity: 'CUSTOMER' }), 'DeleteCustomer'],
        ])('for %s', async (name, definition, permission) => {
            const draft = await as(low).create({ code: `asks-${name.replaceAll(' ', '-')}`, definition: definition() });
            const error = await errorOf(as(low).publish(draft));
            expect(error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining(permission) });
        });

        it('and none if the step rejects records that delete', async () => {
            await makeProduct('allowed-not');
            const one = await publish(
                low,
                'authority-no-deletes',
                loading('productUpsert', { allowDeletes: false }, [{ slug: 'allowed-not', __operation: 'DELETE' }]),
            );
            const { startFlowPipelineRun: run } = await as(shop.adminClient).start(one);
            expect(await shop.ended(run.id as string)).toMatchObject({ recordsRejected: 1, recordsLoaded: 0 });
            expect(await isDeleted('allowed-not')).toBe(false);
        });
    });

    describe('an action that lets a revision run requires the permissions of publishing it:', () => {
        let boss: PipelineAnswer;
        let older: string;

        beforeAll(async () => {
            const admin = as(shop.adminClient);
            boss = await publish(shop.adminClient, 'authority-kept', loading('productUpsert'));
            older = boss.revision!.id;
            const definition = loading('productUpsert', { allowDeletes: false }, [{ slug: 'wrong', price: 'much' }]);
            boss = await admin.publish(await admin.update(boss, { definition }));
        });
        const rejected = { code: 'FORBIDDEN', message: expect.stringContaining('DeleteCatalog') };

        it('selecting it', async () => {
            expect(await errorOf(as(low).select(boss, older))).toMatchObject(rejected);
            expect((await as(shop.adminClient).read(boss))!.revision!.number).toBe(2);
        });

        it('enabling it, and restoring it', async () => {
            const admin = as(shop.adminClient);
            await admin.select(boss, older);
            await as(low).disable(boss);
            expect(await errorOf(as(low).enable(boss))).toMatchObject(rejected);
            await admin.enable(boss);
            await as(low).archive(boss);
            expect(await errorOf(as(low).restore(boss))).toMatchObject(rejected);
            await admin.restore(boss);
            expect(await admin.read(boss)).toMatchObject({ enabled: true, archived: false });
        });

        /** A run of the newer revision, whose record is rejected. The older one is selected then. */
        const rejecting = async (): Promise<string> => {
            const admin = as(shop.adminClient);
            await admin.select(boss, boss.revision!.id);
            const { startFlowPipelineRun: run } = await admin.start(boss);
            await shop.ended(run.id as string);
            await admin.select(boss, older);
            return run.id as string;
        };
        const nothingReplayed = { records: 0, refused: [{ reason: expect.stringContaining('DeleteCatalog') }] };
        const expectOpen = async (runId: string): Promise<void> => {
            const errors = await shop.dataSource.getRepository(FlowRecordError).findBy({ runId: idOf({ id: runId }) });
            expect(errors.map(({ state }) => state)).toEqual(['OPEN']);
        };

        it('replaying records with it', async () => {
            const runId = await rejecting();
            const { retryFlowRecordErrors: answer } = await low.query(
                gql`
                    mutation Retry($selection: FlowRecordErrorSelectionInput!) {
                        retryFlowRecordErrors(selection: $selection) {
                            records
                            refused {
                                reason
                            }
                        }
                    }
                `,
                { selection: { runId } },
            );
            expect(answer).toMatchObject(nothingReplayed);
            await expectOpen(runId);
        });

        it('replaying corrected records with it', async () => {
            const runId = await rejecting();
            const headers = {
                authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                'vendure-token': shop.channelToken,
            };
            const table = await (await fetch(`${shop.url}/flow/record-errors.csv?runId=${runId}`, { headers })).text();
            expect(table).toContain('much');
            const body = new FormData();
            body.set('file', new File([table.replace('much', '7')], 'corrected.csv'));
            const upload = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body });
            const { file } = (await upload.json()) as { readonly file: { readonly id: string } };
            const { retryFlowCorrectedRecords: answer } = await low.query(
                gql`
                    mutation RetryCorrected($fileId: ID!) {
                        retryFlowCorrectedRecords(fileId: $fileId) {
                            records
                            refused {
                                reason
                            }
                        }
                    }
                `,
                { fileId: file.id },
            );
            expect(answer).toMatchObject(nothingReplayed);
            await expectOpen(runId);
        });

        it('resuming a run of it', async () => {
            const runs = shop.dataSource.getRepository(FlowPipelineRun);
            const last = (await newest(boss))!;
            const { id } = await runs.save(
                new FlowPipelineRun({
                    pipelineId: last.pipelineId,
                    channelId: last.channelId,
                    revisionId: older.replace('T_', ''),
                    triggerKey: 'start',
                    triggerType: 'MANUAL',
                    status: 'PAUSED',
                }),
            );
            const resume = gql`
                mutation Resume($id: ID!) {
                    resumeFlowPipelineRun(id: $id) {
                        status
                    }
                }
            `;
            expect(await errorOf(low.query(resume, { id: `T_${id}` }))).toMatchObject(rejected);
            expect((await runs.findOneByOrFail({ id })).status).toBe('PAUSED');
            await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, {
                id: `T_${id}`,
            });
        });
    });
}

/** The users for whom runs act, and the permissions that are required to let a revision run. */
export const authoritySuite: SharedSuite = { title: 'authority', tests: authority };
