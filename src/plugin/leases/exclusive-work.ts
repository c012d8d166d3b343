import type { DatabaseLeases } from './database-leases';
import { Leader } from './leader';

/** Something that this process alone is at. */
export interface HeldLease {
    /** Gives it back. Answers whether somebody else has come for the same work meanwhile, and relies on it being done once more. */
    end(): Promise<boolean>;
    /** Nobody takes it for so many milliseconds. */
    rest(restMs: number): Promise<void>;
}

/**
 * Lets one process at a time do what has a name, by leases in the database: what is done under them stands there as well. What a dead process held is
 * free when its lease has run out.
 */
export class ExclusiveWork {
    constructor(
        private readonly leases: DatabaseLeases,
        private readonly leaseMs: number,
    ) {}

    /** Undefined where somebody else is at it, or it rests. Kept until it is given back, however long that takes. */
    async hold(name: string): Promise<HeldLease | undefined> {
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
     * As `hold`; where somebody else is at it, that one does it once more. So whatever was there to be done before this was called is done by one of
     * the two, unless that one dies.
     */
    async holdOrAsk(name: string): Promise<HeldLease | undefined> {
        const held = await this.hold(name);
        if (held || (await this.leases.ask({ name }))) return held;
        // It has been given back in between. Who takes it before this does so behind what there is to be done.
        return this.hold(name);
    }
}
