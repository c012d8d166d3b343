import * as fc from 'fast-check';
import type { EdgeDefinition } from './definition';
import { buildGraph, type Graph, type GraphStep } from './graph';

/** `T` and `E` at the beginning of a key make it a trigger or an extract. */
function graphOf(keys: string, edges: string): Graph<GraphStep> {
    const kinds: Readonly<Record<string, string>> = { T: 'TRIGGER', E: 'EXTRACT' };
    return buildGraph({
        steps: keys.split(' ').map(key => ({ key, kind: kinds[key[0]!] ?? 'TRANSFORM' })),
        edges: edges
            .split(' ')
            .filter(Boolean)
            .map(edge => ({ from: edge.split('>')[0]!, to: edge.split('>')[1]! })),
    });
}

function keysOf(steps: readonly GraphStep[]): readonly string[] {
    return steps.map(({ key }) => key);
}

describe('a graph', () => {
    it('returns the next and previous steps in the order of the edges, not of the steps', () => {
        const graph = graphOf('T E a b c', 'T>E E>c E>a a>b c>b');
        expect(keysOf(graph.next('E'))).toEqual(['c', 'a']);
        expect(keysOf(graph.previous('b'))).toEqual(['a', 'c']);
        expect(keysOf(graph.next('b'))).toEqual([]);
    });

    it('gives the sources of a trigger in the order of its edges, each once', () => {
        const graph = graphOf('T T2 E1 E2 E3 E4 a', 'T>E2 T>E1 T2>E3 E1>a E2>a E3>a a>E4');
        expect(keysOf(graph.sourcesOf('T'))).toEqual(['E2', 'E1']);
        expect(keysOf(graph.sourcesOf('T2'))).toEqual(['E3']);
    });

    it('reaches the steps that edges lead to, and no others', () => {
        const graph = graphOf('T E a b island', 'T>E E>a a>b');
        expect([...graph.reachable('E')]).toEqual(['a', 'b']);
        expect(graph.reachable('island').size).toBe(0);
    });

    it('names a circle by its shortest way and each group of steps once', () => {
        expect(graphOf('a b c d', 'a>b b>c c>a b>d').cycles()).toEqual([['a', 'b', 'c']]);
        expect(graphOf('a b c', 'a>b b>c c>a b>a').cycles()).toEqual([['a', 'b']]);
        expect(graphOf('a b c d', 'a>b b>a b>c c>d d>c').cycles()).toEqual([
            ['a', 'b'],
            ['c', 'd'],
        ]);
        expect(graphOf('a b c', 'a>b a>c b>c').cycles()).toEqual([]);
    });

    it('finds a cycle exactly if the steps cannot be ordered', () => {
        const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
        const edge = fc.record({ from: fc.constantFrom(...keys), to: fc.constantFrom(...keys) });
        fc.assert(
            fc.property(fc.array(edge, { maxLength: 12 }), edges => {
                const graph = buildGraph({ steps: keys.map(key => ({ key, kind: 'TRANSFORM' })), edges });
                expect(graph.cycles().length === 0).toBe(canBeOrdered(keys, edges));
                for (const cycle of graph.cycles()) {
                    cycle.forEach((key, at) =>
                        expect(keysOf(graph.next(key))).toContain(cycle[(at + 1) % cycle.length]),
                    );
                }
            }),
        );
    });

    it('reports a missing step instead of guessing', () => {
        expect(() => graphOf('a', '').next('b')).toThrow(/"b"/);
        expect(() => graphOf('a', 'a>b')).toThrow(/"b"/);
    });
});

/** Takes away steps that nothing leads to until none is left, or none can be taken. */
function canBeOrdered(keys: readonly string[], edges: readonly EdgeDefinition[]): boolean {
    const free = keys.filter(key => !edges.some(({ to }) => to === key));
    if (free.length === 0) return keys.length === 0;
    return canBeOrdered(
        keys.filter(key => !free.includes(key)),
        edges.filter(({ from }) => !free.includes(from)),
    );
}
