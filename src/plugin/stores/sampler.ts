import type { LogLevel } from '../../core/adapter/context';
import type { JsonObject } from '../../core/data/json';

/** A line on its way into the log. */
export interface LogLine {
    readonly level: LogLevel;
    readonly stepKey: string | undefined;
    readonly message: string;
    readonly facts?: JsonObject;
}

/** So many warnings that are alike are kept one by one. */
const KEPT = 10;
/** More kinds of warnings than this are no kinds; whoever writes such messages must not fill the memory. */
const MAX_KINDS = 1_000;

interface Kind {
    readonly first: LogLine;
    seen: number;
}

/** Keeps the first of the warnings of a step that are alike (same code, else same text) and counts the others. */
export class Sampler {
    private readonly kinds = new Map<string, Kind>();

    /** The line where it is worth keeping. */
    take(line: LogLine): LogLine | undefined {
        const code = line.facts?.['code'];
        const key = JSON.stringify([line.stepKey, typeof code === 'string' ? code : line.message]);
        let kind = this.kinds.get(key);
        if (!kind) {
            if (this.kinds.size >= MAX_KINDS) return line;
            kind = { first: line, seen: 0 };
            this.kinds.set(key, kind);
        }
        kind.seen++;
        return kind.seen <= KEPT ? line : undefined;
    }

    /** A line for each kind of which some were left out; starts anew afterwards. */
    rest(): readonly LogLine[] {
        const rest: LogLine[] = [];
        for (const { first, seen } of this.kinds.values()) {
            if (seen <= KEPT) continue;
            const code = first.facts?.['code'];
            const message = `${seen - KEPT} more warnings like this one were left out: ${first.message}`;
            rest.push({
                level: 'WARN',
                stepKey: first.stepKey,
                message,
                facts: { leftOut: seen - KEPT, ...(code !== undefined && { code }) },
            });
        }
        this.kinds.clear();
        return rest;
    }
}
