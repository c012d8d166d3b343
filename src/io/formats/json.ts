import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { segmentsOf } from '../../core/data/path';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import type { AroundItems, ElementSink, ItemsPath } from './element-sink';
import { JsonElements } from './json-elements';
import { listWithinHint } from './list-within';
import { piecesOf } from './pieces';
import type { TextPlace } from './text-place';
import { inTurns, readerYield } from './turns';
import { WeighedPages } from './weighed-pages';
import type { OpenText, ReadFrom, RecordPage, RecordReader } from './source';

/** Where the records of a JSON text are. */
export interface JsonOptions {
    /** Dot path of names to the list of records; the root where absent. */
    readonly itemsPath?: string;
    readonly mayBeOne?: boolean;
    readonly mayBeNull?: boolean;
    /** What the setting is called that says so; `itemsPath` where it is left out. */
    readonly option?: string;
    /** Takes what stands around the records, of a pass that reads. */
    readonly around?: AroundItems;
    /** Is told a doubt about where the records are. */
    readonly doubt?: (hint: string) => void;
}

/**
 * JSON of any length, read piece by piece: a list of records, one record, or NDJSON, which is seen by itself. Values
 * keep their types; only a number that no double holds exactly becomes the text that it is.
 */
export function jsonReader(
    text: OpenText,
    { itemsPath, option = 'itemsPath', around, doubt, mayBeOne, mayBeNull }: JsonOptions = {},
): RecordReader {
    const path = itemsPath === undefined ? undefined : { ...pathTo(itemsPath, option), mayBeOne, mayBeNull };
    return {
        async check() {
            let rows = 0;
            const elements = new JsonElements({ isWanted: () => ++rows > 0, take: nothing, refuse: nothing }, path);
            for await (const _ of readInto(elements, text())) continue;
            return { rows };
        },
        async *read(from: ReadFrom) {
            const sink = new PageSink(from);
            const elements = new JsonElements(sink, path, around);
            try {
                for await (const _ of readInto(elements, text())) yield* sink.full();
            } catch (error) {
                // What was read before the fault is handed on.
                yield* sink.rest();
                throw error;
            }
            yield* sink.rest();
            const hint = elements.isOneRecord && sink.first && listWithinHint(sink.first, { option });
            if (hint) doubt?.(hint);
        },
    };
}

/** Turns to the caller after each stretch. */
async function* readInto(elements: JsonElements, text: AsyncIterable<string>): AsyncGenerator<void, void, void> {
    const turns = readerYield();
    for await (const piece of piecesOf(text, turns)) yield* inTurns(elements.push(piece), turns);
    yield* inTurns(elements.end(), turns);
}

const nothing = (): void => undefined;

/** Elements as records. One that is no object is a fault; the others go on. */
class PageSink implements ElementSink {
    private readonly pages: WeighedPages;
    private count = 0;
    /** The first that is wanted. */
    first: JsonObject | undefined;

    constructor(from: ReadFrom) {
        this.pages = new WeighedPages(from);
    }

    isWanted(): boolean {
        this.count++;
        if (!this.pages.isSkipping) return true;
        this.pages.skip();
        return false;
    }

    take(value: JsonValue, weight: number, place: TextPlace): void {
        if (isJsonObject(value)) {
            this.first ??= value;
            this.pages.add(value, weight, place.lineNumber);
        } else
            this.pages.addFault(
                {
                    path: 'value',
                    data: { value },
                    problem: `element ${this.count} (${String(place)}) is ${show(value)}; allowed: an object`,
                },
                weight,
                place.lineNumber,
            );
    }

    refuse(text: string, problem: string, place: TextPlace): void {
        const fault = `element ${this.count} (${String(place)}) ${problem}`;
        // As text: what becomes of it has each key once.
        this.pages.addFault({ path: 'value', data: { value: text }, problem: fault }, text.length, place.lineNumber);
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
    if (typeof segments === 'string') throw flowError('BUG', { problem: `${option} ${segments}, and was not checked` });
    return { text, segments, option };
}
