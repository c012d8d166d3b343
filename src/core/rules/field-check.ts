import type { RuleFn } from '../adapter/rule';
import type { ExplainedProblem } from '../errors/record-invalid';
import { isNothing } from '../data/decimal';
import type { JsonValue } from '../value/json';
import { compilePath } from '../data/path';

/** Checks a value that is present. Returns what is wrong, as the end of `Field "sku": …`, or undefined. */
export type Check = (value: JsonValue) => ExplainedProblem | undefined;

/** The problem of a required field without a value. */
export const MISSING = 'is required but missing';

interface Checked {
    readonly field: string;
    readonly required: boolean;
}

/** Runs the checks until one finds a problem. They do not run for a missing field, null or blank text. */
export function fieldCheck({ field, required }: Checked, checks: readonly Check[]): RuleFn {
    const from = compilePath(field);
    return data => {
        const value = from.get(data);
        if (value === undefined || isNothing(value)) return required ? { path: field, problem: MISSING } : undefined;
        for (const check of checks) {
            const problem = check(value);
            if (problem) return { path: field, ...problem };
        }
        return undefined;
    };
}
