import type { JsonObject } from '../../core/data/json';
import { MASK, maskedMessage, maskedText } from '../../core/errors/masked';

/** A line of a run's log, as far as it says something. */
export interface SaidLine {
    readonly message: string;
    readonly facts: JsonObject | null;
}

/** What Flow itself writes without a code, of runs and batches and no records. Whatever else has no code may be the word of a script. */
const OWN_LINES: readonly RegExp[] = [
    /^Step finished\.$/,
    /^The (?:dry )?run has started(?:; nothing is written to the shop)?\.$/,
    /^The run goes on\.$/,
    /^The run has completed: [A-Z]+\.$/,
    /^The run was cancelled\.$/,
    /^The worker of the dry run has died, and what it planned with it; it begins anew \(attempt \d+\)\.$/,
    /^The worker of the dry run has given it back; it begins anew\.$/,
    /^The worker of the run has died; it goes on from its last committed batch \(attempt \d+\)\.$/,
    /^The file "[^"]*" is sound; its \d* ?[a-z ]+ are read now\.$/,
    /^The shop's own price strategies are not asked by this load: prices for further channels are made as Vendure's own would\.$/,
    /^The source is read on from where an earlier run, which did not complete, has left it, and what that run has loaded is not loaded again\. With resetCheckpoint the step reads it from its beginning and loads all of it\.$/,
    /^The source could not be closed\.$/,
    /^Batch \d+ of [\w.-]+ was loaded before its run was interrupted and has come again with other content; what was loaded stands\.$/,
    /^\d+ lines are missing here: the database did not keep up with the log\.$/,
    /^\d+ more lines are not shown\.$/,
    /^The script has written \d+ more lines\.$/,
    /^The script failed with \d+ more records of the batch\.$/,
    /^The WEBHOOK hook of [A-Z_]+ is not sent, since nothing leaves the shop now\.$/,
    /^Look-ups are done\.$/,
];
/** The run's error, which the run has with its code. */
const FAILED = 'The run has failed. ';
/** How a line says whose error follows. */
const LEADS: readonly RegExp[] = [
    /^\d+ more warnings (?:like this one were left out|of kinds beyond the first \d+ were left out, for example like this one): /,
    /^Record \d+ of [\w.-]+ (?:is rejected|goes on with a warning)\. /,
];
/** How it says what comes of it. */
const END =
    / (?:Trying again \(\d+ of \d+\)|Record \d+ goes on as it was|The batch of \d+ records goes on as it was)\.$/;
/** Facts that tell where and how often. */
const OPEN_FACTS = new Set([
    ...['code', 'cause', 'path', 'fields', 'place', 'seq', 'sourceKey', 'stage', 'batch', 'batchNo', 'records', 'rows'],
    ...['leftOut', 'retry', 'waitMs', 'failed', 'fileId', 'cacheEntries', 'ms'],
    ...['in', 'out', 'expanded', 'filtered', 'rejected', 'held', 'created', 'updated', 'deleted', 'unchanged'],
]);

/**
 * A line without values of records, as somebody reads it who may not read those. A line with a code is written by Flow or an adapter, which
 * quote their values; the line of a LOG hook stands in the definition. Of others only what Flow is known to write stays.
 */
export function maskedLine({ message, facts }: SaidLine): SaidLine {
    const code = facts?.['code'];
    if (typeof code === 'string') return { message: maskedOf(message, code), facts: openFacts(facts) };
    if (typeof facts?.['stage'] === 'string' || OWN_LINES.some(line => line.test(message)))
        return { message, facts: openFacts(facts) };
    return { message: message.startsWith(FAILED) ? FAILED + MASK : MASK, facts: null };
}

function maskedOf(message: string, code: string): string {
    let lead = '';
    for (const pattern of LEADS) lead += pattern.exec(message.slice(lead.length))?.[0] ?? '';
    const rest = message.slice(lead.length);
    const end = END.exec(rest)?.[0] ?? '';
    const text = rest.slice(0, rest.length - end.length);
    const masked = maskedMessage({ code, message: text });
    // A code of an adapter's own is none of the catalogue.
    return lead + (masked === MASK ? maskedText(text) : masked) + end;
}

function openFacts(facts: JsonObject | null): JsonObject | null {
    return facts && Object.fromEntries(Object.entries(facts).filter(([name]) => OPEN_FACTS.has(name)));
}
