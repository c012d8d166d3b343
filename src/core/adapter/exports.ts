import type { ByteSource } from './files';

/** Some records of an export, serialised in the order in which they arrive. */
export interface ExportPart {
    /** The key of the part, stable when its records are repeated: the delivery id of its first record. */
    readonly key: string;
    readonly records: number;
    /** The names of the fields that its records have, in the order in which they come up. */
    readonly columns: readonly string[];
    readonly content: Uint8Array;
}

/** A part that is stored. */
export interface StoredPart extends Omit<ExportPart, 'content'> {
    open(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** What a finished export is kept as. */
export interface ExportedFile {
    /** Under which the newest file of an export is found; of the channel. */
    readonly exportCode: string;
    readonly filename: string;
    readonly mimeType: string;
    /** As managed files have it: csv, json, xml or xlsx. */
    readonly format: string;
    readonly records: number;
    /** How many of the newest files of the export stay, this one included. */
    readonly keep: number;
}

/** A complete file that is not visible to anyone yet. */
export interface ExportDraft {
    /** In bytes. */
    readonly size: number;
    /** In hexadecimal digits. */
    readonly sha256: string;
    readonly content: ByteSource;
    /**
     * Makes it the newest managed file of its export, replacing the previous one. Throws FILE_LIMIT and INPUT_INVALID.
     */
    publish(file: ExportedFile): Promise<{ readonly id: string }>;
    /** Forgets it, unless it was published. */
    discard(): Promise<void>;
}

/** Stores the exports of a run until they are complete. Stored parts are available to a worker that takes over the run. */
export interface ExportStore {
    /** Stores a part durably, after the earlier ones; a part with an existing key replaces the stored one. */
    put(stepKey: string, part: ExportPart, signal: AbortSignal): Promise<void>;
    /** In the order in which they came first. */
    parts(stepKey: string): Promise<readonly StoredPart[]>;
    /** Writes a file of which nothing stays where its bytes fail. Throws EXPORT_TOO_LARGE. */
    draft(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ExportDraft>;
    /** Forgets the parts of a step. */
    clear(stepKey: string): Promise<void>;
}
