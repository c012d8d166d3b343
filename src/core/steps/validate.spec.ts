import crypto from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import { rejectKey } from '../../../test/kit/memory-ports';
import { compiled, LOAD, pages, runPipeline, type RunOptions, sketched, type Sketch } from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { type BatchRuleFn, defineRule, reporting, type RuleFn } from '../adapter/rule';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import { validateStep } from './validate';

const field = z.string().meta({ title: 'Field', description: 'A field.' });
const config = z.strictObject({ field, ...reporting() });

/** A rule that does what a test wants. */
const recordRule = (code: string, check: RuleFn) =>
    defineRule({ code, title: 'Own', summary: 'A rule.', config, examples: [], compile: () => check });
const batchRule = (code: string, check: BatchRuleFn) =>
    defineRule({ code, title: 'Own', summary: 'A rule.', config, examples: [], open: () => check });

const rule = (type: string, spec: JsonObject): JsonObject => ({ type, spec });

function checking(
    rules: readonly JsonObject[],
    records: readonly JsonObject[],
    more: JsonObject & { readonly batchSize?: number; readonly concurrency?: number } = {},
): Sketch {
    const { batchSize = 100, concurrency = 1, ...mode } = more;
    return {
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', pages([...records])],
            check: ['VALIDATE', { rules, ...mode }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > check > write'],
        throughput: { batchSize, concurrency },
        errorHandling: { maxRetries: 2, retryDelayMs: 10 },
    };
}

async function run(sketch: Sketch, options: RunOptions = {}) {
    const { end, state } = await runPipeline(sketched(sketch), options);
    const rejects = [...state.rejects.values()].sort((a, b) => a.seq - b.seq);
    const warnings = state.events.flatMap(event => (event.type === 'log' && event.level === 'WARN' ? [event] : []));
    return { end, state, rejects, warnings, counters: state.counters['check'] };
}

const SKU = rule('pattern', { field: 'sku', pattern: '^[A-Z]$' });
const PRICE = rule('range', { field: 'price', min: 0, error: 'The price must not be negative' });
const NAME = rule('required', { field: 'name' });

describe('a VALIDATE step', () => {
    it('rejects a record with all of its errors and lets the others continue', async () => {
        const { end, rejects, counters, state } = await run(
            checking(
                [SKU, PRICE, NAME],
                [
                    { id: 0, sku: 'A', price: 1, name: 'n' },
                    { id: 1, sku: 'aa', price: -1 },
                    { id: 2, sku: 'B', price: -1, name: 'n' },
                ],
            ),
        );
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(rejects).toMatchObject([
            {
                stepKey: 'check',
                seq: 1,
                code: 'VALIDATION_FAILED',
                path: 'sku',
                payload: { id: 1, sku: 'aa', price: -1 },
                message: expect.stringMatching(
                    naming(3, '"sku"', '"aa"', '^[A-Z]$', 'The price must not be negative', '"name"'),
                ),
                faults: [
                    {
                        path: 'sku',
                        rule: 'pattern',
                        message: expect.stringMatching(naming('"sku"', '"aa"', '^[A-Z]$')),
                        severity: 'ERROR',
                    },
                    { path: 'price', rule: 'range', message: 'The price must not be negative', severity: 'ERROR' },
                    {
                        path: 'name',
                        rule: 'required',
                        message: expect.stringMatching(naming('"name"')),
                        severity: 'ERROR',
                    },
                ],
            },
            { seq: 2, path: 'price', message: 'The price must not be negative', faults: [{ rule: 'range' }] },
        ]);
        expect(counters).toMatchObject({ in: 3, out: 1, rejected: 2, filtered: 0, expanded: 0 });
        expect([...state.shop.keys()]).toEqual(['t/0']);
    });

    it('names the first five of many errors in the message, and keeps them all', async () => {
        const rules = Array.from({ length: 7 }, (_, i) => rule('required', { field: `f${i}` }));
        const {
            rejects: [reject],
        } = await run(checking(rules, [{ id: 0 }]));
        expect(reject!.message).toMatch(naming(7, '"f0"', '"f1"', '"f2"', '"f3"', '"f4"', 2));
        expect(reject!.message).not.toMatch(naming('"f5"'));
        expect(reject!.faults).toHaveLength(7);
    });

    it('ends the checks of a record at its first error with FAIL_FAST', async () => {
        const seen: number[] = [];
        const watch = recordRule('watch', ({ id }) => void seen.push(id as number));
        const rules = [SKU, PRICE, rule('watch', { field: 'id' })];
        const { rejects } = await run(
            checking(
                rules,
                [
                    { id: 0, sku: 'aa', price: -1 },
                    { id: 1, sku: 'A' },
                ],
                { errorHandlingMode: 'FAIL_FAST' },
            ),
            { adapters: [watch] },
        );
        expect(rejects).toMatchObject([
            {
                seq: 0,
                message: expect.stringMatching(naming('"sku"', '"aa"', '^[A-Z]$')),
                faults: [{ rule: 'pattern' }],
            },
        ]);
        expect(seen).toEqual([1]);
    });

    it('writes warnings into the log and rejects nothing for them', async () => {
        const rules = [
            rule('required', { field: 'name', severity: 'WARNING' }),
            rule('range', { field: 'price', max: 5, severity: 'WARNING' }),
            SKU,
        ];
        const { rejects, warnings, counters } = await run(
            checking(
                rules,
                [
                    { id: 0, sku: 'A' },
                    { id: 1, sku: 'aa', price: 6 },
                ],
                { errorHandlingMode: 'FAIL_FAST' },
            ),
        );
        expect(warnings).toMatchObject([
            {
                stepKey: 'check',
                code: 'RULE_WARNING',
                facts: { record: 1, source: 'read', by: 'required', path: 'name', seq: 0 },
            },
            { code: 'RULE_WARNING', facts: { record: 2, source: 'read', by: 'required', path: 'name' } },
            {
                code: 'RULE_WARNING',
                facts: {
                    record: 2,
                    source: 'read',
                    by: 'range',
                    path: 'price',
                    problem: { code: 'RECORD_INVALID', facts: { path: 'price', value: '6', max: 5 } },
                },
            },
        ]);
        expect(rejects).toMatchObject([
            {
                message: expect.stringMatching(naming('"sku"', '"aa"', '^[A-Z]$')),
                path: 'sku',
                faults: [{ severity: 'WARNING' }, { severity: 'WARNING' }, { severity: 'ERROR' }],
            },
        ]);
        expect(counters).toMatchObject({ in: 2, out: 1, rejected: 1 });
    });

    it('fails the run at the first rejected record if configured, once that is stored', async () => {
        const records = [
            { id: 0, sku: 'A' },
            { id: 1, sku: 'bb' },
            { id: 2, sku: 'cc' },
            { id: 3, sku: 'D' },
        ];
        const told: unknown[] = [];
        const scripts = hookScripts({
            tell: (list, { stage, totals, branch }) =>
                void told.push([stage, branch, list.length, totals?.recordsRejected]),
        });
        const tell = [{ type: 'SCRIPT', scriptName: 'tell' }] as const;
        const hooks = { ON_RECORD_ERROR: tell, AFTER_VALIDATE: tell, RUN_FAILED: tell };
        const { end, rejects, state } = await run(
            { ...checking([PRICE, SKU], records, { errorHandlingMode: 'ABORT' }), hooks },
            { adapters: scripts },
        );
        const summary = expect.stringMatching(naming('"sku"', '"bb"', '^[A-Z]$')) as string;
        expect(end).toMatchObject({
            end: 'stopped',
            stepKey: 'check',
            error: {
                code: 'VALIDATION_ABORTED',
                facts: { seq: 2, source: 'read', step: 'check', summary, rule: 'pattern' },
            },
        });
        expect(rejects.map(({ seq }) => seq)).toEqual([1]);
        expect(told).toEqual([
            ['ON_RECORD_ERROR', undefined, 1, undefined],
            ['RUN_FAILED', undefined, 0, 1],
        ]);
        expect([...state.shop.keys()]).toEqual([]);
    });

    it('a run that would abort and finds nothing completes', async () => {
        expect(await run(checking([SKU], [{ id: 0, sku: 'A' }], { errorHandlingMode: 'ABORT' }))).toMatchObject({
            end: { end: 'completed', outcome: 'SUCCESS' },
        });
    });

    it('counts its rejects in the error budget', async () => {
        const sketch = checking(
            [SKU],
            [
                { id: 0, sku: 'aa' },
                { id: 1, sku: 'bb' },
            ],
        );
        const { end } = await run({ ...sketch, errorHandling: { ...sketch.errorHandling, maxErrors: 1 } });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'ERROR_BUDGET_EXCEEDED' } });
    });

    it('gives other work its turn in the midst of a large batch', async () => {
        const work = new WorkBetweenTurns(3);
        const check: RuleFn = () => {
            work.did();
            return undefined;
        };
        const step = validateStep('check', {
            mode: 'ACCUMULATE',
            rules: [{ form: 'record', type: 'slow', severity: 'ERROR', error: undefined, check }],
        });
        const fn = await step.open({ pace: new EventLoopYield({ clock: work.clock }), adapter: { log: {} } } as never);
        const batch = Array.from({ length: 100 }, (_, seq) => ({ data: {}, origin: { seq } }));
        const { total, most } = await work.during(() =>
            fn(batch, { sourceKey: 's', batchNo: 0, number: 0, earlier: [] }),
        );
        // Seven checks of 3 ms are the first to take 20.
        expect([total, most]).toEqual([100, 7]);
    });
});

