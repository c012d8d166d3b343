/** What a timer can wait at most. */
const LONGEST_MS = 2 ** 31 - 1;

/** The time that a try has, and whoever may stop it earlier. */
export class Deadline {
    /** The time was up before anybody stopped it. */
    isLate = false;
    private readonly over = new AbortController();
    private readonly timer: NodeJS.Timeout;
    private readonly onStop = (): void => this.over.abort(this.stop.reason);

    constructor(
        ms: number,
        private readonly stop: AbortSignal,
    ) {
        this.timer = setTimeout(
            () => {
                this.isLate = true;
                this.over.abort();
            },
            Math.min(ms, LONGEST_MS),
        );
        stop.addEventListener('abort', this.onStop, { once: true });
    }

    /** Goes off when the caller stops, or when the time is up; never once this has ended. */
    get signal(): AbortSignal {
        return this.over.signal;
    }

    /** It was in time. May be called again. */
    end(): void {
        clearTimeout(this.timer);
        this.stop.removeEventListener('abort', this.onStop);
    }
}
