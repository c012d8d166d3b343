import { readsRecords, startsRuns } from '../steps/kinds';
import { ISSUE_TEXTS } from '../schema/issue-texts';
import { issueAt } from '../schema/issues';
import type { YieldingTask } from '../concurrency/yielding-task';
import type { CheckedEdge, CheckedStep } from './checked-steps';
import type { Graph } from './graph';
import type { Issues } from './issues';

/** Triggers whose runs start without records; any step may follow the other triggers. */
const BRING_NOTHING: ReadonlySet<string | undefined> = new Set(['MANUAL', 'SCHEDULE', 'FILE']);

/** Whether the runs of a trigger start without records, unless the caller that starts one supplies some. */
export function hasNoRecords({ type }: Pick<CheckedStep, 'type'>): boolean {
    return BRING_NOTHING.has(type);
}

interface Joined {
    readonly steps: readonly CheckedStep[];
    readonly edges: readonly CheckedEdge[];
    readonly graph: Graph<CheckedStep>;
}

/**
 * Reports EXTRACT steps after other steps whose behaviour would be ambiguous. Incoming records are passed through or looked up, which is
 * unambiguous if a trigger supplies them. After another EXTRACT step, a step that passes records through would never read anything itself. A step
 * that looks records up must not also be the start of the same run.
 */
export function* passedSourceIssues({ steps, edges, graph }: Joined, issues: Issues): YieldingTask<void> {
    const after = edges
        .map(({ from, to, path }) => ({ from: graph.step(from), to: graph.step(to), path }))
        .filter(({ from, to }) => readsRecords(to.kind) && to.isDisabled !== true && !startsRuns(from.kind));
    if (after.length === 0) return;
    for (const trigger of steps.filter(step => startsRuns(step.kind) && hasNoRecords(step))) {
        const reached = graph.reachable(trigger.key);
        const begins = new Set(graph.sourcesOf(trigger.key).map(({ key }) => key));
        for (const { from, to, path } of after) {
            yield;
            if (!reached.has(from.key)) continue;
            if (to.looksUp === true && !begins.has(to.key)) continue;
            issues.addLazily(() => {
                const facts = { kind: from.kind, from: from.key, to: to.key };
                const text = to.looksUp === true ? ISSUE_TEXTS.readsAndLooksUp : ISSUE_TEXTS.readsNothing;
                const issue = issueAt(path, text, { ...facts, type: trigger.type ?? '', trigger: trigger.key });
                return { code: 'EDGE_FORBIDDEN', stepKey: to.key, ...issue };
            });
        }
    }
}
