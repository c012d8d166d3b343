import { graphlib, layout } from '@dagrejs/dagre';
import { type Definition, edgesOf, stepsOf } from '../model/definition';

/** All boxes are of one size, so that nothing has to be measured. */
export const BOX = { width: 208, height: 76 } as const;

const GAP = { between: 24, along: 44 } as const;
/** So much room has a line that passes boxes, and the name of its branch. */
const LINE = { width: 200, height: 12, labelpos: 'c' } as const;

/**
 * The positions of boxes that the user has not placed, with few crossings: from top to bottom, so that titles stay readable next to an open
 * panel, or from left to right.
 */
export function laidOut(
    definition: Definition,
    direction: 'TB' | 'LR' = 'TB',
): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
    const graph = new graphlib.Graph();
    graph.setGraph({ rankdir: direction, nodesep: GAP.between, ranksep: GAP.along, marginx: 16, marginy: 16 });
    graph.setDefaultEdgeLabel(() => ({}));
    const steps = stepsOf(definition);
    for (const { key } of steps) graph.setNode(key, { ...BOX });
    for (const { from, to } of edgesOf(definition)) graph.setEdge(from, to, { ...LINE });
    layout(graph);
    return new Map(
        steps.map(({ key }) => {
            const { x, y } = graph.node(key) as { readonly x: number; readonly y: number };
            return [key, { x: x - BOX.width / 2, y: y - BOX.height / 2 }];
        }),
    );
}
