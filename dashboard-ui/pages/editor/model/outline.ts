import { type Definition, type Edge, edgesOf, type Step, stepsOf } from './definition';

/** A line of the outline. */
export interface OutlineLine {
    readonly step: Step;
    /** How far it is indented: one more within each fork. */
    readonly depth: number;
    readonly comesFrom: readonly Edge[];
    readonly leadsTo: readonly Edge[];
}

/** Steps in the order in which records go through them, what leaves a fork one level deeper, joined ways back on the level of the fork. */
export function outlineOf(definition: Definition): readonly OutlineLine[] {
    const steps = stepsOf(definition);
    const edges = edgesOf(definition);
    const known = new Map(steps.map(step => [step.key, step]));
    const lines = new Map<string, OutlineLine>();
    const place = (key: string): void => {
        const step = known.get(key);
        if (!step || lines.has(key)) return;
        const comesFrom = edges.filter(({ to }) => to === key);
        const leadsTo = edges.filter(({ from }) => from === key);
        lines.set(key, { step, comesFrom, leadsTo, depth: depthOf(comesFrom, edges, lines) });
        for (const { to } of leadsTo) {
            const isReady = edges.every(edge => edge.to !== to || lines.has(edge.from));
            if (isReady) place(to);
        }
    };
    for (const { key } of steps) if (edges.every(({ to }) => to !== key)) place(key);
    // What is left leads in a circle, and can be seen all the same.
    for (const { key } of steps) place(key);
    return [...lines.values()];
}

function depthOf(comesFrom: readonly Edge[], edges: readonly Edge[], lines: ReadonlyMap<string, OutlineLine>): number {
    const depths = comesFrom.flatMap(({ from }) => {
        const before = lines.get(from);
        if (!before) return [];
        const isFork = edges.filter(edge => edge.from === from).length > 1;
        return [before.depth + (isFork && comesFrom.length === 1 ? 1 : 0)];
    });
    const least = depths.length === 0 ? 0 : Math.min(...depths);
    return comesFrom.length > 1 ? Math.max(0, least - 1) : least;
}

/** The steps whose key, name, kind or settings have all words of a search. */
export function found(definition: Definition, text: string): readonly Step[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    return stepsOf(definition).filter(({ raw }) => {
        const all = JSON.stringify(raw).toLowerCase();
        return words.every(word => all.includes(word));
    });
}

/** Whether the same records come to a step in two definitions: what leads to it is the same in both. */
export function leadsAlike(one: Definition, other: Definition, key: string): boolean {
    const [before, after] = [one, other].map(definition => leadingTo(definition, key));
    return before!.length === after!.length && before!.every((raw, i) => raw === after![i]);
}

/** All edges that lead to a step, in the order of the definition. */
function leadingTo(definition: Definition, key: string): readonly Definition[] {
    const edges = edgesOf(definition);
    const keys = new Set<string>();
    const ways: Definition[] = [];
    const open = [key];
    for (let to = open.pop(); to !== undefined; to = open.pop()) {
        for (const edge of edges.filter(one => one.to === to)) {
            ways.push(edge.raw);
            if (!keys.has(edge.from)) open.push(edge.from);
            keys.add(edge.from);
        }
    }
    return [...stepsOf(definition).flatMap(({ key: one, raw }) => (keys.has(one) ? [raw] : [])), ...ways];
}
