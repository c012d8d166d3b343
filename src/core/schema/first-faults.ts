import type { z } from 'zod';
import { findFaults, type RawFault } from './definition';
import { type Fault, WITHOUT_TEXT } from './issues';

/** The result of a parse: the value with its defaults, or its issues. */
export type Verdict<T> =
    | { readonly ok: true; readonly value: T }
    | {
          readonly ok: false;
          /** The first issues; empty if none were requested. */
          readonly faults: readonly Fault[];
          /** The number of further issues. */
          readonly more: number;
      };

/**
 * Like `tryParse`, but finalizes only the first issues and counts the others: a list of a hundred thousand invalid
 * elements has as many issues, and finalizing them takes far longer than finding them.
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

/** Each unknown field is a separate issue. */
function sizeOf(fault: RawFault): number {
    return fault.code === 'unrecognized_keys' ? (fault['keys'] as readonly string[]).length : 1;
}

function cut(fault: RawFault, room: number): RawFault {
    return { ...fault, keys: (fault['keys'] as readonly string[]).slice(0, room) } as RawFault;
}
