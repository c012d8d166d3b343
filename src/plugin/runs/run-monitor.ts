import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Counters } from '../../core/progress/counters';

/** How a run at work reports: `lost` when it is another worker's by now. */
export type RunSignal = 'continue' | 'cancel' | 'lost';

interface WatchPorts {
    /** Renews the lease, and stores the progress if there is any. */
    renew(counters: Counters | undefined): Promise<RunSignal>;
    /** Only looks. */
    look(): Promise<RunSignal>;
}

interface WatchTimes {
    readonly leaseMs: number;
    readonly heartbeatMs: number;
    readonly sliceMs: number;
}

/** Cancelling has to show within two seconds, and a load in hand may take its time as well. */
const LOOK_MS = 500;
const PROGRESS_MS = 1_000;
/** How long a worker that shuts down waits for the batches in hand. */
const SHUTDOWN_MS = 10_000;

/**
 * Watches over a run while a worker is at it: keeps its lease, stores its progress, and turns a cancel, a lost lease, the end
 * of its slice and the worker's shutdown into signals for the executor.
 */
export class RunMonitor {
    private readonly stop = new AbortController();
    private pause = new AbortController();
    private slice: NodeJS.Timeout | undefined;
    private next: NodeJS.Timeout | undefined;
    private patience: NodeJS.Timeout | undefined;
    private asking: Promise<void> = Promise.resolve();
    private counters: Counters | undefined;
    private renewedAt = Date.now();
    private closed = false;

    constructor(
        private readonly ports: WatchPorts,
        private readonly times: WatchTimes,
    ) {
        this.beginSlice();
        this.plan();
    }

    /** Everything stops, for the reason that it is aborted with. */
    get signal(): AbortSignal {
        return this.stop.signal;
    }

    /** Starts another slice, which has a separate end signal; in a worker that shuts down, that signal is aborted at once. */
    beginSlice(): void {
        clearTimeout(this.slice);
        const pause = new AbortController();
        this.pause = pause;
        if (this.patience) pause.abort();
        else this.slice = setTimeout(() => pause.abort(), this.times.sliceMs).unref();
    }

    /** No further batch starts in this slice. */
    get yieldSignal(): AbortSignal {
        return this.pause.signal;
    }

    /** The counters so far. They are stored at most every second. */
    progress(counters: Counters): void {
        this.counters = counters;
    }

    /** The worker shuts down: the batches in hand may end, for a while. */
    shutDown(): void {
        this.pause.abort();
        this.patience ??= setTimeout(() => this.stop.abort(flowError('WORKER_STOPPED', {})), SHUTDOWN_MS).unref();
    }

    /** Ends the watch; nothing is written for the run by it afterwards. */
    async close(): Promise<void> {
        this.closed = true;
        clearTimeout(this.slice);
        clearTimeout(this.next);
        clearTimeout(this.patience);
        await this.asking;
    }

    private plan(): void {
        if (this.closed) return;
        this.next = setTimeout(
            () => {
                this.asking = this.ask().then(() => this.plan());
            },
            Math.min(LOOK_MS, this.times.heartbeatMs),
        ).unref();
    }

    private async ask(): Promise<void> {
        const askedAt = Date.now();
        const isDue =
            askedAt - this.renewedAt >=
            (this.counters ? Math.min(PROGRESS_MS, this.times.heartbeatMs) : this.times.heartbeatMs);
        try {
            const sign = await (isDue ? this.renew(askedAt) : this.ports.look());
            if (sign === 'cancel') this.stop.abort(flowError('RUN_CANCELLED', {}));
            else if (sign === 'lost') this.stop.abort(flowError('LEASE_LOST', {}));
        } catch (error) {
            this.bear(error);
        }
    }

    private async renew(askedAt: number): Promise<RunSignal> {
        const { counters } = this;
        this.counters = undefined;
        try {
            const sign = await this.ports.renew(counters);
            this.renewedAt = askedAt;
            return sign;
        } catch (error) {
            this.counters ??= counters;
            throw error;
        }
    }

    /** A database that briefly does not answer is tried again; once the lease has expired, any worker may take the run. */
    private bear(error: unknown): void {
        const mayPass = isFlowError(error) && error.treat === 'transient';
        const hasRunOut = Date.now() - this.renewedAt >= this.times.leaseMs;
        if (!mayPass || (hasRunOut && error.code === 'DATABASE_LOST')) this.stop.abort(error);
        else if (hasRunOut) this.stop.abort(flowError('LEASE_LOST', {}));
    }
}
