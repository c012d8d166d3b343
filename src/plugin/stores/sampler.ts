import type { LogLevel } from '../../core/adapter/context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { eventLine } from '../../core/adapter/log-event';
import type { LogCode } from '../../core/log/log-events';
import { type LoggedError, type LogText, logEventOf, logText } from '../../core/log/log-text';
import { pathOfEach } from '../../core/data/path';

/** A line on its way into the log. */
export interface LogLine {
    readonly level: LogLevel;
    readonly stepKey: string | undefined;
    readonly message: string;
    readonly facts?: JsonObject;
    /** Of an event of Flow. */
    readonly code?: LogCode;
}

/** The number of similar lines that are kept individually. */
const KEPT = 10;
/** Lines beyond this number of kinds count as one kind for each step and level: messages that all differ fill neither the memory nor the log. */
const MAX_KINDS = 1_000;

interface Kind {
    readonly first: LogLine;
    /** Whether it combines everything beyond the maximum number of kinds. */
    readonly isBeyond: boolean;
    seen: number;
}

/**
 * Keeps the first similar lines of a step (same level, and same code and field, else same text) and counts the others. Lines beyond the maximum
 * number of kinds count as one kind for each step and level.
 */
export class Sampler {
    private readonly kinds = new Map<string, Kind>();

    /** The line, if it is to be kept. */
    take(line: LogLine): LogLine | undefined {
        const key = JSON.stringify([line.level, line.stepKey, ...sharedBy(line)]);
        const isBeyond = this.kinds.size >= MAX_KINDS && !this.kinds.has(key);
        const kind = this.kindOf(isBeyond ? JSON.stringify([line.level, line.stepKey]) : key, {
            first: line,
            isBeyond,
        });
        kind.seen++;
        return kind.seen <= KEPT ? line : undefined;
    }

    /** A line for each kind with omitted lines; resets the counts. */
    rest(): readonly LogLine[] {
        const rest: LogLine[] = [];
        for (const { first, isBeyond, seen } of this.kinds.values()) {
            if (seen <= KEPT) continue;
            const { level, stepKey } = first;
            const more = { leftOut: seen - KEPT, line: asFact(first) };
            const text = isBeyond ? logText('MORE_KINDS', { ...more, kinds: MAX_KINDS }) : logText('MORE_LINES', more);
            rest.push({ ...eventLine(text), level, stepKey });
        }
        this.kinds.clear();
        return rest;
    }

    private kindOf(key: string, { first, isBeyond }: Omit<Kind, 'seen'>): Kind {
        const known = this.kinds.get(key);
        if (known) return known;
        const kind = { first, isBeyond, seen: 0 };
        this.kinds.set(key, kind);
        return kind;
    }
}

function asFact({ code: event, message, facts = {} }: LogLine): LogText | LoggedError {
    if (event) return { event, message, facts };
    const { code } = facts;
    return typeof code === 'string' ? { code, message } : { message };
}

/** What similar lines have in common: a line about a record shares its error and its field, any other line its text. */
function sharedBy({ code: event, message, facts }: LogLine): readonly JsonValue[] {
    const { error = null, code = null, by = null, path } = facts ?? {};
    const field = typeof path === 'string' ? pathOfEach(path) : null;
    if (event ? logEventOf(event)?.isOfRecords : typeof code === 'string')
        return [event ?? null, isJsonObject(error) ? error['code']! : code, by, field];
    return [message];
}
