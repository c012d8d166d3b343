import type { PageIssue } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';

export type { ByteSource, LocalFile } from '../../core/adapter/files';

/** A text in pieces of any size, cut anywhere. Called anew for each pass. */
export type OpenText = () => AsyncIterable<string>;

/** Some rows of a source as records. `rows` counts all rows so far, the skipped and the faulty ones included. */
export interface RecordPage {
    readonly records: readonly JsonObject[];
    /** Rows that are no records, each with its place among the records of the page. */
    readonly faults: readonly PageIssue[];
    readonly rows: number;
    /** Where the record with this index stands in the source, as `Page.placeOf` says it. */
    readonly placeOf: (index: number) => string | undefined;
}

/** What the number of a row is called where people look for it: `line 17`. */
export type LocationLabel = (row: number) => string;

export interface ReadFrom {
    /** Rows to leave out at the start, cheaply; a resumed run has read them before. */
    readonly skip?: number;
    readonly pageSize?: number;
}

/** What a first pass has found. */
export interface Checked {
    /** All of them, the faulty ones included. */
    readonly rows: number;
    /** The names of a table's columns; absent where it has none, and where the source is no table. */
    readonly columns?: readonly string[];
}

/**
 * One source in one format. `check` reads everything and throws SOURCE_MALFORMED with the place (line, byte, cell) where it cannot be read,
 * so that a malformed source loads nothing; `read` is the second pass, in constant memory: it asks for more only
 * when its page has been taken. Neither holds the event loop for more than some milliseconds at a time.
 */
export interface RecordReader {
    check(): Promise<Checked>;
    read(from: ReadFrom): AsyncGenerator<RecordPage, void, void>;
}
