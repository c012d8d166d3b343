import type { Registry } from '../adapter/registry';
import type { FileWatch } from '../adapter/source-reference';
import { readsRecords, startsRuns } from '../steps/kinds';
import { file } from '../triggers/file';
import { isJsonObject, type JsonObject } from '../value/json';
import type { YieldingTask } from '../concurrency/yielding-task';
import type { CheckedEdge } from './checked-steps';
import type { StepDefinition } from './definition';
import { ISSUE_TEXTS } from '../schema/issue-texts';
import { issueAt } from '../schema/issues';
import { type Issue, type Issues, pathTo } from './issues';

interface WatchedSteps {
    readonly steps: readonly StepDefinition[];
    /** The path of each step in the definition, by its key. */
    readonly paths: ReadonlyMap<string, string>;
    readonly edges: readonly CheckedEdge[];
}

/**
 * Reports steps directly after a FILE trigger that cannot read what it finds: the trigger must be connected directly to the matching extractor.
 * Errors of a step by itself are reported elsewhere.
 */
export function* watchedSourceIssues(
    { steps, paths, edges }: WatchedSteps,
    { registry, issues }: { readonly registry: Registry; readonly issues: Issues },
): YieldingTask<void> {
    const byKey = new Map(steps.map(step => [step.key, step]));
    for (const { from, to, path: edge } of edges) {
        const [trigger, step] = [byKey.get(from), byKey.get(to)];
        if (!trigger || !step || !startsRuns(trigger.kind) || trigger.config['type'] !== file.code) continue;
        yield;
        // A step of another kind is not allowed there, which has been reported.
        if (!readsRecords(step.kind)) continue;
        const why = { step, trigger: from, edge, path: paths.get(to) ?? '', registry };
        const issue = issueOf(why, watchOf(trigger.config));
        if (issue) issues.add({ stepKey: to, ...issue });
    }
}

interface BehindTrigger {
    readonly step: StepDefinition;
    readonly trigger: string;
    readonly edge: string;
    readonly path: string;
    readonly registry: Registry;
}

function issueOf(
    { step, trigger, edge, path, registry }: BehindTrigger,
    watch: FileWatch | undefined,
): Issue | undefined {
    const { adapterCode, ...own } = step.config;
    const extractor = registry.find('extractor', String(adapterCode));
    if (!extractor) return undefined;
    if (step.disabled === true || !extractor.readsWatched) {
        const reads = registry.list('extractor').filter(({ readsWatched }) => readsWatched);
        const allowed = reads.map(({ code }) => code).join(', ');
        const facts = { from: trigger, to: step.key, allowed };
        const text =
            step.disabled === true
                ? issueAt(edge, ISSUE_TEXTS.watchedDisabled, facts)
                : issueAt(edge, ISSUE_TEXTS.watchedByOther, { ...facts, extractor: extractor.code });
        return { code: 'EDGE_FORBIDDEN', ...text };
    }
    const parsed = extractor.config.safeParse(own);
    const problem = watch && parsed.success ? extractor.readsWatched(parsed.data, watch) : undefined;
    if (!problem) return undefined;
    const at = pathTo(pathTo(path, 'config'), problem.path);
    const facts = { reason: problem.problem, from: trigger };
    return { code: 'CONFIG_INVALID', ...issueAt(at, ISSUE_TEXTS.watchedReason, facts) };
}

/** Undefined if the trigger itself has an error. */
function watchOf({ type: _, ...config }: JsonObject): FileWatch | undefined {
    const parsed = file.config.safeParse(config);
    const watch = parsed.success ? (parsed.data as JsonObject)['fileWatch'] : undefined;
    return watch !== undefined && isJsonObject(watch) ? (watch as unknown as FileWatch) : undefined;
}
