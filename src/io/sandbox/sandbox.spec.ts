import { execFileSync } from 'node:child_process';
import type { JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { ScriptProcesses } from './script-processes';
import { Sandbox } from './sandbox';
import type { ScriptProcess } from './script-process';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const never = new AbortController().signal;

afterAll(() => sandbox.rest());

interface Given {
    readonly context?: JsonObject;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}

/** What each record becomes; errors as their code and message. */
async function each(
    code: string,
    records: readonly JsonObject[],
    { context = {}, timeoutMs = 20_000, signal = never }: Given = {},
) {
    const { results, ...console } = await sandbox.each({
        code,
        records,
        indexes: records.map((_, index) => index),
        context,
        timeoutMs,
        signal,
    });
    return {
        results: results.map(result => (isFlowError(result) ? `${result.code}: ${result.message}` : result)),
        ...console,
    };
}

async function batch(
    code: string,
    records: readonly JsonObject[],
    { context = {}, timeoutMs = 20_000, signal = never }: Given = {},
) {
    const { answer, lines } = await sandbox.batch({ code, records, context, timeoutMs, signal, isRead: true });
    return { answer: isFlowError(answer) ? `${answer.code}: ${answer.message}` : answer, lines };
}

describe('a script that is called for each record', () => {
    it('gets record, index and context, and answers the record', async () => {
        const code = 'return { ...record, at: index, by: context.data.who };';
        const { results } = await each(code, [{ sku: 'A' }, { sku: 'B' }], { context: { data: { who: 'Ann' } } });
        expect(results).toEqual([
            { sku: 'A', at: 0, by: 'Ann' },
            { sku: 'B', at: 1, by: 'Ann' },
        ]);
    });

    it('fails one record without its neighbours, with the line of the code', async () => {
        const code = 'const price = record.price;\nreturn { price: price.toFixed(1) };';
        const { results } = await each(code, [{ price: 1 }, {}, { price: 2 }]);
        expect(results).toEqual([
            { price: '1.0' },
            expect.stringMatching(/^SCRIPT_FAILED: .*TypeError: .*'toFixed'.*\(line 2\)/),
            { price: '2.0' },
        ]);
    });

    it.each([
        ['', 'it answered nothing; the code is the body of a function and must return the record'],
        ['return null', 'it answered null'],
        ['return 7', 'it answered 7; allowed: one record, as an object'],
        ['return [record]', 'it answered a list of 1; allowed: one record'],
        ['return new Map()', 'it answered an object of class Map'],
        ['return () => 1', 'it answered a function'],
        ['record.at = new Date(0); return record', 'field "at" is an object of class Date; allowed: JSON values'],
        ['record.price = NaN; return record', 'field "price" is NaN; allowed: JSON values'],
        ['record.n = 12n; return record', 'field "n" is the bigint 12'],
        ['record.list = [{ deep: 1 }, { deep: [1, undefined] }]; return record', 'field "list"[1].deep[1] is nothing'],
        ['record.own = record; return record', 'is nested deeper than 32 levels'],
        [
            'Object.defineProperty(record, "__proto__", { value: {}, enumerable: true }); return record',
            'has a field "__proto__", which is not allowed',
        ],
        ['return { get price() { throw new Error("no price today"); } }', 'Error: no price today (line 1)'],
        ['return new Proxy({}, { ownKeys() { throw new Error("no keys"); } })', 'Error: no keys'],
        ['record.big = "x".repeat(2 ** 25); return record', 'its answer is longer than 16777216 characters'],
        ['throw 7', 'it threw 7'],
        ['throw { get message() { throw 1 } }', 'it threw an object'],
        [
            'const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw e } }); throw e',
            'it threw something that cannot be read',
        ],
        ['throw new Error("y".repeat(5000))', `Error: ${'y'.repeat(400)}`],
        ['return new Promise(() => {})', 'it answered a promise that is never settled'],
        ['return Promise.reject(new Error("late"))', 'Error: late (line 1)'],
    ])('is reported with the problem of %s', async (code, problem) => {
        const { results } = await each(code, [{ sku: 'A' }]);
        expect(results[0]).toMatch(/^SCRIPT_FAILED: /);
        expect(results[0]).toContain(problem);
    });

    it('may answer a promise', async () => {
        const code = 'return (async () => { const add = await Promise.resolve(2); return { n: record.n + add }; })()';
        expect((await each(code, [{ n: 1 }, { n: 2 }])).results).toEqual([{ n: 3 }, { n: 4 }]);
    });

    it('leaves fields without a value out, and keeps every text as it is', async () => {
        const text = 'a\u0000b\ud800\u2028"\\\n\t😀';
        expect((await each('return { ...record, missing: undefined };', [{ text }])).results).toEqual([{ text }]);
        expect((await each('return { text: record.text + String.fromCharCode(0) };', [{ text }])).results).toEqual([
            { text: `${text}\0` },
        ]);
    });

    it('cannot hand anything from one record to the next', async () => {
        const records = [{ n: 1 }, { n: 2 }, { n: 3 }];
        for (const place of [
            'globalThis',
            'Object',
            'Array.prototype',
            'Math',
            'context',
            'context.data',
            'console',
            '(function* () {}).prototype',
            'anonymous',
        ]) {
            const code = `try { ${place}.kept = (${place}.kept ?? 0) + 1; } catch {}\nreturn { kept: ${place}.kept ?? null };`;
            expect([place, (await each(code, records, { context: { data: {} } })).results]).toEqual([
                place,
                records.map(() => ({ kept: null })),
            ]);
        }
        const code =
            'Promise.resolve().then(() => { record.late = true; }); return { n: record.n, late: record.late ?? null };';
        expect((await each(code, records)).results).toEqual(records.map(({ n }) => ({ n, late: null })));
    });

    it('works with what the shared objects are named like', async () => {
        const code =
            'record.constructor = "ACME"; record.toString = "x"; record.valueOf = 1;' +
            'class Mine extends Error { constructor(m) { super(m); this.name = "Mine"; } } record.error = String(new Mine("a")); return record;';
        expect((await each(code, [{}])).results).toEqual([
            { constructor: 'ACME', toString: 'x', valueOf: 1, error: 'Mine: a' },
        ]);
    });

    it('reports what it writes to its console, up to twenty lines', async () => {
        const { lines } = await each('console.warn("odd", record, 1n); return record', [{ a: 1 }]);
        expect(lines).toEqual([{ level: 'WARN', text: 'odd {"a":1} the bigint 1' }]);
        const many = await each('for (let i = 0; i < 50; i++) console.log(i); return record', [{}, {}]);
        expect(many.lines.length).toBe(20);
        expect(many.unsaid).toBe(80);
    });

    it('keeps the order and every record over many slices of time', async () => {
        const records = Array.from({ length: 2_500 }, (_, n) => ({ n }));
        const { results } = await each(
            'if (index % 500 === 7) { const end = Date.now() + 60; while (Date.now() < end); } return { n: record.n * 2 };',
            records,
        );
        expect(results).toEqual(records.map(({ n }) => ({ n: n * 2 })));
    });
});

describe('a script that is called for a batch', () => {
    it('returns records, which are matched with those that it was given', async () => {
        const code = 'records[2].seen = true; return [records[2], { made: records.length }, records[0]];';
        const { answer } = await batch(code, [{ n: 0 }, { n: 1 }, { n: 2 }]);
        expect(answer).toEqual({ records: [{ n: 2, seen: true }, { made: 3 }, { n: 0 }], from: [2, -1, 0] });
    });

    it('may answer nothing, or no records', async () => {
        expect((await batch('', [{}])).answer).toBeUndefined();
        expect((await batch('return records.filter(() => false)', [{}])).answer).toEqual({ records: [], from: [] });
    });

    it.each([
        ['return records[0]', 'it answered an object; allowed: a list of records'],
        ['return [records[0], 7]', 'record 2 of its answer: it is 7; allowed: an object'],
        ['return [{ a: [Infinity] }]', 'record 1 of its answer: field "a"[0] is Infinity'],
    ])('is reported with the problem of %s', async (code, problem) => {
        const { answer } = await batch(code, [{}]);
        expect(answer).toMatch(/^SCRIPT_FAILED: /);
        expect(answer).toContain(problem);
    });

    it('returns nothing if its result is not read', async () => {
        const { answer } = await sandbox.batch({
            code: 'return 7n',
            records: [{}],
            context: {},
            timeoutMs: 20_000,
            signal: never,
            isRead: false,
        });
        expect(answer).toBeUndefined();
    });

    it('finds nothing of another script, or of its last batch', async () => {
        await batch('try { globalThis.left = 1 } catch {} Symbol.for("left"); return records', [{}]);
        const code = 'return [{ left: typeof left, names: Object.getOwnPropertyNames(globalThis).includes("left") }]';
        expect((await batch(code, [{}])).answer).toEqual({
            records: [{ left: 'undefined', names: false }],
            from: [-1],
        });
    });

    it('rejects records that are too many for one call', async () => {
        const records = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(1_000_000) }));
        expect((await batch('return records', records)).answer).toMatch(
            /^SCRIPT_FAILED: .*allowed: 16777216.*throughput\.batchSize/,
        );
    });
});

