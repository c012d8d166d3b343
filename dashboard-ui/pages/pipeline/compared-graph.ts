import { type Definition, type Edge, edgeId, edgesOf, type Step, stepsOf } from '../editor/model/definition';

/** What became of a step or an edge. */
export type Fate = 'ADDED' | 'REMOVED' | 'CHANGED' | 'SAME';

/** Two definitions as one graph: whatever either of them has, with what became of it. */
export interface ComparedGraph {
    readonly steps: ReadonlyArray<{ readonly step: Step; readonly fate: Fate }>;
    readonly edges: ReadonlyArray<{ readonly edge: Edge; readonly fate: Exclude<Fate, 'CHANGED'> }>;
    /** Both in one definition, to be laid out. */
    readonly union: Definition;
}

/** What of a difference says which step is not as it was. */
interface AtStep {
    readonly stepKey: string | null;
}

/** Steps in the order of the later definition, followed by removed ones. The differences know equivalent spellings and show what changed in a step. */
export function comparedGraph(before: Definition, after: Definition, differences: readonly AtStep[]): ComparedGraph {
    const [older, newer] = [stepsOf(before), stepsOf(after)];
    const was = new Set(older.map(({ key }) => key));
    const is = new Set(newer.map(({ key }) => key));
    const changed = new Set(differences.map(({ stepKey }) => stepKey));
    const gone = older.filter(({ key }) => !is.has(key));
    const fateOf = (key: string): Fate => (!was.has(key) ? 'ADDED' : changed.has(key) ? 'CHANGED' : 'SAME');
    const steps = [
        ...newer.map(step => ({ step, fate: fateOf(step.key) })),
        ...gone.map(step => ({ step, fate: 'REMOVED' as const })),
    ];
    const [olderEdges, newerEdges] = [edgesOf(before), edgesOf(after)];
    const wasEdge = new Set(olderEdges.map(edgeId));
    const isEdge = new Set(newerEdges.map(edgeId));
    const edges = [
        ...newerEdges.map(edge => ({ edge, fate: wasEdge.has(edgeId(edge)) ? ('SAME' as const) : ('ADDED' as const) })),
        ...olderEdges.filter(edge => !isEdge.has(edgeId(edge))).map(edge => ({ edge, fate: 'REMOVED' as const })),
    ];
    const union = { steps: steps.map(({ step }) => step.raw), edges: edges.map(({ edge }) => edge.raw) };
    return { steps, edges, union };
}
