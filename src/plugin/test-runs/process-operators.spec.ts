import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { sketched } from '../../../test/kit/pipeline';
import { csv } from '../../adapters/extractors/csv';
import { xlsx } from '../../adapters/extractors/xlsx';
import type { ByteSource, FileStore } from '../../core/adapter/files';
import { providedRecords } from '../../core/adapter/provided-records';
import { noResources } from '../../core/adapter/no-resources';
import { recordOperator } from '../../core/adapter/operator';
import { Registry } from '../../core/adapter/registry';
import { systemClock } from '../../core/concurrency/clock';
import type { JsonObject } from '../../core/value/json';
import { operators } from '../../core/operators';
import { compilePipeline } from '../../core/run/compile';
import { executeRun } from '../../core/run/execute';
import { TestRun, TestRunTap } from '../../core/run/test-run';
import type { OperatorCall } from '../../core/schema/operator-calls';
import type { OffloadedOperators } from '../../core/steps/offloaded-operators';
import { workbookOfRows } from '../../testing/workbook';
import { ProcessOperators } from './process-operators';
import { localSource } from './process/local-source';
import { TestRunProcess } from './process/test-run-process';
import { TestRunProcesses } from './process/test-run-processes';

// Each process compiles its code, which takes time on a busy machine.
jest.setTimeout(120_000);

const own = recordOperator({
    code: 'ownOperator',
    title: 'Own',
    summary: 'Is code of the shop.',
    config: z.strictObject({}),
    examples: [],
    compile: () => data => ({ ...data, own: true }),
});
const registry = Registry.of(operators, [own, providedRecords, csv, xlsx]);
const processes = new TestRunProcesses();
const { signal } = new AbortController();
const elsewhere = new ProcessOperators(processes, registry, signal);

afterAll(() => processes.rest());

const call = (op: string, args: JsonObject = {}): OperatorCall => ({ op, args });

interface Tried {
    readonly source?: JsonObject;
    readonly operators?: readonly OperatorCall[];
    readonly elsewhere?: OffloadedOperators;
    readonly isProbed?: boolean;
    readonly limit?: number;
    readonly files?: FileStore;
}

/** The complete result of a test run. */
async function tried({ source, operators: calls = [], isProbed = false, ...more }: Tried) {
    const probe = isProbed ? new TestRunTap('shape') : undefined;
    const testRun = new TestRun();
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', source ?? {}],
            shape: ['TRANSFORM', { operators: calls as unknown as JsonObject[] }],
            seen: ['TRANSFORM', { operators: [] }],
        },
        edges: ['start > read > shape > seen'],
    });
    const last = new TestRunTap('seen');
    const input = { runId: 'run', mode: 'preview' as const, triggerKey: 'start', startedAt: 1_000 };
    const compiled = compilePipeline(
        definition,
        { ...input, limit: more.limit ?? 1_000, probe: probe ?? last },
        {
            registry,
            clock: systemClock,
            platform: undefined,
            resources: { ...noResources, ...(more.files && { files: more.files }) },
            ...(more.elsewhere && { elsewhere: more.elsewhere }),
        },
    );
    const ports = testRun.ports(() => Promise.reject(new Error('nothing is read')));
    const end = await executeRun(compiled, ports, { signal });
    return {
        end: end.end === 'stopped' ? end.error.code : end.end,
        counters: end.counters,
        operators: probe?.operators,
        out: probe?.out ?? last.out,
        rejects: testRun.rejects,
        log: testRun.log,
    };
}

const RECORDS: readonly JsonObject[] = [
    { sku: 'A', tags: 'x,y', price: '1.50', stock: 'many', brand: 'N' },
    { sku: 'B', tags: '', price: 'dear', stock: 3, brand: 'N' },
    { sku: 'C', tags: 'x', price: '2', stock: 0, brand: 'Ö', __proto__x: 1 },
    { sku: 'A', tags: 'z,z,z', price: '3', stock: 2, brand: null },
];
const CALLS: readonly OperatorCall[] = [
    call('when', { conditions: [{ not: { field: 'stock', cmp: 'eq', value: 0 } }] }),
    call('ifThenElse', { condition: { field: 'stock', cmp: 'gt', value: 1 }, thenValue: 'yes', target: 'has' }),
    call('split', { source: 'tags', target: 'tags', delimiter: ',' }),
    call('each', { path: 'tags', operators: [{ op: 'uppercase', args: { path: '_item' } }] }),
    call('toCents', { source: 'price', target: 'cents' }),
    call('uuid', { target: 'id' }),
    call('now', { target: 'at' }),
    call('ownOperator'),
    call('expand', { path: 'tags', mergeParent: true }),
    call('aggregate', { op: 'count', groupBy: 'brand', target: 'n' }),
    call('deduplicateRecords', { key: '_item', keep: 'HIGHEST', priority: 'n' }),
    call('multiJoin', { leftKey: 'brand', rightKey: 'code', rightData: [{ code: 'N', name: 'Nord' }], type: 'FULL' }),
    call('uuid', { target: 'second', version: 'v7' }),
];

