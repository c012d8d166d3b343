import { JobQueueService, ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { pipeline } from '../../src';
import { type FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

const CSV = 'sku,name,price\nSMOKE-1,Lamp,9.50\nSMOKE-2,Shade,twelve\nSMOKE-3,Cord,2\n';

const fromCode = pipeline('smoke')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'generator', count: 3, template: { n: '{{index}}' } })
    .build();

/** What a shop does first, from the login to the first import. */
function smoke(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const headers = () => ({
        authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
        'vendure-token': shop.channelToken,
    });

    it('logs in as superadmin and finds the initial data', async () => {
        const { activeAdministrator, taxCategories } = await shop.adminClient.query(
            gql`query Harness { activeAdministrator { emailAddress } taxCategories { items { name } } }`,
        );
        expect(activeAdministrator.emailAddress).toBe('superadmin');
        expect(taxCategories.items.map(({ name }: { name: string }) => name).sort()).toEqual([
            'Reduced Tax',
            'Standard Tax',
            'Zero Tax',
        ]);
    });

    it('processes a job of the SQL queue', async () => {
        const worked = new Promise(resolve => {
            void shop.app
                .get(JobQueueService)
                .createQueue<{ word: string }>({ name: 'harness', process: async ({ data }) => resolve(data.word) })
                .then(queue => queue.start().then(() => queue.add({ word: 'hello' })));
        });
        await expect(worked).resolves.toBe('hello');
    });

    it('runs a pipeline that is defined in code, and keeps its log', async () => {
        const run = await shop.perform('smoke');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 3 });
        const { flowLogs } = await shop.adminClient.query(
            gql`query Logs($id: ID!) { flowLogs(runId: $id, options: { sort: { id: ASC } }) { items { level stepKey message } } }`,
            { id: run.id },
        );
        expect(flowLogs.items.length).toBeGreaterThan(1);
        expect(flowLogs.items[0]).toMatchObject({ level: 'INFO', stepKey: null });
    });

    it('imports an uploaded file: valid records are loaded, invalid ones are kept with their reason', async () => {
        const form = new FormData();
        form.set('file', new File([CSV], 'prices.csv'));
        const upload = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers: headers(), body: form });
        const { file } = (await upload.json()) as { file: { id: string } };
        expect(upload.status).toBe(201);
        const content = await fetch(`${shop.url}/flow/files/${file.id}/download`, { headers: headers() });
        expect(await content.text()).toBe(CSV);

        const pipelines = as(shop.adminClient);
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId: file.id } },
                {
                    key: 'shape',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            { op: 'slugify', args: { source: 'sku', target: 'slug' } },
                            { op: 'toCents', args: { source: 'price', target: 'price' } },
                        ],
                    },
                },
                { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert', matchBy: 'sku' } },
            ],
            edges: [
                { from: 'start', to: 'in' },
                { from: 'in', to: 'shape' },
                { from: 'shape', to: 'out' },
            ],
        };
        await pipelines.publish(await pipelines.create({ code: 'smoke-import', definition }));
        const run = await shop.perform('smoke-import');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsLoaded: 2, recordsRejected: 1 });
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`query Rejects($id: ID!) { flowRecordErrors(runId: $id) { items { stepKey path payload } } }`,
            { id: run.id },
        );
        expect(flowRecordErrors.items).toEqual([
            { stepKey: 'shape', path: 'price', payload: expect.objectContaining({ sku: 'SMOKE-2' }) },
        ]);
        const loaded = await shop.dataSource
            .getRepository(ProductVariant)
            .find({ where: [{ sku: 'SMOKE-1' }, { sku: 'SMOKE-2' }, { sku: 'SMOKE-3' }], order: { sku: 'ASC' } });
        expect(loaded.map(({ sku }) => sku)).toEqual(['SMOKE-1', 'SMOKE-3']);
    });

    it('keeps a secret that is never shown again', async () => {
        const { createFlowSecret } = await shop.adminClient.query(
            gql`mutation Secret($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id code provider } }`,
            { input: { code: 'smoke-key', provider: 'INLINE', value: 'tell-nobody' } },
        );
        expect(createFlowSecret).toMatchObject({ code: 'smoke-key', provider: 'INLINE' });
        const rows: unknown = await shop.dataSource.query('SELECT * FROM flow_secret');
        expect(JSON.stringify(rows)).toContain('smoke-key');
        expect(JSON.stringify(rows)).not.toContain('tell-nobody');
    });
}

export const smokeSuite: SharedSuite = { title: 'a shop with Flow', pipelines: [fromCode], tests: smoke };