describe('a VALIDATE step with costly rules', () => {
    const hostile = (index: number): JsonObject => rule('pattern', { field: 's', pattern: `(a+)+${index}$` });
    const text = (size: number): string => `${'a'.repeat(size)}!`;
    const rows = (count: number, row: (index: number) => JsonObject): readonly JsonObject[] =>
        Array.from({ length: count }, (_, id) => ({ id, ...row(id) }));

    afterEach(() => jest.restoreAllMocks());

    it.each<readonly [what: string, rules: readonly JsonObject[], records: readonly JsonObject[], units: number]>([
        ['many records of a batch', [hostile(0)], rows(48, () => ({ s: text(5_000) })), 48],
        [
            'one record and many rules',
            Array.from({ length: 40 }, (_, i) => hostile(i)),
            rows(1, () => ({ s: text(5_000) })),
            40,
        ],
        [
            'long texts that are only measured',
            [rule('length', { field: 's', minLength: 3_000 })],
            rows(16, () => ({ s: text(5_000) })),
            16,
        ],
        [
            'long values that are compared over the run, and hashed for that',
            [rule('unique', { field: 's' })],
            rows(200, id => ({ s: `${'k'.repeat(2_000)}${id}` })),
            400,
        ],
    ])('lets the event loop turn between them: %s', async (_, rules, records, units) => {
        const work = new WorkBetweenTurns(10);
        const hash = crypto.createHash;
        jest.spyOn(crypto, 'createHash').mockImplementation((...args) => {
            work.did();
            return hash(...args);
        });
        const step = compiled(sketched(checking(rules, records, { batchSize: 20_000 }))).nodes.find(
            ({ kind }) => kind === 'VALIDATE',
        )!.step;
        const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
        const memory = { recall: async () => new Map(), left: () => undefined };
        const fn = await step.open({
            run: { runId: 'run' },
            pace: new EventLoopYield({ clock: work.clock }),
            memory,
            adapter: { log, signal: new AbortController().signal },
        } as never);
        const batch = records.map(({ s }, seq) => ({
            data: {
                get s() {
                    work.did();
                    return s;
                },
            },
            origin: { seq },
        }));
        const { value, total, most } = await work.during(() =>
            fn(batch as never, { sourceKey: 'read', batchNo: 0, number: 0, earlier: [] }),
        );
        expect(value.counts.rejected).toBe(rules[0]!['type'] === 'pattern' ? records.length : 0);
        // Each look at the field and each hash takes 10 ms, and 20 may pass without a turn.
        expect([total, most]).toEqual([units, 2]);
    });
});

