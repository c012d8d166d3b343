import {
    CopyObjectCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    HeadObjectCommand,
    ListObjectsV2Command,
    type S3Client,
    S3ServiceException,
} from '@aws-sdk/client-s3';
import { logText, type LogText } from '../../core/log/log-text';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import { show } from '../../core/value/show';
import type { Listing, PutOptions, RemoteFile, RemoteFiles, RemotePage } from './remote-files';
import { keyProblem, isSkipped } from './remote-path';
import { S3ObjectClient, type S3ClientDeps, type S3Target } from './s3-client';

/** Two of them are in memory at a time. */
const PART_BYTES = 8 * 1024 * 1024;
/** The largest object that S3 copies in one request. */
const MAX_COPY_BYTES = 5 * 1024 ** 3;
const PAGE = 1_000;
/** The maximum number of skipped entries that are reported individually. */
const TOLD = 5;

/** Objects of a bucket as files; `/` is a letter of keys like any other, save where a listing is not recursive. */
export class S3Files implements RemoteFiles {
    readonly host: string;
    private readonly bucket: string;
    private readonly gateway: S3ObjectClient;

    constructor(
        place: S3Target,
        private readonly parts: S3ClientDeps,
    ) {
        this.bucket = place.bucket;
        this.host = `the bucket ${place.bucket}`;
        this.gateway = new S3ObjectClient(place, parts);
    }

    async *list({ under, recursive, bounds }: Listing): AsyncGenerator<RemotePage, void, void> {
        let ContinuationToken: string | undefined;
        let entries = 0;
        let passed = 0;
        for (let pages = 1; ; pages++) {
            const input = {
                Bucket: this.bucket,
                Prefix: under,
                MaxKeys: PAGE,
                ...(!recursive && { Delimiter: '/' }),
                ...(ContinuationToken !== undefined && { ContinuationToken }),
            };
            const answer = await this.ask(
                client => client.send(new ListObjectsV2Command(input)),
                `list ${show(under)}`,
            );
            const { Contents = [], IsTruncated, NextContinuationToken } = answer;
            const files: RemoteFile[] = [];
            const notes: LogText[] = [];
            let isUnread = false;
            for (const { Key = '', Size = 0, LastModified, ETag } of Contents.slice(0, bounds.entries - entries)) {
                // What consoles make in the place of folders, which S3 does not have.
                if (Key.endsWith('/') && keyProblem(Key, under) === undefined) continue;
                const tooDeep = `is more than ${bounds.depth} folders deep`;
                const problem = keyProblem(Key, under) ?? (isWithin(Key, under, bounds.depth) ? undefined : tooDeep);
                if (problem === undefined) {
                    files.push({ path: Key, size: Size, modifiedAt: secondsOf(LastModified), ...etagOf(ETag) });
                    continue;
                }
                isUnread = true;
                if (passed++ < TOLD) notes.push(isSkipped(Key, problem));
            }
            entries += Contents.length;
            const isPast =
                entries > bounds.entries ||
                (IsTruncated === true && (entries >= bounds.entries || pages >= bounds.pages));
            if (isPast)
                notes.push(
                    logText('LISTING_CUT', { folder: show(under), entries: bounds.entries, pages: bounds.pages }),
                );
            const isOver = isPast || IsTruncated !== true;
            if (isOver && passed > TOLD) notes.push(logText('ENTRIES_SKIPPED', { count: passed - TOLD }));
            if (files.length > 0 || notes.length > 0 || isUnread)
                yield { files, notes, ...((isPast || isUnread) && { isCut: true }) };
            if (isOver) return;
            if (NextContinuationToken === undefined || NextContinuationToken === ContinuationToken)
                throw flowError('REMOTE_MALFORMED', {
                    host: this.host,
                    problem: 'its list continues without a token for the next page',
                });
            ContinuationToken = NextContinuationToken;
        }
    }

