import type { ScriptBatchResult } from '../adapter/inline-script';
import type { ScriptRecord } from '../adapter/script';
import type { JsonValue } from '../value/json';
import { type Batch, originOf } from '../data/record';
import { show } from '../value/show';
import { clause, type FactText, factText, type Problem } from '../errors/rendered';
import { WordedError } from '../errors/worded-error';
import { ISSUE_WORDS } from '../schema/issue-texts';

/** Deeper than any source has its records; a list that holds itself has no end. */
const MAX_LEVELS = 200;

/**
 * Builds the batch from a script's answer; the script received copies of the given batch. Throws an Error if the answer is not a list of records. A
 * returned copy keeps the origin of its record. A new record gets the origin at the same index if no record was added or removed. Otherwise the new
 * records share one origin, because their inputs cannot be distinguished.
 */
export function batchFromHookResult(answer: unknown, given: readonly ScriptRecord[], batch: Batch): Batch {
    if (answer instanceof TrackedResult) return placedBatch(answer.answer, batch);
    if (!Array.isArray(answer))
        throw new WordedError(
            clause`it answered ${named(answer)}; allowed: a list of records, or undefined to leave them as they are`,
        );
    const places = new Map<unknown, number>(given.map((copy, index) => [copy, index]));
    const isAligned = answer.length === batch.length;
    const joint = originOf(batch);
    // Array.from, because a list with holes would be skipped at them.
    return Array.from(answer as readonly unknown[], (record, index) => {
        const place = places.get(record) ?? (isAligned ? index : undefined);
        return { data: readRecord(record, index), origin: place === undefined ? joint : batch[place]!.origin };
    });
}

/** The result of inline code. Its records are not copies, but they identify the given records they belong to. */
export class TrackedResult {
    constructor(readonly answer: ScriptBatchResult) {}
}

function placedBatch({ records, from }: ScriptBatchResult, batch: Batch): Batch {
    const isAligned = records.length === batch.length;
    const joint = originOf(batch);
    return records.map((data, index) => {
        const place = from[index]! >= 0 ? from[index]! : isAligned ? index : undefined;
        return { data, origin: place === undefined ? joint : batch[place]!.origin };
    });
}

/** Copies the record, so that a script that continues to use its answer changes nothing here. */
function readRecord(record: unknown, index: number): ScriptRecord {
    const path = clause`record ${index + 1} of its answer`;
    if (!isPlainObject(record)) throw new WordedError(clause`${path} is ${named(record)}; allowed: an object`);
    return readObject(record, { path, level: 1 });
}

interface Place {
    readonly path: FactText;
    readonly level: number;
}

function readObject(object: PlainObject, { path, level }: Place): ScriptRecord {
    const fields: Array<readonly [string, JsonValue]> = [];
    for (const [key, value] of Object.entries(object)) {
        // As in JSON, a field with the value undefined is omitted.
        if (value !== undefined)
            fields.push([
                key,
                readValue(value, { path: level === 1 ? clause`field "${key}" of ${path}` : path, level: level + 1 }),
            ]);
    }
    return Object.fromEntries(fields);
}

function readValue(value: unknown, keysetPosition: Place): JsonValue {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (keysetPosition.level > MAX_LEVELS)
        throw new WordedError(clause`${keysetPosition.path} is nested deeper than ${MAX_LEVELS} levels`);
    if (Array.isArray(value))
        return Array.from(value as readonly unknown[], element =>
            readValue(element, { ...keysetPosition, level: keysetPosition.level + 1 }),
        );
    if (isPlainObject(value)) return readObject(value, keysetPosition);
    const { path, level } = keysetPosition;
    throw new WordedError(
        level > 2
            ? clause`${path} holds ${named(value)}; allowed: JSON values (text, finite numbers, true, false, null, lists, objects)`
            : clause`${path} is ${named(value)}; allowed: JSON values (text, finite numbers, true, false, null, lists, objects)`,
    );
}

type PlainObject = Readonly<Record<string, unknown>>;

/** Also of another realm, as a test runner's are. */
function isPlainObject(value: unknown): value is PlainObject {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** As a message names it. */
function named(value: unknown): Problem {
    if (typeof value === 'bigint') return clause`the bigint ${String(value)}`;
    if (value === undefined) return 'undefined';
    if (typeof value === 'function') return clause`a function`;
    if (typeof value === 'symbol') return clause`a symbol`;
    if (isPlainObject(value) || Array.isArray(value) || typeof value !== 'object' || value === null) return show(value);
    return factText(ISSUE_WORDS.instance, { class: value.constructor?.name ?? 'unknown' });
}
