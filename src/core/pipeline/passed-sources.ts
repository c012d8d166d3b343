import { readsRecords, startsRuns } from '../steps/kinds';
import type { Work } from '../work/work';
import type { CheckedEdge, CheckedStep } from './checked-steps';
import type { Graph } from './graph';
import type { Issues } from './issues';

/** Triggers whose runs bring no records of their own; behind the others any step may follow. */
const BRING_NOTHING: ReadonlySet<string | undefined> = new Set(['MANUAL', 'SCHEDULE', 'FILE']);

/** Whether the runs of a trigger bring no records of their own, unless whoever starts one gives it some. */
export function bringsNothing({ type }: Pick<CheckedStep, 'type'>): boolean {
    return BRING_NOTHING.has(type);
}

interface Joined {
    readonly steps: readonly CheckedStep[];
    readonly edges: readonly CheckedEdge[];
    readonly graph: Graph<CheckedStep>;
}

/**
 * Tells of EXTRACT steps behind other steps of which a run would not know what to do. Records that come to one are handed on or looked
 * up, which leaves no doubt where a trigger has brought them. Behind what another EXTRACT step has read, one that hands on would
 * never read anything itself, and one that looks up must not be the beginning of the same run as well.
 */
export function* passedSourceIssues({ steps, edges, graph }: Joined, issues: Issues): Work<void> {
    const behind = edges
        .map(({ from, to, path }) => ({ from: graph.step(from), to: graph.step(to), path }))
        .filter(({ from, to }) => readsRecords(to.kind) && to.isDisabled !== true && !startsRuns(from.kind));
    if (behind.length === 0) return;
    for (const trigger of steps.filter(step => startsRuns(step.kind) && bringsNothing(step))) {
        const reached = graph.reachable(trigger.key);
        const begins = new Set(graph.sourcesOf(trigger.key).map(({ key }) => key));
        for (const { from, to, path } of behind) {
            yield;
            if (!reached.has(from.key)) continue;
            if (to.looksUp === true && !begins.has(to.key)) continue;
            issues.addLazily(() => {
                const leads = `${path} leads from the ${from.kind} step "${from.key}" to the EXTRACT step "${to.key}"`;
                const message =
                    to.looksUp === true
                        ? `${leads}, and the ${trigger.type} trigger "${trigger.key}" leads to both; in one of its runs "${to.key}" would read all that there is ` +
                          'and look up what comes; allowed: one of the two'
                        : `${leads}, and the runs of the ${trigger.type} trigger "${trigger.key}", which leads there, bring no records: "${to.key}" would pass on what ` +
                          'another step has read, and read nothing itself; allowed after other steps: an EXTRACT step with seedMode LOOKUP, where its ' +
                          'extractor has that, or one that WEBHOOK, EVENT and MESSAGE triggers alone lead to';
                return { code: 'EDGE_FORBIDDEN', path, stepKey: to.key, message };
            });
        }
    }
}
