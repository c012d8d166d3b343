import type { Clock } from '../work/clock';
import { asFlowError, type FlowError } from '../errors/flow-error';

/** How an execution is told to end early. */
export interface RunControl {
    /** Aborted with a FlowError (RUN_CANCELLED, LEASE_LOST …): everything stops at its next await, nothing more is committed. */
    readonly signal: AbortSignal;
    /**
     * Aborted when the slice is over: no further batch starts, those on their way settle and commit. One
     * batch a slice is done in any case, or a source that is slow to come to its first would never get on.
     */
    readonly yieldSignal?: AbortSignal;
    /** Spends the wait before a retry: other runs may go ahead meanwhile. It ends with the signal, and may take longer than asked for. */
    idle?(waitMs: number, signal: AbortSignal): Promise<void>;
}

/** What went wrong first, and at which step where that is known. */
export interface RunFailure {
    readonly error: FlowError;
    readonly stepKey: string | undefined;
}

/** How an execution comes to an early end: a failure, a cancel, the end of its slice. Each stops something else. */
export class Stopping {
    failure: RunFailure | undefined;
    private started = false;
    private readonly halt = new AbortController();
    private readonly stopReading = new AbortController();
    private readonly onAbort = (): void => this.fail(this.control.signal.reason);
    private readonly onYield = (): void => {
        if (this.started) this.stopReading.abort();
    };

    /** `failed` is told of the first failure. */
    constructor(
        private readonly control: RunControl,
        private readonly failed: (error: FlowError) => void,
    ) {}

    /** From here on it stops the run at what is reported. */
    listen(): void {
        const { signal, yieldSignal } = this.control;
        signal.addEventListener('abort', this.onAbort, { once: true });
        yieldSignal?.addEventListener('abort', this.onYield, { once: true });
        if (signal.aborted) this.onAbort();
    }

    /** Everything stops. */
    get signal(): AbortSignal {
        return this.control.signal;
    }

    /** What spends waits between tries, where it is not sleep. */
    get idle(): RunControl['idle'] {
        return this.control.idle;
    }

    /** Ends waits between tries. */
    get waits(): AbortSignal {
        return this.halt.signal;
    }

    /** Ends the reading of sources: a failure, or the end of the slice. */
    get reading(): AbortSignal {
        return this.stopReading.signal;
    }

    /** Told to stop, or another worker has the run: nothing may be written any more. */
    get isCutOff(): boolean {
        return this.control.signal.aborted || this.failure?.error.code === 'LEASE_LOST';
    }

    /** The first error is the run's; what fails because of it, or after it, is not worth telling. */
    fail(thrown: unknown, stepKey?: string): void {
        if (this.failure) return;
        const error = asFlowError(thrown);
        this.failure = { error, stepKey };
        this.halt.abort(error);
        this.stopReading.abort(error);
        this.failed(error);
    }

    /** Whether another batch may start. */
    mayStart(): boolean {
        const isOver = this.control.yieldSignal?.aborted === true;
        if (this.failure || (this.started && isOver)) return false;
        this.started = true;
        if (isOver) this.stopReading.abort();
        return true;
    }

    /** Throws once the run was told to stop: whatever comes after is another worker's, or nobody's. */
    assertGoesOn(): void {
        if (this.isCutOff) throw this.failure?.error ?? this.control.signal.reason;
    }

    /** Waits for the work; once the run is told to stop, only for so long. */
    async unlessAborted(work: Promise<void>, graceMs: number, clock: Clock): Promise<void> {
        const { signal, yieldSignal } = this.control;
        const over = new AbortController();
        const cut = new Promise<void>(resolve => {
            const wait = (): void => {
                clock.sleep(graceMs, over.signal).then(resolve, resolve);
            };
            if (signal.aborted) wait();
            else signal.addEventListener('abort', wait, { once: true, signal: over.signal });
        });
        await Promise.race([work, cut]);
        over.abort();
        signal.removeEventListener('abort', this.onAbort);
        yieldSignal?.removeEventListener('abort', this.onYield);
    }
}
