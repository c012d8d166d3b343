import { mkdtemp, rm } from 'node:fs/promises';
import { logEvent } from '../../core/adapter/log-event';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundStream } from '../../core/adapter/outbound';
import { asFlowError, type FlowError } from '../../core/errors/flow-error';
import { vendureOf } from '../lookup/vendure';
import { HEAD_BYTES } from '../../io/media/picture-file';
import { type RequestedImage, otherBytes, type ImageOptions, imageKeyOf, tooLarge } from './requested-image';
import { storedFile, AssetFiles } from './asset-files';
import { type KnownAddress, ImageRows, type StoredImage } from './image-rows';
import { addressWithoutQuery, ImageServers } from './image-servers';
import { type FetchedImage, DownloadedImages, type ReadyImage } from './downloaded-images';

/** An address that cannot be had for now. */
interface Outage {
    readonly outage: FlowError;
}

/** By the questions that pictures are. */
export type ReadyImages = ReadonlyMap<string, ReadyImage>;

/** Pictures that a step fetches side by side. */
const AT_ONCE = 8;
const TRIES = 3;
const IDLE_MS = 30_000;
const TOTAL_MS = 300_000;
/** The maximum length of a stored header: a longer text is not an ETag. */
const MOST_TAG = 500;
/** The maximum number of addresses that a run remembers. */
const MOST_REMEMBERED = 50_000;

/** The pictures that runs have fetched: a run has one RequestContext for all its slices. */
const fetchedBy = new WeakMap<object, Map<string, ReadyImage>>();

/**
 * Fetches and stores the pictures in the records of one step, before the transactions in which assets are made of
 * them.
 */
export class AssetDownloader {
    readonly rows: ImageRows;
    private readonly files: AssetFiles;
    private readonly fetched: Map<string, ReadyImage>;

    constructor(
        private readonly cx: AdapterContext,
        private readonly options: ImageOptions,
    ) {
        const platform = vendureOf(cx);
        this.rows = new ImageRows(platform);
        this.files = new AssetFiles(platform);
        const { ctx } = platform;
        if (!fetchedBy.has(ctx)) fetchedBy.set(ctx, new Map());
        this.fetched = fetchedBy.get(ctx)!;
    }

