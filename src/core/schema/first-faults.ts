import { z } from 'zod';

/** What a schema says of a value: the value with its defaults, or what is wrong with it. */
export type Verdict<T> =
    | { readonly ok: true; readonly value: T }
    | {
          readonly ok: false;
          /** The first of the faults; missing where none is wanted. */
          readonly error?: z.ZodError;
          /** How many more there are. */
          readonly more: number;
      };

type RawFault = z.core.$ZodRawIssue;

/**
 * As `safeParse`, but only so many faults are made out in full and the others counted: a list of a hundred thousand wrong elements has as
 * many faults, which nobody reads, and to make them out takes far longer than to find them.
 */
export function firstFaults<S extends z.ZodType>(schema: S, value: unknown, most: number): Verdict<z.output<S>> {
    const cx = { async: false };
    const result = (schema as z.ZodType)._zod.run({ value, issues: [] }, cx) as z.core.ParsePayload;
    if (result.issues.length === 0) return { ok: true, value: result.value as z.output<S> };
    const first: RawFault[] = [];
    let room = most;
    let all = 0;
    for (const fault of result.issues) {
        const size = sizeOf(fault);
        all += size;
        if (room <= 0) continue;
        first.push(size > room ? cut(fault, room) : fault);
        room -= size;
    }
    const told = first.map(fault => z.core.util.finalizeIssue(fault, cx, z.config()));
    return { ok: false, ...(told.length > 0 && { error: new z.ZodError(told) }), more: all - Math.min(all, most) };
}

/** Of unknown fields each is told by itself. */
function sizeOf(fault: RawFault): number {
    return fault.code === 'unrecognized_keys' ? (fault['keys'] as readonly string[]).length : 1;
}

function cut(fault: RawFault, room: number): RawFault {
    return { ...fault, keys: (fault['keys'] as readonly string[]).slice(0, room) } as RawFault;
}