/** A pool of which some processes die during their work, as if they were ended externally. */
class MortalPool extends ScriptProcesses {
    constructor(private dying: number) {
        super({ node: process.execPath });
    }

    override with<T>(signal: AbortSignal, work: (own: ScriptProcess) => Promise<T>): Promise<T> {
        return super.with(signal, own => {
            const working = work(own);
            if (this.dying-- > 0) own.kill();
            return working;
        });
    }
}

describe('a process that ends while it works', () => {
    const order = { context: {}, timeoutMs: 20_000, signal: never };
    const records = [{ n: 1 }, { n: 2 }, { n: 3 }];

    it('costs no record anything', async () => {
        const mortal = new Sandbox(new MortalPool(1));
        const { results } = await mortal.each({ ...order, code: 'return record', records, indexes: [0, 1, 2] });
        expect(results).toEqual(records);
        const again = new Sandbox(new MortalPool(1));
        expect(await again.batch({ ...order, code: 'return records', records, isRead: true })).toEqual({
            answer: { records, from: [0, 1, 2] },
            lines: [],
            unsaid: 0,
        });
    });

    it('is not started again and again', async () => {
        const mortal = new Sandbox(new MortalPool(Infinity));
        const failed = { code: 'SCRIPT_FAILED', facts: { problem: expect.stringMatching(/process.* ended/) } };
        const { results } = await mortal.each({ ...order, code: 'return record', records, indexes: [0, 1, 2] });
        expect(results).toMatchObject(records.map(() => failed));
        expect((await mortal.batch({ ...order, code: 'return records', records, isRead: true })).answer).toMatchObject(
            failed,
        );
    });
});

