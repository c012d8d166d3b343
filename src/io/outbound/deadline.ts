import { whenAborted } from '../../core/work/abort';

/** What a timer can wait at most. */
const LONGEST_MS = 2 ** 31 - 1;

/** The time that a try has, and whoever may stop it earlier. */
export class Deadline {
    /** The time was up before anybody stopped it. */
    isLate = false;
    private readonly over = new AbortController();
    private timer: NodeJS.Timeout;
    private readonly leave: () => void;

    constructor(ms: number, stop: AbortSignal) {
        this.timer = this.timeUp(ms);
        this.leave = whenAborted(stop, () => this.over.abort(stop.reason));
    }

    /** Goes off when the caller stops, or when the time is up; never once this has ended. */
    get signal(): AbortSignal {
        return this.over.signal;
    }

    /** It was in time so far, and has so long from now on. Not behind `end`. */
    extend(ms: number): void {
        clearTimeout(this.timer);
        if (!this.isLate) this.timer = this.timeUp(ms);
    }

    /** It was in time. May be called again. */
    end(): void {
        clearTimeout(this.timer);
        this.leave();
    }

    private timeUp(ms: number): NodeJS.Timeout {
        const late = (): void => {
            this.isLate = true;
            this.over.abort();
        };
        return setTimeout(late, Math.min(ms, LONGEST_MS));
    }
}