describe('a rule that fails', () => {
    it('is an error of the record, whatever it throws', async () => {
        const broken = recordRule('broken', ({ id }) => {
            if (id === 0) throw new Error('E-17');
            if (id === 1)
                throw flowError('RECORD_INVALID', { path: 'a', problem: 'is too much' }, { details: { path: 'a' } });
            return undefined;
        });
        const { rejects } = await run(checking([rule('broken', { field: 'a' })], [{ id: 0 }, { id: 1 }, { id: 2 }]), {
            adapters: [broken],
        });
        expect(rejects).toMatchObject([
            { path: undefined, message: expect.stringMatching(naming('E-17')), faults: [{ rule: 'broken', path: '' }] },
            { path: 'a', message: expect.stringMatching(naming('"a"', 'too much')), faults: [{ rule: 'broken' }] },
        ]);
    });

    it.each<[string, BatchRuleFn, string | number]>([
        [
            'throws',
            () => {
                throw new Error('E-17');
            },
            'E-17',
        ],
        ['answers too little', () => [], 2],
        ['answers nothing', () => undefined as never, 2],
    ])('is an error of every record of the batch if a batch rule %s', async (_what, check, named) => {
        const { rejects, end } = await run(checking([rule('own', { field: 'a' })], [{ id: 0 }, { id: 1 }]), {
            adapters: [batchRule('own', check)],
        });
        expect(end).toMatchObject({ end: 'completed' });
        const faults = [{ rule: 'own', path: '', message: expect.stringMatching(naming(named)) as string }];
        expect(rejects).toMatchObject([
            { seq: 0, code: 'VALIDATION_FAILED', path: undefined, faults },
            { seq: 1, code: 'VALIDATION_FAILED', path: undefined, faults },
        ]);
    });

    it('is called again if it fails for a temporary reason', async () => {
        let calls = 0;
        const busy = batchRule('busy', batch => {
            if (++calls === 1) throw flowError('DATABASE_BUSY', { problem: 'deadlock' });
            return batch.map(() => undefined);
        });
        const { end } = await run(checking([rule('busy', { field: 'a' })], [{ id: 0 }]), { adapters: [busy] });
        expect({ calls, end }).toMatchObject({ calls: 2, end: { outcome: 'SUCCESS' } });
    });

    it('fails the run if the error is one of configuration', async () => {
        const forbidden = batchRule('forbidden', () => {
            throw flowError('SECRET_NOT_FOUND', { which: 'x', hint: '' });
        });
        const { end } = await run(checking([rule('forbidden', { field: 'a' })], [{ id: 0 }]), {
            adapters: [forbidden],
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'SECRET_NOT_FOUND' } });
    });
});

