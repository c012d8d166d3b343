import { comparedGraph } from './compared-graph';

const step = (key: string): object => ({ key, kind: 'TRANSFORM', config: {} });
const before = {
    steps: ['a', 'b', 'c'].map(step),
    edges: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
    ],
};
const after = {
    steps: ['a', 'new', 'c'].map(step),
    edges: [
        { from: 'a', to: 'new' },
        { from: 'new', to: 'c', branch: 'x' },
    ],
};
const fates = (graph: ReturnType<typeof comparedGraph>): readonly string[] => [
    ...graph.steps.map(({ step: { key }, fate }) => `${key} ${fate}`),
    ...graph.edges.map(({ edge: { from, to }, fate }) => `${from}>${to} ${fate}`),
];

describe('two definitions as one graph', () => {
    it('has what is new, what is removed, and what has changed', () =>
        expect(fates(comparedGraph(before, after, [{ stepKey: 'c' }, { stepKey: 'new' }, { stepKey: null }]))).toEqual([
            ...['a SAME', 'new ADDED', 'c CHANGED', 'b REMOVED'],
            ...['a>new ADDED', 'new>c ADDED', 'a>b REMOVED', 'b>c REMOVED'],
        ]));

    it('has nothing but what is the same where they do the same', () =>
        expect(fates(comparedGraph(before, before, [])).every(line => line.endsWith(' SAME'))).toBe(true));

    it('ignores values that are not steps or edges', () => {
        const odd = { steps: [7, ...before.steps, step('a')], edges: 'none' };
        expect(fates(comparedGraph(odd, {}, []))).toEqual(['a REMOVED', 'b REMOVED', 'c REMOVED']);
    });
});
