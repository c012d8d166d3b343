import { isFlowError } from '../../core/errors/flow-error';
import { Sandbox } from './sandbox';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const signal = new AbortController().signal;

afterAll(() => sandbox.rest());

const TIMEOUT = 'SCRIPT_TIMEOUT {"timeoutMs":400}';
// If no memory is left for an error report, the end of the engine is reported; on a slow machine its time may be over first.
const MEMORY =
    /SCRIPT_TIMEOUT|out of memory|too long|invalid array length|invalid array buffer length|used up the engine/;

/** The code of a script and its expected error. A text: it ends by its time, of 400 ms a call. A pattern: it ends by itself, and has longer. */
const HOSTILE: ReadonlyArray<readonly [code: string, told: string | RegExp]> = [
    ['while (true) {}', TIMEOUT],
    ['for (;;) try { while (true) {} } catch {} finally { continue }', TIMEOUT],
    ['(function f() { try { f() } finally { f() } })()', TIMEOUT],
    ['for (;;) { JSON.parse("[1,2,3]"); new Date() }', TIMEOUT],
    ['/(a+)+$/.test("a".repeat(50000) + "b"); return record', TIMEOUT],
    ['[3, 1, 2].sort(() => { while (true) {} })', TIMEOUT],
    ['return { get loot() { while (true) {} } }', TIMEOUT],
    ['return new Proxy({}, { ownKeys() { while (true) {} } })', TIMEOUT],
    // A loop of the engine itself, which looks at no clock: the process is killed.
    ['Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); return record', TIMEOUT],
    ['return (function f() { return Promise.resolve().then(f) })()', TIMEOUT],
    [
        '(function f() { Promise.resolve().then(f); Promise.resolve().then(f) })(); return new Promise(() => {})',
        TIMEOUT,
    ],
    ['return (async () => { for (;;) await null })()', TIMEOUT],
    ['return (async () => { for (;;) try { await null } catch {} })().catch(() => record)', TIMEOUT],
    // An interrupt ends only the innermost async function, and the loop around it continues.
    ['for (;;) (async () => { for (;;); })().catch(() => 1)', TIMEOUT],
    ['function f() { f() } f()', /InternalError: stack overflow/],
    [
        'const a = []; a[0] = a; let deep = a; for (let i = 0; i < 1e5; i++) deep = [deep]; return { deep }',
        /nested deeper than 32 levels/,
    ],
    ['JSON.parse("[".repeat(1e6))', /stack overflow|SyntaxError|used up the engine/],
    ['const a = []; for (;;) a.push(new Array(1000).fill(1))', MEMORY],
    ['const a = []; for (;;) a.push(a.concat(a))', MEMORY],
    ['let s = "x"; for (;;) s += s', MEMORY],
    ['const all = []; for (let i = 0; ; i++) all.push("x".repeat(1e6) + i)', MEMORY],
    ['const all = []; for (;;) all.push(new ArrayBuffer(2 ** 24))', MEMORY],
    ['return { all: new Array(2 ** 31).join("x") }', TIMEOUT],
    ['const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', MEMORY],
    ['return new Array(2 ** 32 - 1)', /answered a list/],
    [
        'return { big: Array.from({ length: 3e5 }, () => "x".repeat(100)) }',
        /longer than 16777216|out of memory|used up the engine/,
    ],
    ['for (let i = 0; i < 1e5; i++) console.log("x".repeat(1000)); return {}', /^\{\}$/],
];

async function run(code: string, timeoutMs = 400): Promise<string> {
    const { results } = await sandbox.each({ code, records: [{}], indexes: [0], context: {}, timeoutMs, signal });
    const [result] = results;
    return isFlowError(result) ? `${result.code} ${JSON.stringify(result.facts)}` : JSON.stringify(result);
}

describe('a hostile script', () => {
    it.each(HOSTILE)('is stopped: %s', async (code, told) => {
        if (typeof told === 'string') expect(await run(code)).toBe(told);
        else expect(await run(code, 60_000)).toMatch(told);
    });

    it('spares its neighbours in the batch', async () => {
        for (const code of [
            'if (index === 1) while (true) {}',
            'if (index === 1) Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
            'if (index === 1) { const a = []; for (;;) a.push(new ArrayBuffer(2 ** 24)) }',
            'if (index === 1) (function f() { f() })();',
        ]) {
            const { results } = await sandbox.each({
                code: `${code} return { index };`,
                records: [{}, {}, {}, {}],
                indexes: [0, 1, 2, 3],
                context: {},
                timeoutMs: 1000,
                signal,
            });
            expect(results.map(result => (isFlowError(result) ? 'stopped' : result))).toEqual([
                { index: 0 },
                'stopped',
                { index: 2 },
                { index: 3 },
            ]);
        }
    });

    it('spares the scripts of other runs', async () => {
        const loops = Array.from({ length: 6 }, () => run('while (true) {}'));
        const records = Array.from({ length: 500 }, (_, n) => ({ n }));
        const order = {
            code: 'return { n: record.n + 1 }',
            records,
            indexes: records.map(({ n }) => n),
            context: {},
            timeoutMs: 20_000,
            signal,
        };
        expect((await sandbox.each(order)).results).toEqual(records.map(({ n }) => ({ n: n + 1 })));
        expect(await Promise.all(loops)).toEqual(loops.map(() => TIMEOUT));
    });

    it.each([
        'while (true) {}',
        'return (async () => { for (;;) await null })()',
        'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    ])('leaves the event loop of this process to others meanwhile: %s', async code => {
        const stop = new AbortController();
        const enough = new Error('enough');
        const order = { records: [{}], indexes: [0], context: {}, signal };
        // By itself it would end long after this test.
        const endless = sandbox.each({ ...order, code, timeoutMs: 300_000, signal: stop.signal });
        const ended = expect(endless).rejects.toBe(enough);
        for (let n = 0; n < 3; n++) {
            const { results } = await sandbox.each({ ...order, code: `return { n: ${n} }`, timeoutMs: 60_000 });
            expect(results).toEqual([{ n }]);
        }
        stop.abort(enough);
        await ended;
    });
});