describe('unique within a run', () => {
    const skus = fc.array(
        fc.record({
            sku: fc.constantFrom<string | number | null>('A', 'B', 'C', 1, '1', null),
            bad: fc.boolean(),
            price: fc.constantFrom(1, -1),
        }),
        { maxLength: 30 },
    );

    it('rejects the same records however they are cut into batches, however many are on their way, and in either mode', async () => {
        await fc.assert(
            fc.asyncProperty(
                skus,
                fc.integer({ min: 1, max: 7 }),
                fc.integer({ min: 1, max: 6 }),
                async (rows, batchSize, concurrency) => {
                    const records = rows.map((row, id) => ({ ...row, id }));
                    const rules = [PRICE, rule('unique', { field: 'sku' })];
                    const first = new Set<unknown>();
                    const doubles = records.flatMap(({ sku, id, price }) => {
                        const again = sku !== null && first.has(sku);
                        first.add(sku);
                        return again || price < 0 ? [id] : [];
                    });
                    for (const errorHandlingMode of ['ACCUMULATE', 'FAIL_FAST']) {
                        const { rejects, end } = await run(
                            checking(rules, records, { batchSize, concurrency, errorHandlingMode }),
                        );
                        expect(end.end).toBe('completed');
                        expect(rejects.filter(({ stepKey }) => stepKey === 'check').map(({ seq }) => seq)).toEqual(
                            doubles,
                        );
                    }
                },
            ),
            { numRuns: 60 },
        );
    });

    it('is kept in a takeover, including values of a record that failed later', async () => {
        const records: readonly JsonObject[] = [
            { id: 0, sku: 'A', bad: true },
            { id: 1, sku: 'B' },
            { id: 2, sku: 'A' },
            { id: 3, sku: 'B' },
        ];
        const sketch = checking([rule('unique', { field: 'sku' })], records, { batchSize: 1 });
        // The second batch is loaded but its position is not committed, so it is repeated and finds the state it found before.
        let commits = 0;
        const at = async (point: string): Promise<void> => {
            if (point === 'positions.commit.before' && ++commits === 2) throw flowError('LEASE_LOST', {});
        };
        const { end, state } = await run(sketch, { at });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'LEASE_LOST' } });
        expect(state.history.filter(line => line.startsWith('load'))).toEqual([
            'load write read 0 0',
            'load write read 1 0',
        ]);
        expect(state.positions['read']).toMatchObject({ batchNo: 1 });
        const { end: last, rejects } = await run(sketch, { state });
        expect(last.end).toBe('completed');
        expect(state.counters['check']).toMatchObject({ in: 4, rejected: 2 });
        expect(rejects.map(({ stepKey, seq, message }) => [stepKey, seq, message])).toEqual([
            ['write', 0, expect.any(String)],
            ['check', 2, expect.stringMatching(naming('"sku"', '"A"', 1, 'read'))],
            ['check', 3, expect.stringMatching(naming('"sku"', '"B"', 2, 'read'))],
        ]);
        expect([...state.runMemos.keys()].sort()).toEqual(['check unique:sA', 'check unique:sB']);
    });

    it('starts empty with each run, and leaves nothing that outlives it', async () => {
        const sketch = checking([rule('unique', { field: 'sku' })], [{ id: 0, sku: 'A' }]);
        const { state } = await run(sketch);
        expect(state.memos.size).toBe(0);
        for (const key of Object.keys(state.positions)) delete state.positions[key];
        state.runMemos.clear();
        const later = checking(
            [rule('unique', { field: 'sku' })],
            [
                { id: 1, sku: null },
                { id: 0, sku: 'A' },
            ],
        );
        const { rejects } = await run(later, { state, input: { runId: 'next' } });
        expect(rejects).toEqual([]);
        expect([...state.runMemos.keys()]).toEqual(['check unique:sA']);
    });

    it('distinguishes the records of several sources and the rules of one step', async () => {
        const sketch: Sketch = {
            steps: {
                start: ['TRIGGER', {}],
                one: ['EXTRACT', pages([{ id: 0, a: 'x', b: 'y' }])],
                two: ['EXTRACT', pages([{ id: 1, a: 'x', b: 'x' }])],
                check: ['VALIDATE', { rules: [rule('unique', { field: 'a' }), rule('unique', { field: 'b' })] }],
            },
            edges: ['start > one > check', 'start > two > check'],
        };
        const { rejects } = await run(sketch);
        expect(rejects.map(reject => [rejectKey(reject), reject.message])).toEqual([
            ['check two 0 0', expect.stringMatching(naming('"a"', '"x"', 1, 'one'))],
        ]);
    });
});
