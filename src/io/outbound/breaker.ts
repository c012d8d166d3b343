import type { Clock } from '../../core/concurrency/clock';

/** After this number of consecutive failures a server is not contacted … */
const FAILURES = 5;
/** … for so long; then one request tries whether it is back. */
const PAUSE_MS = 30_000;
/** The greatest number of failing servers that are remembered; the one that failed longest ago is dropped first. */
const MAX_ORIGINS = 10_000;

interface Trouble {
    failures: number;
    /** The end of the pause; 0 as long as there are too few failures. */
    openUntil: number;
    isProbing: boolean;
    /** The last status of the server, if it answered at all. */
    status: number | undefined;
}

/** Why a server gets no requests, and for how long. */
export interface ClosedCircuit {
    readonly waitMs: number;
    readonly status: number | undefined;
}

/** The result that an admitted request must report. */
export interface CircuitPass {
    succeeded(): void;
    failed(status?: number): void;
    /** Neither: the request was cancelled before the state of the server was known. */
    abandoned(): void;
}

/** Stops requests to servers that fail repeatedly, to relieve the servers and to spare callers a futile wait. */
export class Breaker {
    private readonly troubles = new Map<string, Trouble>();

    constructor(private readonly clock: Clock) {}

    /** Lets a request through, or says for how many milliseconds there is no point. */
    enter(origin: string): CircuitPass | ClosedCircuit {
        const trouble = this.troubles.get(origin);
        if (trouble && trouble.openUntil > 0) {
            const { status } = trouble;
            const waitMs = trouble.openUntil - this.clock.now();
            if (waitMs > 0) return { waitMs, status };
            if (trouble.isProbing) return { waitMs: 1000, status };
            trouble.isProbing = true;
        }
        return {
            succeeded: () => {
                this.troubles.delete(origin);
            },
            failed: status => this.count(origin, status),
            abandoned: () => {
                const now = this.troubles.get(origin);
                if (now) now.isProbing = false;
            },
        };
    }

    private count(origin: string, status: number | undefined): void {
        const none: Trouble = { failures: 0, openUntil: 0, isProbing: false, status };
        const trouble = this.troubles.get(origin) ?? none;
        trouble.status = status;
        trouble.failures++;
        trouble.isProbing = false;
        if (trouble.failures >= FAILURES) trouble.openUntil = this.clock.now() + PAUSE_MS;
        this.troubles.delete(origin);
        this.troubles.set(origin, trouble);
        const [oldest] = this.troubles.keys();
        if (this.troubles.size > MAX_ORIGINS) this.troubles.delete(oldest!);
    }
}
