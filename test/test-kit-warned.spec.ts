import { z } from 'zod';
import { defineOperator, type JsonObject, recordInvalid } from '../src';
import { runOperator, runPipeline, runStep } from '../src/testing';

/** Writes no label if there is no name to print, and rejects a record without a sku. */
const label = defineOperator({
    code: 'label',
    category: 'Own',
    title: 'Label',
    summary: 'Writes a label.',
    config: z.strictObject({}),
    examples: [],
    open: () => (batch, cx) =>
        batch.map(record => {
            const { sku, name } = record.data;
            if (sku === undefined) cx.reject(record, recordInvalid('sku', 'is missing'));
            if (name === undefined) cx.warn(record, recordInvalid('name', 'is missing'));
            return name === undefined ? record : { ...record, data: { ...record.data, label: name } };
        }),
});

const records: readonly JsonObject[] = [{ sku: 'A', name: 'Shoe' }, { sku: 'B' }, {}];
const operators = [{ op: 'label', args: {} }];
const options = { adapters: [label] };
const warning = { code: 'RECORD_INVALID', severity: 'WARNING', path: 'name' };
const warned = [
    { ...warning, seq: 1, payload: records[1] },
    { ...warning, seq: 2, payload: records[2] },
];
const rejected = [{ seq: 2, code: 'RECORD_INVALID', path: 'sku' }];

describe('warnings of an operator', () => {
    it('are returned with the rejects if it runs alone', async () => {
        const run = await runOperator({ operator: label, args: {}, records });
        expect(run).toMatchObject({ out: [{ label: 'Shoe' }, { sku: 'B' }], rejected, warned });
    });

    it('are returned for a step, and for the operator', async () => {
        const run = await runStep({
            pipeline: { version: 1, steps: [{ key: 'shape', kind: 'TRANSFORM', config: { operators } }], edges: [] },
            stepKey: 'shape',
            records,
            options,
        });
        expect(run).toMatchObject({ rejected, warned, counters: { in: 3, out: 2, rejected: 1 } });
        expect(run.operators[0]!.faults.filter(({ severity }) => severity === 'WARNING')).toHaveLength(2);
    });

    it('are returned for a pipeline, which is a success nevertheless', async () => {
        const run = await runPipeline({
            pipeline: {
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                    { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: records.slice(0, 2) } },
                    { key: 'shape', kind: 'TRANSFORM', config: { operators } },
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'shape' },
                ],
            },
            options,
        });
        expect(run).toMatchObject({ outcome: 'SUCCESS', rejected: [], warned: warned.slice(0, 1) });
    });
});
