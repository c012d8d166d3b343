import type { z } from 'zod';
import { findFaults, type RawFault } from './definition';
import { type Fault, WITHOUT_TEXT } from './issues';

/** What a schema says of a value: the value with its defaults, or what is wrong with it. */
export type Verdict<T> =
    | { readonly ok: true; readonly value: T }
    | {
          readonly ok: false;
          /** The first of the faults; none where none is wanted. */
          readonly faults: readonly Fault[];
          /** How many more there are. */
          readonly more: number;
      };

/**
 * As `tryParse`, but only so many faults are made out in full and the others counted: a list of a hundred thousand wrong elements has as
 * many faults, which nobody reads, and to make them out takes far longer than to find them.
 */
export function firstFaults<S extends z.ZodType>(schema: S, input: unknown, most: number): Verdict<z.output<S>> {
    const { value, faults, full } = findFaults(schema, input, WITHOUT_TEXT);
    if (faults.length === 0) return { ok: true, value: value as z.output<S> };
    const first: RawFault[] = [];
    let room = most;
    let all = 0;
    for (const fault of faults) {
        const size = sizeOf(fault);
        all += size;
        if (room <= 0) continue;
        first.push(size > room ? cut(fault, room) : fault);
        room -= size;
    }
    return { ok: false, faults: first.map(full) as unknown as readonly Fault[], more: all - Math.min(all, most) };
}

/** Of unknown fields each is told by itself. */
function sizeOf(fault: RawFault): number {
    return fault.code === 'unrecognized_keys' ? (fault['keys'] as readonly string[]).length : 1;
}

function cut(fault: RawFault, room: number): RawFault {
    return { ...fault, keys: (fault['keys'] as readonly string[]).slice(0, room) } as RawFault;
}
