import { z } from 'zod';
import { defineOperator, path, pipeline, recordInvalid } from '../src';
import { operatorContract, runOperator, runPipeline, runStep } from '../src/testing';

const shout = defineOperator({
    code: 'shout',
    category: 'Own',
    title: 'Shout',
    summary: 'Writes a text in capitals.',
    config: z.strictObject({ field: path('Field', 'The text.') }),
    examples: [
        { args: { field: 'a' }, in: { a: 'b' }, out: { a: 'B' } },
        { args: { field: 'a' }, in: {}, out: {} },
        { args: { field: 'a' }, in: { a: 1 }, error: 'is no text' },
    ],
    compile:
        ({ field }) =>
        record => {
            const text = record[field];
            if (text === undefined || text === null) return record;
            if (typeof text !== 'string') throw recordInvalid(field, 'is no text');
            return { ...record, [field]: text.toUpperCase() };
        },
});

const supplier = pipeline('supplier')
    .trigger('start', { type: 'MANUAL' })
    .extract('file', { adapterCode: 'csv', csvText: 'sku,price\nnever,read' })
    .transform('shape', [
        { op: 'toCents', args: { source: 'price', target: 'price' } },
        { op: 'when', args: { action: 'drop', conditions: [{ field: 'price', cmp: 'eq', value: 0 }] } },
    ])
    .load('products', { adapterCode: 'productUpsert' })
    .build();

describe('runOperator', () => {
    it('runs a built-in operator by its code', async () => {
        expect(
            await runOperator({
                operator: 'slugify',
                args: { source: 'name', target: 'slug' },
                records: [{ name: 'Café Crème' }],
            }),
        ).toEqual({ out: [{ name: 'Café Crème', slug: 'cafe-creme' }], rejected: [], log: [], error: null });
    });

    it("runs one's own, and tells of the record that it rejects", async () => {
        const { out, rejected } = await runOperator({
            operator: shout,
            args: { field: 'a' },
            records: [{ a: 'x' }, { a: 2 }],
        });
        expect(out).toEqual([{ a: 'X' }]);
        expect(rejected).toMatchObject([{ seq: 1, code: 'RECORD_INVALID', path: 'a', payload: { a: 2 } }]);
    });

    it('refuses arguments that its schema refuses', async () => {
        await expect(runOperator({ operator: shout, args: { field: '__proto__' }, records: [] })).rejects.toMatchObject(
            { code: 'DEFINITION_INVALID' },
        );
        await expect(runOperator({ operator: 'shoutt', args: {}, records: [] })).rejects.toThrow(
            'No operator has the code "shoutt"',
        );
    });

    it('answers requests from a stand-in for the network, and refuses them without one', async () => {
        const asked: string[] = [];
        const lookup = {
            operator: 'httpLookup',
            args: { connectionCode: 'erp', url: '/prices/{{sku}}', target: 'price', responsePath: 'gross' },
            records: [{ sku: 'A' }],
            secrets: { token: 't0ken' },
            connections: {
                erp: {
                    type: 'REST',
                    settings: { baseUrl: 'https://erp.example.com', auth: { type: 'BEARER', secretCode: 'token' } },
                },
            },
        };
        const { out } = await runOperator({
            ...lookup,
            http: async ({ url, auth }) => {
                asked.push(`${url} ${auth!.value.reveal()}`);
                return {
                    status: 200,
                    headers: { 'content-type': 'application/json' },
                    body: Buffer.from('{"gross": 5}'),
                };
            },
        });
        expect(out).toEqual([{ sku: 'A', price: 5 }]);
        expect(asked).toEqual(['https://erp.example.com/prices/A Bearer t0ken']);
        const refused = await runOperator(lookup);
        expect([...refused.rejected.map(({ message }) => message), refused.error?.message].join()).toContain(
            'this run has no network',
        );
    });
});

