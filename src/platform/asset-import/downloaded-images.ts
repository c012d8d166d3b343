import type { RequestedImage } from './requested-image';
import { type FetchedFile, filenameOf, type AssetFiles } from './asset-files';
import type { FileNames, FoundAddress, ImageRows, StoredImage } from './image-rows';
import type { ImageKind } from '../../io/media/picture-file';

/** The outcome for a picture before its batch is planned: stored, reported with a reason, or left to the real run. */
export type ReadyImage = { readonly digest: string } | { readonly problem: string } | { readonly isForeseen: true };

/** A picture that has come, as a file of this machine. */
export interface FetchedImage {
    readonly picture: RequestedImage;
    readonly file: FetchedFile;
    /** What its server calls its kind. */
    readonly declared: string | undefined;
    /** How its server detects a change. */
    readonly version: Pick<FoundAddress, 'etag' | 'lastModified'>;
}

/** The maximum number of pictures, or bytes, that are stored together: their files wait until then. */
const TOGETHER = 32;
const TOGETHER_BYTES = 64 * 1_024 * 1_024;
/** Pictures that are handed to the shop's storage side by side. */
const AT_ONCE = 8;

/** One that is to be stored. */
interface Chosen extends FetchedImage {
    readonly kind: ImageKind;
}

/** One whose files have names. */
interface Named extends Chosen {
    readonly names: FileNames;
    /** Recorded by this worker. Other files may be those of another worker, or of one that has left files. */
    readonly isOwn: boolean;
}

interface ShelfEnv {
    readonly rows: ImageRows;
    readonly files: AssetFiles;
    /** After it is aborted, nothing more is stored. */
    readonly signal: AbortSignal;
    readonly allowsSvg: boolean;
    /** Called with the outcome of each. */
    take(image: RequestedImage, found: ReadyImage): void;
}

/**
 * Stores fetched pictures, a few dozen together: the number of statements does not depend on their number. While some
 * are being stored, the next ones may arrive. Stored pictures are recorded first, so that their files are found
 * again, whatever happens to the batch.
 */
export class DownloadedImages {
    private waiting: FetchedImage[] = [];
    private bytes = 0;
    private storing: Promise<void> = Promise.resolve();
    private failure: { readonly error: unknown } | undefined;

    constructor(private readonly env: ShelfEnv) {}

    /**
     * Takes a picture. If enough wait to be stored, it waits until the earlier ones are stored. Throws the errors of
     * those.
     */
    async put(fetched: FetchedImage): Promise<void> {
        if (this.failure) throw this.failure.error;
        this.waiting.push(fetched);
        this.bytes += fetched.file.size;
        if (this.waiting.length >= TOGETHER || this.bytes >= TOGETHER_BYTES) await this.next();
    }

    /** Stores the rest. Throws why some could not be stored. */
    async flush(): Promise<void> {
        await this.next();
        await this.storing;
    }

    /** Waits until nothing is being stored, and ignores errors. */
    async ended(): Promise<void> {
        await this.storing.catch(() => undefined);
    }

    /** Begins to store the waiting pictures after the current ones are stored. */
    private async next(): Promise<void> {
        await this.storing;
        const group = this.waiting;
        // Of several callers that waited, the first one has taken all.
        if (group.length === 0) return;
        [this.waiting, this.bytes] = [[], 0];
        this.storing = this.stored(group);
        this.storing.catch((error: unknown) => (this.failure ??= { error }));
    }

    private async stored(group: readonly FetchedImage[]): Promise<void> {
        const { rows, files, signal, take } = this.env;
        signal.throwIfAborted();
        const [chosen, rejected] = await this.chosen(group);
        const named = await this.named(chosen);
        const { made, problems, failure } = await storedSideBySide(named, this.env);
        const ready = new Set([...made.map(({ digest }) => digest), ...problems.keys()]);
        const unstored = new Map(named.flatMap(one => (ready.has(one.file.digest) ? [] : [[one.file.digest, one]])));
        // Of these nothing is in the storage.
        const released = [...unstored].flatMap(([digest, { isOwn }]) => (isOwn ? [digest] : []));
        await rows.release([...released, ...problems.keys()]);
        const winners = await rows.remember(made);
        for (const { digest, source, preview } of made) {
            const winner = winners.get(digest)!;
            await files.remove([source, preview].filter(one => one !== winner.source && one !== winner.preview));
        }
        const ended = group.filter(({ file }) => !unstored.has(file.digest));
        const found = ended.map(({ picture, file: { digest }, version }) => {
            const problem = rejected.get(picture) ?? problems.get(digest);
            return { picture, digest, version, problem };
        });
        await rows.rememberAddresses(
            found.flatMap(({ picture: { url }, digest, version, problem }) =>
                url !== undefined && problem === undefined ? [{ url, digest, ...version }] : [],
            ),
        );
        for (const { picture, digest, problem } of found)
            take(picture, problem === undefined ? { digest } : { problem });
        if (failure) throw failure.error;
    }

