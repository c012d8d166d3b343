import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BatchAnswer, ScriptLine } from '../../core/adapter/inline-script';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { type FlowError, flowError } from '../../core/errors/flow-error';

/** As deep as a script may nest what it answers; the guest refuses more, and says where. */
const MAX_LEVELS = 32;
/** How long the event loop is held at a time. */
const TURN_MS = 10;

/** What one piece of work has brought: results of calls, as text still, and lines of the console. */
export interface ReadLines {
    readonly results: readonly string[];
    readonly lines: readonly ScriptLine[];
    /** Lines of the console that were too many. */
    readonly unsaid: number;
}

/** Takes the guest's lines apart. */
export function readLines(told: readonly string[]): ReadLines {
    const results: string[] = [];
    const lines: ScriptLine[] = [];
    let unsaid = 0;
    for (const line of told) {
        if (line[0] !== '#') {
            results.push(line);
            continue;
        }
        const console = JSON.parse(line.slice(1)) as { lines: ScriptLine[]; unsaid: number };
        lines.push(...console.lines);
        unsaid += console.unsaid;
    }
    return { results, lines, unsaid };
}

/** What a script made of one record: the record, or why there is none. */
export function readResult(line: string): JsonObject | FlowError {
    return line[0] === '!' ? failed(line) : readRecord(line);
}

/** What a script made of a batch. */
export async function readBatch(
    [head, ...rest]: readonly string[],
    given: number,
): Promise<BatchAnswer | FlowError | undefined> {
    if (head === undefined) throw new Error('the script process answered nothing');
    if (head[0] === '!') return failed(head);
    if (head[0] !== '@') return undefined;
    const from = (JSON.parse(head.slice(1)) as readonly number[]).map(place =>
        Number.isInteger(place) && place < given ? place : -1,
    );
    const records: JsonObject[] = [];
    const turns = new Turns();
    for (const line of rest) {
        await turns.next();
        records.push(readRecord(line));
    }
    return { records, from };
}

/** Gives the event loop its turn now and then. */
export class Turns {
    private since = performance.now();

    async next(): Promise<void> {
        if (performance.now() - this.since < TURN_MS) return;
        await nextTurn();
        this.since = performance.now();
    }
}

/** What the guest says went wrong in a script. */
export function problemOf(line: string): string {
    const { text, line: number } = JSON.parse(line.slice(1)) as { readonly text: string; readonly line?: number };
    return `${text.replace(/\.$/, '')}${number === undefined ? '' : ` (line ${number})`}`;
}

function failed(line: string): FlowError {
    return flowError('SCRIPT_FAILED', { problem: problemOf(line) });
}

/** The guest has seen to it already; this is the side that must not be deceived. */
function readRecord(line: string): JsonObject {
    const data = JSON.parse(line) as JsonValue;
    if (!isJsonObject(data) || !isSafe(data, 1)) throw new Error('the script process answered what is no record');
    return data;
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
