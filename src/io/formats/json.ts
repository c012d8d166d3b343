import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { LogText } from '../../core/log/log-text';
import { segmentsOf } from '../../core/data/path';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import type { AroundItems, ElementSink, ItemsPath } from './element-sink';
import { JsonRecordSplitter } from './json-record-splitter';
import { nestedListHint } from './nested-list-hint';
import { chunksOf } from './chunks';
import type { TextLocation } from './text-location';
import { yieldingBetween, readerYield } from './reader-yield';
import { SizedPages } from './sized-pages';
import type { OpenText, ReadFrom, RecordPage, RecordReader } from './source';

/** Where the records of a JSON text are. */
export interface JsonOptions {
    /** Dot path of names to the list of records. Default: the root. */
    readonly itemsPath?: string;
    readonly mayBeOne?: boolean;
    readonly mayBeNull?: boolean;
    /** The name of the setting for the path. Default: `itemsPath`. */
    readonly option?: string;
    /** Receives the values around the records, of a pass that reads. */
    readonly around?: AroundItems;
    /** Is called with a doubt about where the records are. */
    readonly doubt?: (hint: LogText) => void;
}

/**
 * JSON of any length, read piece by piece: a list of records, one record, or NDJSON, which is detected. Values keep
 * their types; only a number that no double holds exactly becomes text.
 */
export function jsonReader(
    text: OpenText,
    { itemsPath, option = 'itemsPath', around, doubt, mayBeOne, mayBeNull }: JsonOptions = {},
): RecordReader {
    const path = itemsPath === undefined ? undefined : { ...pathTo(itemsPath, option), mayBeOne, mayBeNull };
    return {
        async check() {
            let rows = 0;
            const elements = new JsonRecordSplitter(
                { isWanted: () => ++rows > 0, take: nothing, refuse: nothing },
                path,
            );
            for await (const _ of readInto(elements, text())) continue;
            return { rows };
        },
        async *read(from: ReadFrom) {
            const sink = new PageSink(from);
            const elements = new JsonRecordSplitter(sink, path, around);
            try {
                for await (const _ of readInto(elements, text())) yield* sink.full();
            } catch (error) {
                // Records that were read before the error are still returned.
                yield* sink.rest();
                throw error;
            }
            yield* sink.rest();
            const hint = elements.isOneRecord && sink.first && nestedListHint(sink.first, { option });
            if (hint) doubt?.(hint);
        },
    };
}

/** Turns to the caller after each stretch. */
async function* readInto(splitter: JsonRecordSplitter, text: AsyncIterable<string>): AsyncGenerator<void, void, void> {
    const turns = readerYield();
    for await (const piece of chunksOf(text, turns)) yield* yieldingBetween(splitter.push(piece), turns);
    yield* yieldingBetween(splitter.end(), turns);
}

const nothing = (): void => undefined;

/** Reads elements as records. An element that is not an object is an issue; the others continue. */
class PageSink implements ElementSink {
    private readonly pages: SizedPages;
    private count = 0;
    /** The first record that is needed. */
    first: JsonObject | undefined;

    constructor(from: ReadFrom) {
        this.pages = new SizedPages(from);
    }

    isWanted(): boolean {
        this.count++;
        if (!this.pages.isSkipping) return true;
        this.pages.skip();
        return false;
    }

    take(value: JsonValue, weight: number, location: TextLocation): void {
        if (isJsonObject(value)) {
            this.first ??= value;
            this.pages.add(value, weight, location.lineNumber);
        } else
            this.pages.addFault(
                {
                    path: 'value',
                    data: { value },
                    problem: `element ${this.count} (${String(location)}) is ${show(value)}; allowed: an object`,
                },
                weight,
                location.lineNumber,
            );
    }

    refuse(text: string, problem: string, location: TextLocation): void {
        const issue = `element ${this.count} (${String(location)}) ${problem}`;
        // The issue has the text, since a parsed object would have each key only once.
        this.pages.addFault({ path: 'value', data: { value: text }, problem: issue }, text.length, location.lineNumber);
    }

    full(): readonly RecordPage[] {
        return this.pages.full();
    }

    rest(): readonly RecordPage[] {
        return this.pages.rest();
    }
}

function pathTo(text: string, option: string): ItemsPath {
    const segments = segmentsOf(text);
    if ('message' in segments)
        throw flowError('BUG', { problem: `${option} ${segments.message}, and was not checked` });
    return { text, segments, option };
}
