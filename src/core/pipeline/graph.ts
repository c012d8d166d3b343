import { flowError } from '../errors/flow-error';
import { readsRecords } from '../steps/kinds';
import type { EdgeDefinition, StepDefinition } from './definition';

/** What the graph needs to know about a step; a definition that is still being checked may have unknown kinds. */
export type GraphStep = Pick<StepDefinition, 'key'> & { readonly kind: string };

/** The steps of a pipeline and how its edges join them. Built once from a definition, never changed. */
export interface Graph<S extends GraphStep = StepDefinition> {
    step(key: string): S;
    /** The steps that the edges of this one lead to, in the order of the edges. */
    next(key: string): readonly S[];
    /** The steps whose edges lead here, in the order of the edges. */
    previous(key: string): readonly S[];
    /** Every step that can be reached from these; the given steps only if an edge leads back to them. */
    reachable(...from: readonly string[]): ReadonlySet<string>;
    /**
     * The EXTRACT steps that the edges of a trigger lead to, in their order, each once. Steps after other steps are not included, because they
     * receive their records.
     */
    sourcesOf(triggerKey: string): readonly S[];
    /** One shortest cycle for each group of steps that lead back to each other; empty in a valid pipeline. */
    cycles(): ReadonlyArray<readonly string[]>;
}

/**
 * Joins steps and edges. Expects unique keys and edges between known steps, as in a checked definition; anything else
 * is a BUG of the caller. Disabled steps are included: the compiler decides what they do with records.
 */
export function buildGraph<S extends GraphStep>(definition: Joined<S>): Graph<S> {
    const steps = new Map(definition.steps.map(step => [step.key, step]));
    const step = (key: string): S => steps.get(key) ?? unknownStep(key);
    const after = new Map<string, S[]>(definition.steps.map(({ key }) => [key, []]));
    const before = new Map<string, S[]>(definition.steps.map(({ key }) => [key, []]));
    const list = (lists: typeof after, key: string): S[] => lists.get(key) ?? unknownStep(key);
    for (const { from, to } of definition.edges) {
        list(after, from).push(step(to));
        list(before, to).push(step(from));
    }
    const next = (key: string): readonly S[] => list(after, key);
    return {
        step,
        next,
        previous: key => list(before, key),
        reachable: (...from) => reachableFrom(from, next),
        sourcesOf: key => [...new Set(next(key))].filter(({ kind }) => readsRecords(kind)),
        cycles: () => cyclesOf([...steps.keys()], next),
    };
}

interface Joined<S> {
    readonly steps: readonly S[];
    readonly edges: readonly EdgeDefinition[];
}

type Next = (key: string) => readonly GraphStep[];

function unknownStep(key: string): never {
    throw flowError('BUG', { problem: `the graph has no step "${key}"` });
}

/** Depth first, so that the set's order is the order in which a walk along the edges meets the steps. */
function reachableFrom(from: readonly string[], next: Next): ReadonlySet<string> {
    const seen = new Set<string>();
    const walk = (key: string): void => {
        for (const { key: following } of next(key)) {
            if (seen.has(following)) continue;
            seen.add(following);
            walk(following);
        }
    };
    from.forEach(walk);
    return seen;
}

/** Each component is named once, by the shortest way back to its first step; a dense graph has far too many cycles to list. */
function cyclesOf(keys: readonly string[], next: Next): ReadonlyArray<readonly string[]> {
    const components = componentsOf(keys, next);
    const handled = new Set<ReadonlySet<string>>();
    const cycles: Array<readonly string[]> = [];
    for (const key of keys) {
        const component = components.get(key);
        if (!component || handled.has(component)) continue;
        handled.add(component);
        cycles.push(shortestWayBack(key, from => next(from).filter(step => component.has(step.key))));
    }
    return cycles;
}

/**
 * For each step, the steps that lead back to each other with it: strongly connected components, in linear time
 * (Tarjan).
 */
function componentsOf(keys: readonly string[], next: Next): ReadonlyMap<string, ReadonlySet<string>> {
    const places = new Map<string, number>();
    const lowest = new Map<string, number>();
    const open: string[] = [];
    const isOpen = new Set<string>();
    const components = new Map<string, ReadonlySet<string>>();
    const walk = (key: string): void => {
        const place = places.size;
        places.set(key, place);
        open.push(key);
        isOpen.add(key);
        let low = place;
        for (const { key: following } of next(key)) {
            if (!places.has(following)) {
                walk(following);
                low = Math.min(low, lowest.get(following)!);
            } else if (isOpen.has(following)) low = Math.min(low, places.get(following)!);
        }
        lowest.set(key, low);
        if (low < place) return;
        const component = open.splice(open.lastIndexOf(key));
        for (const member of component) isOpen.delete(member);
        if (component.length === 1 && !next(key).some(step => step.key === key)) return;
        const members = new Set(component);
        for (const member of component) components.set(member, members);
    };
    for (const key of keys) if (!places.has(key)) walk(key);
    return components;
}

function shortestWayBack(start: string, next: Next): readonly string[] {
    const ways: Array<readonly string[]> = [[start]];
    const seen = new Set<string>();
    for (const way of ways) {
        for (const { key } of next(way[way.length - 1]!)) {
            if (key === start) return way;
            if (seen.has(key)) continue;
            seen.add(key);
            ways.push([...way, key]);
        }
    }
    return unknownStep(start);
}
