/** So many pictures of a server that answers may fail for now before it counts as away. */
const MOST_LATE = 5;

/** The servers that the pictures of a batch come from: one that is away is told from one that fails over a single picture. */
export class PictureServers {
    private readonly answering = new Set<string>();
    private readonly failed = new Map<string, number>();

    /** It has said what there is at an address, or that there is nothing. */
    hasAnswered(url: string): void {
        this.answering.add(new URL(url).origin);
    }

    isThere(url: string): boolean {
        return this.answering.has(new URL(url).origin);
    }

    /** A picture could not be had for now: whether it is asked for once more when the others have been. Of a server that is away only one waits. */
    mayWait(url: string): boolean {
        const { origin } = new URL(url);
        const failed = (this.failed.get(origin) ?? 0) + 1;
        this.failed.set(origin, failed);
        return failed <= (this.answering.has(origin) ? MOST_LATE : 1);
    }
}

/** An address without what may be secret in it. */
export function bareAddress(url: string): string {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
}
