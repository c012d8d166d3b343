import type { Clock } from '../concurrency/clock';
import { asFlowError, type FlowError } from '../errors/flow-error';

/** The signals that end an execution early. */
export interface RunControl {
    /** Aborted with a FlowError (RUN_CANCELLED, LEASE_LOST …): everything stops at its next await, nothing more is committed. */
    readonly signal: AbortSignal;
    /**
     * Aborted when the slice is over: no further batch starts, and those in flight settle and commit. Each slice processes at least one batch,
     * because a source with a slow first batch would otherwise never make progress.
     */
    readonly yieldSignal?: AbortSignal;
    /** Uses the wait before a retry, so that other runs may proceed meanwhile. It ends with the signal, and may take longer than requested. */
    idle?(waitMs: number, signal: AbortSignal): Promise<void>;
}

/** The first error, and its step if that is known. */
export interface RunFailure {
    readonly error: FlowError;
    readonly stepKey: string | undefined;
}

/** Tracks why an execution ends early: a failure, a cancel, or the end of its slice. Each of them stops something else. */
export class RunAbort {
    failure: RunFailure | undefined;
    private started = false;
    private readonly halt = new AbortController();
    private readonly stopReading = new AbortController();
    private readonly onAbort = (): void => this.fail(this.control.signal.reason);
    private readonly onYield = (): void => {
        if (this.started) this.stopReading.abort();
    };

    /** `failed` is called with the first failure. */
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

    /** How waits between attempts are spent. Default: sleep. */
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

    /** The run is stopped, or another worker has it: nothing may be written any more. */
    get isCutOff(): boolean {
        return this.control.signal.aborted || this.failure?.error.code === 'LEASE_LOST';
    }

    /** The first error is the error of the run; later errors are often its consequences and are not reported. */
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

    /** Throws once the run is stopped: any later work belongs to another worker or is not done. */
    assertGoesOn(): void {
        if (this.isCutOff) throw this.failure?.error ?? this.control.signal.reason;
    }

    /** Waits for the work; after the run is stopped, waits at most the grace period. */
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
