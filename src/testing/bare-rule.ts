import type { JsonObject, JsonValue } from '../core/value/json';
import type { Batch } from '../core/data/record';
import type { Rule, RuleContext, RuleProblem } from '../core/adapter/rule';
import { parseWith } from '../core/schema/issues';
import { ENV } from './bare-call';
import { contextWith } from './context';
import { frozenBatch } from './frozen';

/** The spec in the form that a rule receives; throws its issues. */
export function specOf(rule: Rule, spec: unknown): Record<string, unknown> {
    const parsed = parseWith(rule.config, spec);
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    return parsed.value;
}

/** A rule and its spec. */
interface RuleInput {
    readonly rule: Rule;
    readonly spec: unknown;
}

/** Applies a rule to records as one batch, without a shop or a network. */
export async function applyRule(
    { rule, spec }: RuleInput,
    batch: Batch,
    part: Partial<RuleContext> = {},
): Promise<ReadonlyArray<RuleProblem | undefined>> {
    const parsed = specOf(rule, spec);
    if (rule.form === 'record') {
        const check = rule.compile(parsed, ENV);
        return batch.map(({ data }) => check(data));
    }
    const adapter = contextWith(part);
    const cx: RuleContext = {
        ...adapter,
        recall: async () => new Map<string, JsonValue>(),
        remember: () => undefined,
        turn: async () => undefined,
        place: { runId: 'run', stepKey: 'step', sourceKey: 'source', batchNo: 0, visit: 0 },
        earlier: [],
        ...part,
    };
    return (await rule.open(parsed, adapter))(batch, cx);
}

/** Like `applyRule`, for plain records; returns the problem of each. */
export async function problemsOf(
    rule: Rule,
    spec: unknown,
    records: readonly JsonObject[],
): Promise<ReadonlyArray<string | undefined>> {
    return (await applyRule({ rule, spec }, frozenBatch(records))).map(problem => problem?.problem);
}
