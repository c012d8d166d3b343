import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import {
    type DefinitionInput,
    defineConnection,
    defineExtractor,
    defineOperator,
    defineRule,
    type ExtractContext,
    type JsonObject,
    type OutboundAuth,
    type Page,
    path,
    pipeline,
    recordInvalid,
    reporting,
    secretCode,
    secretsSentTo,
    secretTargetOf,
} from '../src';
import {
    connectionContract,
    type ContractCheck,
    type ContractContext,
    type CustomSink,
    extractorContract,
    fakeOutbound,
    operatorContract,
    ruleContract,
    runOperator,
    runPipeline,
    runStep,
    sinkContract,
    type SinkResult,
    type SinkHarness,
} from '../src/testing';
import { textNaming } from './kit/naming';

/** The names of the checks that fail. */
async function failing(checks: readonly ContractCheck[]): Promise<string[]> {
    const names: string[] = [];
    for (const { name, run } of checks) {
        try {
            await run();
        } catch {
            names.push(name);
        }
    }
    return names;
}

const shout = defineOperator({
    code: 'shout',
    category: 'Own',
    title: 'Shout',
    summary: 'Writes a text in capitals.',
    config: z.strictObject({ field: path('Field', 'The text.') }),
    examples: [
        { args: { field: 'a' }, in: { a: 'b' }, out: { a: 'B' } },
        { args: { field: 'a' }, in: {}, out: {} },
        { args: { field: 'a' }, in: { a: 1 }, error: 'is not a text' },
    ],
    compile:
        ({ field }) =>
        record => {
            const text = record[field];
            if (text === undefined || text === null) return record;
            if (typeof text !== 'string') throw recordInvalid(field, 'is not a text');
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
        ).toEqual({
            out: [{ name: 'Café Crème', slug: 'cafe-creme' }],
            rejected: [],
            warned: [],
            log: [],
            error: null,
        });
    });

    it('runs your own operator, and returns the record that it rejects', async () => {
        const { out, rejected } = await runOperator({
            operator: shout,
            args: { field: 'a' },
            records: [{ a: 'x' }, { a: 2 }],
        });
        expect(out).toEqual([{ a: 'X' }]);
        expect(rejected).toMatchObject([{ seq: 1, code: 'RECORD_INVALID', path: 'a', payload: { a: 2 } }]);
    });

    it('rejects arguments that its schema rejects', async () => {
        await expect(runOperator({ operator: shout, args: { field: '__proto__' }, records: [] })).rejects.toMatchObject(
            { code: 'DEFINITION_INVALID' },
        );
        await expect(runOperator({ operator: 'shoutt', args: {}, records: [] })).rejects.toMatchObject({
            code: 'DEFINITION_INVALID',
            facts: { summary: textNaming('operator: ', '"shoutt"', 'slugify') },
        });
    });

    it('answers requests with a fake network, and rejects them without one', async () => {
        const requested: string[] = [];
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
                requested.push(
                    `${url} ${(auth as OutboundAuth).value.revealFor({ host: 'erp.example.com', port: 443 })}`,
                );
                return {
                    status: 200,
                    headers: { 'content-type': 'application/json' },
                    body: Buffer.from('{"gross": 5}'),
                };
            },
        });
        expect(out).toEqual([{ sku: 'A', price: 5 }]);
        expect(requested).toEqual(['https://erp.example.com/prices/A Bearer t0ken']);
        const rejected = await runOperator(lookup);
        expect([...rejected.rejected.map(({ message }) => message), rejected.error?.message].join()).toContain(
            'no network',
        );
        requested.length = 0;
        const elsewhere = await runOperator({
            ...lookup,
            secrets: { token: { value: 't0ken', allowedHosts: ['shop.example.com'] } },
            http: async ({ url }) => {
                requested.push(url);
                return { status: 200, headers: {}, body: Buffer.from('{}') };
            },
        });
        expect(elsewhere.error?.code ?? elsewhere.rejected[0]?.code).toBe('SECRET_HOST_NOT_ALLOWED');
        expect(requested).toEqual([]);
    });
});

