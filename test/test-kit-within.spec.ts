import { defineOperator, path, recordInvalid } from '../src';
import { runOperator, runStep } from '../src/testing';
import { z } from 'zod';

const shout = defineOperator({
    code: 'shout',
    category: 'Own',
    title: 'Shout',
    summary: 'Writes a text in capitals.',
    config: z.strictObject({ field: path('Field', 'The text.') }),
    examples: [],
    compile:
        ({ field }) =>
        data => {
            const text = data[field];
            if (typeof text !== 'string') throw recordInvalid(field, 'is not a text');
            return { ...data, [field]: text.toUpperCase() };
        },
});

describe('the test kit', () => {
    it('runs your own operator within another one, and shows both as one in a step', async () => {
        const args = { path: 'tags', operators: [{ op: 'shout', args: { field: '_item' } }] };
        const options = { adapters: [shout] };
        const records = [{ tags: ['x', 'y'] }, { tags: ['x', 2] }];
        const { out, rejected } = await runOperator({ operator: 'each', args, options, records });
        expect(out).toEqual([{ tags: ['X', 'Y'] }]);
        expect(rejected).toMatchObject([{ seq: 1, code: 'RECORD_INVALID', path: 'tags.1', payload: records[1] }]);
        const { operators } = await runStep({
            pipeline: {
                version: 1,
                steps: [{ key: 's', kind: 'TRANSFORM', config: { operators: [{ op: 'each', args }] } }],
                edges: [],
            },
            stepKey: 's',
            records,
            options,
        });
        expect(operators).toEqual([
            {
                op: 'each',
                position: 1,
                before: records,
                after: [{ tags: ['X', 'Y'] }],
                faults: [
                    {
                        seq: 1,
                        code: 'RECORD_INVALID',
                        severity: 'ERROR',
                        message: rejected[0]!.message,
                        path: 'tags.1',
                        facts: expect.objectContaining({ path: 'tags.1' }),
                    },
                ],
            },
        ]);
    });
});
