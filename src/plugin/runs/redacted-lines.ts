import type { JsonObject, JsonValue } from '../../core/value/json';
import { REDACTED, redactedMessage, redactedText } from '../../core/errors/redacted-text';

/** A line of a run's log, as far as it says something. */
export interface LogText {
    readonly message: string;
    readonly facts: JsonObject | null;
}

/** The same as it is stored. */
export interface StoredLine extends LogText {
    /** A line of Flow itself, which contains no value of a record. */
    readonly isOwn: boolean;
}

/** The run's error, which the run has with its code. */
const FAILED = 'The run has failed. ';
/** How a line says whose error follows. */
const LEADS: readonly RegExp[] = [
    /^The run has failed\. /,
    /^\d+ of \d+ look-ups failed and got the default\. The first: /,
    /^\d+ more (?:warnings|lines) (?:like this one were left out|of kinds beyond the first \d+ were left out, for example like this one): /,
    /^Record \d+ of [\w.-]+ (?:is rejected|continues with a warning)\. /,
];
/** The endings that Flow adds to foreign text, by the fact that shows their presence. */
const ENDS: ReadonlyArray<readonly [fact: string, end: (fact: JsonValue) => RegExp]> = [
    ['retry', retry => new RegExp(` Trying again \\(${Number(retry)} of \\d+\\)\\.$`)],
    ['batch', () => / The batch of \d+ records continues unchanged\.$/],
    // People count from 1; earlier versions wrote the number as it is.
    ['seq', seq => new RegExp(` Record (?:${Number(seq)}|${Number(seq) + 1}) continues unchanged\\.$`)],
];
/** Facts that only contain places and counts. */
const OPEN_FACTS = new Set([
    ...['code', 'cause', 'path', 'fields', 'place', 'seq', 'sourceKey', 'stage', 'batch', 'batchNo', 'records', 'rows'],
    ...['leftOut', 'retry', 'waitMs', 'failed', 'fileId', 'cacheEntries', 'ms'],
    ...['in', 'out', 'expanded', 'filtered', 'rejected', 'held', 'created', 'updated', 'deleted', 'unchanged'],
]);

/**
 * Masks the values of records in a line, for users who may not read records. The author of the line decides, never its text: lines of Flow itself
 * stay unchanged. A line with a code comes from Flow or an adapter, which quote their values. Any other line may be text from a script or a record.
 */
export function redactedLine({ message, facts, isOwn }: StoredLine): LogText {
    if (isOwn) return { message, facts: openFacts(facts) };
    const code = facts?.['code'];
    if (facts && typeof code === 'string') return { message: maskedOf(message, code, facts), facts: openFacts(facts) };
    return { message: message.startsWith(FAILED) ? FAILED + REDACTED : REDACTED, facts: null };
}

function maskedOf(message: string, code: string, facts: JsonObject): string {
    let lead = '';
    for (const pattern of LEADS) lead += pattern.exec(message.slice(lead.length))?.[0] ?? '';
    const rest = message.slice(lead.length);
    const [fact, endOf] = ENDS.find(([name]) => Object.hasOwn(facts, name)) ?? [];
    const end = (fact && endOf?.(facts[fact]!).exec(rest)?.[0]) ?? '';
    const text = rest.slice(0, rest.length - end.length);
    const masked = redactedMessage({ code, message: text });
    // The code of a custom adapter is not in the catalogue.
    return lead + (masked === REDACTED ? redactedText(text) : masked) + end;
}

function openFacts(facts: JsonObject | null): JsonObject | null {
    return facts && Object.fromEntries(Object.entries(facts).filter(([name]) => OPEN_FACTS.has(name)));
}
