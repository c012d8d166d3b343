import type { Node } from '../steps/step';
import type { Source } from './compile';

/**
 * Which sources are read side by side (ADR 1): those of one lane come one after another, in the order of the edges. With a single place for
 * batches there is one lane. With more, sources share a lane where they lead to a step that remembers: what it finds of one batch depends on
 * those before it, so that these need an order.
 */
export function lanesOf(sources: readonly Source[], places: number): ReadonlyArray<readonly Source[]> {
    if (places === 1 || sources.length < 2) return sources.length === 0 ? [] : [sources];
    const lanes: Array<{ readonly sources: Source[]; readonly steps: Set<string> }> = [];
    for (const source of sources) {
        const steps = rememberingBehind(source.next);
        const shared = lanes.filter(lane => [...steps].some(key => lane.steps.has(key)));
        const lane = { sources: [source], steps };
        for (const { sources: earlier, steps: theirs } of shared) {
            lane.sources.unshift(...earlier);
            for (const key of theirs) lane.steps.add(key);
        }
        lanes.splice(0, lanes.length, ...lanes.filter(other => !shared.includes(other)), lane);
    }
    const place = new Map(sources.map((source, i) => [source, i]));
    return lanes.map(lane => lane.sources.sort((a, b) => place.get(a)! - place.get(b)!));
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
