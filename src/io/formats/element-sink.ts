import { flowError } from '../../core/errors/flow-error';
import type { JsonValue } from '../../core/value/json';
import type { TextLocation } from './text-location';

/** Takes the elements of a JSON text in their order. */
export interface ElementSink {
    /** Counts the next element. False when it is not wanted, and need not be parsed. */
    isWanted(): boolean;
    /**
     * `length` counts its characters in the text; `place` is where it begins, and is valid until the reading
     * continues.
     */
    take(value: JsonValue, length: number, location: TextLocation): void;
    /**
     * Receives the text of an element that is valid JSON but not a record, with the reason as the end of a sentence.
     */
    refuse(text: string, problem: string, location: TextLocation): void;
}

/** The names that lead to the list of records, and how they are written in the pipeline. */
export interface ItemsPath {
    readonly text: string;
    readonly segments: readonly string[];
    /** The name of the setting for the path, such as `itemsPath`. */
    readonly option: string;
    /** One object in place of the list is a record. */
    readonly mayBeOne?: boolean | undefined;
    /** null in place of the list is an empty one. */
    readonly mayBeNull?: boolean | undefined;
}

/** Gathers what a JSON text is without its records: `{"next": "c2", "items": []}`. */
export class AroundItems {
    private readonly parts: string[] = [];
    private length = 0;

    constructor(private readonly most: number) {}

    /** Throws SOURCE_MALFORMED if the text exceeds the limit. */
    add(token: string): void {
        this.parts.push(token);
        this.length += token.length;
        if (this.length <= this.most) return;
        const problem = `there are more than ${this.most} characters`;
        throw flowError('SOURCE_MALFORMED', { where: 'what is around the records', problem });
    }

    /** The JSON text, once the whole text has been read. */
    get text(): string {
        return this.parts.join('');
    }
}
