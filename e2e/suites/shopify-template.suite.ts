import gql from 'graphql-tag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { definitionOf } from '../fixtures/from-template';

const sample = readFileSync(join(__dirname, '../fixtures/shopify-export.csv'));

function template(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });

    it('creates products with variants from the rows of an export, whatever the size of the batches', async () => {
        const form = new FormData();
        form.set('persistent', 'true');
        form.set('file', new File([sample], 'products_export.csv'));
        const answer = await fetch(`${shop.url}/flow/upload`, {
            method: 'POST',
            body: form,
            headers: {
                authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                'vendure-token': shop.channelToken,
            },
        });
        const { file } = (await answer.json()) as { file: { id: string } };
        const pipelines = as(shop.adminClient);
        const made = await pipelines.create({
            code: 'shopify-products',
            definition: definitionOf('shopify-products', { fileId: file.id, batchSize: 1 }),
        });
        expect(made.workingCopy?.issues).toEqual([]);
        await pipelines.publish(made);
        const run = await shop.perform('shopify-products');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            recordsRead: 4,
            recordsLoaded: 3,
            recordsRejected: 1,
        });

        const { products } = await shop.adminClient
            .query(gql`{ products(options: { filter: { slug: { in: ["linen-apron", "oak-board", "felt-hat"] } }, sort: { slug: ASC } }) { items {
            slug name description enabled facetValues { name facet { code } } optionGroups { name } variants { sku price stockOnHand options { name } }
        } } }`);
        const byCode = (facetValues: ReadonlyArray<{ name: string; facet: { code: string } }>) =>
            facetValues.map(({ name, facet }) => `${facet.code}:${name}`).sort();
        expect(
            products.items.map((product: { facetValues: never }) => ({
                ...product,
                facetValues: byCode(product.facetValues),
            })),
        ).toMatchObject([
            {
                slug: 'felt-hat',
                name: 'Felt Hat',
                description: 'Warm,\nand light.',
                enabled: false,
                facetValues: ['tag:wool', 'type:Hat', 'vendor:Südwind'],
                variants: [
                    { sku: 'HAT-M', price: 1999, stockOnHand: 1 },
                    { sku: 'HAT-L', price: 2001, stockOnHand: 0 },
                ],
            },
            {
                slug: 'linen-apron',
                description: '<p>Washed linen, "two" pockets.</p>',
                enabled: true,
                optionGroups: [{ name: 'Colour' }],
                facetValues: ['tag:kitchen', 'tag:linen', 'type:Apron', 'vendor:Nordfjell'],
                variants: [
                    { sku: 'linen-apron-1', price: 3995, stockOnHand: 4, options: [{ name: 'Moss' }] },
                    { sku: 'linen-apron-2', stockOnHand: 0, options: [{ name: 'Slate' }] },
                ],
            },
            {
                slug: 'oak-board',
                optionGroups: [],
                variants: [{ sku: 'OAK-1', price: 2450, stockOnHand: 7, options: [] }],
            },
        ]);
        const { flowRecordErrors } = await shop.adminClient.query(gql`{ flowRecordErrors { items { message } } }`);
        expect(flowRecordErrors.items).toEqual([{ message: expect.stringContaining('name') }]);
        const rejected = await fetch(`${shop.url}/flow/runs/${run.id}/rejects.csv`, {
            headers: {
                authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
                'vendure-token': shop.channelToken,
            },
        });
        expect((await rejected.text()).split('\r\n')[1]).toMatch(/.,gift-idea,,,,,,true,Title,Default Title,/);
    });
}

export const shopifyTemplateSuite: SharedSuite = { title: 'the template for a Shopify export', tests: template };