    /**
     * For each digest that is not stored yet, the first valid picture, and the reasons why others are invalid: the same bytes may be declared as
     * another type.
     */
    private async chosen(
        group: readonly FetchedImage[],
    ): Promise<readonly [readonly Chosen[], ReadonlyMap<RequestedImage, string>]> {
        const { rows, files, allowsSvg } = this.env;
        const stored = await rows.stored(group.map(({ file }) => file.digest));
        const chosen = new Map<string, Chosen>();
        const rejected = new Map<RequestedImage, string>();
        for (const fetched of group) {
            const { file, declared, picture } = fetched;
            if (stored.has(file.digest) || chosen.has(file.digest)) continue;
            const kind = await files.judge(file.head, declared, allowsSvg);
            if ('problem' in kind) rejected.set(picture, kind.problem);
            else chosen.set(file.digest, { ...fetched, kind });
        }
        return [[...chosen.values()], rejected];
    }

    /**
     * Reserves the names of their files before they are stored. The names are unique, even among concurrent workers. Omits pictures that another
     * worker has stored meanwhile.
     */
    private async named(chosen: readonly Chosen[]): Promise<readonly Named[]> {
        const { rows, files, signal } = this.env;
        const named: Named[] = [];
        const taken = new Set<string>();
        const left = await rows.readReserved(chosen.map(({ file }) => file.digest));
        const instead = new Map<string, FileNames>(left);
        for (const one of chosen) {
            const names = left.get(one.file.digest);
            if (names?.isFree !== true) continue;
            named.push({ ...one, names, isOwn: false });
            for (const name of [names.source, names.preview]) taken.add(name);
        }
        let open = chosen.filter(({ file }) => left.get(file.digest)?.isFree !== true);
        while (open.length > 0) {
            signal.throwIfAborted();
            const proposed = await Promise.all(
                open.map(async ({ file: { digest }, picture, kind }) => ({
                    digest,
                    ...(await files.names(filenameOf(picture.url, kind), taken)),
                    instead: instead.get(digest),
                })),
            );
            const { names, stored } = await rows.reserve(proposed);
            const kept = await Promise.all(
                proposed.map(async ({ digest, ...own }) => {
                    const given = names.get(digest);
                    const isOwn = given?.source === own.source && given.preview === own.preview;
                    // Others may have stored a file under that name between the storage's answer and now.
                    if (!isOwn || !(await files.has(own))) return given && { names: given, isOwn };
                    instead.set(digest, own);
                    return undefined;
                }),
            );
            open.forEach((one, i) => kept[i] && named.push({ ...one, ...kept[i] }));
            open = open.filter(({ file }, i) => !kept[i] && !stored.has(file.digest));
        }
        return named;
    }
}

interface Stored {
    readonly made: readonly StoredImage[];
    /** Why no preview could be made, by digest. */
    readonly problems: ReadonlyMap<string, string>;
    /** What the storage has failed with. */
    readonly failure: { readonly error: unknown } | undefined;
}

async function storedSideBySide(named: readonly Named[], { rows, files, signal }: ShelfEnv): Promise<Stored> {
    const made: StoredImage[] = [];
    const problems = new Map<string, string>();
    let failure: Stored['failure'];
    const left = named.values();
    const taskQueue = async (): Promise<void> => {
        for (const { file, names, kind } of left) {
            if (signal.aborted) failure ??= { error: signal.reason };
            if (failure) return;
            try {
                // If that cannot be determined, a superfluous file is better than a missing one.
                const isKept = (): Promise<boolean> =>
                    rows.stored([file.digest]).then(
                        found => found.has(file.digest),
                        () => true,
                    );
                const stored = await files.store(file, { names, kind, isKept });
                if ('problem' in stored) problems.set(file.digest, stored.problem);
                else made.push(stored);
            } catch (error) {
                failure ??= { error };
            }
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, taskQueue));
    return { made, problems, failure };
}
