import gql from 'graphql-tag';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
    type BuiltinCatalogue,
    createPipelineBuilder,
    type CustomSink,
    defineSink,
    type JsonObject,
    noSecretIsSent,
    sinkFields,
    type SinkContext,
    z,
} from '../../src';
import { FlowLoadMarker } from '../../src/plugin/entities/load-marker';
import { FlowRecordError } from '../../src/plugin/entities/record-error';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { revealInProcess } from '../../src/core/adapter/secret';

// A catalogue without sinks gives access to those of the shop.
const pipeline = createPipelineBuilder<Omit<BuiltinCatalogue, 'sinks'>>();

/** The requests that the partner's server has received, in their order. */
const received: Array<{ readonly method: string; readonly body: readonly JsonObject[] }> = [];
/** How many more requests it rejects because it is busy. */
let busy = 0;
/** Whether it rejects all requests for a minute. */
let isAway = false;
/** The markers of the run at the time when the server was busy. */
const told: string[][] = [];
let partner: Server | undefined;
let shop: FlowServer;

const markers = async (): Promise<string[]> =>
    (await shop.dataSource.getRepository(FlowLoadMarker).find()).map(({ verdicts: outcomes }) => outcomes);

/** Sends lists to the partner's server, and a final request to publish them. */
const partnerSink = defineSink({
    code: 'partner',
    category: 'Own',
    title: 'Partner',
    summary: 'Sends lists to a partner.',
    config: z.strictObject({ ...sinkFields }),
    async open({ batchSize, defaultOperation }, cx) {
        const send = async (method: 'POST' | 'DELETE' | 'PUT', list: readonly unknown[]): Promise<void> => {
            const url = `http://127.0.0.1:${(partner!.address() as AddressInfo).port}/`;
            const headers = { 'content-type': 'application/json' };
            const body = JSON.stringify(list);
            await cx.outbound.http.send({ url, method, headers, body, timeoutMs: 5_000, signal: cx.signal });
        };
        return {
            batchSize,
            defaultOperation,
            async deliver(batch, ids) {
                await send(
                    'POST',
                    batch.map(({ data }, i) => ({ ...data, deliveryId: ids[i]! })),
                );
                return batch.map(() => ({ ok: true }));
            },
            async remove(identities) {
                await send('DELETE', identities);
                return identities.map(() => ({ ok: true }));
            },
            finish: () => send('PUT', []),
        };
    },
});

const contexts: SinkContext[] = [];
const shelved: unknown[] = [];

/** A sink with the interface `CustomSink`. */
const shelf: CustomSink = {
    type: 'SINK',
    code: 'shelf',
    name: 'Shelf',
    sinkType: 'CUSTOM',
    schema: { fields: [{ key: 'apiKeySecretCode', label: 'API key', type: 'string', required: true }] },
    secretUses: noSecretIsSent,
    async index(context, config, records) {
        contexts.push(context);
        shelved.push([
            revealInProcess(context.secrets.get(String(config['apiKeySecretCode']))),
            records.map(({ id }) => id),
        ]);
        const bad = records.filter(({ id }) => id === 2);
        const errors = bad.map(record => ({ record, message: 'is too wide', statusCode: 422 }));
        return { indexed: records.length - bad.length, deleted: 0, failed: bad.length, errors };
    },
    async refresh() {
        shelved.push('refreshed');
    },
};

const RECORDS: readonly JsonObject[] = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4, __operation: 'DELETE' }, { id: 5 }];

const delivered = pipeline('sinks')
    .throughput({ batchSize: 10 })
    .errorHandling({ retryDelayMs: 1 })
    .trigger('start', { type: 'MANUAL' })
    .extract('read', { adapterCode: 'inMemory', data: [...RECORDS] })
    .sink('partner', { adapterCode: 'partner', batchSize: 2 })
    .build();

const shelving = pipeline('shelving')
    .trigger('start', { type: 'MANUAL' })
    .extract('read', { adapterCode: 'inMemory', data: [{ id: 1 }, { id: 2 }, { id: 3 }] })
    .sink('shelf', { adapterCode: 'shelf', apiKeySecretCode: 'shelf-key' })
    .build();

function sinks(open: () => Promise<FlowServer>): void {
    beforeAll(async () => {
        shop = await open();
        partner = createServer((request, response) => {
            let text = '';
            request.on('data', (piece: Buffer) => (text += piece.toString()));
            request.on('end', () => {
                const answer = async (): Promise<void> => {
                    received.push({ method: request.method!, body: JSON.parse(text) as JsonObject[] });
                    if (received.length === 2 && busy-- > 0) {
                        told.push(await markers());
                        response.statusCode = 503;
                    }
                    if (isAway) response.writeHead(503, { 'retry-after': '60' });
                    response.end('{}');
                };
                void answer();
            });
        });
        await new Promise<void>(done => partner!.listen(0, '127.0.0.1', done));
    });
    afterAll(() => new Promise(done => partner!.close(done)));

    it('send nothing in a dry run, and report what they would send', async () => {
        const run = await shop.perform('sinks', 'dryRunFlowPipeline');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
        expect(received).toEqual([]);
    });

    it('send part by part, continue after what was acknowledged, and finish once', async () => {
        busy = 1;
        const run = await shop.perform('sinks');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 5, recordsRejected: 0 });
        expect(received.map(({ method, body }) => [method, body.map(one => one['id'] ?? one)])).toEqual([
            ['POST', [1, 2]],
            ['POST', [3]],
            ['POST', [3]],
            ['DELETE', ['4']],
            ['POST', [5]],
            ['PUT', []],
        ]);
        expect(received[2]).toEqual(received[1]);
        expect(told).toEqual([['UU??? 0-4']]);
    });

    it('with the interface `CustomSink` receive the run, and reject the records with errors', async () => {
        const run = await shop.perform('shelving');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 1 });
        expect(shelved).toEqual([['shelf-secret', [1, 2, 3]], 'refreshed']);
        expect(contexts[0]).toMatchObject({
            stepKey: 'shelf',
            dryRun: false,
            pipelineContext: { pipelineCode: 'shelving', revision: 1, languageCode: 'en' },
        });
        expect(contexts[0]!.pipelineContext.channelToken).not.toBe('');
        const errors = await shop.dataSource.getRepository(FlowRecordError).find({ where: { stepKey: 'shelf' } });
        expect(errors).toMatchObject([{ code: 'TARGET_REFUSED', payload: { id: 2 } }]);
    });

    it('whose target is unavailable for a minute do not keep other runs from the queue meanwhile', async () => {
        isAway = true;
        received.length = 0;
        const { id } = await shop.start('sinks');
        await until(
            async () => received.length,
            count => count > 0,
        );
        expect(await shop.perform('shelving')).toMatchObject({ status: 'COMPLETED' });
        expect(await shop.run(id)).toMatchObject({ status: 'RUNNING' });
        isAway = false;
        await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, { id });
        expect(await shop.ended(id)).toMatchObject({ status: 'CANCELLED' });
    });
}

export const sinksSuite: SharedSuite = {
    title: 'sinks',
    adapters: [partnerSink, shelf],
    pipelines: [delivered, shelving],
    secrets: [{ code: 'shelf-key', provider: 'INLINE', value: 'shelf-secret' }],
    tests: sinks,
};
