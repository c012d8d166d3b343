import { REDACTED, redactedText } from '../../core/errors/redacted-text';
import { logEventOf, redactedEvent } from '../../core/log/log-text';
import type { JsonObject } from '../../core/value/json';

/** A line of a run's log, as far as it says something. */
export interface RedactedLine {
    readonly message: string;
    readonly facts: JsonObject | null;
}

/** The same as it is stored. */
export interface StoredLine extends RedactedLine {
    /** Of an event of Flow. */
    readonly code: string | null;
}

/** Facts of custom adapters that only contain places and counts. */
const OPEN_FACTS = new Set([
    ...['code', 'cause', 'path', 'fields', 'place', 'seq', 'sourceKey', 'stage', 'batch', 'batchNo', 'records', 'rows'],
    ...['in', 'out', 'expanded', 'filtered', 'rejected', 'held', 'created', 'updated', 'deleted', 'unchanged', 'ms'],
]);

/**
 * Masks the values of records in a line, for users who may not read records. The author of the line decides, never its text: an event of Flow
 * declares which of its facts are values. A line with a code among its facts comes from a custom adapter, which quotes its values. Any other line
 * may be text from a script or a record.
 */
export function redactedLine({ code, message, facts }: StoredLine): RedactedLine {
    if (code !== null && facts && logEventOf(code)) return redactedEvent(code, facts);
    if (code !== null || typeof facts?.['code'] !== 'string') return { message: REDACTED, facts: null };
    const open = Object.entries(facts).filter(([name]) => OPEN_FACTS.has(name));
    return { message: redactedText(message), facts: Object.fromEntries(open) };
}
