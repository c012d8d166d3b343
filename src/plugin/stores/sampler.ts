import type { LogLevel } from '../../core/adapter/context';
import type { JsonObject } from '../../core/value/json';
import { pathOfEach } from '../../core/data/path';

/** A line on its way into the log. */
export interface LogLine {
    readonly level: LogLevel;
    readonly stepKey: string | undefined;
    readonly message: string;
    readonly facts?: JsonObject;
    /** A line of Flow itself that contains no value of a record. */
    readonly isOwn?: boolean;
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
        const { code, path } = line.facts ?? {};
        const field = typeof path === 'string' ? pathOfEach(path) : null;
        const key = JSON.stringify([
            line.level,
            line.stepKey,
            ...(typeof code === 'string' ? [code, field] : [line.message]),
        ]);
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
            const code = isBeyond ? undefined : first.facts?.['code'];
            const which = isBeyond
                ? `of kinds beyond the first ${MAX_KINDS} were left out, for example like this one`
                : 'like this one were left out';
            const what = first.level === 'WARN' ? 'warnings' : 'lines';
            const message = `${seen - KEPT} more ${what} ${which}: ${first.message}`;
            rest.push({
                level: first.level,
                stepKey: first.stepKey,
                message,
                facts: { leftOut: seen - KEPT, ...(code !== undefined && { code }) },
                ...(first.isOwn && !isBeyond && { isOwn: true }),
            });
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
