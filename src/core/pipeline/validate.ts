import { didYouMean } from '../data/similar-words';
import { show } from '../value/show';
import type { YieldingTask } from '../concurrency/yielding-task';
import { findStepKind, startsRuns } from '../steps/kinds';
import type { CheckedEdge, CheckedStep } from './checked-steps';
import { buildGraph, type Graph } from './graph';
import { type Issues, pathTo } from './issues';
import { hasNoRecords, passedSourceIssues } from './passed-sources';

/** Longer names are like none. */
const MAX_NAME = 64;

/** Steps and how they are joined. */
interface JoinedSteps {
    readonly steps: readonly CheckedStep[];
    readonly edges: readonly CheckedEdge[];
}

/**
 * Reports every error in the connections of steps: edges, cycles, branches and triggers. Checks each edge a constant number of times, regardless of
 * the number of steps.
 */
export function* graphIssues({ steps, edges }: JoinedSteps, issues: Issues): YieldingTask<void> {
    const known = new Map(steps.map(step => [step.key, step]));
    const leaving = new Map<string, CheckedEdge[]>(steps.map(({ key }) => [key, []]));
    for (const edge of edges) leaving.get(edge.from)?.push(edge);
    yield;
    const sound = yield* edgeIssues(known, edges, issues);
    const graph = buildGraph({ steps, edges: sound });
    yield;
    for (const keys of graph.cycles()) {
        issues.addLazily(() => {
            const message = `The steps ${[...keys, keys[0]].join(' → ')} lead in a circle; records must come to an end`;
            return { code: 'GRAPH_CYCLE', path: 'edges', stepKey: keys[0]!, message };
        });
    }
    yield;
    for (const step of steps) if (hasBranches(step)) yield* branchIssues(step, leaving.get(step.key)!, issues);
    yield* passedSourceIssues({ steps, edges: sound, graph }, issues);
    triggerIssues({ steps, leaving, graph }, issues);
}

/** Reports errors of single edges and returns the edges from which the graph can be built. */
function* edgeIssues(
    known: ReadonlyMap<string, CheckedStep>,
    edges: readonly CheckedEdge[],
    issues: Issues,
): YieldingTask<readonly CheckedEdge[]> {
    const seen = new Set<string>();
    const sound: CheckedEdge[] = [];
    for (const edge of edges) {
        yield;
        const identity = JSON.stringify([edge.from, edge.to, edge.branch]);
        if (seen.has(identity)) {
            issues.addLazily(() => {
                const message = `${edge.path} joins ${show(edge.from)} to ${show(edge.to)} for the second time`;
                return { code: 'EDGE_DUPLICATE', path: edge.path, message };
            });
            continue;
        }
        seen.add(identity);
        const from = known.get(edge.from);
        const to = known.get(edge.to);
        for (const end of ['from', 'to'] as const) {
            if (known.has(edge[end])) continue;
            issues.addLazily(() => {
                const path = pathTo(edge.path, end);
                return {
                    code: 'EDGE_UNKNOWN_STEP',
                    path,
                    message: `${path} is ${show(edge[end])}; no step has this key`,
                };
            });
        }
        if (!from || !to) continue;
        for (const [path, message] of forbidden(edge, from, to))
            issues.addLazily(() => ({ code: 'EDGE_FORBIDDEN', path, stepKey: to.key, message }));
        if (from !== to) sound.push(edge);
    }
    return sound;
}

/** Why an edge is invalid: the place and the reason. */
function forbidden(edge: CheckedEdge, from: CheckedStep, to: CheckedStep): ReadonlyArray<readonly [string, string]> {
    const reasons: Array<readonly [string, string]> = [];
    if (edge.branch !== undefined && !hasBranches(from) && from.kind !== 'UNKNOWN') {
        const path = pathTo(edge.path, 'branch');
        reasons.push([
            path,
            `${path} is ${show(edge.branch)}; only edges that leave a ROUTE step have a branch, ` +
                `and "${from.key}" is a ${from.kind} step`,
        ]);
    }
    if (from === to) reasons.push([edge.path, `${edge.path} joins the step "${from.key}" to itself`]);
    else if (from.kind !== 'UNKNOWN' && to.kind !== 'UNKNOWN') {
        const reason = misplaced(from, to);
        if (reason !== undefined) reasons.push([edge.path, `${edge.path} ${reason}`]);
    }
    return reasons;
}

