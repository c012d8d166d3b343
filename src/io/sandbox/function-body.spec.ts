import { isFlowError } from '../../core/errors/flow-error';
import { Sandbox } from './sandbox';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const ORDER = { context: {}, timeoutMs: 60_000, signal: new AbortController().signal };
afterAll(() => sandbox.rest());

const run = async (code: string): Promise<unknown> => {
    const { results } = await sandbox.each({ ...ORDER, code, records: [{ n: 1 }], indexes: [0] });
    return isFlowError(results[0]) ? results[0].message : results[0];
};

/** Code that closes its function and opens one again, so that between them it would be run when it is compiled. */
const CLOSING = [
    '}); for (;;); (function () {',
    '}); globalThis.left = 1; (function (record) { return record',
    '}, (() => { for (;;); })(), function () {',
    '} [(() => { for (;;); })()] = function () {',
    '} * function () {',
    '}(), function () {',
    '}).constructor("for (;;);")(), (function () {',
    '}); /* " */ (function () { // ',
    '}\n); for (;;);\n(function () {\n',
    '}); ({ m() {} }); ({',
    '}); (class { static { for (;;); } }); (() => {',
    '}); `${function () {',
    'return record }); (function () { "use strict"; let n; ',
    '}); label: { break label; } (async function* () { yield 0; await 0;',
    '}) ; export default (function () {',
    'await 0 }); for (;;); (async function () {',
];

const BODIES: ReadonlyArray<readonly [code: string, answer: unknown]> = [
    ['return record', { n: 1 }],
    ['return record // }); (function () {', { n: 1 }],
    ['return record /* }); (function () { */', { n: 1 }],
    ['const text = "}); (function () {"; return { text }', { text: '}); (function () {' }],
    ['return { text: `${(() => "}")()}` }', { text: '}' }],
    ['function f() { return 1 } function f() { return 2 } return { f: f() }', { f: 2 }],
    ['var f; function f() { return 1 } return { f: f() }', { f: 1 }],
    ['"use strict"\nreturn record', { n: 1 }],
    ['if (record.n) return record\nelse return {}', { n: 1 }],
    ['return { pattern: /}\\);[})(]/.source }', { pattern: '}\\);[})(]' }],
    ['record.n++\nreturn record\n;', { n: 2 }],
    ['{ return record }', { n: 1 }],
    ['const async = 1, of = 2, get = 3; return { sum: async + of + get }', { sum: 6 }],
    ['return record\n<!-- old', { n: 1 }],
    ['return await record', { n: 1 }],
    ['return await (async () => ({ n: await 2 }))()', { n: 2 }],
    ['const { n } = await Promise.resolve({ n: 3 });\nreturn { n }', { n: 3 }],
    ['for (const part of [1]) await part;\nreturn record', { n: 1 }],
    ['const f = async () => { await 0; return record }; return f()', { n: 1 }],
    ['return await (async () => ({ n: 4 }))()', { n: 4 }],
    ['const own = await [record]; return own[0]', { n: 1 }],
    ['return { text: "await (x)" }', { text: 'await (x)' }],
    ['return { text: "await" }', { text: 'await' }],
];

describe('code that is not the body of a function', () => {
    it.each(CLOSING)('is rejected by the engine as well, and never run: %s', async code => {
        expect(sandbox.syntaxProblem(code, 'record')).toBeDefined();
        await expect(run(code)).rejects.toMatchObject({ code: 'SCRIPT_INVALID', treat: 'config' });
        expect(await run('return { left: typeof left }')).toEqual({ left: 'undefined' });
    });

    it.each(BODIES)('is not taken for it: %s', async (code, answer) => {
        expect(sandbox.syntaxProblem(code, 'record')).toBeUndefined();
        expect(await run(code)).toEqual(answer);
    });

    it('may use await in a batch', async () => {
        const code = 'return await Promise.all(records.map(async record => ({ n: (await record.n) + 1 })))';
        const { answer } = await sandbox.batch({ ...ORDER, code, records: [{ n: 1 }, { n: 2 }], isRead: true });
        expect(sandbox.syntaxProblem(code, 'batch')).toBeUndefined();
        expect(answer).toMatchObject({ records: [{ n: 2 }, { n: 3 }] });
    });

    it('is reported with the line that the engine names', async () => {
        await expect(run('const a = 1;\nconst b = 2;\nreturn /(?<a/;')).rejects.toMatchObject({
            message: expect.stringMatching(/SyntaxError: .*\(line 3\)/),
        });
    });

    it.each(['[', '(', '{', '`${', 'function () {'])('is rejected if no stack is left to parse it: %s', async open => {
        const order = { ...ORDER, code: `return ${open.repeat(20_000)}`, records: [{}], indexes: [0] };
        const told = await sandbox.each(order).then(
            ({ results: [result] }) => result,
            (error: unknown) => error,
        );
        expect(['SCRIPT_INVALID', 'SCRIPT_FAILED']).toContain(isFlowError(told) && told.code);
        expect(await run('return record')).toEqual({ n: 1 });
    });
});
