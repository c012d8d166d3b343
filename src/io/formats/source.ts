import type { PageIssue } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';

export type { ByteSource, LocalFile } from '../../core/adapter/files';

/** A text in pieces of any size, cut anywhere. Is called again for each pass. */
export type OpenText = () => AsyncIterable<string>;

/** Some rows of a source as records. `rows` counts all rows so far, including skipped and malformed ones. */
export interface RecordPage {
    readonly records: readonly JsonObject[];
    /** Rows that are not records, each with its place among the records of the page. */
    readonly faults: readonly PageIssue[];
    readonly rows: number;
    /** The place of the record with this index in the source, in the form of `Page.placeOf`. */
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
    /** All of them, including malformed ones. */
    readonly rows: number;
    /** The names of a table's columns; absent if it has none, or if the source is not a table. */
    readonly columns?: readonly string[];
}

/**
 * One source in one format. `check` reads everything and throws SOURCE_MALFORMED with the place (line, byte, cell)
 * that cannot be read, so that a malformed source loads nothing. `read` is the second pass, in constant memory: it
 * reads on only when its page has been taken. Neither blocks the event loop for more than some milliseconds at a
 * time.
 */
export interface RecordReader {
    check(): Promise<Checked>;
    read(from: ReadFrom): AsyncGenerator<RecordPage, void, void>;
}
