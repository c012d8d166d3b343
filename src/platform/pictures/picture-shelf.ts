import type { AskedPicture } from './asked-picture';
import { type FetchedFile, filenameOf, type PictureFiles } from './picture-files';
import type { FileNames, FoundAddress, PictureRows, StoredPicture } from './picture-rows';
import type { PictureKind } from '../../io/media/picture-file';

/** What became of a picture before its batch is planned: stored, to be told of by a reason, or left to the real run. */
export type ReadyPicture = { readonly digest: string } | { readonly problem: string } | { readonly isForeseen: true };

/** A picture that has come, as a file of this machine. */
export interface FetchedPicture {
    readonly picture: AskedPicture;
    readonly file: FetchedFile;
    /** What its server calls its kind. */
    readonly declared: string | undefined;
    /** By what its server knows whether it has changed. */
    readonly version: Pick<FoundAddress, 'etag' | 'lastModified'>;
}

/** So many pictures, or bytes, are stored together: their files wait until then. */
const TOGETHER = 32;
const TOGETHER_BYTES = 64 * 1_024 * 1_024;
/** Pictures that are handed to the shop's storage side by side. */
const AT_ONCE = 8;

/** One that is to be stored. */
interface Chosen extends FetchedPicture {
    readonly kind: PictureKind;
}

interface ShelfEnv {
    readonly rows: PictureRows;
    readonly files: PictureFiles;
    readonly allowsSvg: boolean;
    /** Is told what became of each. */
    take(picture: AskedPicture, found: ReadyPicture): void;
}

/**
 * Stores pictures that have come, a few dozen together: as many statements whatever their number. While some are being stored, the next ones may come.
 * What is stored is remembered before anything else is done, so that its files are found again, whatever becomes of the batch.
 */
export class PictureShelf {
    private waiting: FetchedPicture[] = [];
    private bytes = 0;
    private storing: Promise<void> = Promise.resolve();

    constructor(private readonly env: ShelfEnv) {}

    /** Takes one. Waits while those before the last few dozen are being stored, and throws why they could not be. */
    async put(fetched: FetchedPicture): Promise<void> {
        this.waiting.push(fetched);
        this.bytes += fetched.file.size;
        if (this.waiting.length < TOGETHER && this.bytes < TOGETHER_BYTES) return;
        await this.next();
    }

    /** Stores the rest. Throws why some could not be stored. */
    async flush(): Promise<void> {
        await this.next();
        await this.storing;
    }

    /** Nothing is being stored any more, whatever has become of it. */
    async ended(): Promise<void> {
        await this.storing.catch(() => undefined);
    }

    private next(): Promise<void> {
        const group = this.waiting;
        [this.waiting, this.bytes] = [[], 0];
        const before = this.storing;
        this.storing = before.then(() => this.stored(group));
        // Whoever waits for it is told; nobody may.
        this.storing.catch(() => undefined);
        return before;
    }

    private async stored(group: readonly FetchedPicture[]): Promise<void> {
        if (group.length === 0) return;
        const { rows, files, take } = this.env;
        const [chosen, refused] = await this.chosen(group);
        const { made, problems, failure } = await storedSideBySide(chosen, await this.named(chosen), files);
        await rows.release([...problems.keys()]);
        const winners = await rows.remember(made);
        for (const { digest, source, preview } of made) {
            const winner = winners.get(digest)!;
            await files.remove([source, preview].filter(one => one !== winner.source && one !== winner.preview));
        }
        const unstored = new Set(chosen.map(({ file }) => file.digest));
        for (const digest of [...winners.keys(), ...problems.keys()]) unstored.delete(digest);
        const ended = group.filter(({ file }) => !unstored.has(file.digest));
        const found = ended.map(({ picture, file: { digest }, version }) => {
            const problem = refused.get(picture) ?? problems.get(digest);
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

    /** Of each that is not stored yet the first one that is a picture, and why others are none: the same bytes may be declared as something else. */
    private async chosen(
        group: readonly FetchedPicture[],
    ): Promise<readonly [readonly Chosen[], ReadonlyMap<AskedPicture, string>]> {
        const { rows, files, allowsSvg } = this.env;
        const stored = await rows.stored(group.map(({ file }) => file.digest));
        const chosen = new Map<string, Chosen>();
        const refused = new Map<AskedPicture, string>();
        for (const fetched of group) {
            const { file, declared, picture } = fetched;
            if (stored.has(file.digest) || chosen.has(file.digest)) continue;
            const kind = await files.judge(file.head, declared, allowsSvg);
            if ('problem' in kind) refused.set(picture, kind.problem);
            else chosen.set(file.digest, { ...fetched, kind });
        }
        return [[...chosen.values()], refused];
    }

    /** What the storage is to call their files, written down before they are stored. Nobody else's are called so, nor those of others that come at once. */
    private async named(chosen: readonly Chosen[]): Promise<ReadonlyMap<string, FileNames>> {
        const { rows, files } = this.env;
        const names = new Map(await rows.readReserved(chosen.map(({ file }) => file.digest)));
        const taken = new Set<string>();
        for (const { source, preview } of names.values()) for (const name of [source, preview]) taken.add(name);
        for (;;) {
            const unnamed = chosen.filter(({ file }) => !names.has(file.digest));
            if (unnamed.length === 0) return names;
            const proposed = await Promise.all(
                unnamed.map(async ({ file, picture, kind }) => ({
                    digest: file.digest,
                    ...(await files.names(filenameOf(picture.url, kind), taken)),
                })),
            );
            const others = await rows.reserve(proposed);
            for (const { digest, ...own } of proposed) if (!others.has(digest)) names.set(digest, own);
        }
    }
}

interface Stored {
    readonly made: readonly StoredPicture[];
    /** Why no preview could be made, by digest. */
    readonly problems: ReadonlyMap<string, string>;
    /** What the storage has failed with. */
    readonly failure: { readonly error: unknown } | undefined;
}

async function storedSideBySide(
    chosen: readonly Chosen[],
    names: ReadonlyMap<string, FileNames>,
    files: PictureFiles,
): Promise<Stored> {
    const made: StoredPicture[] = [];
    const problems = new Map<string, string>();
    let failure: Stored['failure'];
    const left = chosen.values();
    const lane = async (): Promise<void> => {
        for (const { file, kind } of left) {
            if (failure) return;
            try {
                const stored = await files.store(file, names.get(file.digest)!, kind);
                if ('problem' in stored) problems.set(file.digest, stored.problem);
                else made.push(stored);
            } catch (error) {
                failure ??= { error };
            }
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return { made, problems, failure };
}
