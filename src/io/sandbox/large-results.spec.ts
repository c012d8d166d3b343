import { isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import { valuesIn } from './script-result-limit';
import { Sandbox } from './sandbox';

// Each engine is a process, and starting one takes its time on a machine that is busy.
jest.setTimeout(120_000);

const sandbox = new Sandbox();
const signal = new AbortController().signal;

afterAll(() => sandbox.rest());

async function held(code: string, records: readonly JsonObject[]) {
    const indexes = records.map((_, index) => index);
    const order = { code, records, indexes, context: {}, timeoutMs: 100_000, signal };
    const { results } = await sandbox.each(order);
    const kept = results.filter(result => !isFlowError(result));
    const problems = results.filter(isFlowError).map(({ message }) => message);
    return { kept: kept.length, chars: JSON.stringify(kept).length, problems };
}

const forty = Array.from({ length: 40 }, (_, n) => ({ n }));

describe('what a script answers record by record', () => {
    it('is held up to 16 Mi characters beyond what it was given', async () => {
        const { kept, chars, problems } = await held('return { text: "x".repeat(1024 * 1024) };', forty);
        expect(kept).toBe(15);
        expect(chars).toBeLessThan(16 * 1024 * 1024);
        expect(new Set(problems)).toEqual(new Set([expect.stringMatching(/answers.* 16777216 characters/)]));
        expect(problems).toHaveLength(25);
    });

    it('is held up to a million values beyond what it was given', async () => {
        const { kept, problems } = await held('return { list: Array.from({ length: 100_000 }, () => []) };', forty);
        // An empty list within a list counts twice: as a list, and as an element.
        expect(kept).toBe(5);
        expect(problems[0]).toMatch(/answers.* 1048576 values/);
        expect(problems).toHaveLength(35);
    });

    it('may be as much as it was given, however much that is', async () => {
        const large = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(1024 * 1024) }));
        expect(await held('return record;', large)).toMatchObject({ kept: 20, problems: [] });
    });

    it('is not requested for a record that is too large to be sent', async () => {
        const text = 'x'.repeat(1024 * 1024);
        const records: JsonObject[] = [{ n: 1 }, { list: Array<string>(17).fill(text) }, { n: 2 }];
        const { kept, problems } = await held('return record;', records);
        expect(kept).toBe(2);
        expect(problems).toEqual([expect.stringMatching(/record .* 16777216 characters .*JSON/)]);
    });
});

describe('what a script answers to a batch', () => {
    it.each([
        'return Array.from({ length: 400_000 }, () => ({ a: [] }))',
        'return Array.from({ length: 9 }, () => ({ list: Array(100_000).fill([[]]) }))',
    ])('is held up to a bound: %s', async code => {
        const { answer } = await sandbox.batch({
            code,
            records: forty,
            context: {},
            timeoutMs: 100_000,
            signal,
            isRead: true,
        });
        expect(answer).toMatchObject({
            code: 'SCRIPT_FAILED',
            facts: { problem: expect.stringMatching(/answers.* 1048576 values/) },
        });
    });
});

describe('the values of a JSON text', () => {
    it.each([
        ['1', 1],
        ['[]', 2],
        ['[[],[]]', 5],
        ['{"a":"[,{,","b\\"":[1,2]}', 5],
        ['"never closed', 1],
    ])('of %s are %d', (text, values) => expect(valuesIn(text)).toBe(values));
});
