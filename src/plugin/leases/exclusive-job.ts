import type { DatabaseLeases } from './database-leases';
import { Leader } from './leader';

/** A lease that this process holds. */
export interface OwnedLease {
    /** Releases it. Returns whether another process requested the same work in the meantime, and relies on this one to repeat it. */
    end(): Promise<boolean>;
    /** Releases it after this number of milliseconds; until then no process can take it. */
    rest(restMs: number): Promise<void>;
}

/**
 * Lets one process at a time do a piece of work, which is identified by its name. The leases are in the same database as the rows of the
 * work. The lease of a process that has died is free as soon as it expires.
 */
export class ExclusiveJob {
    constructor(
        private readonly leases: DatabaseLeases,
        private readonly leaseMs: number,
    ) {}

    /** Undefined while another process holds it, or during its rest. The lease is renewed until it is ended. */
    async hold(name: string): Promise<OwnedLease | undefined> {
        const { leases, leaseMs } = this;
        const leader = new Leader(leases, { name, leaseMs });
        if (!(await leader.lead())) return undefined;
        const { holder } = leader;
        return {
            end: async () => {
                await leader.stop();
                return leases.drop({ name, holder });
            },
            rest: async restMs => {
                if (await leader.stop()) await leases.take({ name, holder, leaseMs: restMs });
            },
        };
    }

    /**
     * Like `hold`; if another process holds it, that process is requested to repeat the work. So one of the two does all work that existed before
     * this call, unless that process dies.
     */
    async acquireOrRequest(name: string): Promise<OwnedLease | undefined> {
        const held = await this.hold(name);
        if (held || (await this.leases.ask({ name }))) return held;
        // It was released in between. A process that takes it before this one finds all pending work.
        return this.hold(name);
    }
}
