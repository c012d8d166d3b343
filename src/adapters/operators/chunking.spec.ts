import type { OutboundHttp } from '../../core/adapter/http';
import type { JsonObject } from '../../core/value/json';
import { sandbox } from '../../io/sandbox/sandbox';
import { runPipeline } from '../../testing';

jest.setTimeout(120_000);
afterAll(() => sandbox.rest());

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const records: readonly JsonObject[] = Array.from({ length: 7 }, (_, i) => ({
    id: `A${i % 5}`,
    n: i,
    image: PNG,
    text: i === 3 ? null : `No. ${i}`,
}));
const http: OutboundHttp['send'] = async ({ url }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ of: url })),
});
const right = [
    { id: 'A0', a: 1 },
    { id: 'A0', a: 2 },
    { id: 'A3', a: 3 },
];

/** Of the others their documentation says that they see one batch: aggregate, deduplicateRecords, multiJoin RIGHT and FULL, script with batch. */
const calls: ReadonlyArray<readonly [string, string, JsonObject]> = [
    ['multiJoin LEFT', 'multiJoin', { leftKey: 'id', rightKey: 'id', rightData: right }],
    ['multiJoin INNER', 'multiJoin', { leftKey: 'id', rightKey: 'id', rightData: right, type: 'INNER' }],
    ['deltaFilter', 'deltaFilter', { idPath: 'id', includePaths: ['id'] }],
    ['httpLookup', 'httpLookup', { url: 'https://erp.example.com/{{id}}', target: 'found' }],
    ['imageResize', 'imageResize', { sourceField: 'image', width: 2, height: 2 }],
    ['imageConvert', 'imageConvert', { sourceField: 'image', format: 'webp' }],
    ['pdfGenerate', 'pdfGenerate', { templateField: 'text', targetField: 'pdf' }],
    ['script', 'script', { code: 'return { ...record, twice: record.n * 2, index };' }],
];

describe.each(calls)('%s', (_name, op, args) => {
    const run = async (batchSize: number) => {
        const { loaded, rejected, error } = await runPipeline({
            http,
            pipeline: {
                version: 1,
                throughput: { batchSize },
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                    { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory' } },
                    { key: 'shape', kind: 'TRANSFORM', config: { operators: [{ op, args }] } },
                    { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'shape' },
                    { from: 'shape', to: 'out' },
                ],
            },
            records: { in: records },
            startedAt: new Date(0),
        });
        return { loaded, rejected, error };
    };

    it('gives the same for every size of batches', async () => {
        const whole = await run(100);
        expect(whole.error).toBeNull();
        expect(whole.loaded['out']!.length + whole.rejected.length).toBeGreaterThan(0);
        for (const size of [1, 2, 3]) expect(await run(size)).toEqual(whole);
    });
});
