import { createHash } from 'node:crypto';
import { flowError } from '../../core/errors/flow-error';
import type { ImportPlan, Remedy } from '../../core/import/import-plan';
import { parsePlan, parseRemedy } from '../../core/import/parse-plan';
import { canonicalJson, type JsonValue } from '../../core/value/json';

/** A plan from outside. Throws INPUT_INVALID, whose details have all issues with their paths. */
export function planOf(given: unknown): ImportPlan {
    const parsed = parsePlan(given);
    if (parsed.ok) return parsed.value;
    const issues = parsed.issues.map(({ path, message }) =>
        path === ''
            ? { path: 'plan', message: `plan: ${message}` }
            : { path: `plan.${path}`, message: `plan.${message}` },
    );
    throw flowError('INPUT_INVALID', { problem: issues[0]!.message }, { details: { issues } });
}

/** A remedy from outside. Throws INPUT_INVALID. */
export function parsedRemedy(given: unknown): Remedy {
    const parsed = parseRemedy(given);
    if (parsed.ok) return parsed.value;
    throw flowError('INPUT_INVALID', { problem: parsed.issues[0]!.message });
}

/** SHA-256 of what a plan says, in any order of keys. */
export function digestOfPlan(plan: ImportPlan): string {
    return createHash('sha256')
        .update(canonicalJson(plan as unknown as JsonValue))
        .digest('hex');
}
