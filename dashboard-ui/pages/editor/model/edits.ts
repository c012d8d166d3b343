import {
    branchNamesOf,
    type Definition,
    type Edge,
    edgeId,
    edgesOf,
    listOf,
    type Step,
    stepOf,
    stepsOf,
} from './definition';

/** What a new step is made of. */
export interface NewStep {
    readonly kind: string;
    readonly config: Definition;
    /** What its key begins with. */
    readonly called: string;
}

/** A definition with a step more, and what that is called. */
export interface Added {
    readonly definition: Definition;
    readonly key: string;
}

/** The position of a new step: after a step, on one of its branches. */
export interface Behind {
    readonly key: string;
    readonly branch?: string | undefined;
}

/** Why two steps cannot be connected. */
export type NoConnection = 'itself' | 'twice' | 'circle' | 'start';

const MAX_KEY = 64;

/** Adds a step, after another one if given. */
export function addStep(definition: Definition, step: NewStep, behind?: Behind): Added {
    const key = freshKey(definition, step.called);
    const added = withStep(definition, { key, kind: step.kind, config: step.config });
    return { key, definition: behind === undefined ? added : withEdge(added, { ...behind, to: key }) };
}

/** Puts a step between the two that an edge connects; the branch stays with the first half. */
export function insertOnEdge(definition: Definition, edge: Edge, step: NewStep, branchOut?: string): Added {
    const { key, definition: added } = addStep(definition, step);
    const edges = listOf(added['edges']).flatMap((raw, index) =>
        index === edge.index ? [{ ...edge.raw, to: key }, withBranch({ from: key, to: edge.to }, branchOut)] : [raw],
    );
    return { key, definition: { ...added, edges } };
}

/** Leads one step to another; of a step with branches by one of these. */
export function connect(definition: Definition, from: Behind, to: string): Definition | NoConnection {
    if (from.key === to) return 'itself';
    const target = stepOf(definition, to);
    if (target?.kind === 'TRIGGER') return 'start';
    const edge = { from: from.key, to, branch: from.branch };
    if (edgesOf(definition).some(one => edgeId(one) === edgeId(edge))) return 'twice';
    if (reachedFrom(definition, to).has(from.key)) return 'circle';
    return withEdge(definition, { ...from, to });
}

/** Takes an edge away. */
export function disconnect(definition: Definition, edge: Edge): Definition {
    return { ...definition, edges: listOf(definition['edges']).filter((_, index) => index !== edge.index) };
}

/** Has an edge carry another branch, or none. */
export function setBranch(definition: Definition, edge: Edge, branch: string | undefined): Definition {
    const { branch: _old, ...rest } = edge.raw;
    const edges = listOf(definition['edges']).map((raw, index) =>
        index === edge.index ? withBranch(rest, branch) : raw,
    );
    return { ...definition, edges };
}

/** Takes steps away, and leads what came to them to where they led. */
export function deleteSteps(definition: Definition, keys: readonly string[]): Definition {
    return keys.reduce(deleteStep, definition);
}

function deleteStep(definition: Definition, key: string): Definition {
    const step = stepOf(definition, key);
    if (!step) return definition;
    const edges = edgesOf(definition);
    const before = edges.filter(({ to, from }) => to === key && from !== key);
    const behind = edges.filter(({ from, to }) => from === key && to !== key);
    const kept = edges.filter(({ from, to }) => from !== key && to !== key);
    const mended = before.flatMap(into =>
        behind.map(outOf => withBranch({ from: into.from, to: outOf.to }, into.branch)),
    );
    const known = new Set(kept.map(edgeId));
    const fresh = mended.filter(edge => {
        const isNew = !known.has(edgeId(edge));
        known.add(edgeId(edge));
        return isNew;
    });
    const firstGone = Math.min(...[...before, ...behind].map(({ index }) => index));
    const rest = listOf(definition['edges']).flatMap((raw, index): readonly unknown[] => {
        const here = index === firstGone ? fresh : [];
        return touches(raw, key) ? here : [...here, raw];
    });
    return {
        ...definition,
        steps: listOf(definition['steps']).filter((_, index) => index !== step.index),
        ...(definition['edges'] !== undefined && { edges: rest }),
    };
}

function touches(raw: unknown, key: string): boolean {
    const { from, to } = (raw ?? {}) as { readonly from?: unknown; readonly to?: unknown };
    return from === key || to === key;
}

/** Calls a step something else; its edges follow. The same definition where another one is called so. */
export function renameStep(definition: Definition, key: string, name: string): Definition {
    if (name === key || name === '' || stepOf(definition, name)) return definition;
    const edges = listOf(definition['edges']).map(raw => {
        if (!touches(raw, key)) return raw;
        const edge = raw as Definition;
        return {
            ...edge,
            ...(edge['from'] === key && { from: name }),
            ...(edge['to'] === key && { to: name }),
        };
    });
    const renamed = changeStep(definition, key, { key: name });
    return definition['edges'] === undefined ? renamed : { ...renamed, edges };
}

