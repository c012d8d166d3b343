import type { Node } from '../steps/step';
import type { Source } from './compile';

/**
 * Which sources are read side by side (ADR 1): those of one lane come one after another, in the order of the edges. With a single place for
 * batches there is one lane. With more, sources share a lane where they lead to a step that remembers: what it finds of one batch depends on
 * those before it, so that these need an order.
 */
export function sourceGroupsOf(sources: readonly Source[], places: number): ReadonlyArray<readonly Source[]> {
    if (places === 1 || sources.length < 2) return sources.length === 0 ? [] : [sources];
    const sourceGroups: Array<{ readonly sources: Source[]; readonly steps: Set<string> }> = [];
    for (const source of sources) {
        const steps = rememberingBehind(source.next);
        const shared = sourceGroups.filter(taskQueue => [...steps].some(key => taskQueue.steps.has(key)));
        const taskQueue = { sources: [source], steps };
        for (const { sources: earlier, steps: theirs } of shared) {
            taskQueue.sources.unshift(...earlier);
            for (const key of theirs) taskQueue.steps.add(key);
        }
        sourceGroups.splice(
            0,
            sourceGroups.length,
            ...sourceGroups.filter(other => !shared.includes(other)),
            taskQueue,
        );
    }
    const place = new Map(sources.map((source, i) => [source, i]));
    return sourceGroups.map(taskQueue => taskQueue.sources.sort((a, b) => place.get(a)! - place.get(b)!));
}

function rememberingBehind(nodes: readonly Node[]): Set<string> {
    const seen = new Set<Node>();
    const keys = new Set<string>();
    const walk = (next: readonly Node[]): void => {
        for (const node of next) {
            if (seen.has(node)) continue;
            seen.add(node);
            if (node.step.remembers) keys.add(node.step.key);
            walk(node.next);
        }
    };
    walk(nodes);
    return keys;
}
