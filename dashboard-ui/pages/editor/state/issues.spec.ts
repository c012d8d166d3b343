import {
    countOf,
    type EditorIssue,
    issuesBelow,
    issuesOfPipeline,
    issuesOfStep,
    messageInStep,
    shortMessage,
    stepKeyOf,
} from './issues';

const definition = {
    steps: [
        { key: 'start', kind: 'TRIGGER', config: {} },
        { key: 'shape', kind: 'TRANSFORM', config: {} },
    ],
    edges: [{ from: 'shape', to: 'nowhere' }],
};
const issue = (path: string, stepKey: string | null = null): EditorIssue => ({
    code: 'X',
    path,
    stepKey,
    message: path,
    severity: 'ERROR',
});

describe('what is wrong', () => {
    it('is shown at the step and the field that it is about', () => {
        const issues = [
            issue('steps[1].config.operators[0].args.source', 'shape'),
            issue('steps[1].config.operators[0].args.values[2].from', 'shape'),
            issue('steps[1].config.operators', 'shape'),
            issue('steps', 'shape'),
            issue('steps[0].key', 'start'),
        ];
        const ofStep = issuesOfStep(issues, definition, 'shape');
        expect(ofStep.map(({ path }) => path)).toEqual([
            'config.operators.0.args.source',
            'config.operators.0.args.values.2.from',
            'config.operators',
            '',
        ]);
        expect(issuesBelow(ofStep, 'config.operators.0.args').map(({ path }) => path)).toEqual([
            'source',
            'values.2.from',
        ]);
        expect(issuesBelow(ofStep, 'config.operators').map(({ path }) => path)).toContain('');
    });

    it('is shown at the setting of the pipeline if it is not about a step', () => {
        const issues = [
            issue('throughput.batchSize'),
            issue('hooks.AFTER_LOAD[0].url'),
            issue('steps[0].key', 'start'),
            issue('edges[0].to'),
        ];
        expect(issuesOfPipeline(issues, definition).map(({ path }) => path)).toEqual([
            'throughput.batchSize',
            'hooks.AFTER_LOAD.0.url',
        ]);
    });

    it('is shown without the path next to its field', () => {
        const told = { path: 'steps[1].config.strategy', message: 'steps[1].config.strategy is "NO"; allowed: "YES"' };
        expect(shortMessage(told)).toBe('Is "NO"; allowed: "YES"');
        expect(shortMessage({ ...told, message: 'Nothing leads to it' })).toBe('Nothing leads to it');
        expect(messageInStep(told)).toBe('strategy is "NO"; allowed: "YES"');
    });

    it('belongs to the step of its path; an issue of an edge belongs to the step where the edge starts', () => {
        expect(stepKeyOf(issue('steps[0].kind'), definition)).toBe('start');
        expect(stepKeyOf(issue('edges[0].to'), definition)).toBe('shape');
        expect(stepKeyOf(issue('throughput.batchSize'), definition)).toBeUndefined();
        expect(countOf([issue('a'), { severity: 'WARNING' }])).toEqual({ errors: 1, warnings: 1 });
    });
});