const UPPER = call('uppercase', { path: 'text' });
const VISIT = { sourceKey: 'in', batchNo: 0, number: 0 };

describe('operators in a separate process', () => {
    let folder: string;
    beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'flow-trials-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it.each([true, false])('make what they make here, and say what they say here; looked at: %s', async isProbed => {
        const source = { adapterCode: 'givenRecords', records: RECORDS };
        const here = await tried({ source, operators: CALLS, isProbed });
        const there = await tried({ source, operators: CALLS, isProbed, elsewhere });
        expect(there).toEqual(here);
        expect(here.rejects).toHaveLength(1);
        expect(here.log.map(({ message }) => message)).toEqual([expect.stringContaining('stock')]);
        expect(here.out).toHaveLength(3);
    });

    it('find there what they read, and say what no record had', async () => {
        const source = { adapterCode: 'givenRecords', records: RECORDS };
        const inner = [{ op: 'rename', args: { from: 'siz', to: 'size' } }];
        const calls = [
            call('split', { source: 'tags', target: 'tags', delimiter: ',' }),
            call('copy', { source: 'prise', target: 'cents' }),
            call('expand', { path: 'tags', mergeParent: true }),
            call('map', { mapping: { list: 'list' }, passthrough: true }),
            call('deduplicateRecords', { key: 'ean' }),
            call('each', { path: 'list', operators: inner }),
        ];
        const here = await tried({ source, operators: calls });
        const there = await tried({ source, operators: calls, elsewhere });
        expect(there).toEqual(here);
        expect(here.log).toMatchObject([
            { code: 'FIELDS_NOT_FOUND', facts: { fields: ['prise', 'list', 'ean', 'list'] } },
        ]);
    });

    it.each([
        ['concat', call('concat', {}), true],
        ['each with operators of Flow', call('each', { operators: [{ op: 'trim', args: {} }] }), true],
        ['one of the shop', call('ownOperator'), false],
        [
            'each with one of the shop within',
            call('each', { operators: [{ op: 'each', args: { operators: [{ op: 'ownOperator' }] } }] }),
            false,
        ],
        ['one that remembers', call('deltaFilter', {}), false],
    ])('are those of Flow that need nothing but their records: %s', (_, one, isTaken) =>
        expect(elsewhere.takes(one)).toBe(isTaken),
    );

    it('leave the server alive when they take all memory that they may', async () => {
        // Fifty million characters of empty lists.
        const growing = [
            ...Array.from({ length: 24 }, () => call('concat', { sources: ['a', 'a'], target: 'a' })),
            call('concat', { sources: ['open', 'a', 'close'], target: 'a' }),
            call('parseJson', { source: 'a' }),
        ];
        const order = {
            env: { runId: 'run', stepKey: 'step', startedAt: 0 },
            limits: { maxValueChars: 1e9, maxRecordChars: 1e12 },
            calls: growing.map((one, index) => ({ call: one, position: index + 1 })),
            batch: [{ data: { a: '[],', open: '[', close: '[]]' }, origin: { seq: 0 } }],
            visit: { sourceKey: 'in', batchNo: 0, number: 0, earlier: [] },
            log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
            reject: () => undefined,
        };
        await expect(elsewhere.records(order)).rejects.toMatchObject({ code: 'TRIAL_PROCESS_LOST', treat: 'request' });
        const rejected: string[] = [];
        await elsewhere.records({ ...order, limits: undefined, reject: (_, { code }) => rejected.push(code) });
        expect(rejected).toEqual(['VALUE_TOO_LARGE']);
    });

    it('end the test that passes more than the limit, record by record', async () => {
        const text = 'x'.repeat(1024 * 1024);
        const source = { adapterCode: 'givenRecords', records: Array.from({ length: 10 }, () => ({ text })) };
        const { end, out } = await tried({
            source,
            operators: [call('uppercase', { path: 'text' })],
            elsewhere,
        });
        expect(end).toBe('STEP_TEST_TOO_LARGE');
        expect(out).toEqual([]);
    });

    it.each([
        ['with an exit code', 'process.exit(7)', 'exit code 7'],
        ['by a signal', "process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
        ['after closing its channel', 'process.disconnect(); setInterval(() => undefined, 1000)', 'SIGKILL'],
    ])('are rejected at once with the cause if their process ends while it starts: %s', async (how, code, problem) => {
        const script = join(folder, `${how}.cjs`);
        await writeFile(script, code);
        await expect(TestRunProcess.start(script)).rejects.toMatchObject({
            code: 'TRIAL_PROCESS_FAILED',
            facts: { problem: expect.stringContaining(problem) },
        });
    });

    it('are done by another process where theirs was ended while it had nothing to do, and once', async () => {
        const own = new TestRunProcesses();
        const start = jest.spyOn(TestRunProcess, 'start');
        const upper = async (signals: readonly number[]): Promise<unknown> => {
            const order = { env: { runId: 'r', stepKey: 's', startedAt: 0 }, calls: [{ call: UPPER, position: 1 }] };
            const job = { kind: 'records', settings: { ...order, visit: VISIT } } as never;
            const onItem: JsonObject[] = [];
            for (const pid of signals) process.kill(pid, 'SIGKILL');
            await own.perform(job, { items: [[0, { text: 'a' }]], onItem: item => void onItem.push(item), signal });
            return onItem;
        };
        const pids = (): Promise<number[]> =>
            Promise.all(start.mock.results.map(async ({ value }) => (await value).child.pid as number));
        const first = await upper([]);
        expect(await upper(await pids())).toEqual(first);
        expect(start).toHaveBeenCalledTimes(2);
        own.rest();
        start.mockRestore();
    });

    it('are lost where the second process ends as well before it has taken them', async () => {
        const script = join(folder, 'refuses.cjs');
        await writeFile(script, "process.send({ ready: true }); process.on('message', () => process.exit(3));");
        const begin = TestRunProcess.start.bind(TestRunProcess);
        const start = jest.spyOn(TestRunProcess, 'start').mockImplementation(() => begin(script));
        const job = { kind: 'records', settings: {} } as const;
        await expect(new TestRunProcesses().perform(job, { signal })).rejects.toMatchObject({
            code: 'TRIAL_PROCESS_LOST',
            facts: { mib: 512, how: expect.stringContaining('exit code 3') },
        });
        expect(start).toHaveBeenCalledTimes(2);
        start.mockRestore();
    });

    it('end with the test', async () => {
        const over = new AbortController();
        const ending = new ProcessOperators(processes, registry, over.signal);
        over.abort(new Error('over'));
        const operators = [call('uppercase', { path: 'text' })];
        const source = { adapterCode: 'givenRecords', records: [{ text: 'a' }] };
        const { out } = await tried({ source, operators, elsewhere: ending });
        expect(out).toEqual([]);
    });
});