    /** Stores each of some pictures; a dry run fetches and stores nothing. Throws errors that are not caused by a picture. */
    async prepare(pictures: readonly RequestedImage[]): Promise<ReadyImages> {
        const requested = [...new Map(pictures.map(picture => [imageKeyOf(picture), picture])).values()];
        const ready = new Map<string, ReadyImage>();
        if (requested.length === 0) return ready;
        this.files.checkStorage();
        const known = await this.knownReferences(requested);
        const lacking: RequestedImage[] = [];
        for (const picture of requested) {
            const found = this.withoutFetching(picture, known);
            if (found) ready.set(imageKeyOf(picture), found);
            else if (this.cx.mode === 'live') lacking.push(picture);
            else ready.set(imageKeyOf(picture), await this.predicted(picture));
        }
        if (lacking.length === 0) return ready;
        const folder = await mkdtemp(join(tmpdir(), 'flow-pictures-'));
        const left = lacking.entries();
        const servers = new ImageServers();
        const late: Array<readonly [number: number, picture: RequestedImage]> = [];
        const take = (image: RequestedImage, found: ReadyImage): void => {
            this.remember(image, found);
            ready.set(imageKeyOf(image), found);
        };
        const { rows, files, allowsSvg } = this;
        const { signal } = this.cx;
        const shelf = new DownloadedImages({ rows, files, allowsSvg, signal, take });
        const keep = async (image: RequestedImage, found: ReadyImage | FetchedImage): Promise<void> =>
            'file' in found ? shelf.put(found) : take(image, found);
        const bring = async (): Promise<void> => {
            for (const [number, picture] of left) {
                const found = await this.brought(picture, known, join(folder, String(number)));
                if (!('outage' in found)) {
                    if (picture.url !== undefined) servers.hasAnswered(picture.url);
                    await keep(picture, found);
                } else if (servers.mayWait(picture.url!)) late.push([number, picture]);
                else throw this.away(picture, found);
            }
        };
        try {
            const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, bring));
            // The fetched pictures are stored even if others failed.
            await shelf.flush();
            for (const end of ends) if (end.status === 'rejected') throw end.reason;
            for (const [number, picture] of late) {
                const found = await this.brought(picture, known, join(folder, `${number}-again`));
                if (!('outage' in found)) await keep(picture, found);
                // Where its server has answered for others, it is this picture that cannot be had.
                else if (servers.isThere(picture.url!)) take(picture, unfetched(found.outage));
                else throw this.away(picture, found);
            }
            await shelf.flush();
        } finally {
            await shelf.ended();
            await rm(folder, { recursive: true, force: true });
        }
        return ready;
    }

    /** An unavailable server is not an error of the record: the load waits for it, and the log names the requested picture. */
    private away({ url }: RequestedImage, { outage }: Outage): FlowError {
        logEvent(this.cx.log, 'PICTURE_UNAVAILABLE', { error: outage, address: addressWithoutQuery(url!) });
        return outage;
    }

    private async knownReferences(requested: readonly RequestedImage[]): Promise<Known> {
        const { rows } = this;
        return rows.platform.database.run(function* () {
            const addresses = yield* rows.readAddresses(requested.flatMap(({ url }) => url ?? []));
            const digests = [...addresses.values(), ...requested].flatMap(({ digest }) => digest ?? []);
            return { addresses, stored: yield* rows.readPictures(digests) };
        });
    }

    /** The pictures that need no request: stored bytes, and addresses that this run has already requested, or that need no request. */
    private withoutFetching(image: RequestedImage, { addresses, stored }: Known): ReadyImage | undefined {
        const { key, digest } = image;
        if (digest !== undefined && stored.has(digest)) return { digest };
        const before = this.fetched.get(this.memory(image));
        if (before && 'problem' in before) return before;
        const found = addresses.get(key)?.digest;
        if (found === undefined || !stored.has(found) || digest !== undefined) return undefined;
        const isEnough = before !== undefined || this.cx.mode !== 'live' || this.options.pictureRefresh === 'NEVER';
        return isEnough ? { digest: found } : undefined;
    }

    private async predicted({ content }: RequestedImage): Promise<ReadyImage> {
        if (!content) return { isForeseen: true };
        const kind = await this.files.judge(content.bytes.subarray(0, HEAD_BYTES), content.declared, this.allowsSvg);
        return 'problem' in kind ? kind : { isForeseen: true };
    }

    private get allowsSvg(): boolean {
        return this.options.pictureAllowSvg;
    }

    private async brought(
        image: RequestedImage,
        knownReferences: Known,
        path: string,
    ): Promise<ReadyImage | FetchedImage | Outage> {
        const { url, content } = image;
        const { signal } = this.cx;
        if (url === undefined) {
            const file = await storedFile([content!.bytes], path, signal);
            return { picture: image, file, declared: content!.declared, version: { etag: null, lastModified: null } };
        }
        const address = knownReferences.addresses.get(url);
        const isStored = address !== undefined && knownReferences.stored.has(address.digest);
        let answer: OutboundStream | undefined;
        try {
            answer = await this.cx.outbound.stream.open({
                url,
                method: 'GET',
                headers: isStored && image.digest === undefined ? conditions(address) : {},
                idleMs: IDLE_MS,
                totalMs: TOTAL_MS,
                maxBytes: this.options.pictureMaxBytes,
                attempts: TRIES,
                expected: [304],
                signal,
            });
            const { status, headers } = answer;
            if (status === 304 && isStored) return { digest: address.digest };
            if (Number(headers['content-length'] ?? 0) > this.options.pictureMaxBytes)
                return { problem: tooLarge(this.options) };
            const file = await storedFile(answer.body, path, signal);
            if (image.digest !== undefined && image.digest !== file.digest) return { problem: otherBytes(file.digest) };
            const version = { etag: tagOf(headers['etag']), lastModified: tagOf(headers['last-modified']) };
            return { picture: image, file, declared: headers['content-type'], version };
        } catch (thrown) {
            signal.throwIfAborted();
            const error = asFlowError(thrown);
            // A wrong address is an error of its picture.
            if (!/^(OUTBOUND|REMOTE)_/.test(error.code)) throw error;
            if (isOutage(error, answer !== undefined)) return { outage: error };
            if (error.code === 'OUTBOUND_TOO_LARGE') return { problem: tooLarge(this.options) };
            return unfetched(error);
        } finally {
            answer?.close();
        }
    }

    /** The key includes the step's limits: another step of the run may accept a picture that this one rejects. */
    private memory(image: RequestedImage): string {
        const { pictureMaxBytes, pictureAllowSvg } = this.options;
        return `${pictureMaxBytes} ${pictureAllowSvg} ${imageKeyOf(image)}`;
    }

    private remember(image: RequestedImage, found: ReadyImage): void {
        if (this.fetched.size >= MOST_REMEMBERED) this.fetched.delete(this.fetched.keys().next().value!);
        this.fetched.set(this.memory(image), found);
    }
}

/** Statuses of a server that is unavailable or overloaded, as opposed to one that fails for a single picture. */
const AWAY = new Set<unknown>([408, 429, 502, 503, 504, undefined]);

/**
 * Whether an error means that a server is unavailable for now. A server that has answered and then stalls is
 * available.
 */
function isOutage({ treat, code, details }: FlowError, hasAnswered: boolean): boolean {
    if (treat !== 'transient' || (hasAnswered && code === 'OUTBOUND_TIMEOUT')) return false;
    return AWAY.has(details?.['status']);
}

function unfetched({ message }: FlowError): ReadyImage {
    return { problem: `cannot be fetched: ${message.replace(/\.$/, '')}` };
}

interface Known {
    readonly addresses: ReadonlyMap<string, KnownAddress>;
    readonly stored: ReadonlyMap<string, StoredImage>;
}

function conditions({ etag, lastModified }: KnownAddress): Readonly<Record<string, string>> {
    return {
        ...(etag !== null && { 'if-none-match': etag }),
        ...(lastModified !== null && { 'if-modified-since': lastModified }),
    };
}

function tagOf(value: string | undefined): string | null {
    return value !== undefined && value.length <= MOST_TAG && /^[\x20-\x7e]+$/.test(value) ? value : null;
}
