import type { LocalFile } from '../../core/adapter/files';
import { flowError } from '../../core/errors/flow-error';

/** A blob that the storage holds, and when it came to be whole. */
export interface StoredBlob {
    readonly key: string;
    readonly modifiedAt: Date;
}

/**
 * Where the content of managed files lies. Keys are made by Flow, never by users; all blobs of one storage belong to
 * one shop. What a disk or a service throws becomes STORAGE_FAILED; an aborted signal throws its reason.
 */
export interface Blobs {
    /** Writes a blob as its bytes come. Nobody sees it before it is whole, and it is durable once this is done; when the bytes fail or the signal aborts, nothing stays. */
    put(key: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
    /** Reads a blob from its beginning. The iteration may be left early, which closes it. Throws BLOB_NOT_FOUND at its first step. */
    open(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
    /** The blob as a file of this machine, to be released when done with. Throws BLOB_NOT_FOUND. */
    local(key: string, signal: AbortSignal): Promise<LocalFile>;
    /** Removes a blob, and what an interrupted `put` left of it. One that is not there is no error. */
    delete(key: string): Promise<void>;
    /** All blobs that became whole, or were given up, before a moment; in no order. */
    olderThan(moment: Date, signal: AbortSignal): AsyncIterable<StoredBlob>;
}

/** 32 hexadecimal digits: no key can name a place outside of its storage. */
const KEY = /^[0-9a-f]{32}$/;

export function isBlobKey(text: string): boolean {
    return KEY.test(text);
}

/** The key as it came; throws BUG for anything that Flow has not made. */
export function checkedKey(key: string): string {
    if (!isBlobKey(key))
        throw flowError('BUG', {
            problem: `the key of a blob is not 32 hexadecimal digits but ${JSON.stringify(key.slice(0, 60))}`,
        });
    return key;
}
