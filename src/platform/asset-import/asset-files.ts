import { createWriteStream, createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { basename, extname } from 'node:path/posix';
import { ConfigService } from '@vendure/core';
import { NoAssetStorageStrategy } from '@vendure/core/dist/config/asset-storage-strategy/no-asset-storage-strategy';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import { dimensionsOf, HEAD_BYTES, detectPicture, type ImageKind } from '../../io/media/picture-file';
import type { VendurePlatform } from '../context';
import type { FileNames, StoredImage } from './image-rows';

/** A local file with the fetched content. */
export interface FetchedFile {
    readonly path: string;
    readonly digest: string;
    readonly size: number;
    readonly head: Buffer;
}

/** Writes the content into a file, piece by piece, and returns its kind. */
export async function storedFile(
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    path: string,
    signal: AbortSignal,
): Promise<FetchedFile> {
    const hash = createHash('sha256');
    let size = 0;
    signal.throwIfAborted();
    // Files that come side by side share one listener of the run's signal.
    const own = new AbortController();
    const leave = onAbort(signal, () => own.abort(signal.reason));
    await pipeline(
        Readable.from(pieces),
        async function* (source: AsyncIterable<Uint8Array>) {
            for await (const piece of source) {
                hash.update(piece);
                size += piece.length;
                yield piece;
            }
        },
        createWriteStream(path, { mode: 0o600 }),
        { signal: own.signal },
    ).finally(leave);
    const file = await open(path);
    try {
        const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
        await file.read(head, 0, head.length, 0);
        return { path, digest: hash.digest('hex'), size, head };
    } finally {
        await file.close();
    }
}

/** How a file is to be stored. */
interface Storing {
    readonly names: FileNames;
    readonly kind: ImageKind;
    /** Whether another worker uses files with these names, because it has stored the same bytes meanwhile. */
    isKept(): Promise<boolean>;
}

/** The number of previews that a process generates at a time: Vendure's strategies receive whole files. */
const PREVIEWS_AT_ONCE = 2;

let underWay = 0;
const waiting: Array<() => void> = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (underWay < PREVIEWS_AT_ONCE) underWay++;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
        return await work();
    } finally {
        const next = waiting.shift();
        if (next) next();
        else underWay--;
    }
}

/** The shop's own naming, storing and previewing of files, in the order in which AssetService goes by them. */
export class AssetFiles {
    constructor(private readonly platform: Pick<VendurePlatform, 'ctx' | 'injector'>) {}

    private get options() {
        return this.platform.injector.get(ConfigService).assetOptions;
    }

    /** Throws where the shop has nowhere to store a file, which no retry would change. */
    checkStorage(): void {
        if (this.options.assetStorageStrategy instanceof NoAssetStorageStrategy)
            throw flowError('ASSETS_UNSTORABLE', {});
    }

    judge(head: Buffer, declared: string | undefined, allowsSvg: boolean) {
        const permitted = this.options.permittedFileTypes;
        return detectPicture(head, { declared, permitted, allowsSvg });
    }

    /**
     * The names that the shop would give a file and its preview now; `taken` are the names that others are about to
     * get, and gets these as well.
     */
    async names(filename: string, taken: Set<string>): Promise<FileNames> {
        const { assetNamingStrategy: naming } = this.options;
        const { ctx } = this.platform;
        try {
            const source = await this.free(filename, taken, (name, before) =>
                naming.generateSourceFileName(ctx, name, before),
            );
            const preview = await this.free(source, taken, (name, before) =>
                naming.generatePreviewFileName(ctx, name, before),
            );
            return { source, preview };
        } catch (error) {
            throw storageFailed(error);
        }
    }

    /** Whether the storage has a file of one of these names. */
    async has({ source, preview }: FileNames): Promise<boolean> {
        const { assetStorageStrategy: storage } = this.options;
        try {
            return (await storage.fileExists(source)) || (await storage.fileExists(preview));
        } catch (error) {
            throw storageFailed(error);
        }
    }

    /** Stores a picture and its preview. If no preview can be made, nothing is kept, and a text gives the reason. */
    async store(
        { path, digest, size }: Omit<FetchedFile, 'head'>,
        { names, kind: { mimeType }, isKept }: Storing,
    ): Promise<StoredImage | { readonly problem: string }> {
        const { assetStorageStrategy: storage, assetPreviewStrategy: previews } = this.options;
        const written: string[] = [];
        try {
            written.push(await storage.writeFileFromStream(names.source, createReadStream(path)));
            const made = await inTurn(() => this.preview(path, mimeType, previews));
            if ('problem' in made) {
                if (!(await isKept())) await this.remove(written);
                return made;
            }
            written.push(await storage.writeFileFromBuffer(names.preview, made.preview));
            const { width, height } = made;
            return {
                digest,
                assetId: null,
                source: written[0]!,
                preview: written[1]!,
                mimeType,
                width,
                height,
                fileSize: size,
            };
        } catch (error) {
            if (!(await isKept())) await this.remove(written);
            throw storageFailed(error);
        }
    }

    /** Deletes files that will not be needed. */
    async remove(identifiers: readonly string[]): Promise<void> {
        for (const identifier of identifiers)
            // A file that cannot be deleted is superfluous, but not an error of the record.
            await this.options.assetStorageStrategy.deleteFile(identifier).catch(() => undefined);
    }

    private async preview(
        path: string,
        mimeType: string,
        strategy: AssetFiles['options']['assetPreviewStrategy'],
    ): Promise<Preview | { readonly problem: string }> {
        const file = await readFile(path);
        try {
            const preview = await strategy.generatePreviewImage(this.platform.ctx, mimeType, file);
            return { preview, ...dimensionsOf(mimeType.startsWith('image/') ? file : preview) };
        } catch (error) {
            const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
            return { problem: `cannot be read as a picture (${problem.slice(0, 200)})` };
        }
    }

    private async free(
        name: string,
        taken: Set<string>,
        next: (name: string, before: string | undefined) => string,
    ): Promise<string> {
        let found: string | undefined;
        let isTaken = true;
        while (isTaken) {
            const before = found;
            found = next(name, before);
            if (found === before) throw new Error(`the naming strategy knows no other name than ${found}`);
            isTaken = taken.has(found);
            // Immediately, since the storage takes time to answer.
            taken.add(found);
            isTaken ||= await this.options.assetStorageStrategy.fileExists(found);
        }
        return found!;
    }
}

function storageFailed(error: unknown): FlowError {
    const problem = error instanceof Error ? error.message : String(error);
    return flowError('STORAGE_FAILED', { what: 'keep a picture', problem }, { cause: error });
}

interface Preview {
    readonly preview: Buffer;
    readonly width: number;
    readonly height: number;
}

const MOST_NAME = 100;

/** The name of a picture's file: the last part of its address, with the ending of its kind. */
export function filenameOf(url: string | undefined, { extension }: Pick<ImageKind, 'extension'>): string {
    const last = url === undefined ? '' : basename(new URL(url).pathname);
    const name = decoded(last).replace(/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/gu, '_');
    const ending = extname(name);
    const isRight = ending.slice(1).toLowerCase() === extension || (extension === 'jpg' && /^\.jpeg$/i.test(ending));
    const stem = (ending === '' ? name : name.slice(0, -ending.length)).slice(0, MOST_NAME) || 'picture';
    return stem + (isRight ? ending : `.${extension}`);
}

function decoded(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
