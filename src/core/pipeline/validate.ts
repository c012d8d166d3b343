import { didYouMean } from '../data/similar-words';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../schema/issue-texts';
import { issueAt, type SchemaIssue } from '../schema/issues';
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
            const steps = [...keys, keys[0]].join(' → ');
            return { code: 'GRAPH_CYCLE', stepKey: keys[0]!, ...issueAt('edges', ISSUE_TEXTS.circle, { steps }) };
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
                const ends = { from: show(edge.from), to: show(edge.to) };
                return { code: 'EDGE_DUPLICATE', ...issueAt(edge.path, ISSUE_TEXTS.repeatedEdge, ends) };
            });
            continue;
        }
        seen.add(identity);
        const from = known.get(edge.from);
        const to = known.get(edge.to);
        for (const end of ['from', 'to'] as const) {
            if (known.has(edge[end])) continue;
            issues.addLazily(() => {
                const value = show(edge[end]);
                return {
                    code: 'EDGE_UNKNOWN_STEP',
                    ...issueAt(pathTo(edge.path, end), ISSUE_TEXTS.noSuchStep, { value }),
                };
            });
        }
        if (!from || !to) continue;
        for (const reason of forbidden(edge, from, to))
            issues.addLazily(() => ({ code: 'EDGE_FORBIDDEN', stepKey: to.key, ...reason }));
        if (from !== to) sound.push(edge);
    }
    return sound;
}

/** Why an edge is invalid. */
function forbidden(edge: CheckedEdge, from: CheckedStep, to: CheckedStep): readonly SchemaIssue[] {
    const reasons: SchemaIssue[] = [];
    if (edge.branch !== undefined && !hasBranches(from) && from.kind !== 'UNKNOWN') {
        const facts = { value: show(edge.branch), step: from.key, kind: from.kind };
        reasons.push(issueAt(pathTo(edge.path, 'branch'), ISSUE_TEXTS.branchOfOtherKind, facts));
    }
    if (from === to) reasons.push(issueAt(edge.path, ISSUE_TEXTS.toItself, { step: from.key }));
    else if (from.kind !== 'UNKNOWN' && to.kind !== 'UNKNOWN') {
        const reason = misplaced(edge.path, from, to);
        if (reason) reasons.push(reason);
    }
    return reasons;
}

/** Why one step must not follow another. */
function misplaced(path: string, from: CheckedStep, to: CheckedStep): SchemaIssue | undefined {
    const kind = findStepKind(to.kind);
    if (!kind) return undefined;
    switch (kind.behind) {
        case 'nothing':
            return issueAt(path, ISSUE_TEXTS.toTrigger, { step: to.key });
        case 'anything':
            return undefined;
        case 'records': {
            if (!startsRuns(from.kind) || !hasNoRecords(from)) return undefined;
            const facts = { from: from.key, to: to.key, kind: to.kind, type: from.type ?? '' };
            return issueAt(path, ISSUE_TEXTS.withoutRecords, facts);
        }
    }
}

function hasBranches({ kind }: CheckedStep): boolean {
    return findStepKind(kind)?.branches !== undefined;
}

/** The edges that leave a ROUTE step each carry one of its branches. */
function* branchIssues(step: CheckedStep, edges: readonly CheckedEdge[], issues: Issues): YieldingTask<void> {
    const { key, branches, isDisabled } = step;
    const allowed = branches?.map(show).join(', ') ?? ISSUE_WORDS.branches;
    const used = new Set(edges.map(({ branch }) => branch));
    for (const { path, to, branch } of edges) {
        yield;
        if (branch === undefined) {
            issues.addLazily(() => {
                const facts = { step: key, to: show(to), allowed };
                return { code: 'BRANCH_MISSING', stepKey: key, ...issueAt(path, ISSUE_TEXTS.noBranch, facts) };
            });
        } else if (branches && !branches.includes(branch)) {
            issues.addLazily(() => {
                const at = pathTo(path, 'branch');
                const hint = didYouMean(branch.slice(0, MAX_NAME), branches);
                const facts = { value: show(branch), step: key, allowed };
                const text = hint
                    ? issueAt(at, ISSUE_TEXTS.misspeltBranch, { ...facts, hint })
                    : issueAt(at, ISSUE_TEXTS.noSuchBranch, facts);
                return { code: 'BRANCH_UNKNOWN', stepKey: key, ...text };
            });
        }
    }
    if (isDisabled !== true || used.size < 2) return;
    issues.addLazily(() => ({
        code: 'EDGE_FORBIDDEN',
        stepKey: key,
        ...issueAt(pathTo(step.path, 'disabled'), ISSUE_TEXTS.disabledRoute, { count: used.size, step: key }),
    }));
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
        issues.addLazily(() => ({ code: 'TRIGGER_MISSING', ...issueAt('steps', ISSUE_TEXTS.noTrigger, {}) }));
        return;
    }
    for (const { key, path } of triggers) {
        if (leaving.get(key)!.length > 0) continue;
        issues.addLazily(() => ({
            code: 'EXTRACT_MISSING',
            stepKey: key,
            ...issueAt(path, ISSUE_TEXTS.leadsNowhere, { step: key }),
        }));
    }
    webhookIssues(triggers, issues);
    const reached = graph.reachable(...triggers.map(({ key }) => key));
    for (const { key, path, kind } of steps) {
        if (startsRuns(kind) || reached.has(key)) continue;
        issues.addLazily(() => ({
            code: 'GRAPH_UNREACHABLE',
            stepKey: key,
            ...issueAt(path, ISSUE_TEXTS.unreachable, { step: key }),
        }));
    }
}

/** The address of a webhook contains the code of its pipeline and nothing else. */
function webhookIssues(triggers: readonly CheckedStep[], issues: Issues): void {
    const [first, ...others] = triggers.filter(({ type, isDisabled }) => type === 'WEBHOOK' && !isDisabled);
    for (const { key, path } of others) {
        const facts = { first: first!.key, second: key };
        issues.addLazily(() => ({
            code: 'WEBHOOK_DUPLICATE',
            stepKey: key,
            ...issueAt(path, ISSUE_TEXTS.twoWebhooks, facts),
        }));
    }
}
