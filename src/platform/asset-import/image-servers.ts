/** The number of temporary failures after which a responding server counts as unavailable. */
const MOST_LATE = 5;

/** The servers of a batch's pictures: an unavailable server is distinguished from one that fails for a single picture. */
export class ImageServers {
    private readonly answering = new Set<string>();
    private readonly failed = new Map<string, number>();

    /** The server has reported what is at an address, or that nothing is. */
    hasAnswered(url: string): void {
        this.answering.add(new URL(url).origin);
    }

    isThere(url: string): boolean {
        return this.answering.has(new URL(url).origin);
    }

    /** Whether a picture with a temporary failure is requested again after the others. For an unavailable server, only one picture is. */
    mayWait(url: string): boolean {
        const { origin } = new URL(url);
        const failed = (this.failed.get(origin) ?? 0) + 1;
        this.failed.set(origin, failed);
        return failed <= (this.answering.has(origin) ? MOST_LATE : 1);
    }
}

/** An address without the parts that may be secret. */
export function addressWithoutQuery(url: string): string {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
}
