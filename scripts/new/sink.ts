import { CAMEL_CASE, type ComponentKind } from './component-kind';

/** Run by test/registry-contract.spec.ts. */
const EXAMPLES = `examples: [
        {
            config: { url: 'https://search.example.com/products' },
            in: [
                { id: 'a', name: 'Größe' },
                { id: 'b', __operation: 'DELETE' },
            ],
            does: ['deliver', 'remove'],
        },
        {
            config: { url: 'https://search.example.com/products', idField: 'sku' },
            in: [{ sku: '7' }, { name: 'no sku' }],
            does: ['deliver', 'reject'],
            rejects: ['sku'],
            note: 'A record without an id is rejected before anything is sent.',
        },
    ],`;

/** Delivers records to another system. */
export const sink: ComponentKind = {
    codes: CAMEL_CASE,
    folder: 'src/adapters/sinks',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/adapters/index.ts',
    list: 'sinks',
    declaration: ({ code, name, title }) => `import { z } from 'zod';
import type { OutboundMethod } from '../../core/adapter/http';
import type { Outcome } from '../../core/adapter/loader';
import { defineSink } from '../../core/adapter/sink';
import { compilePath } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import { urlAddress } from '../../core/schema/address-fields';
import { timeoutMs } from '../../core/schema/fields';
import { sinkFields } from '../../core/schema/sink-fields';
import type { JsonValue } from '../../core/value/json';

/** ${title}: lists of records, one request for each part of a batch. */
export const ${name} = defineSink({
    code: '${code}',
    category: 'Targets',
    title: '${title}',
    summary: 'Sends lists of records to an address.',
    config: z.strictObject({
        url: urlAddress(
            z.string().min(1).max(2048).meta({ title: 'Address', description: 'Where the records are sent to.' }),
        ),
        timeoutMs: timeoutMs('Timeout', 'How long the target may take to answer, in milliseconds.'),
        ...sinkFields,
    }),
    notes: ['A request is a list of {id, record}; the id is the same when a record is sent again. A DELETE has a list of ids.'],
    ${EXAMPLES}
    async open({ url, timeoutMs: ms, batchSize, defaultOperation, idField = 'id' }, cx) {
        const id = compilePath(idField);
        const send = async (method: OutboundMethod, list: readonly JsonValue[]): Promise<readonly Outcome[]> => {
            const headers = { 'content-type': 'application/json' };
            const body = JSON.stringify(list);
            const request = { url, method, headers, body, timeoutMs: ms, signal: cx.signal };
            // Temporary errors are thrown: they do not reject the records, which are sent again with the same ids.
            await cx.outbound.http.send({ ...request, attempts: 3, isRepeatable: true });
            return list.map(() => ({ ok: true }));
        };
        return {
            batchSize,
            defaultOperation,
            identity: data => id.get(data),
            check(data) {
                if (id.get(data) === undefined) throw recordInvalid(idField, 'is missing; the target knows records by it');
            },
            deliver: (batch, ids) =>
                send(
                    'POST',
                    batch.map(({ data }, i) => ({ id: ids[i]!, record: data })),
                ),
            remove: identities => send('DELETE', identities),
        };
    },
});
`,
    spec: ({ code, name, file }) => `import { contextWith } from '../../testing/context';
import { fakeOutbound } from '../../testing/fake-outbound';
import { RUN } from '../../../test/kit/run-facts';
import { batchOf } from '../../../test/kit/record';
import { ${name} } from '${file}';

describe('${code}', () => {
    it('sends each record with the id of its delivery, and removes records by their own ids', async () => {
        const sent: unknown[] = [];
        const outbound = fakeOutbound({
            http: async ({ method, body }) => {
                sent.push([method, JSON.parse(String(body))]);
                return { status: 200, headers: {}, body: Buffer.from('') };
            },
        });
        const config = ${name}.config.parse({ url: 'https://a.example', idField: 'sku' });
        const session = await ${name}.open(config, { ...contextWith({ outbound }), run: RUN });
        expect(await session.deliver(batchOf({ sku: '007' }), ['d1'])).toEqual([{ ok: true }]);
        expect(await session.remove!(['007'], ['d2'], batchOf({ sku: '007' }))).toEqual([{ ok: true }]);
        expect(sent).toEqual([
            ['POST', [{ id: 'd1', record: { sku: '007' } }]],
            ['DELETE', ['007']],
        ]);
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, fields, examples, and what open returns.`,
        'npm run test:unit -- src/adapters/sinks test/registry-contract    runs its spec, its examples and the contract',
        `npm run docs    writes docs/reference/sinks/${code}.md`,
    ],
};
