import gql from 'graphql-tag';
import { pipeline } from '../../src';
import { makeAdministrator } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer, RUN_FIELDS } from '../config/flow-server';

const RIGHTS_OF_A_RUN = ['ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRun'];

const load = (code: string, slug: string) =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', {
            adapterCode: 'inMemory',
            data: [
                { slug, name: 'Lamp', sku: slug, price: 1 },
                { slug, __operation: 'DELETE' },
            ],
        })
        .load('out', { adapterCode: 'productUpsert' })
        .build();

const removing = pipeline('removing')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [{ emailAddress: 'nobody@example.com' }] })
    .load('out', { adapterCode: 'entityDelete', entity: 'CUSTOMER' })
    .build();

const additions = {
    pipelines: [load('editing', 'lamp-a'), load('deleting', 'lamp-b'), removing],
} satisfies Partial<SharedSuite>;

function loadPermissions(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });

    async function runAs(name: string, permissions: readonly string[], code: string): Promise<RunAnswer> {
        const client = await makeAdministrator(shop, { name, permissions: [...RIGHTS_OF_A_RUN, ...permissions] });
        const { startFlowPipelineRun } = await client.query(
            gql`mutation Start($id: ID!) { startFlowPipelineRun(pipelineId: $id) { ${RUN_FIELDS} } }`,
            { id: await shop.pipelineId(code) },
        );
        return shop.ended(startFlowPipelineRun.id as string);
    }

    it('needs only UpdateCatalog and CreateCatalog, and deletes nothing with them', async () => {
        expect(await runAs('editor', ['UpdateCatalog', 'CreateCatalog'], 'editing')).toMatchObject({
            status: 'COMPLETED',
            recordsLoaded: 1,
            recordsRejected: 1,
        });
    });

    it('deletes with DeleteCatalog', async () => {
        expect(await runAs('deleter', ['UpdateCatalog', 'CreateCatalog', 'DeleteCatalog'], 'deleting')).toMatchObject({
            status: 'COMPLETED',
            recordsLoaded: 2,
            recordsRejected: 0,
        });
    });

    it.each([
        ['updater', ['UpdateCatalog'], 'CreateCatalog'],
        ['creator', ['CreateCatalog'], 'UpdateCatalog'],
        ['productist', ['CreateProduct', 'UpdateProduct'], 'UpdateCatalog'],
        ['eraser', ['DeleteCatalog'], 'DeleteCustomer', 'removing'],
    ])(
        '%s with %j alone gets an error that names the missing permission',
        async (name, permissions, missing, code = 'editing') => {
            const { status, error } = await runAs(name, permissions, code);
            expect([status, error?.code, error?.message]).toEqual([
                'FAILED',
                'FORBIDDEN',
                expect.stringContaining(missing),
            ]);
        },
    );
}

export const loadPermissionsSuite: SharedSuite = {
    title: 'a role that runs a load of products',
    ...additions,
    tests: loadPermissions,
};
