import { Logger } from '@vendure/core';
import { randomUUID } from 'node:crypto';
import { LOG_CONTEXT } from '../tokens';
import type { Leases } from './leases';

/** The part of a lease's duration after which it is renewed. */
const RENEWAL = 1 / 3;

/** The current leadership of this process. */
interface Leadership {
    /** Increases with each change of the leader: writes under an earlier term can be detected and rejected. */
    readonly term: number;
    /** Aborted as soon as this process cannot be sure that it is still the leader. */
    readonly signal: AbortSignal;
}

interface Held {
    readonly leadership: Leadership;
    readonly stop: AbortController;
    /**
     * Until when the lease is held for certain, by this process's monotonic clock. Counted from before the request, so it is never later
     * than at the store of the lease.
     */
    sureUntil: number;
}

/**
 * Elects one of many processes as leader. The holder renews its lease until it resigns, so that the leader stays the same. When it dies or stalls,
 * its lease expires and another process leads. A process that wakes up knows by its own clock that it is no longer the leader.
 */
export class Leader {
    /** Identifies this leader. */
    readonly holder = randomUUID();
    private held: Held | undefined;
    private timer: NodeJS.Timeout | undefined;
    private renewing: Promise<unknown> = Promise.resolve();
    private isOver = false;

    constructor(
        private readonly leases: Leases,
        private readonly lease: { readonly name: string; readonly leaseMs: number },
    ) {}

    /** Takes or keeps the lead. Undefined if another process leads. Throws if that cannot be determined. */
    async lead(): Promise<Leadership | undefined> {
        const askedAt = performance.now();
        const term = await this.leases.take({ ...this.lease, holder: this.holder });
        if (term === undefined || this.held?.leadership.term !== term) this.lose();
        if (term === undefined || this.isOver) return undefined;
        if (!this.held) {
            const stop = new AbortController();
            this.held = { leadership: { term, signal: stop.signal }, stop, sureUntil: 0 };
        }
        this.held.sureUntil = askedAt + this.lease.leaseMs;
        this.watch(this.held);
        return this.held.leadership;
    }

    /** Ends the leadership; another process may lead at once. */
    async resign(): Promise<void> {
        if (await this.stop()) await this.leases.release({ name: this.lease.name, holder: this.holder });
    }

    /** Stops leading and renewing the lease; the caller decides what happens to the lease. Returns whether this process had it until now. */
    async stop(): Promise<boolean> {
        const wasHeld = this.held !== undefined;
        this.isOver = true;
        this.lose();
        await this.renewing;
        return wasHeld;
    }

    private lose(): void {
        clearTimeout(this.timer);
        this.held?.stop.abort(new Error(`another process leads in "${this.lease.name}"`));
        this.held = undefined;
    }

    /** Ends a leadership whose lease may have expired. */
    private unsure(held: Held): boolean {
        if (performance.now() < held.sureUntil) return false;
        if (this.held === held) this.lose();
        return true;
    }

    /** Renews the lease in time, or ends the leadership when it has expired. */
    private watch(held: Held): void {
        clearTimeout(this.timer);
        const leftMs = held.sureUntil - performance.now();
        this.timer = setTimeout(
            () => {
                if (!this.unsure(held)) this.renewing = this.renew(held);
            },
            Math.max(0, Math.min(leftMs, this.lease.leaseMs * RENEWAL)),
        ).unref();
    }

    private async renew(held: Held): Promise<void> {
        // The lease may expire while the response is pending.
        const expiry = setTimeout(() => this.unsure(held), Math.max(0, held.sureUntil - performance.now())).unref();
        try {
            await this.lead();
        } catch (error) {
            Logger.debug(`The lease "${this.lease.name}" could not be renewed: ${String(error)}`, LOG_CONTEXT);
            if (this.held === held) this.watch(held);
        } finally {
            clearTimeout(expiry);
        }
    }
}