describe('runStep', () => {
    it('runs one step of a pipeline, and shows the records before and after each operator', async () => {
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

    it('passes every field of the records on, whatever its name', async () => {
        const record = Object.fromEntries([
            ['price', '2'],
            ...Object.getOwnPropertyNames(Object.prototype).map(name => [name, { [name]: 1 }] as const),
        ]);
        const { out } = await runStep({ pipeline: supplier, stepKey: 'shape', records: [record] });
        expect(Object.keys(out[0]!).sort()).toEqual(Object.keys(record).sort());
    });

    it('uses a fake shop to check what must exist, and reports an error without one', async () => {
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

    it('survives an operator that makes very many records from one', async () => {
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

    it('lists the steps if one is unknown', async () => {
        await expect(runStep({ pipeline: supplier, stepKey: 'nowhere', records: [] })).rejects.toThrow(
            /nowhere.* start, file, shape, products/,
        );
    });
});

describe('runPipeline', () => {
    it.each(['spreadsheet', 'givenRecord', 'givenRecords'])(
        'rejects an unknown source, and does not suggest an internal one: %s',
        async adapterCode => {
            const steps = [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'file', kind: 'EXTRACT', config: { adapterCode, records: [] } },
            ];
            const own = { version: 1, steps, edges: [{ from: 'start', to: 'file' }] } as unknown as DefinitionInput;
            const { code, message } = (await runPipeline({ pipeline: own, records: { file: [] } }).catch(
                (error: unknown) => error,
            )) as { code: string; message: string };
            expect(code).toBe('DEFINITION_INVALID');
            expect(message.replace(`"${adapterCode}"`, '')).not.toContain('givenRecords');
        },
    );

    it('runs records instead of a source up to what would be loaded', async () => {
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

    it('reads the sources if no records are given for them', async () => {
        expect((await runPipeline({ pipeline: supplier })).rejected).toMatchObject([
            { payload: { sku: 'never', price: 'read' } },
        ]);
        await expect(runPipeline({ pipeline: supplier, records: { shape: [] } })).rejects.toThrow(/"shape".* EXTRACT /);
    });

    it('reads a source that keeps its position from its beginning', async () => {
        const numbers = defineExtractor({
            code: 'keptNumbers',
            title: 'Kept numbers',
            summary: 'Counts to two.',
            config: z.strictObject({}),
            saved: () => Promise.resolve({ key: 'numbers', startOver: false }),
            async *extract(): AsyncGenerator<Page, void, void> {
                yield { records: [{ n: 1 }, { n: 2 }], checkpoint: 2 };
            },
        });
        const steps: DefinitionInput['steps'] = [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'keptNumbers' } },
            { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
        ];
        const edges = [
            { from: 'start', to: 'in' },
            { from: 'in', to: 'out' },
        ];
        const kept = { ...supplier, definition: { version: 1 as const, steps, edges } };
        for (let time = 0; time < 2; time++)
            expect(await runPipeline({ pipeline: kept, options: { adapters: [numbers] } })).toMatchObject({
                status: 'COMPLETED',
                loaded: { out: [{ n: 1 }, { n: 2 }] },
            });
    });

    it('calls hooks and scripts as a run does, and returns the error that failed it', async () => {
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

    it('gives operators the configured time', async () => {
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
        'your own operator %s',
        (_name, run) => run(),
    );

    it('finds what is wrong with an operator', async () => {
        const failed = (broken: Partial<typeof shout>): Promise<string[]> =>
            failing(operatorContract({ ...shout, ...broken } as typeof shout));
        expect(await failed({ summary: 'no sentence' })).toEqual([textNaming('summary', 'sentence')]);
        expect(await failed({ examples: shout.examples.slice(0, 2) })).toEqual([textNaming('three examples')]);
        expect(
            await failed({
                examples: [{ args: { field: 'a' }, in: { a: 'b' }, out: { a: 'b' } }, ...shout.examples.slice(1)],
            }),
        ).toEqual([textNaming('example 1')]);
        expect(
            await failed({ compile: () => record => ({ a: (record['a'] as string).toUpperCase() }) }),
        ).toContainEqual(textNaming('unexpected records'));
        expect(await failed({ compile: shout.compile, config: z.object({ field: z.string() }) as never })).toEqual([
            textNaming('every argument'),
            textNaming('unknown argument'),
        ]);
    });
});

describe('ruleContract', () => {
    const even = defineRule({
        code: 'even',
        title: 'Even',
        summary: 'Requires an even number.',
        config: z.strictObject({ field: path('Field', 'The number.'), ...reporting() }),
        examples: [
            { spec: { field: 'n' }, in: { n: 2 } },
            { spec: { field: 'n' }, in: { n: 3 }, problem: 'is not even' },
            { spec: { field: 'n' }, in: {} },
        ],
        compile:
            ({ field }) =>
            data =>
                Number(data[field] ?? 0) % 2 === 0 ? undefined : { path: field, problem: 'is not even' },
    });

    it.each(ruleContract(even).map(({ name, run }) => [name, run] as const))('your own rule %s', (_name, run) => run());

    it('finds what is wrong with a rule', async () => {
        const failed = (broken: Partial<typeof even>): Promise<string[]> =>
            failing(ruleContract({ ...even, ...broken } as typeof even));
        expect(await failed({ summary: 'no sentence' })).toEqual([textNaming('camelCase', 'summary')]);
        expect(await failed({ examples: even.examples.slice(1) })).toEqual([textNaming('three examples')]);
        expect(await failed({ compile: () => () => undefined })).toEqual([textNaming('example 2')]);
        const careless = { compile: () => (data: JsonObject) => void (data['n'] as string).trim() };
        expect(await failed(careless)).toContainEqual(textNaming('unexpected records'));
        expect(await failed({ config: z.object({ field: z.string(), ...reporting() }) as never })).toEqual([
            textNaming('every field'),
            textNaming('unknown fields'),
        ]);
    });
});

describe('extractorContract', () => {
    const ITEMS: JsonObject[] = Array.from({ length: 5 }, (_, id) => ({ id }));
    /** A server with the items, two a page. */
    const server: ContractContext = {
        outbound: fakeOutbound({
            http: async ({ url }) => {
                const from = Number(new URL(url).searchParams.get('from'));
                const body = Buffer.from(JSON.stringify(ITEMS.slice(from, from + 2)));
                return { status: 200, headers: {}, body };
            },
        }),
    };
    const ask = async (cx: ExtractContext, from: number): Promise<JsonObject[]> => {
        const url = `https://feed.example.com/?from=${from}`;
        const { body } = await cx.outbound.http.send({ url, method: 'GET', timeoutMs: 1000, signal: cx.signal });
        return JSON.parse(body.toString()) as JsonObject[];
    };
    const feed = defineExtractor({
        code: 'feed',
        category: 'Own',
        title: 'Feed',
        summary: 'Reads the items of a feed.',
        config: z.strictObject({
            after: z.int().default(0).meta({ title: 'After', description: 'Leaves out the items before this one.' }),
        }),
        examples: [
            { config: {}, out: ITEMS },
            { config: { after: 3 }, out: ITEMS.slice(3) },
        ],
        async *extract({ after }, cx) {
            for (let from = (cx.resumeFrom as number | undefined) ?? after, read = 0; ; from += 2) {
                await nextTurn();
                cx.signal.throwIfAborted();
                const records = await ask(cx, from);
                if (records.length === 0) return;
                yield { records, checkpoint: from + records.length };
                read += records.length;
                if (cx.limit !== undefined && read >= cx.limit) return;
            }
        },
    });
    type Feed = typeof feed;
    const failed = (broken: Partial<Feed>, context = server): Promise<string[]> =>
        failing(extractorContract({ ...feed, ...broken } as Feed, context));
    const pagesOfItems = async function* (
        change: (page: Page) => Page = page => page,
    ): AsyncGenerator<Page, void, void> {
        for (let from = 0; from < ITEMS.length; from += 2) {
            await nextTurn();
            yield change({ records: ITEMS.slice(from, from + 2) });
        }
    };
    const whole = { examples: feed.examples!.slice(0, 1) };

    it.each(extractorContract(feed, server).map(({ name, run }) => [name, run] as const))(
        'your own extractor %s',
        (_name, run) => run(),
    );

    it('finds problems of its texts and its examples', async () => {
        expect(await failed({ title: 'feed' })).toEqual([textNaming('summary', 'sentence')]);
        expect(await failed(whole)).toEqual([textNaming('two examples')]);
        expect(await failed({ examples: [] })).toEqual([textNaming('two examples')]);
        expect(await failed({ examples: [{ config: {}, out: ITEMS.slice(1) }, feed.examples![1]!] })).toEqual([
            textNaming('what example 1'),
        ]);
        expect(await failed({ config: z.object({ after: z.int().default(0) }) as never })).toEqual([
            textNaming('every field'),
            textNaming('unknown field'),
        ]);
        const nested: z.ZodType = z.strictObject({
            get parts() {
                return z.array(nested).optional();
            },
        });
        const tree = nested.optional().meta({ title: 'Tree', description: 'What is left out.' });
        expect(await failed({ config: feed.config.extend({ tree }) as never })).toEqual([textNaming('every field')]);
        const after = z.int().min(1).default(0).meta({ title: 'After', description: 'One.' });
        expect(await failed({ config: z.strictObject({ after }) as never })).toEqual([textNaming('defaults')]);
    });

    it('finds unreadable rows that the example does not expect', async () => {
        const issues = [{ index: 0, data: {}, path: 'a', problem: 'line 2 is short' }];
        const extract: Feed['extract'] = () => pagesOfItems(page => ({ ...page, faults: issues }));
        const told = { config: {}, out: ITEMS, errors: ['line 2', 'line 2', 'short'] };
        expect(await failed({ ...whole, extract })).toContainEqual(textNaming('what example 1'));
        expect(await failed({ examples: [told, { config: {}, out: [] }], extract })).not.toContainEqual(
            textNaming('what example 1'),
        );
    });

    it('finds a source that cannot be resumed, cancelled, previewed or shared with others', async () => {
        const extract: Feed['extract'] = () => pagesOfItems(page => ({ ...page, checkpoint: 1 }));
        expect(await failed({ ...whole, extract })).toEqual([
            textNaming('two examples'),
            textNaming('example 1', 'checkpoint'),
            textNaming('example 1', 'cancelled'),
            textNaming('example 1', 'preview'),
        ]);
        expect(
            await failed({
                ...whole,
                async *extract() {
                    for (const record of ITEMS) yield { records: [record] };
                },
            }),
        ).toContainEqual(textNaming('example 1', 'other work'));
        expect(
            await failed({
                ...whole,
                extract: () => pagesOfItems(page => ({ ...page, checkpoint: new Date() as never })),
            }),
        ).toContainEqual(textNaming('example 1', 'checkpoint'));
        expect(
            await failed({ ...whole, saved: async () => ({ key: String(Math.random()), startOver: false }) }),
        ).toContainEqual(textNaming('example 1', 'next run'));
    });

    it('finds a preview that sends more requests to the server than a run', async () => {
        const extract: Feed['extract'] = async function* (config, cx) {
            if (cx.mode === 'preview') for (let from = 0; from < 9; from++) await ask(cx, from);
            yield* feed.extract(config, cx);
        };
        expect(await failed({ ...whole, extract })).toContainEqual(textNaming('example 1', 'preview'));
    });

    it('finds a file that stays open, and reads the files of an example', async () => {
        const lines = defineExtractor({
            ...feed,
            code: 'lines',
            config: z.strictObject({ fileId: z.string().meta({ title: 'File', description: 'Its id.' }) }),
            examples: ['a\nb', 'c'].map(text => ({
                config: { fileId: 'lines.txt' },
                files: { 'lines.txt': text },
                out: text.split('\n').map(line => ({ line })),
            })),
            async *extract({ fileId }, cx) {
                const { content } = (await cx.files.find(fileId))!;
                let read = 0;
                for await (const bytes of content.open(cx.signal)) {
                    await nextTurn();
                    cx.signal.throwIfAborted();
                    const records = Buffer.from(bytes)
                        .toString()
                        .split('\n')
                        .map(line => ({ line }));
                    yield { records };
                    read += records.length;
                    if (cx.limit !== undefined && read >= cx.limit) return;
                }
            },
        });
        expect(await failing(extractorContract(lines))).toEqual([]);
        const leaves = {
            ...lines,
            async *extract(config: { readonly fileId: string }, cx: ExtractContext): AsyncGenerator<Page, void, void> {
                const { content } = (await cx.files.find(config.fileId))!;
                await content.open(cx.signal)[Symbol.asyncIterator]().next();
                yield* lines.extract(config, cx);
            },
        };
        expect(await failing(extractorContract(leaves as unknown as Feed))).toEqual(
            expect.arrayContaining([textNaming('example 1', 'closes')]),
        );
    });

    it('finds an extractor that loses its position on a second page, which none of its examples fills', async () => {
        const config = z.strictObject({
            items: z.array(z.record(z.string(), z.number())).meta({ title: 'Items', description: 'What is read.' }),
        });
        const short = { config: { items: ITEMS.map((_, id) => ({ id })) }, out: ITEMS };
        const paged = (skip: (resumeFrom: number) => number): Promise<string[]> => {
            const list = defineExtractor({
                ...feed,
                config,
                examples: [short, { config: { items: [] }, out: [] }],
                async *extract({ items }, cx) {
                    const end = Math.min(items.length, cx.limit ?? items.length);
                    for (let from = skip((cx.resumeFrom as number | undefined) ?? 0); from < end; from += 1000) {
                        await nextTurn();
                        cx.signal.throwIfAborted();
                        const to = Math.min(from + 1000, end);
                        yield { records: items.slice(from, to), checkpoint: to };
                    }
                },
            });
            return failing(extractorContract(list));
        };
        expect(await paged(from => from)).toEqual([]);
        expect(await paged(from => (from === 1000 ? 1001 : from))).toEqual([textNaming('checkpoint', 'next page')]);
    });

    it('requires a larger read if an extractor with checkpoints reads everything in one page', async () => {
        const extract: Feed['extract'] = async function* ({ after }, cx) {
            await nextTurn();
            cx.signal.throwIfAborted();
            if (cx.resumeFrom === undefined) yield { records: ITEMS.slice(after as number), checkpoint: ITEMS.length };
        };
        expect(await failed({ extract })).toEqual([textNaming('checkpoint', 'next page')]);
    });

    it('tests larger reads as well', () => {
        const names = extractorContract(feed, server, [{ name: 'everything', config: {} }]).map(({ name }) => name);
        expect(names).toContainEqual(textNaming('everything', 'checkpoint'));
    });
});

describe('connectionContract', () => {
    const text = (title: string) =>
        z
            .string()
            .max(100)
            .meta({ title, description: `${title} of the system.` });
    const config = z.strictObject({
        url: text('Address').refine(url => !url.includes('@')),
        login: z
            .strictObject({ passwordSecretCode: secretCode('Password secret', 'The password.').optional() })
            .prefault({})
            .meta({ title: 'Login', description: 'The username for the login.' }),
        lines: z.int().default(10).meta({ title: 'Lines', description: 'How many are read at once.' }),
    });
    const mainframe = defineConnection({
        code: 'MAINFRAME',
        category: 'Own',
        title: 'Mainframe',
        summary: 'Leads to the mainframe.',
        config,
        secretUses: ({ url, login }) => secretsSentTo(secretTargetOf(url), { login }, ['login.passwordSecretCode']),
        examples: [{ settings: { url: 'https://mainframe.example.com', login: { passwordSecretCode: 'pw' } } }],
    });
    const failed = (broken: object): Promise<string[]> =>
        failing(connectionContract({ ...mainframe, ...broken } as typeof mainframe));

    it.each(connectionContract(mainframe).map(({ name, run }) => [name, run] as const))(
        'your own connection type %s',
        (_name, run) => run(),
    );

    it('finds problems of a type', async () => {
        expect(await failed({ code: 'mainframe' })).toEqual([textNaming('upper case', 'summary')]);
        expect(await failed({ examples: [] })).toEqual([
            expect.stringMatching(/ an example$/),
            textNaming('example', 'secret'),
        ]);
        expect(await failed({ config: z.strictObject({ ...config.shape, more: z.string().optional() }) })).toEqual([
            textNaming('every field'),
        ]);
        expect(await failed({ config: z.object(config.shape) })).toEqual([textNaming('unknown fields')]);
        expect(await failed({ config: config.extend({ url: text('Address') }) })).toEqual([
            textNaming('no password', 'address'),
        ]);
        expect(
            await failed({ config: config.extend({ url: text('Address').overwrite(url => `${url}/`) }) }),
        ).toContainEqual(textNaming('settings', 'saved'));
    });

    it('finds a documented default that is not filled in, and a secret code that may be any text', async () => {
        const lines = z.int().optional().meta({ title: 'Lines', description: 'How many.', default: 10 });
        expect(await failed({ config: config.extend({ lines }) })).toEqual([textNaming('examples', 'default')]);
        const passwordSecretCode = text('Password').meta({ widget: 'secret' }).optional();
        const login = z
            .strictObject({ passwordSecretCode })
            .meta({ title: 'Login', description: 'The username for the login.' });
        expect(await failed({ config: config.extend({ login }) })).toEqual([textNaming('never repeats', 'secret')]);
    });

    it('finds a field that would accept a password in clear text', async () => {
        const login = z.strictObject({ password: text('Password').optional() }).prefault({});
        const titled = login.meta({ title: 'Login', description: 'The username for the login.' });
        const examples = [{ settings: { url: 'https://mainframe.example.com' } }];
        expect(await failed({ config: config.extend({ login: titled }), examples })).toEqual([
            textNaming('no field', 'secret'),
        ]);
    });

    it('finds a secret code that nothing resolves before a run', async () => {
        const login = z
            .strictObject({
                passwordSecretCode: secretCode('Password secret', 'The password.'),
                otherSecretCode: text('Other').optional(),
            })
            .meta({ title: 'Login', description: 'The username for the login.' });
        const settings = { url: 'https://a.example', login: { passwordSecretCode: 'a', otherSecretCode: 'b' } };
        expect(await failed({ config: config.extend({ login }), examples: [{ settings }] })).toEqual([
            textNaming('no field', 'secret'),
            textNaming('every secret', 'before'),
        ]);
    });
});

describe('sinkContract', () => {
    /** A target that accepts records with an id. */
    class Target implements SinkHarness {
        readonly config = { indexName: 'products' };
        readonly records: readonly JsonObject[] = [{ id: 'a' }, { id: 'b', tags: ['new'] }];
        readonly refused = [{ name: 'without an id' }];
        private count = 0;
        private isDown = false;
        private readonly gone: unknown[] = [];

        requests = (): number => this.count;
        deleted = (): readonly unknown[] => this.gone;
        breakDown = (isDown: boolean): void => void (this.isDown = isDown);

        async put(record: JsonObject): Promise<number> {
            await this.request();
            return typeof record['id'] === 'string' ? 200 : 422;
        }

        async remove(id: unknown): Promise<void> {
            await this.request();
            this.gone.push(id);
        }

        async request(): Promise<void> {
            this.count++;
            if (this.isDown) throw new Error('the target is down');
        }
    }

    const none: SinkResult = { indexed: 0, deleted: 0, failed: 0 };
    const sinkTo = (target: Target): CustomSink => ({
        type: 'SINK',
        code: 'shelf',
        name: 'Shelf',
        sinkType: 'CUSTOM',
        schema: { fields: [{ key: 'indexName', label: 'Index', type: 'string', required: true }] },
        async index({ dryRun }, _config, records) {
            if (dryRun) return { ...none, indexed: records.length };
            const statuses: number[] = [];
            for (const record of records) statuses.push(await target.put(record));
            const errors = records.flatMap((record, i) =>
                statuses[i] === 200 ? [] : [{ record, message: 'it has no id', statusCode: statuses[i]! }],
            );
            return { ...none, indexed: records.length - errors.length, failed: errors.length, errors };
        },
        async delete({ dryRun }, _config, ids) {
            if (!dryRun) for (const id of ids) await target.remove(id);
            return { ...none, deleted: ids.length };
        },
        refresh: async ({ dryRun }) => (dryRun ? undefined : target.request()),
    });
    const failed = (breakIt: (sink: CustomSink, target: Target) => Partial<CustomSink>): Promise<string[]> => {
        const target = new Target();
        const sink = sinkTo(target);
        return failing(sinkContract({ ...sink, ...breakIt(sink, target) }, target));
    };
    const target = new Target();

    it.each(sinkContract(sinkTo(target), target).map(({ name, run }) => [name, run] as const))(
        'your own sink %s',
        (_name, run) => run(),
    );

    it('finds problems in the description of a sink', async () => {
        expect(await failed(() => ({ sinkType: 'SHELF' as never }))).toEqual([textNaming('sink type')]);
        const field = { key: 'a', label: 'A', type: 'string' } as const;
        const twice = await failed(() => ({ schema: { fields: [field, field] } }));
        const empty = await failed(() => ({ schema: { fields: [{ ...field, type: 'select' }] } }));
        for (const names of [twice, empty]) expect(names).toEqual([textNaming('every field')]);
    });

    it('finds requests in a dry run, and for empty batches', async () => {
        expect(
            await failed((sink, to) => ({
                index: async (cx, config, records) => {
                    await to.request();
                    return sink.index(cx, config, records);
                },
                delete: async (cx, config, ids) => {
                    await to.request();
                    return sink.delete!(cx, config, ids);
                },
                refresh: () => to.request(),
            })),
        ).toEqual([
            textNaming('dry run', 'would index'),
            textNaming('no request', 'no records'),
            textNaming('dry run', 'would delete'),
            textNaming('no request', 'no ids'),
            textNaming('dry run', 'refresh'),
        ]);
    });

    it('finds records that are lost, changed, or wrongly reported as delivered', async () => {
        const drops = await failed(({ index }) => ({
            index: async (cx, config, records) => ({ ...(await index(cx, config, records)), failed: 0, errors: [] }),
        }));
        expect(drops).toEqual([textNaming('rejected', 'why')]);
        const changes = await failed(({ index }) => ({
            index: (cx, config, records) => {
                for (const record of records) (record as Record<string, unknown>)['seen'] = true;
                return index(cx, config, records);
            },
        }));
        expect(changes).toContainEqual(textNaming('changes none'));
        const hides = await failed(({ index, delete: remove }) => ({
            index: (cx, config, records) =>
                index(cx, config, records).catch(() => ({ ...none, indexed: records.length })),
            delete: (cx, config, ids) => remove!(cx, config, ids).catch(() => ({ ...none, deleted: ids.length })),
        }));
        expect(hides).toEqual([textNaming('never', 'indexed', 'down'), textNaming('never', 'deleted', 'down')]);
    });

    it('finds ids that do not stay texts', async () => {
        expect(
            await failed((_sink, to) => ({
                async delete({ dryRun }, _config, ids) {
                    if (!dryRun) for (const id of ids) await to.remove(Number(id) || id);
                    return { ...none, deleted: ids.length };
                },
            })),
        ).toEqual([textNaming('ids', 'texts')]);
    });
});
