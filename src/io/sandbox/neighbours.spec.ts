import type { JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { Sandbox } from './sandbox';
import { SCRIPT_PARAMETERS } from '../../core/schema/script-scope';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

/** The engine itself, as a process works with it. */
interface RealmModule {
    readonly Realm: {
        create(): Promise<{
            compile(order: string): string;
            load(records: string): void;
            run(limits: { timeoutMs: number; budgetMs: number; maxChars: number }): number;
            take(): string;
        }>;
    };
    readonly Spoiled: new () => Error;
}
const { Realm, Spoiled } = jest.requireActual<RealmModule>('./realm.cjs');

const sandbox = new Sandbox();
const signal = new AbortController().signal;
afterAll(() => sandbox.rest());

async function each(code: string, count: number, timeoutMs = 60_000) {
    const records = Array.from({ length: count }, (_, n): JsonObject => ({ n }));
    const indexes = records.map((_, index) => index);
    const { results, lines } = await sandbox.each({ code, records, indexes, context: {}, timeoutMs, signal });
    return {
        results: results.map(result => (isFlowError(result) ? `${result.code}: ${result.message}` : result)),
        lines: lines.map(({ text }) => text),
    };
}

const READ = 'console.log(index);';

describe('a record', () => {
    it('does not pay with its time for what the one before it has left to be done later', async () => {
        const code = `${READ} if (index % 2 === 1) return (async () => { await null; return { n: index }; })();
            Promise.resolve().then(() => { for (;;); }); return { n: index };`;
        const { results, lines } = await each(code, 6, 2_000);
        expect(results).toEqual([0, 1, 2, 3, 4, 5].map(n => ({ n })));
        // A repeated call also writes to the log only once.
        expect(lines).toEqual(['0', '1', '2', '3', '4', '5']);
    });

    it('may return a promise after records that return none, and the other way round', async () => {
        const code =
            'const own = { n: index }; return index % 3 === 0 ? (async () => { await null; return own })() : index % 7 === 0 ? Promise.resolve(own) : own;';
        expect((await each(code, 300)).results).toEqual(Array.from({ length: 300 }, (_, n) => ({ n })));
    });

    it('does not pay with its memory for what the one before it has thrown away', async () => {
        const large = 'const own = []; for (let i = 0; i < 300; i++) own.push(new Uint8Array(2 ** 18));';
        const code = `${READ} ${large} own.push(own, () => own); return { n: index };`;
        const { results, lines } = await each(code, 4);
        expect(results).toEqual([0, 1, 2, 3].map(n => ({ n })));
        expect(lines).toEqual(['0', '1', '2', '3']);
        // How many of them share an engine depends on the time that they take; here all of them do until one fails.
        const realm = await Realm.create();
        realm.compile(JSON.stringify({ parameters: SCRIPT_PARAMETERS.record, isRead: true, context: {}, code }));
        realm.load('{"indexes":[0,1,2],"records":[{},{},{}]}');
        expect(() => realm.run({ timeoutMs: 60_000, budgetMs: 60_000, maxChars: 1_000 })).toThrow(Spoiled);
        expect(realm.take()).toBe('{"n":0}\n#{"lines":[{"level":"INFO","text":"0"}],"unsaid":0}');
    });

    it('pays itself where it wants more memory than there is, whatever it says', async () => {
        for (const issue of [
            'const all = []; for (;;) all.push(new ArrayBuffer(2 ** 24))',
            'throw new InternalError("out of memory")',
        ]) {
            for (const way of [issue, `return (async () => { await null; ${issue} })()`]) {
                const { results } = await each(`if (index === 2) { ${way} } return { n: index };`, 5);
                expect(results).toEqual([
                    { n: 0 },
                    { n: 1 },
                    expect.stringMatching(/^SCRIPT_FAILED: /),
                    { n: 3 },
                    { n: 4 },
                ]);
            }
        }
    });

    it('is what it was given, whatever was done to the others', async () => {
        const { results } = await each(
            'const was = JSON.stringify(record); record.n = { toJSON() { throw 1 } }; return { was };',
            3,
        );
        expect(results).toEqual([0, 1, 2].map(n => ({ was: `{"n":${n}}` })));
    });
});

describe('the script of another run', () => {
    it('finds nothing of what one before it has done to the engine', async () => {
        const wreck = `for (const name of Reflect.ownKeys(globalThis)) { try { globalThis[name] = 1 } catch {} try { delete globalThis[name] } catch {} }
            const deep = []; deep.push(deep); Promise.resolve().then(() => { for (;;); }); return (function f() { return f() })();`;
        const probe =
            'return { names: Reflect.ownKeys(globalThis).length, keys: Object.keys(record).length, at: JSON.stringify(record) };';
        const { results: before } = await each(probe, 2);
        expect((await each(wreck, 2)).results).toEqual([
            expect.stringContaining('stack overflow'),
            expect.stringContaining('stack overflow'),
        ]);
        expect((await each(probe, 2)).results).toEqual(before);
    });
});
