import type { LogText } from '../../core/log/log-text';

/** A file elsewhere, as a listing or the server itself describes it. */
export interface RemoteFile {
    /** From the server's root on, with `/` between folders; of object storage the key. */
    readonly path: string;
    /** In bytes. */
    readonly size: number;
    /** In ms; undefined if the server does not report it. */
    readonly modifiedAt: number | undefined;
    /** Of object storage: what changes with the content. */
    readonly etag?: string;
}

/** A part of a folder's content, as it arrives. */
export interface RemotePage {
    readonly files: readonly RemoteFile[];
    /** Notes for users: skipped entries, reached limits. Whole sentences. */
    readonly notes: readonly LogText[];
    /** Paths of links and special files, which may lead to files or folders and are not followed. */
    readonly links?: readonly string[];
    /**
     * There are more entries, which are not listed: they exceed a limit, have a name that is not allowed, or are in a
     * line that is not understood.
     */
    readonly isCut?: boolean;
}

/** Where a listing ends at the latest. */
interface ListBounds {
    /** Folders within folders. */
    readonly depth: number;
    /** Of files and folders. */
    readonly entries: number;
    /** Answers of the server. */
    readonly pages: number;
}

/** The bounds of a listing of a FILE trigger. */
export const LIST_BOUNDS: ListBounds = { depth: 20, entries: 10_000, pages: 1_000 };

/** An extractor lists folders and prefixes of any size to their end. These bounds only stop a server whose listing never ends. */
export const EXTRACT_BOUNDS: ListBounds = { depth: Infinity, entries: 10_000_000, pages: 1_000_000 };

/** What is listed. */
export interface Listing {
    /** A folder, or of object storage what keys begin with. */
    readonly under: string;
    /** Includes the content of subfolders. */
    readonly recursive: boolean;
    readonly bounds: ListBounds;
}

/** How a file is written. */
export interface PutOptions {
    /** If false, an existing file is kept, and REMOTE_FILE_EXISTS is thrown. Default true. */
    readonly overwrite?: boolean;
}

/**
 * Files of one server, under any protocol. Connections are opened when they are needed, and again when they were
 * lost. All methods throw the gateway's errors: REMOTE_BUSY and OUTBOUND_TIMEOUT if a retry may help, REMOTE_REFUSED
 * if not. The caller must close it.
 */
export interface RemoteFiles {
    /** For messages: `sftp.example.com`, or the bucket. */
    readonly host: string;
    /**
     * In pages; each is requested when the previous one was taken. Links and entries with names that lead to other folders are skipped, and
     * reported in the notes.
     */
    list(listing: Listing): AsyncGenerator<RemotePage, void, void>;
    /** Undefined if there is no such file. */
    stat(path: string): Promise<RemoteFile | undefined>;
    /**
     * The bytes from an offset, by one connection: a lost connection is an error (see `verifiedBytes`). The iteration
     * may be left early. With `etag`, reads only that content, if the server supports it. Throws
     * REMOTE_FILE_NOT_FOUND and REMOTE_FILE_CHANGED.
     */
    open(file: Pick<RemoteFile, 'path' | 'etag'>, offset: number): AsyncIterable<Uint8Array>;
    /** A missing file is not an error. With `etag` of object storage, no other version is deleted, if the server supports that. */
    delete(path: string): Promise<void>;
    /** Creates missing folders. Throws REMOTE_FILE_EXISTS if the target exists, and REMOTE_FILE_NOT_FOUND. */
    move(from: string, to: string): Promise<void>;
    /**
     * Writes a file from a stream, under another name in the same folder, and moves it into place once it is complete, so that no one sees a
     * partial file. Creates missing folders. If the stream fails, nothing is kept, as far as the server still responds.
     */
    put(path: string, bytes: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<RemoteFile>;
    /** Closes all connections. May be called more than once. */
    close(): void;
}
