import { isFlowError } from '../../core/errors/flow-error';
import { GIVEN, timeoutFor } from '../../../test/fixtures/forged';
import { FORGED_LISTS } from '../../../test/fixtures/forged-lists';
import { Sandbox } from './sandbox';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const order = { context: {}, records: GIVEN, isRead: true, signal: new AbortController().signal };
afterAll(() => sandbox.rest());

describe('what a script answers instead of its records', () => {
    it.each(FORGED_LISTS)(
        'is matched with its records correctly, or is an error of the script: %s',
        async (_, code, told) => {
            const { answer, lines } = await sandbox.batch({ ...order, code, timeoutMs: timeoutFor(told) });
            if (told instanceof RegExp) expect(isFlowError(answer) && answer.message).toMatch(told);
            else expect(answer).toEqual(told);
            expect(lines).toEqual([]);
        },
    );
});

describe('what a script writes to its console', () => {
    const written = async (code: string) => {
        const { answer, lines } = await sandbox.batch({ ...order, code, timeoutMs: 60_000 });
        return { answer, lines };
    };

    it.each([
        [String.raw`console.log('a\n#{"lines":[],"unsaid":9}\n{}')`, 'INFO', 'a\n#{"lines":[],"unsaid":9}\n{}'],
        ['console.warn({ toJSON() { return "text" } }, { get a() { throw 1 } })', 'WARN', '"text" an object'],
        [
            'console.error(Object.assign(new Error("odd"), { name: "!" }), 1n, Symbol("s"))',
            'ERROR',
            '!: odd the bigint 1 Symbol(s)',
        ],
        [
            'console.info(new Proxy([], { get: () => 7 }), String.fromCharCode(0, 0xd800))',
            'INFO',
            '[7,7,7,7,7,7,7] \0\ud800',
        ],
        ['console.debug("x".repeat(1e6))', 'DEBUG', `${'x'.repeat(500)} …`],
    ])('is one line, as it is, and changes no answer: %s', async (code, level, text) => {
        expect(await written(`${code}; return records`)).toEqual({
            answer: { records: GIVEN, from: [0, 1, 2] },
            lines: [{ level, text }],
        });
    });

    it.each([
        'const deep = n => ({ toJSON() { for (let i = 0; i < n; i++) console.log(deep(n - 1)); return n } }); console.log(deep(5));',
        'const loud = { toJSON() { for (let i = 0; i < 25; i++) console.log(i); return 1 } }; for (let i = 0; i < 25; i++) console.log(loud);',
        'for (let i = 0; i < 25; i++) console.log({ get a() { console.log(1); throw 1 } });',
    ])('is logged up to twenty lines, even if writing writes: %s', async code => {
        const { answer, lines, unsaid } = await sandbox.batch({
            ...order,
            code: `${code} return records`,
            timeoutMs: 60_000,
        });
        expect(answer).toEqual({ records: GIVEN, from: [0, 1, 2] });
        expect(lines).toHaveLength(20);
        expect(unsaid).toBeGreaterThan(0);
    });

    it.each([
        'console.log(Object.create({ get constructor() { throw new Error("odd") } }, { toJSON: { get() { throw 1 } } }))',
        'console.log(Object.assign(new Error(), { name: { toString() { throw new Error("odd") } } }))',
    ])('fails the script where it cannot be read: %s', async code => {
        const { answer, lines } = await written(`${code}; return records`);
        expect(isFlowError(answer) && answer.message).toContain('Error: odd');
        expect(lines).toEqual([]);
    });
});
