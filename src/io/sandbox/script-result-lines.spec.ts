import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import type { JsonObject } from '../../core/value/json';
import { readBatch } from './script-result-lines';
import type { ScriptProcesses } from './script-processes';
import { Sandbox } from './sandbox';

const RECORDS = 500;
const records: readonly JsonObject[] = Array.from({ length: RECORDS }, (_, n) => ({ n }));
const lines = records.map(record => JSON.stringify(record));

/** Counts the records that are written or read as JSON. */
function counting(unitMs: number): WorkBetweenTurns {
    const work = new WorkBetweenTurns(unitMs);
    const { parse, stringify } = JSON;
    jest.spyOn(JSON, 'parse').mockImplementation((text: string): unknown => {
        if (text.startsWith('{"n"')) work.did();
        return parse(text);
    });
    jest.spyOn(JSON, 'stringify').mockImplementation((value: JsonObject): string => {
        if ('n' in value) work.did();
        return stringify(value);
    });
    return work;
}

// Three records of 4 ms are the first to take 10.
describe('records of a script let the event loop turn', () => {
    afterEach(() => jest.restoreAllMocks());

    it('when they are an answer to a batch', async () => {
        const own = records.map(() => -1);
        const { value, total, most } = await counting(4).during(() =>
            readBatch([`@[${own.join()}]`, ...lines], RECORDS),
        );
        expect(value).toEqual({ records, from: own });
        expect([total, most]).toEqual([RECORDS, 3]);
    });

    it('when they go to the process and come back from it one by one', async () => {
        const calls: number[] = [];
        const own = {
            perform: async (order: { readonly calls: number }) => {
                const from = calls.reduce((sum, count) => sum + count, 0);
                calls.push(order.calls);
                // As whatever comes from another process.
                await nextTurn();
                return { end: 'done', lines: lines.slice(from, from + order.calls) };
            },
        };
        const pool = { with: (_: unknown, use: (process: typeof own) => unknown) => use(own) };
        const sandbox = new Sandbox(pool as unknown as ScriptProcesses);
        const order = { code: '', context: {}, timeoutMs: 1, signal: new AbortController().signal };
        const { value, total, most } = await counting(4).during(() =>
            sandbox.each({ ...order, records, indexes: records.map((_, index) => index) }),
        );
        expect(value.results).toEqual(records);
        expect([total, most]).toEqual([2 * RECORDS, 3]);
    });
});
