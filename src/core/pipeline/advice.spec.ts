import { z } from 'zod';
import { toyRegistry } from '../../../test/fixtures/definitions/catalogue';
import { recordOperator } from '../adapter/operator';
import { checkDefinition, type CheckResult, definitionIssue } from './parse';

const doubtful = recordOperator({
    code: 'doubtful',
    title: 'Doubtful',
    summary: 'Has an argument that does nothing.',
    config: z.strictObject({ list: z.array(z.strictObject({ value: z.string() })) }),
    examples: [],
    advise: ({ list }) =>
        list.flatMap(({ value }, index) =>
            value === 'idle' ? [{ code: 'WITHOUT_EFFECT', path: `list.${index}.value`, problem: 'is idle' }] : [],
        ),
    compile: () => data => data,
});
const registry = toyRegistry.plus([doubtful]);

function having(...operators: readonly object[]): CheckResult {
    const steps = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
        { key: 'shape', kind: 'TRANSFORM', config: { operators } },
    ];
    const edges = [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'shape' },
    ];
    return checkDefinition({ version: 1, steps, edges }, registry);
}

describe('the advice of an adapter', () => {
    const path = 'steps[2].config.operators[0].args.list[1].value';
    const warning = { code: 'WITHOUT_EFFECT', path, stepKey: 'shape', severity: 'WARNING' };
    const idle = { op: 'doubtful', args: { list: [{ value: 'a' }, { value: 'idle' }] } };

    it('is reported at its place and does not prevent publishing', () => {
        const { definition, issues } = having(idle);
        expect(definition).toBeDefined();
        expect(issues).toMatchObject([{ ...warning, message: `${path} is idle` }]);
    });

    it('is reported for the conditions of ROUTE steps', () => {
        const steps = [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'list', rows: [] } },
            {
                key: 'split',
                kind: 'ROUTE',
                config: {
                    branches: [
                        { name: 'a', when: [{ field: 'f', value: 1 }] },
                        { name: 'b', when: [{ not: { field: 'sku', cmp: 'matches', value: '^A.*$' } }] },
                    ],
                },
            },
        ];
        const edges = [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'split' },
        ];
        const { definition, issues } = checkDefinition({ version: 1, steps, edges }, registry);
        expect(definition).toBeDefined();
        expect(issues).toMatchObject([
            {
                code: 'LIKELY_MISTAKE',
                path: 'steps[2].config.branches[1].when[0].not.value',
                stepKey: 'split',
                severity: 'WARNING',
                message: expect.stringContaining('regex') as string,
            },
        ]);
    });

    it('is listed with the errors, which alone are counted', () => {
        const { definition, issues } = having(idle, { op: 'doubtful', args: {} });
        expect(definition).toBeUndefined();
        expect(issues.map(({ severity }) => severity)).toEqual(['WARNING', undefined]);
        expect(definitionIssue(issues)).toMatchObject({ message: expect.stringContaining('has 1 error:') as string });
    });

    it('is not requested for a configuration that its schema rejects', () => {
        const { issues } = having({ op: 'doubtful', args: { list: ['idle'] } });
        expect(issues).toEqual([expect.not.objectContaining({ severity: 'WARNING' })]);
    });
});
