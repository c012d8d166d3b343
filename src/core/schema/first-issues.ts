import type { z } from 'zod';
import { findIssues, type RawIssue } from './definition';
import { type FieldIssue, WITHOUT_TEXT } from './issues';

/** The result of a parse: the value with its defaults, or its issues. */
export type FieldVerdict<T> =
    | { readonly ok: true; readonly value: T }
    | {
          readonly ok: false;
          /** The first issues; empty if none were requested. */
          readonly faults: readonly FieldIssue[];
          /** The number of further issues. */
          readonly more: number;
      };

/**
 * Like `tryParse`, but finalizes only the first issues and counts the others: a list of a hundred thousand invalid
 * elements has as many issues, and finalizing them takes far longer than finding them.
 */
export function firstIssues<S extends z.ZodType>(schema: S, input: unknown, most: number): FieldVerdict<z.output<S>> {
    const { value, faults: issues, full } = findIssues(schema, input, WITHOUT_TEXT);
    if (issues.length === 0) return { ok: true, value: value as z.output<S> };
    const first: RawIssue[] = [];
    let room = most;
    let all = 0;
    for (const issue of issues) {
        const size = sizeOf(issue);
        all += size;
        if (room <= 0) continue;
        first.push(size > room ? cut(issue, room) : issue);
        room -= size;
    }
    return { ok: false, faults: first.map(full) as unknown as readonly FieldIssue[], more: all - Math.min(all, most) };
}

/** Each unknown field is a separate issue. */
function sizeOf(issue: RawIssue): number {
    return issue.code === 'unrecognized_keys' ? (issue['keys'] as readonly string[]).length : 1;
}

function cut(issue: RawIssue, room: number): RawIssue {
    return { ...issue, keys: (issue['keys'] as readonly string[]).slice(0, room) } as RawIssue;
}
