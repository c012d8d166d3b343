import type { LogCode } from '../log/log-events';
import { type LogFacts, type LogText, logEventOf, logText } from '../log/log-text';
import type { LogLevel, StepLog } from './context';
import { type ScriptConsole, writeLine } from './inline-script';

/** How a log takes events. A symbol: no record, script or file can bring one. */
export const LOG_EVENT = Symbol('event of Flow');

/** A log that distinguishes Flow's events from lines of others. */
export interface EventLog extends StepLog {
    readonly [LOG_EVENT]: (level: LogLevel, text: LogText) => void;
}

/** Logs an event. Users who may not read records see it without the facts that are values; of all other lines they see nothing. */
export function logEvent<C extends LogCode>(log: StepLog, event: C, facts: LogFacts<C>): void {
    writeEvent(log, logText(event, facts));
}

/** Logs a rendered event. Default: with its own level. */
export function writeEvent(log: StepLog, text: LogText, level: LogLevel = levelOf(text)): void {
    const write = (log as Partial<EventLog>)[LOG_EVENT];
    if (write) write(level, text);
    else writeLine(log, level, text.message, text.facts);
}

/** A rendered event as a line of a log. */
export function eventLine({ event: code, message, facts }: LogText) {
    return { level: levelOf({ event: code }), code, message, facts };
}

function levelOf({ event }: Pick<LogText, 'event'>): LogLevel {
    return logEventOf(event)?.level ?? 'WARN';
}

/** Logs a line of a script as the script's own. */
export function writeConsole(log: StepLog, { lines, unsaid }: ScriptConsole): void {
    for (const { level, text } of lines) writeLine(log, level, text);
    if (unsaid > 0) logEvent(log, 'CONSOLE_CUT', { count: unsaid });
}
