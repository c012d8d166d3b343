import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { In } from 'typeorm';
import { pipeline } from '../../src';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer } from '../config/flow-server';

const BATCH = 500;

function lamp(i: number) {
    return { sku: `LAMP-${i}`, slug: `lamp-${i}`, name: `Lamp ${i}`, price: 1000 + i, stock: 5 };
}

/** The places of the invalid records, the first and the last of the batch among them. */
const BAD: Readonly<Record<number, Record<string, unknown>>> = {
    0: { ...lamp(0), sku: undefined },
    7: { ...lamp(7), price: 'abc' },
    250: { ...lamp(250), taxCategory: 'Luxury Tax' },
    499: { ...lamp(499), channels: ['the-moon'] },
};
const data = Array.from(
    { length: BATCH },
    (_, i) => JSON.parse(JSON.stringify(BAD[i] ?? lamp(i))) as Record<string, string | number>,
);

const mixed = pipeline('mixed')
    .throughput({ batchSize: BATCH })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data })
    .load('out', { adapterCode: 'productUpsert' })
    .build();

interface Reject {
    readonly seq: number;
    readonly code: string;
    readonly message: string;
    readonly path: string | null;
    readonly payload: Record<string, unknown>;
}

function badRecords(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    it('are rejected alone, with field, value and reason; the rest of their batch is loaded', async () => {
        const run = await shop.perform('mixed');
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            recordsRead: BATCH,
            recordsLoaded: BATCH - 4,
            recordsRejected: 4,
        });
        const {
            flowRecordErrors: { items, totalItems },
        } = (await shop.adminClient.query(
            gql`query Rejects($id: ID!) { flowRecordErrors(runId: $id, options: { sort: { seq: ASC } }) { totalItems items { seq code message path payload } } }`,
            { id: run.id },
        )) as { flowRecordErrors: { totalItems: number; items: readonly Reject[] } };
        expect(totalItems).toBe(4);
        expect(items.map(({ seq, code, path }) => ({ seq, code, path }))).toEqual([
            { seq: 0, code: 'RECORD_INVALID', path: 'sku' },
            { seq: 7, code: 'RECORD_INVALID', path: 'price' },
            { seq: 250, code: 'RECORD_INVALID', path: 'taxCategory' },
            { seq: 499, code: 'RECORD_INVALID', path: expect.stringMatching(/^channels/) as string },
        ]);
        const [noSku, price, tax, channel] = items.map(({ message }) => message);
        expect(noSku).toMatch(/"sku".*missing/);
        expect(price).toMatch(/"price".*"abc".*minor units/);
        expect(tax).toMatch(/"taxCategory".*"Luxury Tax".*"Standard Tax"/);
        expect(channel).toMatch(/"channels.*"the-moon".*"e2e-default-channel"/);
        expect(items.map(({ payload }) => payload)).toEqual(Object.keys(BAD).map(i => data[Number(i)]));

        const loaded = await shop.dataSource
            .getRepository(ProductVariant)
            .find({ where: { sku: In(data.map(({ sku }) => sku ?? '')) } });
        expect(loaded.map(({ sku }) => sku).sort()).toEqual(
            data
                .filter((_, i) => !(i in BAD))
                .map(({ sku }) => sku)
                .sort(),
        );
    });
}

export const badInputSuite: SharedSuite = {
    title: 'records that cannot be loaded',
    pipelines: [mixed],
    tests: badRecords,
};
