import {
    Customer,
    CustomerGroup,
    type Facet,
    FacetService,
    LanguageCode,
    Product,
    ProductService,
} from '@vendure/core';
import type { JsonObject } from '../../src/core/value/json';
import type { Loader } from '../../src/core/adapter/loader';
import type { VendurePlatform } from '../../src/platform/context';
import { customerGroupUpsert } from '../../src/platform/loaders/customer-group-upsert';
import { customerUpsert } from '../../src/platform/loaders/customer-upsert';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import { openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';

function relatesByCustomFields(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    let facets: readonly Facet[];

    beforeAll(async () => {
        shop = await open();
        platform = await platformOf(shop.app);
        const service = shop.app.get(FacetService);
        const made = ['related-a', 'related-b', 'related-c'].map(code =>
            service.create(platform.ctx, {
                code,
                isPrivate: false,
                translations: [{ languageCode: LanguageCode.en, name: code }],
            }),
        );
        facets = await Promise.all(made);
    });

    const load = async (loader: Loader, records: readonly JsonObject[], config: JsonObject = {}) =>
        (await openLoad(loader, config, { platform }))(records);

    /** The ids of the entities to which a product's custom fields refer, as the dashboard reads them. */
    async function relationsOf(slug: string) {
        const { id } = (await shop.app.get(ProductService).findOneBySlug(platform.ctx, slug))!;
        const { customFields } = await shop.dataSource.getRepository(Product).findOneOrFail({
            where: { id },
            relations: { customFields: { goesWith: true, mainFacet: true } } as object,
        });
        const { goesWith = [], mainFacet } = customFields as { goesWith?: Product[]; mainFacet?: Facet | null };
        return { goesWith: goesWith.map(other => other.id).sort(), mainFacet: mainFacet?.id ?? null };
    }

    const product = (slug: string, customFields: JsonObject = {}): JsonObject => ({ slug, name: slug, customFields });

    it('stores one and several, and writes nothing when the same ids are repeated, as text or in another order', async () => {
        await load(productUpsert, [product('rel-lamp'), product('rel-shade')]);
        const service = shop.app.get(ProductService);
        const ids = await Promise.all(
            ['rel-lamp', 'rel-shade'].map(async slug => (await service.findOneBySlug(platform.ctx, slug))!.id),
        );
        const fields = { goesWith: ids, mainFacet: facets[0]!.id };
        expect((await load(productUpsert, [product('rel-desk', fields)])).verdicts).toEqual(['C']);
        expect(await relationsOf('rel-desk')).toEqual({ goesWith: [...ids].sort(), mainFacet: facets[0]!.id });
        const asText = { goesWith: [...ids].reverse().map(String), mainFacet: String(facets[0]!.id) };
        for (const again of [fields, asText])
            expect(await load(productUpsert, [product('rel-desk', again)])).toMatchObject({
                verdicts: ['='],
                effects: [],
            });
    });

    it('are replaced, joined with MERGE, and emptied by null', async () => {
        await load(productUpsert, [product('rel-a'), product('rel-b'), product('rel-c')]);
        const [a, b] = await Promise.all(
            ['rel-a', 'rel-b'].map(
                async slug => (await shop.app.get(ProductService).findOneBySlug(platform.ctx, slug))!.id,
            ),
        );
        const { changes } = await load(productUpsert, [product('rel-c', { goesWith: [a!] })]);
        expect(changes).toMatchObject([{ action: 'update', after: { 'customFields.goesWith': [a] } }]);
        await load(productUpsert, [product('rel-c', { goesWith: [b!] })], { strategy: 'MERGE' });
        expect((await relationsOf('rel-c')).goesWith).toEqual([a, b].sort());
        await load(productUpsert, [product('rel-c', { goesWith: [b!] })]);
        expect((await relationsOf('rel-c')).goesWith).toEqual([b]);
        await load(productUpsert, [product('rel-c', { goesWith: null, mainFacet: null })]);
        expect(await relationsOf('rel-c')).toEqual({ goesWith: [], mainFacet: null });
    });

    it('belong to described entities as well', async () => {
        const [first, second] = facets;
        const group = (...ids: ReadonlyArray<string | number>): JsonObject => ({
            name: 'Related',
            customFields: { facets: ids },
        });
        expect((await load(customerGroupUpsert, [group(first!.id, second!.id)])).verdicts).toEqual(['C']);
        expect((await load(customerGroupUpsert, [group(second!.id, first!.id)])).verdicts).toEqual(['=']);
        expect((await load(customerGroupUpsert, [group(second!.id)])).verdicts).toEqual(['U']);
        const stored = await shop.dataSource.getRepository(CustomerGroup).findOneOrFail({
            where: { name: 'Related' },
            relations: { customFields: { facets: true } } as object,
        });
        expect((stored.customFields as { facets: Facet[] }).facets.map(({ id }) => id)).toEqual([second!.id]);
    });

    it('belong to customers and their addresses, next to fields of other types', async () => {
        const [first, second] = facets;
        const customer = (customFields: JsonObject, doorCode: string): JsonObject => ({
            emailAddress: 'related@example.com',
            firstName: 'Ria',
            lastName: 'Lund',
            customFields,
            addresses: [{ streetLine1: 'Quay 1', country: 'DE', customFields: { doorCode } }],
        });
        const made = { vatNumber: 'DE1', interests: [first!.id, second!.id] };
        expect((await load(customerUpsert, [customer(made, '7')])).verdicts).toEqual(['C']);
        expect((await load(customerUpsert, [customer(made, '7')])).verdicts).toEqual(['=']);
        const { changes } = await load(customerUpsert, [customer({ vatNumber: null, interests: [second!.id] }, '8')]);
        expect(changes).toMatchObject([
            {
                action: 'update',
                before: { 'customFields.vatNumber': 'DE1', 'addresses.0.customFields.doorCode': '7' },
                after: {
                    'customFields.vatNumber': null,
                    'customFields.interests': [second!.id],
                    'addresses.0.customFields.doorCode': '8',
                },
            },
        ]);
        const stored = await shop.dataSource.getRepository(Customer).findOneOrFail({
            where: { emailAddress: 'related@example.com' },
            relations: { addresses: true, customFields: { interests: true } } as object,
        });
        const { vatNumber, interests } = stored.customFields as { vatNumber: string | null; interests: Facet[] };
        expect([vatNumber, interests.map(({ id }) => id)]).toEqual([null, [second!.id]]);
        expect(stored.addresses.map(({ customFields }) => customFields)).toEqual([
            expect.objectContaining({ doorCode: '8' }),
        ]);
        const wrong = await load(customerUpsert, [customer({ vatNumber: 7 }, '8'), customer({}, '8')]);
        expect(wrong.verdicts).toEqual([expect.stringContaining('"customFields.vatNumber"'), '=']);
    });

    it('to missing entities reject their record, and load its neighbours', async () => {
        const records = [
            product('rel-lost', { goesWith: [999_999_999] }),
            product('rel-blank', { goesWith: [''] }),
            product('rel-word', { goesWith: 'lamp' }),
            product('rel-found', { goesWith: [] }),
        ];
        const { verdicts: outcomes } = await load(productUpsert, records.slice(1));
        expect(outcomes).toEqual([
            expect.stringContaining('"customFields.goesWith"'),
            expect.stringMatching(naming('customFields.goesWith', '"lamp"', 'list')),
            'C',
        ]);
        await expect(load(productUpsert, records.slice(0, 1))).rejects.toMatchObject({ code: 'RECORD_REFUSED' });
    });
}

export const customRelationsSuite: SharedSuite = {
    title: 'custom fields that are relations',
    tests: relatesByCustomFields,
};