/** Sets fields of a step and removes those that are undefined. Other fields stay. */
export function changeStep(definition: Definition, key: string, changes: Definition): Definition {
    const step = stepOf(definition, key);
    if (!step) return definition;
    const changed = { ...step.raw, ...changes };
    const raw = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    const steps = listOf(definition['steps']).map((one, index) => (index === step.index ? raw : one));
    return { ...definition, steps };
}

/** Sets the configuration of a step. Where that calls a branch something else, the edges of the branch follow. */
export function setConfig(definition: Definition, key: string, config: unknown): Definition {
    const before = stepOf(definition, key);
    const changed = changeStep(definition, key, { config });
    const after = stepOf(changed, key);
    if (!before || !after) return changed;
    const [old, now] = [branchNamesOf(before), branchNamesOf(after)];
    const renamed = old.length === now.length ? old.filter((name, i) => name !== now[i] && !now.includes(name)) : [];
    return renamed.reduce((one, name) => {
        const leaving = edgesOf(one).filter(edge => edge.from === key && edge.branch === name);
        return leaving.reduce((all, edge) => setBranch(all, edge, now[old.indexOf(name)]), one);
    }, changed);
}

/** Swaps a step with its only neighbour. The same definition where there is none, branches lead between them, or one of them is where records begin. */
export function moveInFlow(definition: Definition, key: string, way: 'earlier' | 'later'): Definition {
    const edges = edgesOf(definition);
    const neighbour = only(
        way === 'later' ? edges.filter(({ from }) => from === key) : edges.filter(({ to }) => to === key),
    );
    if (!neighbour || neighbour.branch !== undefined) return definition;
    const { from: first, to: second } = neighbour;
    const isPlain =
        edges.filter(({ from }) => from === first).length === 1 && edges.filter(({ to }) => to === second).length === 1;
    const kinds = [first, second].map(one => stepOf(definition, one)?.kind);
    if (!isPlain || kinds.some(kind => kind === 'TRIGGER' || kind === 'EXTRACT')) return definition;
    const swapped = new Map([
        [first, second],
        [second, first],
    ]);
    const leavesBranch = edges.some(({ from, branch }) => from === second && branch !== undefined);
    if (leavesBranch) return definition;
    const moved = listOf(definition['edges']).map((raw, index) => {
        const edge = edges.find(one => one.index === index);
        if (!edge || !(swapped.has(edge.from) || swapped.has(edge.to))) return raw;
        return { ...edge.raw, from: swapped.get(edge.from) ?? edge.from, to: swapped.get(edge.to) ?? edge.to };
    });
    return { ...definition, edges: moved };
}

/** Where a step could be led to: those that nothing speaks against. */
export function targetsOf(definition: Definition, from: Behind): readonly Step[] {
    return stepsOf(definition).filter(({ key }) => typeof connect(definition, from, key) !== 'string');
}

/** A key that no step has yet: short, with a number where that is needed. */
export function freshKey(definition: Definition, called: string, taken: ReadonlySet<string> = new Set()): string {
    const used = new Set([...stepsOf(definition).map(({ key }) => key), ...taken]);
    const base =
        called
            .replace(/([a-z\d])([A-Z])/g, '$1-$2')
            .toLowerCase()
            .replace(/[^a-z\d_-]+/g, '-')
            .replace(/^-+|-+$/g, '')
            .slice(0, MAX_KEY - 5) || 'step';
    if (!used.has(base)) return base;
    let number = 2;
    while (used.has(`${base}-${number}`)) number++;
    return `${base}-${number}`;
}

function reachedFrom(definition: Definition, key: string): ReadonlySet<string> {
    const reached = new Set([key]);
    const edges = edgesOf(definition);
    for (const one of reached) for (const { from, to } of edges) if (from === one) reached.add(to);
    return reached;
}

function withStep(definition: Definition, raw: Definition): Definition {
    return { ...definition, steps: [...listOf(definition['steps']), raw] };
}

function withEdge(definition: Definition, { key, branch, to }: Behind & { readonly to: string }): Definition {
    return { ...definition, edges: [...listOf(definition['edges']), withBranch({ from: key, to }, branch)] };
}

function withBranch<T extends Definition>(edge: T, branch: string | undefined): T & { readonly branch?: string } {
    return branch === undefined ? edge : { ...edge, branch };
}

function only<T>(list: readonly T[]): T | undefined {
    return list.length === 1 ? list[0] : undefined;
}
