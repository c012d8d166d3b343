import { Product, ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { countStatements, watchStatements } from '../../bench/meter';
import { pipeline } from '../../src';
import { FlowEntityHistory } from '../../src/plugin/entities/entity-history';
import { type FlowServer, inSuiteChannel } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

countStatements();

/** A pipeline that loads the records of a CSV text; prices and stocks become numbers. */
const loading = (code: string, csvText: string, load: Parameters<ReturnType<typeof pipeline>['load']>[1]) => {
    const read = pipeline(code).trigger('start', { type: 'MANUAL' }).extract('in', { adapterCode: 'csv', csvText });
    const numbers = ['price', 'stock'].filter(field => csvText.split('\n')[0]!.includes(field));
    const calls = numbers.map(source => ({ op: 'toNumber' as const, args: { source } }));
    return (calls.length === 0 ? read : read.transform('numbers', calls)).load('out', load).build();
};

const lamps = (count: number): string =>
    ['name,sku,price,stock', ...Array.from({ length: count }, (_, i) => `Told lamp ${i},TL-${i},4900,5`)].join('\n');

const history = true;
const KEEPING = [
    loading('told-lamps', lamps(3), { adapterCode: 'productUpsert', history }),
    loading('untold-lamps', 'name,sku,price\nUntold lamp,UL-1,100', { adapterCode: 'productUpsert' }),
    loading('told-stock', 'sku,stock\nTL-0,9', { adapterCode: 'stockAdjust', history }),
    loading('told-prices', 'sku,price\nTL-0,5100\nTL-1,5200', { adapterCode: 'priceUpdate', history }),
    loading('told-collections', 'name,slug\nTold things,told-things', {
        adapterCode: 'collectionUpsert',
        history,
    }),
    loading('told-deletes', 'slug\ntold-lamp-2', { adapterCode: 'entityDelete', entity: 'PRODUCT', history }),
    loading('many-told-lamps', lamps(250).replaceAll('old lamp', 'old torch').replaceAll('TL-', 'TT-'), {
        adapterCode: 'productUpsert',
        history,
    }),
];

const HISTORY = gql`
    query History($entity: FlowWrittenEntity!, $id: ID!, $take: Int) {
        flowEntityHistory(entity: $entity, id: $id, take: $take) {
            totalItems
            items {
                runId
                run {
                    id
                    status
                }
                pipeline {
                    code
                }
                stepKey
                action
                at
                variants
            }
        }
    }
`;

function keepsHistory(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const idOf = async (slug: string): Promise<string> => {
        const product = await shop.dataSource
            .getRepository(Product)
            .createQueryBuilder('product')
            .innerJoin('product.translations', 'text')
            .where('text.slug = :slug', { slug })
            .getOneOrFail();
        return `T_${product.id}`;
    };
    const historyOf = async (
        id: string,
        { of = shop, entity = 'Product', take = undefined as number | undefined } = {},
    ) =>
        (await of.adminClient.query(HISTORY, { entity, id, take })).flowEntityHistory as {
            readonly totalItems: number;
            readonly items: ReadonlyArray<Record<string, unknown>>;
        };

    it('shows which runs have written a product, its prices and its stock, the latest first', async () => {
        const made = await shop.perform('told-lamps');
        const stocked = await shop.perform('told-stock');
        const priced = await shop.perform('told-prices');
        const id = await idOf('told-lamp-0');
        const { items, totalItems } = await historyOf(id);
        expect(items).toMatchObject([
            { runId: priced.id, pipeline: { code: 'told-prices' }, stepKey: 'out', action: 'UPDATE', variants: 1 },
            { runId: stocked.id, pipeline: { code: 'told-stock' }, stepKey: 'out', action: 'UPDATE', variants: 1 },
            { runId: made.id, pipeline: { code: 'told-lamps' }, stepKey: 'out', action: 'CREATE', variants: 1 },
        ]);
        expect(items[0]).toMatchObject({ run: { id: priced.id, status: 'COMPLETED' } });
        const moments = items.map(({ at }) => at as string);
        expect(moments).toEqual([...moments].sort().reverse());
        expect(totalItems).toBe(3);
        expect(await historyOf(id, { take: 1 })).toMatchObject({ totalItems: 3, items: [{ runId: priced.id }] });
        expect((await historyOf(await idOf('told-lamp-1'))).items.map(({ runId }) => runId)).toEqual([
            priced.id,
            made.id,
        ]);
    });

    it('shows the runs of a variant alone, and of other entities', async () => {
        const variant = await shop.dataSource.getRepository(ProductVariant).findOneByOrFail({ sku: 'TL-0' });
        const ofVariant = await historyOf(`T_${variant.id}`, { entity: 'ProductVariant' });
        expect(ofVariant.items.map(({ action, variants }) => [action, variants])).toEqual([
            ['UPDATE', 0],
            ['UPDATE', 0],
            ['CREATE', 0],
        ]);
        const { id } = await shop.perform('told-collections');
        const [row] = await shop.dataSource
            .getRepository(FlowEntityHistory)
            .findBy({ entity: 'Collection', stepKey: 'out' });
        expect(await historyOf(`T_${row!.entityId}`, { entity: 'Collection' })).toMatchObject({
            items: [{ runId: id, action: 'CREATE' }],
        });
    });

    it('shows the runs of a deleted product', async () => {
        const id = await idOf('told-lamp-2');
        const gone = await shop.perform('told-deletes');
        expect((await historyOf(id)).items[0]).toMatchObject({ runId: gone.id, action: 'DELETE', variants: 1 });
    });

    it('stores nothing for unchanged records, or if the step is not configured to', async () => {
        const before = await shop.dataSource.getRepository(FlowEntityHistory).count();
        await shop.perform('untold-lamps');
        await shop.perform('told-collections');
        expect(await shop.dataSource.getRepository(FlowEntityHistory).count()).toBe(before);
        expect(await historyOf(await idOf('untold-lamp'))).toEqual({ totalItems: 0, items: [] });
    });

    it('costs one statement a batch, whatever its size', async () => {
        const requested: string[] = [];
        const stop = watchStatements(text => {
            if (text.includes('INSERT INTO') && text.includes('flow_entity_history')) requested.push(text);
        });
        await shop.perform('many-told-lamps');
        stop();
        // 250 records in batches of 100.
        expect(requested).toHaveLength(3);
    });

    it('hides runs of other channels, and rejects a page size that is too large', async () => {
        const other = await inSuiteChannel(shop, 'e2e-default-channel');
        expect(await historyOf(await idOf('told-lamp-0'), { of: other })).toEqual({ totalItems: 0, items: [] });
        expect(await historyOf('T_999999999')).toEqual({ totalItems: 0, items: [] });
        await expect(historyOf(await idOf('told-lamp-0'), { take: 0 })).rejects.toThrow('take');
        await expect(historyOf('T_1', { entity: 'Password' })).rejects.toThrow('FlowWrittenEntity');
    });
}

/** Which runs have written an entity of the shop. */
export const entityHistorySuite: SharedSuite = {
    title: 'the history of entities',
    pipelines: KEEPING,
    tests: keepsHistory,
};
