import {
    DeleteObjectCommand,
    GetObjectCommand,
    ListObjectsV2Command,
    S3Client,
    S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalFile } from '../../core/adapter/files';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import { type Blobs, checkedKey, isBlobKey, type StoredBlob } from './blobs';

/** A bucket of S3 or of a service that speaks its language. */
export interface ObjectStorageSettings {
    readonly bucket: string;
    /**
     * The prefix of each key: "shop/flow/". Every object with this prefix and a valid key belongs to Flow, and is deleted when no file refers to
     * it. Default `flow-files/`.
     */
    readonly prefix?: string | undefined;
    readonly region?: string | undefined;
    /** The address of a compatible service. Default: S3 itself. */
    readonly endpoint?: string | undefined;
    /** The bucket is in the path instead of the host name, as many compatible services require. */
    readonly forcePathStyle?: boolean | undefined;
    /** Default: the server's own credentials (environment, profile, role). */
    readonly credentials?:
        | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined }
        | undefined;
    /** `WHEN_SUPPORTED` for S3 itself; Ceph and Swift reject its checksums of streams. Default `WHEN_REQUIRED`. */
    readonly requestChecksumCalculation?: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED' | undefined;
}

const PREFIX = 'flow-files/';
/** The smallest part that S3 accepts; two of them are in memory at a time. */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * Blobs as objects of a bucket. The SDK opens its own sockets, not through `io/outbound`: where they lead is written in the shop's code by its
 * developer, so it is trusted, and no user can change it.
 */
export class ObjectStorage implements Blobs {
    private readonly client: S3Client;

    constructor(private readonly settings: ObjectStorageSettings) {
        const {
            region = 'us-east-1',
            endpoint,
            forcePathStyle = false,
            credentials,
            requestChecksumCalculation = 'WHEN_REQUIRED',
        } = settings;
        this.client = new S3Client({
            region,
            forcePathStyle,
            requestChecksumCalculation,
            responseChecksumValidation: 'WHEN_REQUIRED',
            ...(endpoint !== undefined && { endpoint }),
            ...(credentials && {
                credentials: {
                    accessKeyId: credentials.accessKeyId,
                    secretAccessKey: credentials.secretAccessKey,
                    ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
                },
            }),
        });
    }

    async put(key: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
        const place = this.placeOf(key);
        signal.throwIfAborted();
        let sourceFault: { readonly error: unknown } | undefined;
        const watched = async function* (): AsyncGenerator<Uint8Array, void, void> {
            try {
                for await (const chunk of bytes) yield chunk;
            } catch (error) {
                sourceFault = { error };
                throw error;
            }
        };
        // A part is sent when it is full, so a body that ends in an error is either not sent at all or aborted with its parts.
        const upload = new Upload({
            client: this.client,
            params: { ...place, Body: Readable.from(watched(), { objectMode: false }) },
            queueSize: 1,
            partSize: PART_BYTES,
            leavePartsOnError: false,
        });
        const abort = (): void => {
            upload.abort().catch(() => {
                /* `done` reports it. */
            });
        };
        const leave = onAbort(signal, abort);
        try {
            await upload.done();
        } catch (error) {
            signal.throwIfAborted();
            throw sourceFault ? sourceFault.error : failed('write', key, error);
        } finally {
            leave();
        }
    }

    async *open(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
        const place = this.placeOf(key);
        signal.throwIfAborted();
        try {
            const { Body } = await this.client.send(new GetObjectCommand(place), { abortSignal: signal });
            for await (const chunk of Body as Readable) yield chunk as Uint8Array;
        } catch (error) {
            signal.throwIfAborted();
            throw failed('read', key, error);
        }
    }

    async local(key: string, signal: AbortSignal): Promise<LocalFile> {
        const name = checkedKey(key);
        signal.throwIfAborted();
        let folder: string | undefined;
        const release = async (): Promise<void> => {
            if (folder !== undefined) await rm(folder, { recursive: true, force: true });
        };
        try {
            folder = await mkdtemp(join(tmpdir(), 'flow-blob-'));
            const path = join(folder, name);
            await pipeline(this.open(key, signal), createWriteStream(path, { mode: 0o600 }), { signal });
            return { path, release };
        } catch (error) {
            await release();
            signal.throwIfAborted();
            throw failed('copy', key, error);
        }
    }

    async delete(key: string): Promise<void> {
        const place = this.placeOf(key);
        try {
            await this.client.send(new DeleteObjectCommand(place));
        } catch (error) {
            const issue = failed('delete', key, error);
            if (isFlowError(issue) && issue.code === 'BLOB_NOT_FOUND') return;
            throw issue;
        }
    }

    async *olderThan(moment: Date, signal: AbortSignal): AsyncGenerator<StoredBlob, void, void> {
        const { bucket, prefix = PREFIX } = this.settings;
        let ContinuationToken: string | undefined;
        do {
            const list = new ListObjectsV2Command({
                Bucket: bucket,
                Prefix: prefix,
                ...(ContinuationToken !== undefined && { ContinuationToken }),
            });
            const page = await this.client.send(list, { abortSignal: signal }).catch((error: unknown) => {
                signal.throwIfAborted();
                throw failed('list', bucket, error);
            });
            for (const { Key = '', LastModified } of page.Contents ?? []) {
                const key = Key.slice(prefix.length);
                if (isBlobKey(key) && LastModified && LastModified < moment) yield { key, modifiedAt: LastModified };
            }
            ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
        } while (ContinuationToken !== undefined);
    }

    private placeOf(key: string): { readonly Bucket: string; readonly Key: string } {
        const { bucket, prefix = PREFIX } = this.settings;
        return { Bucket: bucket, Key: prefix + checkedKey(key) };
    }
}

function failed(what: string, key: string, error: unknown): unknown {
    if (isFlowError(error)) return error;
    if (error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name))
        return flowError('BLOB_NOT_FOUND', { key }, { cause: error });
    const { name = 'Error', message = String(error), syscall, code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
    // Only the code for errors of the machine itself: their messages contain paths and addresses of the server.
    const problem = syscall !== undefined && code !== undefined ? code : `${name}: ${message}`;
    return flowError('STORAGE_FAILED', { what, problem }, { cause: error });
}
