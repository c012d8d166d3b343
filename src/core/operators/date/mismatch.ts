import { z } from 'zod';
import { isNothing } from '../../data/decimal';
import type { JsonObject, JsonValue } from '../../value/json';
import type { Path } from '../../data/path';
import { valueInvalid } from '../../errors/record-invalid';

/** What becomes of a record whose value is no date, or none by the format. */
export const MISMATCHES = ['KEEP', 'REJECT', 'NULL'] as const;
export type Mismatch = (typeof MISMATCHES)[number];

/** True of every operator that reads dates. */
export const MISMATCH_NOTE =
    'A field that is missing, null or blank is no mismatch: the target stays as it is, whatever onMismatch says.';

/** Said of a value from which no moment can be read. */
export const NO_MOMENT = 'which is no ISO date or time, nor milliseconds since 1970';

/** The field that says so. */
export function onMismatch(): z.ZodDefault<z.ZodEnum<{ [M in Mismatch]: M }>> {
    return z.enum(MISMATCHES).default('KEEP').meta({
        title: 'On a mismatch',
        description:
            'What happens where a value is no such date: KEEP leaves the target as it is, REJECT rejects the record, NULL makes the target null.',
        aliases: {},
    });
}

/** A value that does not fit, and why, as the end of `Field "d": is "x", …`. */
interface Misfit {
    readonly path: string;
    readonly value: JsonValue | undefined;
    readonly problem: string;
}

/** What becomes of a record with a value that does not fit. */
export function compileMismatch(mismatch: Mismatch, to: Path): (data: JsonObject, misfit: Misfit) => JsonObject {
    return (data, { path, value, problem }) => {
        if (mismatch === 'KEEP' || isNothing(value)) return data;
        if (mismatch === 'NULL') return to.set(data, null);
        throw valueInvalid(path, value, problem);
    };
}
