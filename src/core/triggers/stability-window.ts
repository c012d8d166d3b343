import { createHash } from 'node:crypto';
import type { FoundFile } from '../adapter/source-reference';

/** The time between two listings that must show a file unchanged. */
export const SECOND_LISTING_MS = 30_000;

/** A file and its identity. */
export interface IdentifiedFile {
    readonly file: FoundFile;
    readonly identity: string;
}

/** The moment of a check: by the system clock, which may be set, and by a monotonic clock. In ms. */
export interface ListingTime {
    readonly wallMs: number;
    readonly steadyMs: number;
}

/** What a listing has shown to be whole, and when the next one may show more. */
interface StableFiles {
    readonly settled: readonly IdentifiedFile[];
    /** Undefined if nothing is waited for. */
    readonly againInMs: number | undefined;
}

/**
 * The identity of a file: a hash of its connection, path, size, time and ETag, if the server reports them. 64 hexadecimal digits. The time counts
 * in addition to an ETag, because a file that is uploaded again must be read, and moved away, again.
 */
export function fileIdentity(connectionCode: string, { path, size, modifiedAt, etag }: FoundFile): string {
    return createHash('sha256')
        .update(JSON.stringify([connectionCode, path, size, modifiedAt ?? null, etag ?? null]))
        .digest('hex');
}

/** New files follow the existing ones, and runs are queued in that order. */
export function filesOldestFirst({ file: one }: IdentifiedFile, { file: other }: IdentifiedFile): number {
    const byTime = (one.modifiedAt ?? 0) - (other.modifiedAt ?? 0);
    if (byTime !== 0) return byTime;
    return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

/** What is known of files that are not taken yet, at the time of the last listing. As JSON. */
export interface FirstListings {
    /** How long each file has been listed unchanged, in ms, by the beginning of its identity. */
    readonly seenForMs: Readonly<Record<string, number>>;
    /** When another listing may show that one of them is complete, if it should be made before the next poll. */
    readonly againInMs?: number | undefined;
}

/** The stored length of an identity: enough to distinguish 10,000 files of a folder. */
const PREFIX = 16;

/**
 * Determines which files of one folder are complete, as far as that is visible from outside. Two consecutive listings must show them unchanged, and
 * they must be old enough.
 */
export class StabilityWindow {
    /** What the last listing has shown, and since when. */
    private since: ReadonlyMap<string, number> = new Map();
    /** What the last listing of another process has shown, by the beginnings of identities. */
    private inherited: ReadonlyMap<string, number> = new Map();

    /** Expects all files of a listing that were not taken yet. */
    look(found: readonly IdentifiedFile[], now: ListingTime, minFileAge: number): StableFiles {
        const since = new Map<string, number>();
        const settled: IdentifiedFile[] = [];
        let againInMs: number | undefined;
        for (const one of found) {
            const inheritedAt = this.inherited.get(one.identity.slice(0, PREFIX));
            const seenAt = this.since.get(one.identity) ?? inheritedAt;
            since.set(one.identity, seenAt ?? now.steadyMs);
            const waitMs = Math.max(
                seenAt === undefined || inheritedAt !== undefined
                    ? SECOND_LISTING_MS - (now.steadyMs - (seenAt ?? now.steadyMs))
                    : 0,
                minFileAge * 1_000 - ageOf(one.file, seenAt ?? now.steadyMs, now),
            );
            if (waitMs <= 0) settled.push(one);
            else againInMs = Math.min(againInMs ?? Infinity, Math.max(waitMs, SECOND_LISTING_MS));
        }
        this.since = since;
        this.inherited = new Map();
        return { settled, againInMs };
    }

    /** The state that another process needs to continue watching, if this one would list again in `againInMs`. */
    firstListings({ steadyMs }: ListingTime, againInMs: number | undefined): FirstListings {
        const seenForMs = Object.fromEntries(
            [...this.since].map(([identity, at]) => [
                identity.slice(0, PREFIX),
                Math.max(0, Math.round(steadyMs - at)),
            ]),
        );
        return { seenForMs, ...(againInMs !== undefined && { againInMs: Math.round(againInMs) }) };
    }

    /** Continues where another process has stopped, whose last listing was at this moment of the steady clock. */
    inherit({ seenForMs }: FirstListings, listedAt: number): void {
        this.inherited = new Map(Object.entries(seenForMs).map(([prefix, forMs]) => [prefix, listedAt - forMs]));
    }
}

/** How long a file has been unchanged: by its server's time, or since it was first seen so, whichever is longer. */
function ageOf({ modifiedAt }: FoundFile, seenAt: number, { wallMs, steadyMs }: ListingTime): number {
    const seenFor = steadyMs - seenAt;
    return modifiedAt === undefined ? seenFor : Math.max(seenFor, wallMs - modifiedAt);
}
