import { naming } from '../../../test/kit/naming';
import { runBatch } from '../../testing/bare-call';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { sandbox } from '../../io/sandbox/sandbox';
import { rejectedScript, script } from './script';

// The engine is a process, and starting it takes its time on a machine that is busy.
jest.setTimeout(120_000);

afterAll(() => sandbox.rest());

const run = (args: JsonObject, records: readonly JsonObject[]) =>
    runBatch({ operator: script, args: { timeout: 20_000, ...args } }, records);
const problems = (operator: typeof script, args: JsonObject): readonly string[] => {
    const parsed = parseWith(operator.config, args);
    return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
};

describe('the operator script', () => {
    it('passes its location to the code', async () => {
        const { out } = await run({ code: 'return { index, context };', context: [1] }, [{}, {}]);
        const context = { data: [1], stepKey: 'step', runId: 'run', mode: 'live' };
        expect(out.map(({ data }) => data)).toEqual([
            { index: 0, context },
            { index: 1, context },
        ]);
    });

    it('keeps a record for which it fails, and warns about it with its number', async () => {
        const { out, rejected, log } = await run(
            { code: 'if (index === 1) throw new Error("odd");\nreturn { ok: index };' },
            [{ n: 0 }, { n: 1 }],
        );
        expect(out.map(({ data }) => data)).toEqual([{ ok: 0 }, { n: 1 }]);
        expect(rejected).toEqual([]);
        expect(log).toMatchObject([
            {
                level: 'WARN',
                facts: {
                    error: { code: 'SCRIPT_FAILED', message: expect.stringMatching(naming('odd', 'line 1')) },
                    record: 2,
                    seq: 1,
                },
            },
        ]);
    });

    it('does not flood the log', async () => {
        const { log } = await run(
            { code: 'throw 1' },
            Array.from({ length: 50 }, () => ({})),
        );
        expect(log.map(({ facts }) => facts).slice(-2)).toMatchObject([
            {
                error: { code: 'SCRIPT_FAILED', message: expect.stringMatching(naming(1)) as string },
                record: 5,
                seq: 4,
            },
            { count: 45, batch: 0 },
        ]);
    });

    it('gives records of a batch a shared origin, and keeps the batch if the code fails', async () => {
        const made = await run({ code: 'return [...records, { sum: records.length }]', batch: true }, [
            { n: 0 },
            { n: 1 },
        ]);
        expect(made.out.map(({ data }) => data)).toEqual([{ n: 0 }, { n: 1 }, { sum: 2 }]);
        expect(new Set(made.out.map(({ origin }) => origin)).size).toBe(1);
        const kept = await run({ code: 'return records[0]', batch: true }, [{ n: 0 }, { n: 1 }]);
        expect(kept.out.map(({ data }) => data)).toEqual([{ n: 0 }, { n: 1 }]);
        const error = { code: 'SCRIPT_FAILED', message: expect.stringMatching(naming('object', 'list')) as string };
        expect(kept.log).toMatchObject([{ level: 'WARN', facts: { error, records: 2, batch: 0 } }]);
    });

    it('rejects the whole batch with failOnError', async () => {
        for (const code of ['', 'throw new Error("no")', 'return 1']) {
            const { out, rejected } = await run({ code: `${code};`, batch: true, failOnError: true }, [
                { n: 0 },
                { n: 1 },
            ]);
            expect(out).toEqual([]);
            expect(rejected.map(({ error }) => error.code)).toEqual(['SCRIPT_FAILED', 'SCRIPT_FAILED']);
        }
    });

    it('ends a call that takes too long', async () => {
        const late = await run(
            { code: 'if (index === 1) while (true) {}\nreturn { index };', timeout: 1000, failOnError: true },
            [{}, {}, {}],
        );
        expect(late.out.map(({ data }) => data)).toEqual([{ index: 0 }, { index: 2 }]);
        expect(late.rejected.map(({ record, error }) => [record.origin.seq, error.code])).toEqual([
            [1, 'SCRIPT_TIMEOUT'],
        ]);
    });

    it('may return nothing for a batch, and is not called without records', async () => {
        expect((await run({ code: 'return []', batch: true }, [{ n: 0 }])).out).toEqual([]);
        expect((await run({ code: 'throw 1', batch: true, failOnError: true }, [])).out).toEqual([]);
    });

    it('logs what the code writes to its console', async () => {
        const { log } = await run({ code: 'console.error("Oh", record); return record;' }, [{ a: 1 }]);
        expect(log).toEqual([{ level: 'ERROR', message: 'Oh {"a":1}', facts: undefined }]);
    });

    it('is rejected if it does not compile, with the line', () => {
        expect(problems(script, { code: 'const a = 1;\nreturn a +;' })).toEqual([
            expect.stringMatching(naming('code', "';'", 'line 2')),
        ]);
        expect(problems(script, { code: 'const record = 1;' })[0]).toMatch(naming('code', "'record'", 'line 1'));
        expect(problems(script, { code: 'const record = 1; return records', batch: true })).toEqual([]);
        expect(problems(script, { code: 'return record', timeout: 0 })[0]).toContain('timeout is 0');
        expect(problems(script, { code: 'return record', timeout: 300_001 })[0]).toContain('timeout is 300001');
    });

    it('is rejected everywhere if the shop allows no code', () => {
        expect(problems(rejectedScript, { code: 'return record' })).toEqual([
            expect.stringMatching(naming('code', 'security.inlineScripts', 'false')),
        ]);
    });
});
