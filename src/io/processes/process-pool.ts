import { onAbort } from '../../core/concurrency/abort';

/** A process of ours that works on one thing at a time. */
interface PooledProcess {
    readonly isAlive: boolean;
    kill(): void;
}

/** The maximum number of processes; one is started only when all others are busy. */
const MAX_PROCESSES = 4;
/** How long an idle process is kept, because starting one takes some tenths of a second. */
const IDLE_MS = 30_000;

/** Processes, each used by one piece of work at a time. Who waits gets the next one that is free, in order. */
export class ProcessPool<P extends PooledProcess> {
    private readonly idle: P[] = [];
    private readonly waiting: Array<() => void> = [];
    private busy = 0;
    private resting: NodeJS.Timeout | undefined;

    constructor(private readonly start: () => Promise<P>) {}

    /**
     * Throws what the work throws, the signal's reason, and why a process cannot be started. `isFresh` requires a process that was not used before.
     */
    async with<T>(signal: AbortSignal, work: (own: P) => Promise<T>, isFresh = false): Promise<T> {
        await this.turn(signal);
        let own: P | undefined;
        try {
            own = (isFresh ? undefined : this.take()) ?? (await this.start());
            return await work(own);
        } finally {
            this.giveBack(own);
        }
    }

    /** Ends the idle processes; a later caller gets a new one. */
    rest(): void {
        clearTimeout(this.resting);
        for (const own of this.idle.splice(0)) own.kill();
    }

    private async turn(signal: AbortSignal): Promise<void> {
        signal.throwIfAborted();
        if (this.busy < MAX_PROCESSES) {
            this.busy++;
            return;
        }
        await new Promise<void>((resolve, reject) => {
            const stop = (): void => {
                this.waiting.splice(this.waiting.indexOf(go), 1);
                reject(signal.reason as Error);
            };
            const go = (): void => {
                leave();
                resolve();
            };
            const leave = onAbort(signal, stop);
            this.waiting.push(go);
        });
    }

    private take(): P | undefined {
        for (;;) {
            const own = this.idle.pop();
            if (!own || own.isAlive) return own;
        }
    }

    private giveBack(own: P | undefined): void {
        if (own?.isAlive) this.idle.push(own);
        // The waiting caller takes over the place, so that no other caller can take it in between.
        const next = this.waiting.shift();
        if (next) next();
        else this.busy--;
        clearTimeout(this.resting);
        this.resting = setTimeout(() => this.rest(), IDLE_MS).unref();
    }
}
