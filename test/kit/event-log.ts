import { type EventLog, LOG_EVENT } from '../../src/core/adapter/log-event';
import type { LogLevel, StepLog } from '../../src/core/adapter/context';
import type { JsonObject } from '../../src/core/value/json';

/** A line of a log. Events of Flow have a code. */
export interface LogLine {
    readonly level: LogLevel;
    readonly code?: string;
    readonly message: string;
    readonly facts?: JsonObject | undefined;
}

/** A log that keeps its lines, with the code and the facts of Flow's events. */
export const eventLog = (lines: LogLine[]): EventLog => {
    const at =
        (level: LogLevel): StepLog['info'] =>
        (message, facts) =>
            void lines.push({ level, message, facts });
    return {
        debug: at('DEBUG'),
        info: at('INFO'),
        warn: at('WARN'),
        error: at('ERROR'),
        [LOG_EVENT]: (level, { event: code, message, facts }) => void lines.push({ level, code, message, facts }),
    };
};
