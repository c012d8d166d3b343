import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, type Path, segmentsOf } from '../data/path';
import type { ReplacementLimit } from '../data/regex/replacement';
import { leastJson, VALUE_WEIGHT, sizeOfValue } from '../data/weight';
import { type FlowError, flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';

/** The maximum size of operator results, in characters. Each value counts 8 in addition to its text, each list or object 16. */
export interface RecordLimits {
    /** A text, or a list that is made from a text. */
    readonly maxValueChars: number;
    /** A record, and each list or object in it. */
    readonly maxRecordChars: number;
    /** The maximum number of records that the operators of a step may make of one. Default: 100,000. */
    readonly maxPieces?: number;
}

/** What the plugin's options say unless they are given. */
export const DEFAULT_LIMITS: RecordLimits = { maxValueChars: 4 * 1024 * 1024, maxRecordChars: 16 * 1024 * 1024 };

/** For an operator outside of a step, where nothing separates one record from the next. */
export const LIMITS_OF_VALUES: RecordLimits = { ...DEFAULT_LIMITS, maxRecordChars: Infinity, maxPieces: Infinity };

/**
 * The total output of a step's operators for one record may be this many times the maximum record size, because most of it is discarded before the
 * end.
 */
const MADE_TIMES = 4;
/** A record is weighed again when its operators have made so much, not each time. */
const STRETCH = 256 * 1024;
const MAX_PIECES = 100_000;
const MAX_INDEX = 1000;

/** What the operators of a step have made so far of the record that they are at. */
export class SizeCounter {
    made = 0;
    unweighed = 0;
    pieces = 0;

    begin(): void {
        this.made = 0;
        this.unweighed = 0;
        this.pieces = 0;
    }

    /** While other work of the process has its turn, the count is of other records. */
    async during(turn: () => Promise<void>): Promise<void> {
        const { made, unweighed, pieces } = this;
        await turn();
        Object.assign(this, { made, unweighed, pieces });
    }
}

/**
 * The limits that an operator checks before and while it makes a text or a list. A result over a limit rejects the record, with an error that names
 * operator, field and limit.
 */
export class Bounds {
    private readonly most: number;

    constructor(
        private readonly op: string,
        readonly limits: RecordLimits = DEFAULT_LIMITS,
        readonly tally: SizeCounter = new SizeCounter(),
    ) {
        this.most = limits.maxRecordChars * MADE_TIMES;
    }

    /** A path whose `set` counts what it writes. */
    field(text: string): Path {
        const path = compilePath(text);
        const filled = fillersOf(text) * VALUE_WEIGHT;
        return {
            ...path,
            set: (data, value, like) => {
                if (typeof value === 'string') this.text(text, value.length);
                else if (typeof value === 'object' && value !== null) this.value(text, value);
                if (filled > 0) this.count(text, filled);
                const out = path.set(data, value, like);
                if (this.tally.unweighed > STRETCH) this.weigh(text, out);
                return out;
            },
        };
    }

    /** Like `field`, for small values: counts only the elements that fill up a list. */
    place(text: string): Path {
        return fillersOf(text) === 0 ? compilePath(text) : this.field(text);
    }

    /** Throws if a text of this length is too long for a field. */
    text(path: string, length: number): void {
        if (length > this.limits.maxValueChars) throw this.tooLong(path);
        this.count(path, length);
    }

    /** Throws if a text is known to become longer than a field may be. */
    fits(path: string, length: number): void {
        if (length > this.limits.maxValueChars) throw this.tooLong(path);
    }

    /** The same for a text that is built step by step. */
    limitOf(path: string): ReplacementLimit {
        return { most: this.limits.maxValueChars, fits: length => this.fits(path, length) };
    }

    /** How many elements a list may have that is made of a text. */
    get mostElements(): number {
        return Math.floor(this.limits.maxValueChars / VALUE_WEIGHT);
    }

    /** Throws if a list gets more elements than a text of the same size could have. */
    elements(path: string, count: number): void {
        this.fits(path, count * VALUE_WEIGHT);
    }

    /**
     * The text of a value within another text: null and missing values are empty, objects and lists are JSON. Throws before it builds a text that
     * is too long.
     */
    textOf(path: string, value: JsonValue | undefined): string {
        if (typeof value === 'string') return value;
        if (value === undefined || value === null) return '';
        return typeof value === 'object' ? this.json(path, value) : String(value);
    }

    /** The JSON of a value. It is not built if it would be too long. */
    json(path: string, value: JsonValue, indent = 0): string {
        const { maxValueChars } = this.limits;
        if (typeof value === 'object' || typeof value === 'string')
            this.fits(path, leastJson(value, maxValueChars, { indent, level: 0 }));
        const text = JSON.stringify(value, undefined, indent);
        this.fits(path, text.length);
        return text;
    }

    /** Throws if a list or object is larger than a record may be; call it before the value is serialised for comparison or hashing. */
    value(path: string, value: JsonValue): void {
        const { maxRecordChars } = this.limits;
        const weight = sizeOfValue(value, maxRecordChars);
        if (weight > maxRecordChars)
            throw this.over(path, { what: 'a value', option: 'maxRecordChars', allowed: maxRecordChars });
        this.count(path, weight);
    }

    /** Throws if this operator and those before it have produced too much from one record. */
    count(path: string, characters: number): void {
        const { tally } = this;
        tally.made += characters;
        tally.unweighed += characters;
        if (tally.made > this.most)
            throw this.over(path, {
                what: 'texts and lists, with the operators before it, out of one record',
                option: `maxRecordChars times ${MADE_TIMES}`,
                allowed: this.most,
            });
    }

    /**
     * Throws if the operators so far have made too many records of one. `weight` is the size of each new record, in
     * characters.
     */
    pieces(path: string, count: number, weight: number): void {
        const { tally } = this;
        const { maxPieces = MAX_PIECES } = this.limits;
        tally.pieces += count - 1;
        if (tally.pieces >= maxPieces)
            throw recordInvalid(
                path,
                `operator ${this.op} would make, with the operators before it, more than ${maxPieces} records of one`,
            );
        this.count(path, count * weight);
    }

    /** Throws if a record is larger than allowed. */
    weigh(path: string, record: JsonObject): void {
        const { maxRecordChars } = this.limits;
        this.tally.unweighed = 0;
        if (sizeOfValue(record, maxRecordChars) > maxRecordChars)
            throw this.over(path, { what: 'a record', option: 'maxRecordChars', allowed: maxRecordChars });
    }

    private tooLong(path: string): FlowError {
        const allowed = this.limits.maxValueChars;
        return this.over(path, { what: 'a text or list', option: 'maxValueChars', allowed });
    }

    private over(path: string, limit: { what: string; option: string; allowed: number }): FlowError {
        return flowError('VALUE_TOO_LARGE', { path, op: this.op, ...limit }, { details: { path } });
    }
}

/** The number of elements with which a path may fill up a list, if it refers to an index far past the end. */
function fillersOf(path: string): number {
    const segments = segmentsOf(path);
    if ('message' in segments) return 0;
    return segments.reduce(
        (sum, segment) => sum + (/^\d+$/.test(segment) ? Math.min(Number(segment), MAX_INDEX) : 0),
        0,
    );
}