    async stat(path: string): Promise<RemoteFile | undefined> {
        try {
            const answer = await this.gateway.ask(client =>
                client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: path })),
            );
            const { ContentLength = 0, LastModified, ETag } = answer;
            return { path, size: ContentLength, modifiedAt: secondsOf(LastModified), ...etagOf(ETag) };
        } catch (thrown) {
            if (statusOf(thrown) === 404 && !isOfBucket(thrown)) return undefined;
            throw this.failure(thrown, `look at ${path}`);
        }
    }

    async *open(file: Pick<RemoteFile, 'path' | 'etag'>, offset: number): AsyncGenerator<Uint8Array, void, void> {
        const { path, etag } = file;
        const input = {
            Bucket: this.bucket,
            Key: path,
            ...(offset > 0 && { Range: `bytes=${offset}-` }),
            ...(etag !== undefined && { IfMatch: `"${etag}"` }),
        };
        try {
            const { Body, ContentRange } = await this.gateway.ask(client => client.send(new GetObjectCommand(input)));
            const body = Body as Readable;
            try {
                if (offset > 0 && !ContentRange?.startsWith(`bytes ${offset}-`))
                    throw flowError('REMOTE_MALFORMED', {
                        host: this.host,
                        problem: 'it does not send the content after an offset',
                    });
                for await (const chunk of body) yield chunk as Uint8Array;
            } finally {
                body.destroy();
            }
        } catch (thrown) {
            this.parts.signal.throwIfAborted();
            const { host } = this;
            const problem = 'its content is another one';
            if (statusOf(thrown) === 412)
                throw flowError('REMOTE_FILE_CHANGED', { host, path, problem }, { cause: thrown });
            throw this.failure(thrown, `read ${path}`, path);
        }
    }

    async delete(path: string): Promise<void> {
        await this.ask(
            client => client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: path })),
            `delete ${path}`,
        );
    }

    /**
     * Copies and deletes, since S3 has no rename: in between, both exist. An existing copy with the same content
     * counts as its own.
     */
    async move(from: string, to: string): Promise<void> {
        const { host, bucket: Bucket } = this;
        const source = await this.stat(from);
        if (!source) throw flowError('REMOTE_FILE_NOT_FOUND', { host, path: from });
        if (source.size > MAX_COPY_BYTES)
            throw flowError('REMOTE_REFUSED', {
                host,
                problem: `copies nothing of more than 5 GiB, which ${from} has`,
            });
        const there = await this.stat(to);
        if (there && (there.etag === undefined || there.etag !== source.etag))
            throw flowError('REMOTE_FILE_EXISTS', { host, path: to });
        if (!there) {
            const input = {
                Bucket,
                Key: to,
                CopySource: `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`,
                ...(source.etag !== undefined && { CopySourceIfMatch: `"${source.etag}"` }),
            };
            await this.ask(client => client.send(new CopyObjectCommand(input)), `copy ${from}`);
        }
        await this.delete(from);
    }

    async put(
        path: string,
        bytes: AsyncIterable<Uint8Array>,
        { overwrite = true }: PutOptions = {},
    ): Promise<RemoteFile> {
        const { host, bucket: Bucket } = this;
        if (!overwrite && (await this.stat(path))) throw flowError('REMOTE_FILE_EXISTS', { host, path });
        let ofBytes: { readonly thrown: unknown } | undefined;
        const watched = async function* (): AsyncGenerator<Uint8Array, void, void> {
            try {
                yield* bytes;
            } catch (thrown) {
                ofBytes = { thrown };
                throw thrown;
            }
        };
        // An object appears when it is complete: a part is sent when it is full, and is deleted when the bytes fail.
        const upload = new Upload({
            client: this.gateway.client,
            params: { Bucket, Key: path, Body: Readable.from(watched(), { objectMode: false }) },
            queueSize: 1,
            partSize: PART_BYTES,
            leavePartsOnError: false,
        });
        const leave = onAbort(this.parts.signal, () => void upload.abort().catch(() => undefined));
        try {
            await this.gateway.ask(() => upload.done());
        } catch (thrown) {
            throw ofBytes ? ofBytes.thrown : this.failure(thrown, `write ${path}`);
        } finally {
            leave();
        }
        const file = await this.stat(path);
        if (!file) throw flowError('REMOTE_FILE_NOT_FOUND', { host, path });
        return file;
    }

    close(): void {
        this.gateway.client.destroy();
    }

    private async ask<T>(work: (client: S3Client) => Promise<T>, what: string): Promise<T> {
        try {
            return await this.gateway.ask(work);
        } catch (thrown) {
            throw this.failure(thrown, what);
        }
    }

    /** Converts an error of the service. */
    private failure(thrown: unknown, what: string, path?: string): unknown {
        if (this.parts.signal.aborted) return this.parts.signal.reason;
        if (isFlowError(thrown)) return thrown;
        const { host } = this;
        const options = { cause: thrown };
        const { name = 'Error', message = '' } = thrown as Error;
        const status = statusOf(thrown);
        if (path !== undefined && status === 404 && !isOfBucket(thrown))
            return flowError('REMOTE_FILE_NOT_FOUND', { host, path }, options);
        if (name === 'CredentialsProviderError')
            return flowError(
                'REMOTE_REFUSED',
                { host, problem: 'was not contacted: the server has no cloud credentials' },
                options,
            );
        const text = `${name}${message === '' || message === name ? '' : `: ${message}`}`
            .replace(/[.\s]+$/, '')
            .slice(0, 300);
        const problem = `does not ${what}: ${reasonOf(status, name) ?? text}`;
        if (!(thrown instanceof S3ServiceException) && status === undefined)
            return flowError('REMOTE_BUSY', { host, problem: `cannot be talked to: ${text}`, attempts: 1 }, options);
        return /SlowDown|Throttl|RequestTimeout|InternalError|ServiceUnavailable/.test(name)
            ? flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, options)
            : flowError('REMOTE_REFUSED', { host, problem }, options);
    }
}

/** Explanations of some errors for users. */
function reasonOf(status: number | undefined, name: string): string | undefined {
    if (name === 'NoSuchBucket') return 'there is no such bucket';
    if (status === 301 || name === 'PermanentRedirect') return 'the bucket is in another region';
    if (name === 'SignatureDoesNotMatch' || name === 'InvalidAccessKeyId')
        return `it does not accept the access key (${name})`;
    return status === 403 ? `the access key lacks the right to it (${name})` : undefined;
}

function statusOf(thrown: unknown): number | undefined {
    return (thrown as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata
        ?.httpStatusCode;
}

function isOfBucket(thrown: unknown): boolean {
    return (thrown as Error).name === 'NoSuchBucket';
}

function etagOf(etag: string | undefined): { readonly etag?: string } {
    return etag === undefined ? {} : { etag: etag.replace(/^W\//, '').replace(/^"|"$/g, '') };
}

/** Lists contain fractions of a second that the head of an object does not. */
function secondsOf(date: Date | undefined): number | undefined {
    return date && Math.floor(date.getTime() / 1000) * 1000;
}

function isWithin(key: string, prefix: string, depth: number): boolean {
    return key.slice(prefix.length).split('/').length - 1 <= depth;
}
