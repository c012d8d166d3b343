import { z } from 'zod';
import { MemoryState } from '../../../test/kit/memory-ports';
import { LOAD, pages, runPipeline, type RunOptions, sketched } from '../../../test/kit/pipeline';
import { batchOperator } from '../adapter/operator';
import { hookScripts } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import { TestRunTap } from '../run/test-run';

/** Warns of each record with `odd`, and rejects each with `wrong`. */
const warns = batchOperator({
    code: 'warns',
    category: 'Test',
    title: 'Warns',
    summary: 'Warns of some records.',
    config: z.strictObject({}),
    examples: [],
    open: () => (batch, cx) => {
        for (const record of batch) {
            if (record.data['odd']) cx.warn(record, recordInvalid('odd', 'is odd'));
            if (record.data['wrong']) cx.reject(record, recordInvalid('wrong', 'is wrong'));
        }
        return batch;
    },
});

const RECORDS: JsonObject[] = [{ id: 0 }, { id: 1, odd: true }, { id: 2, odd: true, wrong: true }, { id: 3 }];
let told = 0;

function run(state: MemoryState, more: RunOptions = {}, records = RECORDS) {
    told = 0;
    const call = { op: 'warns', args: {} };
    const definition = sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', pages(records)],
            shape: ['TRANSFORM', { operators: [call, call] }],
            write: ['LOAD', LOAD],
        },
        edges: ['start > read > shape > write'],
        hooks: { ON_RECORD_ERROR: [{ type: 'SCRIPT', scriptName: 'count' }] },
    });
    const scripts = hookScripts({ count: list => void (told += list.length) });
    return runPipeline(definition, { state, adapters: [warns, ...scripts], ...more });
}

const listed = ({ rejects }: MemoryState) =>
    [...rejects.values()].map(({ seq, severity = 'ERROR', path }) => `${seq} ${severity} ${path}`).sort();

describe('a warning of an operator', () => {
    it('is listed for each operator, and the record continues: it does not count as a reject, and no hook is notified', async () => {
        const state = new MemoryState();
        const { end } = await run(state, {}, RECORDS.slice(0, 2));
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect(state.counters['shape']).toMatchObject({ in: 2, out: 2, rejected: 0, filtered: 0 });
        expect(listed(state)).toEqual(['1 WARNING odd', '1 WARNING odd']);
        expect([state.shop.size, told]).toEqual([2, 0]);
    });

    it('is listed with the reject of the same record, and once when its batch is repeated', async () => {
        const state = new MemoryState();
        const lost = await run(state, {
            at: async point => {
                if (point === 'positions.commit.before') throw flowError('LEASE_LOST', {});
            },
        });
        expect(lost.end.end).toBe('stopped');
        const { end } = await run(state);
        expect(end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
        expect(state.counters['shape']).toMatchObject({ in: 4, out: 3, rejected: 1 });
        // The second operator does not see the rejected record any more.
        expect(listed(state)).toEqual(['1 WARNING odd', '1 WARNING odd', '2 ERROR wrong', '2 WARNING odd']);
        expect(told).toBe(1);
    });

    it('is visible at its operator in a step test', async () => {
        const probe = new TestRunTap('shape');
        await run(new MemoryState(), { input: { mode: 'preview', probe } });
        expect(
            probe.operators.map(({ position, faults: issues }) => [
                position,
                issues.map(({ seq, severity }) => `${seq} ${severity}`),
            ]),
        ).toEqual([
            [1, ['2 ERROR', '1 WARNING', '2 WARNING']],
            [2, ['1 WARNING']],
        ]);
    });
});
