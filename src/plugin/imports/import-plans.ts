import { createHash } from 'node:crypto';
import { flowError } from '../../core/errors/flow-error';
import type { ImportPlan, Remedy } from '../../core/import/import-plan';
import { parsePlan, parseRemedy } from '../../core/import/parse-plan';
import { issueMovedTo, issueFacts } from '../../core/schema/issues';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';

/** A plan from outside. Throws INPUT_INVALID, whose details have all issues with their paths. */
export function planOf(given: unknown): ImportPlan {
    const parsed = parsePlan(given);
    if (parsed.ok) return parsed.value;
    const issues = parsed.issues.map(issue => issueMovedTo(issue, path => (path === '' ? 'plan' : `plan.${path}`)));
    const details = { issues: issues.map(issue => ({ ...issue }) as unknown as JsonObject) };
    throw flowError('INPUT_INVALID', { problem: issueFacts(issues.slice(0, 1)) }, { details });
}

/** A remedy from outside. Throws INPUT_INVALID. */
export function parsedRemedy(given: unknown): Remedy {
    const parsed = parseRemedy(given);
    if (parsed.ok) return parsed.value;
    throw flowError('INPUT_INVALID', { problem: issueFacts(parsed.issues.slice(0, 1)) });
}

/** SHA-256 of what a plan says, in any order of keys. */
export function digestOfPlan(plan: ImportPlan): string {
    return createHash('sha256')
        .update(canonicalJson(plan as unknown as JsonValue))
        .digest('hex');
}
