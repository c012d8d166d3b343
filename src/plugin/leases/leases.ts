/** A request for a lease. */
export interface LeaseClaimResult {
    /** The name of what the lease protects. At most 128 characters. */
    readonly name: string;
    /** Identifies the process. */
    readonly holder: string;
    /** The lease expires after this number of milliseconds by the clock of its store, unless it is taken again. */
    readonly leaseMs: number;
}

/** Leases, each held by one process at a time (ADR 14). The option `locking` defines where those of leaders are stored. */
export interface Leases {
    /**
     * Takes a free lease, or renews the holder's own. Returns its term, which increases with each new holder; undefined if another process holds
     * it. Throws if that cannot be determined.
     */
    take(result: LeaseClaimResult): Promise<number | undefined>;
    /** Releases the holder's lease; does nothing if another process holds it. */
    release(claim: Pick<LeaseClaimResult, 'name' | 'holder'>): Promise<void>;
    /** Releases the resources of the leases. */
    close(): Promise<void>;
}

/** `locking: "process"`: for a shop of one process, in which the first caller gets the lease. */
export class ProcessLeases implements Leases {
    private readonly held = new Map<string, { holder: string; term: number; expiresAt: number }>();

    take({ name, holder, leaseMs }: LeaseClaimResult): Promise<number | undefined> {
        const now = performance.now();
        const known = this.held.get(name);
        if (known && known.holder !== holder && known.expiresAt > now) return Promise.resolve(undefined);
        const term = known === undefined ? 1 : known.term + (known.holder === holder ? 0 : 1);
        this.held.set(name, { holder, term, expiresAt: now + leaseMs });
        return Promise.resolve(term);
    }

    release({ name, holder }: Pick<LeaseClaimResult, 'name' | 'holder'>): Promise<void> {
        const known = this.held.get(name);
        if (known?.holder === holder) known.expiresAt = 0;
        return Promise.resolve();
    }

    close(): Promise<void> {
        return Promise.resolve();
    }
}
