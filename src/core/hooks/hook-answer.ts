import type { BatchAnswer } from '../adapter/inline-script';
import type { ScriptRecord } from '../adapter/script';
import type { JsonValue } from '../value/json';
import { type Batch, originOf } from '../data/record';
import { show } from '../value/show';

/** Deeper than any source has its records; a list that holds itself has no end. */
const MAX_LEVELS = 200;

/**
 * The batch that a script's answer makes of another one, of which it was given copies. Throws an Error for what is no list of records.
 *
 * A record keeps the origin of the copy that it is; one that is no copy has that of its place where nothing was added or left out. Where
 * that cannot be told either, the records that the script has made share one origin, as their inputs cannot be told apart.
 */
export function answeredBatch(answer: unknown, given: readonly ScriptRecord[], batch: Batch): Batch {
    if (answer instanceof PlacedAnswer) return placedBatch(answer.answer, batch);
    if (!Array.isArray(answer))
        throw new Error(
            `it answered ${named(answer)}; allowed: a list of records, or undefined to leave them as they are`,
        );
    const places = new Map<unknown, number>(given.map((copy, index) => [copy, index]));
    const isAligned = answer.length === batch.length;
    const joint = originOf(batch);
    // Array.from, since a list with holes would be passed over at them.
    return Array.from(answer as readonly unknown[], (record, index) => {
        const place = places.get(record) ?? (isAligned ? index : undefined);
        return { data: readRecord(record, index), origin: place === undefined ? joint : batch[place]!.origin };
    });
}

/** An answer of inline code, whose records are no copies but say themselves which of the given ones they are. */
export class PlacedAnswer {
    constructor(readonly answer: BatchAnswer) {}
}

function placedBatch({ records, from }: BatchAnswer, batch: Batch): Batch {
    const isAligned = records.length === batch.length;
    const joint = originOf(batch);
    return records.map((data, index) => {
        const place = from[index]! >= 0 ? from[index]! : isAligned ? index : undefined;
        return { data, origin: place === undefined ? joint : batch[place]!.origin };
    });
}

/** A copy, so that a script that goes on with what it has answered changes nothing here. */
function readRecord(record: unknown, index: number): ScriptRecord {
    const path = `record ${index + 1} of its answer`;
    if (!isPlainObject(record)) throw new Error(`${path} is ${named(record)}; allowed: an object`);
    return readObject(record, { path, level: 1 });
}

interface Place {
    readonly path: string;
    readonly level: number;
}

function readObject(object: PlainObject, { path, level }: Place): ScriptRecord {
    const fields: Array<readonly [string, JsonValue]> = [];
    for (const [key, value] of Object.entries(object)) {
        // As JSON has it: a field without a value is no field.
        if (value !== undefined)
            fields.push([
                key,
                readValue(value, { path: level === 1 ? `field "${key}" of ${path}` : path, level: level + 1 }),
            ]);
    }
    return Object.fromEntries(fields);
}

function readValue(value: unknown, place: Place): JsonValue {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (place.level > MAX_LEVELS) throw new Error(`${place.path} is nested deeper than ${MAX_LEVELS} levels`);
    if (Array.isArray(value))
        return Array.from(value as readonly unknown[], element =>
            readValue(element, { ...place, level: place.level + 1 }),
        );
    if (isPlainObject(value)) return readObject(value, place);
    const verb = place.level > 2 ? 'holds' : 'is';
    throw new Error(
        `${place.path} ${verb} ${named(value)}; allowed: JSON values (text, finite numbers, true, false, null, lists, objects)`,
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
function named(value: unknown): string {
    if (typeof value === 'bigint') return `the bigint ${value}`;
    if (value === undefined) return 'undefined';
    if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
    if (isPlainObject(value) || Array.isArray(value) || typeof value !== 'object' || value === null) return show(value);
    return `an object of class ${value.constructor?.name ?? 'unknown'}`;
}
