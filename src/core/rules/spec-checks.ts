import { hasLength, isInRange, isOneOf, matches } from './checks';
import type { RuleFn } from '../adapter/rule';
import { isFlowError } from '../errors/flow-error';
import { problemOf } from '../errors/record-invalid';
import { type Check, fieldCheck } from './field-check';
import { isOfType, type ValueType } from './value-types';

/** The checks that a spec may set, in addition to `required`. */
interface CheckSpec {
    readonly field: string;
    readonly type?: ValueType | undefined;
    readonly enum?: ReadonlyArray<string | number | boolean> | undefined;
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly minLength?: number | undefined;
    readonly maxLength?: number | undefined;
    readonly pattern?: string | undefined;
}

/** All checks of a spec, in the order in which they run. */
export function specChecks(spec: CheckSpec): readonly Check[] {
    const { type, enum: values, min, max, minLength, maxLength, pattern, field } = spec;
    const checks: Array<Check | undefined> = [
        type && isOfType(type),
        values && isOneOf(values),
        min === undefined && max === undefined ? undefined : isInRange({ min, max }),
        minLength === undefined && maxLength === undefined ? undefined : hasLength({ min: minLength, max: maxLength }),
        pattern === undefined ? undefined : matches(pattern, field),
    ];
    return checks.filter(check => check !== undefined);
}

/** The same for a rule over batches: a text that is too long for a pattern only fails its own record. */
export function recordCheck(spec: CheckSpec): RuleFn {
    const { field } = spec;
    const checks = specChecks(spec);
    if (checks.length === 0) return () => undefined;
    const check = fieldCheck({ field, required: false }, checks);
    return data => {
        try {
            return check(data);
        } catch (error) {
            if (!isFlowError(error) || error.treat !== 'record') throw error;
            return { path: field, ...problemOf(error) };
        }
    };
}
