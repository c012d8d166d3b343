import type { RuleFn } from '../adapter/rule';
import { isNothing } from '../data/decimal';
import type { JsonValue } from '../value/json';
import { compilePath } from '../data/path';

/** What is wrong with a value that is there, as the end of `Field "sku": …`; undefined for nothing. */
export type Check = (value: JsonValue) => string | undefined;

/** Said of a field that must be there. */
export const MISSING = 'is required but missing';

interface Checked {
    readonly field: string;
    readonly required: boolean;
}

/** The first of the checks that finds something. None of them sees a missing field, null or blank text. */
export function fieldCheck({ field, required }: Checked, checks: readonly Check[]): RuleFn {
    const from = compilePath(field);
    return data => {
        const value = from.get(data);
        if (value === undefined || isNothing(value)) return required ? { path: field, problem: MISSING } : undefined;
        for (const check of checks) {
            const problem = check(value);
            if (problem !== undefined) return { path: field, problem };
        }
        return undefined;
    };
}
