import type { JsonObject } from '../value/json';
import type { LogLevel, StepLog } from './context';
import { type ScriptConsole, writeLine } from './inline-script';

/** How a log takes lines of Flow itself. A symbol: no record, script or file can bring one. */
export const TRUSTED_LINE = Symbol('line of Flow itself');

/** A log that distinguishes lines of Flow itself from those of others. */
export interface TrustedLog extends StepLog {
    readonly [TRUSTED_LINE]: (level: LogLevel, message: string, facts?: JsonObject) => void;
}

/**
 * Logs what Flow itself, or the definition, reports about a run or a batch, and never about a record: every user who may read runs may read all of
 * it. All other lines are masked for users who may not read records, whatever their content.
 */
export function trustedLine(log: StepLog, level: LogLevel, ...line: Parameters<StepLog['info']>): void {
    const tell = (log as Partial<TrustedLog>)[TRUSTED_LINE];
    if (tell) tell(level, ...line);
    else writeLine(log, level, ...line);
}

/** Logs a line of a script as the script's own. */
export function writeConsole(log: StepLog, { lines, unsaid }: ScriptConsole): void {
    for (const { level, text } of lines) writeLine(log, level, text);
    if (unsaid > 0) trustedLine(log, 'WARN', `The script has written ${unsaid} more lines.`);
}