describe('the sandbox', () => {
    it('says where code does not compile, without running it', () => {
        expect(sandbox.syntaxProblem('return records', 'batch')).toBeUndefined();
        expect(sandbox.syntaxProblem('const a = 1;\nreturn a +;', 'record')?.message).toMatch(/ token ';' \(line 2\)$/);
        expect(sandbox.syntaxProblem('return a +', 'record')?.message).toMatch(/ input \(line 1\)$/);
        expect(sandbox.syntaxProblem('}); globalThis.broken = 1; (() => {', 'record')?.message).toContain(
            'not compile',
        );
        expect(globalThis).not.toHaveProperty('broken');
    });

    it('throws SCRIPT_INVALID for code that only its own engine rejects', async () => {
        await expect(each('return', [{}])).resolves.toBeDefined();
        await expect(each('return /(?<a>x)|(?<a', [{}])).rejects.toMatchObject({
            code: 'SCRIPT_INVALID',
            treat: 'config',
        });
    });

    it('throws SCRIPT_PROCESS_FAILED, to be tried again, where no process can be started', async () => {
        const broken = new Sandbox(new ScriptProcesses({ node: '/nowhere/node' }));
        const order = {
            code: 'return record',
            records: [{}],
            indexes: [0],
            context: {},
            timeoutMs: 1000,
            signal: never,
        };
        await expect(broken.each(order)).rejects.toMatchObject({ code: 'SCRIPT_PROCESS_FAILED', treat: 'transient' });
    });

    it('ends a script at once when its run stops', async () => {
        const stop = new AbortController();
        const reason = new Error('the run stops');
        // Its own time is longer than that of this test.
        const work = batch('while (true) {}', [{}], { timeoutMs: 300_000, signal: stop.signal });
        setTimeout(() => stop.abort(reason), 300);
        await expect(work).rejects.toBe(reason);
        await expect(batch('return records', [{}], { signal: stop.signal })).rejects.toBe(reason);
        expect((await batch('return records', [{ a: 1 }])).answer).toEqual({ records: [{ a: 1 }], from: [0] });
    });

    it('does not make cancelled callers wait, and serves the others', async () => {
        const stop = new AbortController();
        const loops = Array.from({ length: 6 }, () =>
            batch('while (true) {}', [{}], { timeoutMs: 500, signal: stop.signal }),
        );
        const ended = Promise.allSettled(loops);
        stop.abort(new Error('enough'));
        expect((await ended).map(({ status }) => status)).toEqual(loops.map(() => 'rejected'));
        expect((await each('return record', [{ a: 1 }])).results).toEqual([{ a: 1 }]);
    });

    it('gives no process to a caller that has stopped waiting for one', async () => {
        const pool = new ScriptProcesses({ node: process.execPath });
        const stop = new AbortController();
        let finish = (): void => undefined;
        const finished = new Promise<void>(resolve => (finish = resolve));
        const working = Array.from({ length: 4 }, () => pool.with(never, () => finished));
        const waiting = Array.from({ length: 4 }, () => pool.with(stop.signal, async () => 'served'));
        const ended = Promise.allSettled(waiting);
        stop.abort(new Error('enough'));
        expect((await ended).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
        finish();
        await Promise.all(working);
        expect(await pool.with(never, async () => 'served')).toBe('served');
        pool.rest();
    }, 20_000);

    it('never keeps a process alive that has nothing else to do', () => {
        const script =
            `const { Sandbox } = require(${JSON.stringify(require.resolve('./sandbox.ts'))});` +
            'new Sandbox().batch({ code: "return [{ ok: 1 }]", records: [{}], context: {}, timeoutMs: 20000, signal: new AbortController().signal, isRead: true })' +
            '.then(({ answer }) => console.log(JSON.stringify(answer)));';
        const said = execFileSync(process.execPath, ['-r', '@swc-node/register', '-e', script], {
            encoding: 'utf8',
            timeout: 120_000,
            cwd: process.cwd(),
        });
        expect(said.trim()).toBe('{"records":[{"ok":1}],"from":[-1]}');
    });
});
