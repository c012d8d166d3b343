import { duplicateKeyOf, twice } from '../../core/data/json-keys';
import type { JsonMarks } from '../../core/data/json-marks';
import { keysIn, type NumberedText, parseExactly } from '../../core/data/json-text';
import type { JsonValue } from '../../core/value/json';
import type { ElementSink } from './element-sink';
import { type GatheredMarks, scanInto } from './json-scan';
import { skipBlanks } from './json-syntax';
import { CHUNK_BYTES } from './chunks';
import type { TextLocation } from './text-location';

/** A longer element is not read; the limit also bounds memory. */
export const MAX_LENGTH = 4 * 1024 * 1024;
/** The number of elements that are parsed at once; other work may run after them. */
const MOST = 500;

/** Elements of a list, one after the other. */
interface Stretch {
    readonly starts: readonly number[];
    readonly ends: readonly number[];
    /** Undefined if there is a problem with one of them. */
    readonly values: readonly JsonValue[] | undefined;
}

/**
 * Passes the elements of a list to a sink: many at once if there is no problem with any, which is far faster, and one
 * by one otherwise.
 */
export class ElementValues {
    /** Up to here they are read one by one. */
    private singlyTo = 0;

    constructor(
        private readonly sink: ElementSink,
        private readonly location: TextLocation,
    ) {}

    /**
     * Passes the complete elements from `at`. Returns the end of the last one; undefined if they must be read one by
     * one.
     */
    runBranch(text: string, at: number): number | undefined {
        const found = at < this.singlyTo ? undefined : stretchAt(text, at);
        if (!found) return undefined;
        const { starts, ends, values } = found;
        const end = ends.at(-1)!;
        if (!values) {
            this.singlyTo = end;
            return undefined;
        }
        for (const [i, value] of values.entries())
            if (this.sink.isWanted())
                this.sink.take(value, ends[i]! - starts[i]!, this.location.moveTo(starts[i]!, text));
        return end;
    }

    /** Reads an element that begins at `at`, with its own marks. False if it is not valid JSON. */
    giveOne(
        whole: string,
        { at, end, numbers, keys }: { readonly at: number; readonly end: number } & JsonMarks,
    ): boolean {
        if (!this.sink.isWanted()) return true;
        const text = whole.slice(at, end);
        const value = parsed({ text, numbers: numbers.length === 0 ? numbers : numbers.map(place => place - at) });
        if (value === undefined) return false;
        const place = this.location.moveTo(at, whole);
        const duplicate = keys === keysIn(value) ? undefined : duplicateKeyOf(text);
        if (duplicate) this.sink.refuse(text, twice(duplicate), place);
        else this.sink.take(value, text.length, place);
        return true;
    }

    /** The text before `at` is dropped. */
    cut(at: number): void {
        this.singlyTo -= at;
    }
}

/** The elements that are complete from `from` on, which is the begin of one; undefined where not even the first is, of a size that may be. */
function stretchAt(text: string, from: number): Stretch | undefined {
    const starts: number[] = [];
    const ends: number[] = [];
    const marks: GatheredMarks = { numbers: [], keys: 0 };
    // Of those that are complete.
    let [keys, places] = [0, 0];
    for (let at = from; starts.length < MOST && at - from < CHUNK_BYTES;) {
        const end = scanInto(marks, text, at);
        if (typeof end === 'string' || end - at > MAX_LENGTH) break;
        starts.push(at);
        ends.push(end);
        keys = marks.keys;
        places = marks.numbers.length;
        const after = skipBlanks(text, end);
        if (text[after] !== ',') break;
        at = skipBlanks(text, after + 1);
        if (at === text.length || ']},:'.includes(text[at]!)) break;
    }
    const end = ends.at(-1);
    if (end === undefined) return undefined;
    // After the bracket that is put before them.
    const numbers = marks.numbers.slice(0, places).map(place => place - from + 1);
    // In a valid list the elements are at the expected places; an object with a repeated key has fewer than its text.
    const values = parsed({ text: `[${text.slice(from, end)}]`, numbers });
    return {
        starts,
        ends,
        values: values !== undefined && keysIn(values) === keys ? (values as JsonValue[]) : undefined,
    };
}

/** Undefined if it is not valid JSON. */
function parsed(numbered: NumberedText): JsonValue | undefined {
    try {
        return parseExactly(numbered);
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return undefined;
    }
}
