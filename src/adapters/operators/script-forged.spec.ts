import type { JsonObject } from '../../core/value/json';
import { GIVEN, LATE_RESULT, timeoutFor } from '../../../test/fixtures/forged';
import { FORGED_BATCHES } from '../../../test/fixtures/forged-lists';
import { FORGED_SHAPES } from '../../../test/fixtures/forged-shapes';
import { FORGED_PROMISES, FORGED_VALUES } from '../../../test/fixtures/forged-values';
import { sandbox } from '../../io/sandbox/sandbox';
import { runBatch } from '../../testing/bare-call';
import { script } from './script';

// The engine is a process, and starting it takes its time on a machine that is busy.
jest.setTimeout(120_000);

afterAll(() => sandbox.rest());

const FORGED_RECORDS = [...FORGED_SHAPES, ...FORGED_VALUES, ...FORGED_PROMISES];

async function run(args: JsonObject, told: unknown, records: readonly JsonObject[]) {
    const timeout = timeoutFor(told);
    const { out, rejected, log } = await runBatch({ operator: script, args: { timeout, ...args } }, records);
    const codes = log.map(({ level, facts }) => [level, (facts?.['error'] as JsonObject | undefined)?.['code']]);
    return { out: out.map(({ data }) => data), rejected, codes, message: log[0]?.message };
}

const WARNED = [['WARN', expect.stringMatching(/^SCRIPT_(FAILED|TIMEOUT)$/)]];

describe('a script that returns something other than its record', () => {
    it('is tried in sixty ways and more', () => expect(FORGED_RECORDS.length).toBeGreaterThanOrEqual(60));

    it.each(FORGED_RECORDS)('changes that one record, or fails with it: %s', async (_, code, told) => {
        const args = { code: `if (record.id !== 'B') return record; ${code}` };
        const { out, rejected, codes, message } = await run(args, told, GIVEN);
        expect(out).toEqual(told instanceof RegExp ? GIVEN : [GIVEN[0], told, GIVEN[2]]);
        expect(rejected).toEqual([]);
        expect(codes).toEqual(told instanceof RegExp ? WARNED : []);
        if (told instanceof RegExp) expect(message).toMatch(told);
    });
});

describe('a script that returns something other than its records', () => {
    it('is tried in sixty ways and more', () => expect(FORGED_BATCHES.length).toBeGreaterThanOrEqual(60));

    it.each(FORGED_BATCHES)('changes that one batch, or fails with it: %s', async (_, code, told) => {
        const args = { code: `if (records.length === 1) return records; ${code}`, batch: true };
        const { out, rejected, codes, message } = await run(args, told, GIVEN);
        expect(out).toEqual(told instanceof RegExp ? GIVEN : told);
        expect(rejected).toEqual([]);
        expect(codes).toEqual(told instanceof RegExp ? WARNED : []);
        if (told instanceof RegExp) expect(message).toMatch(told);
        // The next batch of the same script.
        expect(await run(args, LATE_RESULT, [{ id: 'D' }])).toMatchObject({ out: [{ id: 'D' }], codes: [] });
    });
});
