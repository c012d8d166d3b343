import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { In } from 'typeorm';
import { needs } from '../test/servers/needs';
import { FlowPlugin, pipeline, type PipelineSource } from '../src';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';

const BATCH = 500;

function lamp(i: number) {
    return { sku: `LAMP-${i}`, slug: `lamp-${i}`, name: `Lamp ${i}`, price: 1000 + i, stock: 5 };
}

/** Where the bad ones are: the first and the last of the batch among them. */
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

function badRecords(database: Database): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await flowServer(database, FlowPlugin.init({ pipelines: [mixed] }));
    });
    afterAll(() => shop?.destroy());

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

describe('records that cannot be loaded, on SQLite', () => badRecords('sqlite'));
needs('postgres', 'records that cannot be loaded, on PostgreSQL', () => badRecords('postgres'));

describe('a definition with ten faults', () => {
    const definition = {
        version: 3,
        colour: 'red',
        throughput: { batchSize: 100_000 },
        errorHandling: { maxRetries: 'many' },
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'csvv', csvText: 'a\n1' } },
            {
                key: 'clean',
                kind: 'TRANSFORM',
                config: { operators: [{ op: 'slugfy', args: { source: 'name', target: 'slug' } }] },
            },
            { key: 'write!', kind: 'LOAD', config: { adapterCode: 'productUpser' } },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'clean' },
            { from: 'clean', to: 'write!' },
            { from: 'read', to: 'clean' },
            { from: 'read', to: 'nowhere' },
        ],
    } as unknown as PipelineSource['definition'];
    const faulty = FlowPlugin.init({
        pipelines: [{ code: 'faulty', name: 'Faulty', description: '', enabled: true, definition }],
    });

    it('keeps the server from starting, which tells all ten and what the unknown codes are near to', async () => {
        const refusal = await flowServer('sqlite', faulty).then(
            () => undefined,
            (error: unknown) => error as Error & { code: string },
        );
        expect(refusal).toMatchObject({ code: 'DEFINITION_INVALID' });
        const lines = refusal!.message.split('\n').filter(line => line.startsWith('  - '));
        expect(lines.map(line => /\((\w+)\)$/.exec(line)?.[1]).sort()).toEqual([
            'ADAPTER_NOT_FOUND',
            'ADAPTER_NOT_FOUND',
            'ADAPTER_NOT_FOUND',
            'EDGE_DUPLICATE',
            'EDGE_UNKNOWN_STEP',
            'KEY_UNKNOWN',
            'STEP_KEY_INVALID',
            'VALUE_INVALID',
            'VALUE_OUT_OF_RANGE',
            'VERSION_UNSUPPORTED',
        ]);
        expect(refusal!.message).toContain('has 10 fault(s)');
        for (const [wrong, near] of [
            ['csvv', 'csv'],
            ['slugfy', 'slugify'],
            ['productUpser', 'productUpsert'],
        ]) {
            expect(lines.find(line => line.includes(`"${wrong}"`))).toContain(`"${near}"`);
        }
    });
});
