/** Content that can be read several times from its beginning, regardless of its storage. */
export interface ByteSource {
    /** Opens a new iteration. It may be left early, which closes it. */
    open(signal: AbortSignal): AsyncIterable<Uint8Array>;
    /** The same content as a file of this machine, for formats that are not read in one go. To be released when done with. */
    local(signal: AbortSignal): Promise<LocalFile>;
}

export interface LocalFile {
    readonly path: string;
    release(): Promise<void>;
}

/** An uploaded file as extractors see it. Its content never changes: another content is another file. */
export interface ManagedFile {
    readonly id: string;
    readonly filename: string;
    /** What it was found to be when it was uploaded: csv, json, xml, txt, xls or xlsx. */
    readonly format: string;
    readonly sha256: string;
    /** In bytes. */
    readonly size: number;
    readonly content: ByteSource;
}

/** The uploaded files of the run's channel. */
export interface FileStore {
    /** Undefined if there is no file with this id, or if it has expired and was deleted. */
    find(id: string): Promise<ManagedFile | undefined>;
}
