import { z } from 'zod';
import { isNothing } from '../../data/decimal';
import type { JsonObject, JsonValue } from '../../value/json';
import type { Path } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';

/** What happens to a record whose value is not a date, or not one in the given format. */
const MISMATCHES = ['KEEP', 'REJECT', 'NULL'] as const;
type Mismatch = (typeof MISMATCHES)[number];

/** The note of every operator that reads dates. */
export const MISMATCH_NOTE =
    'A missing field, null and blank text are not a mismatch: the target is left unchanged, whatever onMismatch is.';

/** The problem of a value that is not a timestamp. */
export const NO_TIMESTAMP = 'is not an ISO date or time or a number of milliseconds since 1970';

/** The field for this choice. */
export function onMismatch(): z.ZodDefault<z.ZodEnum<{ [M in Mismatch]: M }>> {
    return z.enum(MISMATCHES).default('KEEP').meta({
        title: 'On a mismatch',
        description:
            'What happens if a value is not a valid date: KEEP leaves the target unchanged, REJECT rejects the record, NULL sets the target to null.',
        aliases: {},
    });
}

/** A value that does not fit, and why, as the end of `Field "d": "x" …`. */
interface Misfit {
    readonly path: string;
    readonly value: JsonValue | undefined;
    readonly problem: string;
}

/** Handles a record with a value that does not fit. */
export function compileMismatch(mismatch: Mismatch, to: Path): (data: JsonObject, misfit: Misfit) => JsonObject {
    return (data, { path, value, problem }) => {
        if (mismatch === 'KEEP' || isNothing(value)) return data;
        if (mismatch === 'NULL') return to.set(data, null);
        throw valueInvalid(path, value, problem);
    };
}