describe('uploaded files, read in a separate process', () => {
    let folder: string;
    beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'flow-elsewhere-'));
        await writeFile(join(folder, 'a.csv'), 'sku,name\nA,Öl\nB\nC,"x\ny"\nD,z\n');
        await writeFile(join(folder, 'empty.csv'), '');
        await writeFile(
            join(folder, 'a.xlsx'),
            workbookOfRows({
                Sheet: [
                    ['sku', 'n'],
                    ['A', 1],
                    ['B', null],
                ],
            }),
        );
    });
    afterAll(() => rm(folder, { recursive: true }));

    const files = (released: string[] = []): FileStore => ({
        find: async id => {
            if (id === 'gone') return undefined;
            const path = join(folder, id);
            const content: ByteSource = {
                ...localSource(path),
                local: async () => ({ path, release: async () => void released.push(id) }),
            };
            const format = id.split('.')[1]!;
            return { id, filename: id, format, sha256: '', size: id.startsWith('empty') ? 0 : 100, content };
        },
    });

    it.each(['a.csv', 'a.xlsx', 'empty.csv', 'gone'])('give what they give here: %s', async fileId => {
        const adapterCode = fileId.endsWith('xlsx') ? 'xlsx' : 'csv';
        const source = { adapterCode, fileId };
        const here = await tried({ source, files: files() });
        const released: string[] = [];
        const there = await tried({ source, files: files(released), elsewhere });
        expect(there).toEqual(here);
        expect(released).toEqual(fileId.startsWith('a.') ? [fileId] : []);
        expect(here.out).toHaveLength({ 'a.csv': 3, 'a.xlsx': 2 }[fileId] ?? 0);
    });

    it('are read no further than is wanted', async () => {
        const source = { adapterCode: 'csv', fileId: 'a.csv' };
        const { out } = await tried({ source, files: files(), elsewhere, limit: 1 });
        expect(out).toEqual([{ sku: 'A', name: 'Öl' }]);
    });
});