describe('runStep', () => {
    it("runs one step of a pipeline, and shows each operator's before and after", async () => {
        const { out, operators, counters } = await runStep({
            pipeline: supplier,
            stepKey: 'shape',
            records: [{ price: '1.005' }, { price: '0' }, { price: 'x' }],
        });
        expect(out).toEqual([{ price: 101 }]);
        expect(operators.map(({ op, before, after }) => [op, before.length, after.length])).toEqual([
            ['toCents', 3, 2],
            ['when', 2, 1],
        ]);
        expect(counters).toMatchObject({ in: 3, out: 1, filtered: 1, rejected: 1 });
    });

    it("asks a shop of the test's own for what must exist, and says so where there is none", async () => {
        const check = {
            version: 1 as const,
            edges: [],
            steps: [
                {
                    key: 'check',
                    kind: 'VALIDATE' as const,
                    config: { rules: [{ type: 'reference', spec: { field: 'sku', entity: 'PRODUCT_VARIANT' } }] },
                },
            ],
        };
        const checked = await runStep({
            pipeline: check,
            stepKey: 'check',
            records: [{ sku: 'A' }, { sku: 'B' }],
            existing: { PRODUCT_VARIANT: ['A'] },
        });
        expect(checked).toMatchObject({ out: [{ sku: 'A' }], rejected: [{ path: 'sku', payload: { sku: 'B' } }] });
        expect((await runStep({ pipeline: check, stepKey: 'check', records: [{ sku: 'A' }] })).error).toMatchObject({
            message: expect.stringContaining('existing: { PRODUCT_VARIANT: [...] }'),
        });
    });

    it('bears an operator that makes very many records of one', async () => {
        const many = {
            version: 1 as const,
            edges: [],
            steps: [
                {
                    key: 'many',
                    kind: 'TRANSFORM' as const,
                    config: { operators: [{ op: 'expand', args: { path: 'list' } }] },
                },
            ],
        };
        const { out, error } = await runStep({
            pipeline: many,
            stepKey: 'many',
            records: [1, 2].map(() => ({ list: Array.from({ length: 90_000 }, (_, i) => i) })),
        });
        expect([out.length, error]).toEqual([180_000, null]);
    });

    it('says which steps there are', async () => {
        await expect(runStep({ pipeline: supplier, stepKey: 'nowhere', records: [] })).rejects.toThrow(
            'the definition has the steps start, file, shape, products',
        );
    });
});

describe('runPipeline', () => {
    it('runs records in place of a source through to what would be loaded', async () => {
        const run = await runPipeline({
            pipeline: supplier,
            records: {
                file: [
                    { sku: 'A', price: '19.95' },
                    { sku: 'B', price: '?' },
                    { sku: 'C', price: '0' },
                ],
            },
        });
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'PARTIAL',
            error: null,
            loaded: { products: [{ sku: 'A', price: 1995 }] },
            totals: { recordsRead: 3, recordsLoaded: 1, recordsFiltered: 1, recordsRejected: 1 },
        });
        expect(run.rejected).toMatchObject([{ stepKey: 'shape', seq: 1, payload: { sku: 'B' } }]);
    });

    it('reads what the sources read where nothing is given in their place', async () => {
        expect((await runPipeline({ pipeline: supplier })).rejected).toMatchObject([
            { payload: { sku: 'never', price: 'read' } },
        ]);
        await expect(runPipeline({ pipeline: supplier, records: { shape: [] } })).rejects.toThrow(
            '"shape", which is no EXTRACT step',
        );
    });

    it('calls hooks and scripts as a run does, and tells what failed it', async () => {
        const hooked = pipeline('hooked')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'inMemory', data: [{ n: 1 }] })
            .load('out', { adapterCode: 'productUpsert' })
            .hooks({ BEFORE_LOAD: [{ type: 'SCRIPT', scriptName: 'fail', failOnError: true }] })
            .build();
        const run = await runPipeline({
            pipeline: hooked,
            options: {
                scripts: {
                    fail: () => {
                        throw new TypeError('no');
                    },
                },
            },
        });
        expect(run).toMatchObject({
            status: 'FAILED',
            outcome: null,
            loaded: { out: [] },
            error: { code: 'HOOK_FAILED', stepKey: 'out' },
        });
    });

    it('gives operators the time that it is told', async () => {
        const timed = pipeline('timed')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'inMemory', data: [{}] })
            .transform('t', [{ op: 'now', args: { target: 'at' } }])
            .load('out', { adapterCode: 'productUpsert' })
            .build();
        expect((await runPipeline({ pipeline: timed, startedAt: new Date('2026-01-02T03:04:05Z') })).loaded).toEqual({
            out: [{ at: '2026-01-02T03:04:05.000Z' }],
        });
    });
});

describe('operatorContract', () => {
    it.each(operatorContract(shout).map(({ name, run }) => [name, run] as const))(
        "an operator of one's own %s",
        (_name, run) => run(),
    );

    it('finds what is wrong with an operator', async () => {
        const failed = async (broken: Partial<typeof shout>): Promise<string[]> => {
            const names: string[] = [];
            for (const { name, run } of operatorContract({ ...shout, ...broken } as typeof shout)) {
                try {
                    await run();
                } catch {
                    names.push(name);
                }
            }
            return names;
        };
        expect(await failed({ summary: 'no sentence' })).toEqual([
            expect.stringContaining('a summary that is a sentence'),
        ]);
        expect(await failed({ examples: shout.examples.slice(0, 2) })).toEqual(['has at least three examples']);
        expect(
            await failed({
                examples: [{ args: { field: 'a' }, in: { a: 'b' }, out: { a: 'b' } }, ...shout.examples.slice(1)],
            }),
        ).toEqual(['does what example 1 says']);
        expect(await failed({ compile: () => record => ({ a: (record['a'] as string).toUpperCase() }) })).toContain(
            'bears records that nobody expects',
        );
        expect(await failed({ compile: shout.compile, config: z.object({ field: z.string() }) as never })).toEqual([
            'says of every argument what it is called and what it does',
            'refuses an argument that it does not know',
        ]);
    });
});
