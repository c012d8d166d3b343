import { type Definition, edgesOf, type Step, stepsOf } from './definition';

/** The nearest steps after a step, of this kind: what its records are loaded by. Empty if none follows. */
export function followingSteps(definition: Definition, key: string, kind: string): readonly Step[] {
    const edges = edgesOf(definition);
    const steps = new Map(stepsOf(definition).map(step => [step.key, step]));
    const seen = new Set([key]);
    const found: Step[] = [];
    // A set that grows while it is walked: the nearest first.
    for (const at of seen) {
        const step = steps.get(at);
        if (at !== key && step?.kind === kind) found.push(step);
        else for (const { from, to } of edges) if (from === at) seen.add(to);
    }
    return found;
}