/** Why one step must not follow another, as the end of "the edge …". */
function misplaced(from: CheckedStep, to: CheckedStep): string | undefined {
    const kind = findStepKind(to.kind);
    if (!kind) return undefined;
    const isStart = startsRuns(from.kind);
    switch (kind.behind) {
        case 'nothing':
            return `leads to the trigger "${to.key}"; ${kind.behindReason}`;
        case 'anything':
            return undefined;
        case 'records':
            return isStart && hasNoRecords(from)
                ? `leads from the trigger "${from.key}" to the ${to.kind} step "${to.key}"; ` +
                      `a ${from.type} trigger brings no records, so only EXTRACT steps may follow it`
                : undefined;
    }
}

function hasBranches({ kind }: CheckedStep): boolean {
    return findStepKind(kind)?.branches !== undefined;
}

/** The edges that leave a ROUTE step each carry one of its branches. */
function* branchIssues(step: CheckedStep, edges: readonly CheckedEdge[], issues: Issues): YieldingTask<void> {
    const { key, branches, isDisabled } = step;
    const allowed = branches?.map(show).join(', ') ?? 'one of its branches';
    const used = new Set(edges.map(({ branch }) => branch));
    for (const { path, to, branch } of edges) {
        yield;
        if (branch === undefined) {
            issues.addLazily(() => {
                const message = `${path} leads from the ROUTE step "${key}" to ${show(to)} without a branch; allowed: ${allowed}`;
                return { code: 'BRANCH_MISSING', path, stepKey: key, message };
            });
        } else if (branches && !branches.includes(branch)) {
            issues.addLazily(() => {
                const at = pathTo(path, 'branch');
                const hint = didYouMean(branch.slice(0, MAX_NAME), branches);
                const message = `${at} is ${show(branch)}, which is not a branch of "${key}"; allowed: ${allowed}${hint === undefined ? '' : `. ${hint}`}`;
                return { code: 'BRANCH_UNKNOWN', path: at, stepKey: key, message };
            });
        }
    }
    if (isDisabled !== true || used.size < 2) return;
    const path = pathTo(step.path, 'disabled');
    const message =
        `${path} is true, and edges of ${used.size} branches leave the ROUTE step "${key}"; a disabled step passes on every record, ` +
        'so its edges must all be of one branch';
    issues.addLazily(() => ({ code: 'EDGE_FORBIDDEN', path, stepKey: key, message }));
}

interface Joined {
    readonly steps: readonly CheckedStep[];
    /** By the key of the step that they leave. */
    readonly leaving: ReadonlyMap<string, readonly CheckedEdge[]>;
    readonly graph: Graph<CheckedStep>;
}

/** Without a trigger everything is out of reach; that is then said once, not for each step. */
function triggerIssues({ steps, leaving, graph }: Joined, issues: Issues): void {
    const triggers = steps.filter(step => startsRuns(step.kind));
    if (triggers.length === 0) {
        if (steps.some(step => step.kind === 'UNKNOWN')) return;
        const message = 'No step is a TRIGGER; a pipeline needs at least one to be started by';
        issues.addLazily(() => ({ code: 'TRIGGER_MISSING', path: 'steps', message }));
        return;
    }
    for (const { key, path } of triggers) {
        if (leaving.get(key)!.length > 0) continue;
        const message = `The trigger "${key}" leads nowhere; join it with an edge to an EXTRACT step, or, where it brings its records itself (WEBHOOK), to the step that they go to`;
        issues.addLazily(() => ({ code: 'EXTRACT_MISSING', path, stepKey: key, message }));
    }
    webhookIssues(triggers, issues);
    const reached = graph.reachable(...triggers.map(({ key }) => key));
    for (const { key, path, kind } of steps) {
        if (startsRuns(kind) || reached.has(key)) continue;
        const message = `No trigger leads to the step "${key}", so it would never see a record; join it with an edge or remove it`;
        issues.addLazily(() => ({ code: 'GRAPH_UNREACHABLE', path, stepKey: key, message }));
    }
}

/** The address of a webhook contains the code of its pipeline and nothing else. */
function webhookIssues(triggers: readonly CheckedStep[], issues: Issues): void {
    const [first, ...others] = triggers.filter(({ type, isDisabled }) => type === 'WEBHOOK' && !isDisabled);
    for (const { key, path } of others) {
        const message = `The WEBHOOK triggers "${first!.key}" and "${key}" are both enabled, and the address of a webhook names the pipeline alone; disable all but one`;
        issues.addLazily(() => ({ code: 'WEBHOOK_DUPLICATE', path, stepKey: key, message }));
    }
}
