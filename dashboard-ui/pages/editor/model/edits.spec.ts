import fc from 'fast-check';
import { definitions, TRIED } from './arbitrary.fixture';
import { type Definition, edgesOf, stepOf, stepsOf, undrawn } from './definition';
import {
    addStep,
    connect,
    deleteSteps,
    disconnect,
    insertOnEdge,
    moveInFlow,
    renameStep,
    setConfig,
    targetsOf,
} from './edits';

const LOAD = { kind: 'LOAD', config: { adapterCode: 'productUpsert' }, called: 'productUpsert' };

const chain: Definition = {
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'file', kind: 'EXTRACT', config: {} },
        { key: 'shape', kind: 'TRANSFORM', config: { operators: [] }, someday: 1 },
        { key: 'load', kind: 'LOAD', config: {} },
    ],
    edges: [
        { from: 'start', to: 'file' },
        { from: 'file', to: 'shape', note: 'kept' },
        { from: 'shape', to: 'load' },
    ],
};
const ways = (definition: Definition): readonly string[] =>
    edgesOf(definition).map(({ from, to, branch }) => `${from} ${branch === undefined ? '' : `(${branch}) `}> ${to}`);

describe('a drawn definition', () => {
    it('accepts a new step after another one, under a new key', () => {
        const { definition, key } = addStep(chain, LOAD, { key: 'shape' });
        expect(key).toBe('product-upsert');
        expect(ways(definition)).toContain('shape > product-upsert');
        expect(addStep(definition, LOAD).key).toBe('product-upsert-2');
    });

    it('takes a step between two others', () => {
        const edge = edgesOf(chain)[1]!;
        const { definition } = insertOnEdge(chain, edge, { kind: 'VALIDATE', config: {}, called: 'check' });
        expect(ways(definition)).toEqual(['start > file', 'file > check', 'check > shape', 'shape > load']);
        expect(edgesOf(definition)[1]!.raw).toEqual({ from: 'file', to: 'check', note: 'kept' });
    });

    it.each([
        ['shape', 'shape', 'itself'],
        ['file', 'shape', 'twice'],
        ['load', 'file', 'circle'],
        ['load', 'start', 'start'],
    ])('does not lead %s to %s', (from, to, problem) => expect(connect(chain, { key: from }, to)).toBe(problem));

    it('offers as targets what nothing speaks against', () => {
        expect(targetsOf(chain, { key: 'file' }).map(({ key }) => key)).toEqual(['load']);
    });

    it('closes the gap when a step goes', () => {
        expect(ways(deleteSteps(chain, ['shape']))).toEqual(['start > file', 'file > load']);
        expect(ways(deleteSteps(chain, ['file', 'shape']))).toEqual(['start > load']);
        expect(ways(deleteSteps(chain, ['load']))).toEqual(['start > file', 'file > shape']);
    });

    it('keeps the branch on which records came to a step that goes', () => {
        const route: Definition = {
            steps: ['route', 'a', 'b', 'c'].map(key => ({ key, kind: key === 'route' ? 'ROUTE' : 'LOAD', config: {} })),
            edges: [
                { from: 'route', to: 'a', branch: 'cheap' },
                { from: 'route', to: 'c', branch: 'default' },
                { from: 'a', to: 'b' },
                { from: 'a', to: 'c' },
            ],
        };
        expect(ways(deleteSteps(route, ['a']))).toEqual([
            'route (cheap) > b',
            'route (cheap) > c',
            'route (default) > c',
        ]);
    });

    it('has the edges follow a step and a branch that are called something else', () => {
        expect(ways(renameStep(chain, 'shape', 'to-product'))).toEqual([
            'start > file',
            'file > to-product',
            'to-product > load',
        ]);
        expect(renameStep(chain, 'shape', 'load')).toBe(chain);
        const route: Definition = {
            steps: [
                { key: 'route', kind: 'ROUTE', config: { branches: [{ name: 'a' }, { name: 'b' }] } },
                { key: 'load', kind: 'LOAD', config: {} },
            ],
            edges: [{ from: 'route', to: 'load', branch: 'b' }],
        };
        expect(ways(setConfig(route, 'route', { branches: [{ name: 'a' }, { name: 'lamps' }] }))).toEqual([
            'route (lamps) > load',
        ]);
    });

    it('swaps a step with its neighbour, never with what records begin with', () => {
        expect(ways(moveInFlow(chain, 'shape', 'later'))).toEqual(['start > file', 'file > load', 'load > shape']);
        expect(moveInFlow(chain, 'file', 'earlier')).toBe(chain);
        expect(moveInFlow(chain, 'shape', 'earlier')).toBe(chain);
        expect(moveInFlow(chain, 'load', 'later')).toBe(chain);
    });

    it('keeps what it cannot draw', () => {
        const strange: Definition = {
            steps: [7, { key: 'a', kind: 'LOAD', config: {} }, { key: 'a', kind: 'SINK' }, null],
            edges: ['x', { from: 'a', to: 'nowhere' }],
            someday: { list: [1] },
        };
        expect(undrawn(strange)).toBe(5);
        const { definition } = addStep(strange, LOAD, { key: 'a' });
        expect(definition).toMatchObject({ someday: { list: [1] }, edges: ['x', { from: 'a', to: 'nowhere' }, {}] });
        expect(definition['steps']).toHaveLength(5);
        expect(deleteSteps(strange, ['a'])['steps']).toEqual([7, { key: 'a', kind: 'SINK' }, null]);
    });

    it('is as it was, byte for byte, when what was done is done the other way round', () =>
        fc.assert(
            fc.property(definitions, fc.nat(), (definition, at) => {
                const text = JSON.stringify(definition);
                const steps = stepsOf(definition);
                const { key } = steps[at % steps.length]!;
                const renamed = renameStep(
                    renameStep(definition, key, 'another-key-of-this-step'),
                    'another-key-of-this-step',
                    key,
                );
                expect(JSON.stringify(renamed)).toBe(text);
                const added = addStep(definition, LOAD, { key });
                expect(JSON.stringify(deleteSteps(added.definition, [added.key]))).toBe(text);
                const edge = edgesOf(definition)[at % Math.max(edgesOf(definition).length, 1)];
                if (!edge) return;
                const inserted = insertOnEdge(definition, edge, LOAD);
                expect(JSON.stringify(deleteSteps(inserted.definition, [inserted.key]))).toBe(text);
                const apart = disconnect(definition, edge);
                expect(edgesOf(apart)).toHaveLength(edgesOf(definition).length - 1);
            }),
            TRIED,
        ));

    it('never gets a circle, two equal edges or an edge into nothing by deleting and connecting', () =>
        fc.assert(
            fc.property(definitions, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 }), (definition, moves) => {
                let drawn = definition;
                for (const [a, b] of moves) {
                    const steps = stepsOf(drawn);
                    if (steps.length === 0) break;
                    const [from, to] = [steps[a % steps.length]!.key, steps[b % steps.length]!.key];
                    const connected = connect(drawn, { key: from }, to);
                    drawn = typeof connected === 'string' ? deleteSteps(drawn, [from]) : connected;
                }
                expect(undrawn(drawn)).toBe(0);
                for (const { key } of stepsOf(drawn)) expect(leadsTo(drawn, key)).not.toContain(key);
                for (const { raw, key } of stepsOf(drawn)) expect(raw).toBe(stepOf(definition, key)!.raw);
            }),
            TRIED,
        ));
});

function leadsTo(definition: Definition, key: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const edges = edgesOf(definition);
    for (const { from, to } of edges) if (from === key) reached.add(to);
    for (const one of reached) for (const { from, to } of edges) if (from === one) reached.add(to);
    return reached;
}
