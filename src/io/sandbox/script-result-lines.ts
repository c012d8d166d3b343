import { EventLoopYield } from '../../core/concurrency/event-loop-yield';
import type { ScriptBatchResult, ScriptLine } from '../../core/adapter/inline-script';
import type { LogLevel } from '../../core/adapter/context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { ScriptJobEnd, ScriptJobReport } from './script-process';

/** The maximum nesting of a script's answer; the guest rejects more, and reports where. */
const MAX_LEVELS = 32;
/** How long the event loop is held at a time. */
const TURN_MS = 10;
/** The guest cuts messages of a script at this length, and its console after this number of lines; then it reports that. */
const MAX_TEXT = 500 + ' …'.length;
const MAX_LINES = 20;

const LEVELS: ReadonlySet<string> = new Set<LogLevel>(['DEBUG', 'INFO', 'WARN', 'ERROR']);

/** A script process has sent something that the guest never writes: it is an error of the running script, and the process is ended. */
export class Garbled extends Error {}

/** The output of one piece of work: results of calls, still as text, and lines of the console. */
export interface ReadLines {
    readonly results: readonly string[];
    readonly lines: readonly ScriptLine[];
    /** Lines of the console that were too many. */
    readonly unsaid: number;
}

/** How many calls may have results for each end of a piece of work. */
const FITS: Readonly<Record<ScriptJobEnd, (answered: number, calls: number) => boolean>> = {
    done: (answered, calls) => answered === calls,
    slice: (answered, calls) => answered > 0 && answered < calls,
    late: (answered, calls) => answered < calls,
    pending: (answered, calls) => answered < calls,
    spoiled: (answered, calls) => answered < calls,
    lost: (answered, calls) => answered <= calls,
    killed: answered => answered === 0,
    crashed: answered => answered === 0,
    invalid: answered => answered === 0,
};

/** Splits the guest's lines; `calls` is 1 for a batch, whose result may have any number of lines. Throws Garbled. */
export function readLines(
    { end, lines: told }: ScriptJobReport,
    order: { calls: number; isBatch: boolean },
): ReadLines {
    const results: string[] = [];
    const lines: ScriptLine[] = [];
    let unsaid = 0;
    let consoles = 0;
    for (const line of told) {
        if (line[0] !== '#') {
            results.push(line);
            continue;
        }
        const console = readConsole(line);
        lines.push(...console.lines);
        unsaid += console.unsaid;
        consoles++;
    }
    const answered = order.isBatch ? Math.min(1, results.length) : results.length;
    const isFit = Object.hasOwn(FITS, end) && FITS[end](answered, order.calls) && consoles <= answered + 1;
    if (!isFit) throw new Garbled(`the script process ended ${end} with ${answered} of ${order.calls} answers`);
    return { results, lines, unsaid };
}

/** The script's result for one record: the record, or why there is none. Throws Garbled. */
export function readResult(line: string): JsonObject | FlowError {
    return line[0] === '!' ? failed(line) : readRecord(line);
}

/** The script's result for a batch. Throws Garbled. */
export async function readBatch(
    [head, ...rest]: readonly string[],
    given: number,
): Promise<ScriptBatchResult | FlowError | undefined> {
    if (head?.[0] !== '@' && rest.length > 0) throw new Garbled('the script process answered twice');
    if (head?.[0] === '!') return failed(head);
    if (head === 'null') return undefined;
    const from = readPlaces(head, { given, count: rest.length });
    const records: JsonObject[] = [];
    const turns = scriptYield();
    for (const line of rest) {
        await turns.turnIfDue();
        records.push(readRecord(line));
    }
    return { records, from };
}

/** Yields to the event loop between the lines of an order and of its result. */
export function scriptYield(): EventLoopYield {
    return new EventLoopYield({ everyMs: TURN_MS });
}

/** The guest's report of a problem in a script. Throws Garbled. */
export function scriptProblemOf(line: string): string {
    const told = line[0] === '!' ? parsed(line.slice(1)) : undefined;
    if (!isJsonObject(told)) throw new Garbled('the script process reported no problem');
    const { text, line: number } = told;
    const isPlace = number === undefined || (Number.isSafeInteger(number) && (number as number) > 0);
    if (!isText(text) || !isPlace) throw new Garbled('the script process reported no problem');
    return `${text.replace(/\.$/, '')}${number === undefined ? '' : ` (line ${number as number})`}`;
}

function failed(line: string): FlowError {
    return flowError('SCRIPT_FAILED', { problem: scriptProblemOf(line) });
}

function readConsole(line: string): { readonly lines: readonly ScriptLine[]; readonly unsaid: number } {
    const told = parsed(line.slice(1));
    if (isJsonObject(told)) {
        const { lines, unsaid } = told;
        const isCounted = Number.isSafeInteger(unsaid) && (unsaid as number) >= 0;
        if (isCounted && Array.isArray(lines) && lines.length <= MAX_LINES && lines.every(isScriptLine))
            return { lines, unsaid: unsaid as number };
    }
    throw new Garbled('the script process reported no console');
}

function isScriptLine(told: unknown): told is ScriptLine {
    if (typeof told !== 'object' || told === null) return false;
    const { level, text } = told as Partial<Record<string, JsonValue>>;
    return typeof level === 'string' && LEVELS.has(level) && isText(text);
}

function isText(told: JsonValue | undefined): told is string {
    return typeof told === 'string' && told.length <= MAX_TEXT;
}

/** One place for each record: the index of the given record that it is, or -1. */
function readPlaces(
    line: string | undefined,
    { given, count }: { readonly given: number; readonly count: number },
): readonly number[] {
    const told = line?.[0] === '@' ? parsed(line.slice(1)) : undefined;
    const isPlace = (place: unknown): boolean =>
        Number.isInteger(place) && (place as number) >= -1 && (place as number) < given;
    if (!Array.isArray(told) || told.length !== count || !told.every(isPlace))
        throw new Garbled('the script process answered records of no place');
    return told as readonly number[];
}

/** The guest has seen to it already; this is the side that must not be deceived. */
function readRecord(line: string): JsonObject {
    const data = parsed(line);
    if (!isJsonObject(data) || !isSafe(data, 1))
        throw new Garbled('the script process returned something that is not a record');
    return data;
}

function parsed(text: string): JsonValue {
    try {
        return JSON.parse(text) as JsonValue;
    } catch (cause) {
        throw new Garbled('the script process returned something that is not JSON', { cause });
    }
}

function isSafe(value: JsonValue, level: number): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (level > MAX_LEVELS) return false;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).every(element => isSafe(element, level + 1));
    return (
        !Object.hasOwn(value, '__proto__') &&
        Object.values(value as JsonObject).every(field => isSafe(field, level + 1))
    );
}
