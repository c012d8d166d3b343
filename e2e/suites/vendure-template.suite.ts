import { ImportParser } from '@vendure/core';
import gql from 'graphql-tag';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { definitionOf } from '../fixtures/from-template';

const sample = readFileSync(join(__dirname, '../fixtures/vendure-products.csv'), 'utf8');

interface Product {
    readonly name: string;
    readonly slug: string;
    readonly description: string;
    readonly facetValues: readonly FacetValue[];
    readonly optionGroups: ReadonlyArray<{ readonly name: string }>;
    readonly variants: ReadonlyArray<{
        readonly sku: string;
        readonly price: number;
        readonly stockOnHand: number;
        readonly trackInventory: string;
        readonly taxCategory: { readonly name: string };
        readonly options: ReadonlyArray<{ readonly name: string; readonly group: { readonly name: string } }>;
        readonly facetValues: readonly FacetValue[];
    }>;
}
interface FacetValue {
    readonly name: string;
    readonly facet: { readonly name: string };
}

const FACETS = 'facetValues { name facet { name } }';
const facetsOf = (values: readonly FacetValue[]): readonly string[] =>
    values.map(({ name, facet }) => `${facet.name}:${name}`).sort();

function template(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
    });

    async function upload(text: string, filename: string): Promise<string> {
        const form = new FormData();
        form.set('persistent', 'true');
        form.set('file', new File([text], filename, { type: 'text/csv' }));
        // The channel in the form of Vendure's own routes, and a file name that does not reveal the format.
        const answer = await fetch(`${shop.url}/flow/upload?vendure-token=${shop.channelToken}&languageCode=en`, {
            method: 'POST',
            body: form,
            headers: { authorization: `Bearer ${shop.adminClient.getAuthToken()}` },
        });
        const { file } = (await answer.json()) as { file: { id: string; format: string } };
        expect(file.format).toBe('csv');
        return file.id;
    }

    async function products(): Promise<readonly unknown[]> {
        const { products } = (await shop.adminClient.query(gql`{ products(options: { sort: { slug: ASC } }) { items {
            name slug description ${FACETS} optionGroups { name } variants { sku price stockOnHand trackInventory taxCategory { name } options { name group { name } } ${FACETS} }
        } } }`)) as { products: { items: Product[] } };
        return products.items.map(({ facetValues, optionGroups, variants, ...product }) => ({
            ...product,
            facets: facetsOf(facetValues),
            optionGroups: optionGroups.map(({ name }) => name).sort(),
            variants: variants.map(({ facetValues: ofVariant, options, taxCategory, ...variant }) => ({
                ...variant,
                taxCategory: taxCategory.name,
                options: options.map(({ name, group }) => `${group.name}=${name}`).sort(),
                facets: facetsOf(ofVariant),
            })),
        }));
    }

    /** The same file, imported by Vendure's own importer. */
    async function plainly(): Promise<readonly unknown[]> {
        const { results, errors } = await shop.app.get(ImportParser).parseProducts(sample);
        expect(errors).toEqual([]);
        const facets = (all: ReadonlyArray<{ translations: ReadonlyArray<{ facet: string; value: string }> }>) =>
            all.map(({ translations: [only] }) => `${only!.facet}:${only!.value}`).sort();
        return results
            .map(({ product, variants }) => {
                const groups = product.optionGroups.map(({ translations: [only] }) => only!.name);
                const { name, slug, description } = product.translations[0]!;
                return {
                    name,
                    slug,
                    description,
                    facets: facets(product.facets),
                    optionGroups: [...groups].sort(),
                    variants: variants.map(variant => ({
                        sku: variant.sku,
                        price: Math.round(variant.price * 100),
                        stockOnHand: variant.stockOnHand,
                        trackInventory: String(variant.trackInventory),
                        taxCategory: variant.taxCategory === 'reduced' ? 'Reduced Tax' : 'Standard Tax',
                        options: variant.translations[0]!.optionValues.map(
                            (value, i) => `${groups[i]}=${value}`,
                        ).sort(),
                        facets: facets(variant.facets),
                    })),
                };
            })
            .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    }

    it("creates from a file the same as Vendure's importer, whatever the size of the batches", async () => {
        const pipelines = as(shop.adminClient);
        const made = await pipelines.create({
            code: 'vendure-products',
            definition: definitionOf('vendure-products', { fileId: await upload(sample, 'products'), batchSize: 2 }),
        });
        expect(made.workingCopy?.issues).toEqual([]);
        await pipelines.publish(made);
        const run = await shop.perform('vendure-products');
        const { flowRecordErrors } = await shop.adminClient.query(gql`{ flowRecordErrors { items { message } } }`);
        expect(flowRecordErrors.items).toEqual([]);
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 4, recordsLoaded: 4 });

        const expected = await plainly();
        expect(expected).toHaveLength(4);
        expect(await products()).toEqual(expected);

        // Empty cells of the file do not change existing values, so nothing changes.
        expect(await shop.perform('vendure-products')).toMatchObject({ recordsUnchanged: 4, recordsRejected: 0 });
    });
}

export const vendureTemplateSuite: SharedSuite = {
    title: "the template for Vendure's own product file",
    tests: template,
};
