import { EventEmitter } from 'node:events';
import { onAbort } from '../../core/concurrency/abort';

/** What a timer can wait at most. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * What undici accepts in the place of a signal. A signal costs several times as much for each request of a run, and
 * is collected late.
 */
class DeadlineStop extends EventEmitter {
    aborted = false;
    reason: unknown;

    abort(reason?: unknown): void {
        if (this.aborted) return;
        this.aborted = true;
        this.reason = reason;
        this.emit('abort');
    }
}

/** The time limit of a try, and its earlier abort. */
export class Deadline {
    /** The time was up before anybody stopped it. */
    isLate = false;
    /** Fires when the caller stops or when the time is up; never after this has ended. */
    readonly stop = new DeadlineStop();
    private over: AbortController | undefined;
    private timer: NodeJS.Timeout;
    private readonly leave: () => void;

    constructor(ms: number, stop: AbortSignal) {
        this.timer = this.timeUp(ms);
        this.leave = onAbort(stop, () => this.stop.abort(stop.reason));
    }

    /** For code that needs a signal: it is aborted with `stop`. */
    get signal(): AbortSignal {
        this.over ??= this.signalled();
        return this.over.signal;
    }

    /** Sets a new limit from now on, unless the time is already over. Not allowed after `end`. */
    extend(ms: number): void {
        clearTimeout(this.timer);
        if (!this.isLate) this.timer = this.timeUp(ms);
    }

    /** It was in time. May be called again. */
    end(): void {
        clearTimeout(this.timer);
        this.leave();
    }

    private signalled(): AbortController {
        const { stop } = this;
        const over = new AbortController();
        const abort = (): void => over.abort(stop.reason);
        if (stop.aborted) abort();
        else stop.once('abort', abort);
        return over;
    }

    private timeUp(ms: number): NodeJS.Timeout {
        const late = (): void => {
            this.isLate = true;
            this.stop.abort();
        };
        return setTimeout(late, Math.min(ms, LONGEST_MS));
    }
}
