import type { Script } from '../../core/adapter/loader';
import { send, sql } from '../../database/statement';
import type { RunIdentity, StoreEnv } from './store-env';

/**
 * Counts takeovers anew as soon as a worker gets on with the run: loads a batch that none before it has loaded, or commits a position
 * (spec 4, states).
 */
export class GettingOn {
    private isCounted: boolean;

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity & { readonly dryRun: boolean },
    ) {
        // A dry run begins anew with each takeover, so that no batch of it is a step forward.
        this.isCounted = identity.dryRun || identity.takeovers === 0;
    }

    /** Whether the next step forward is the first of this worker, and is to be stored with it. */
    get isNews(): boolean {
        return !this.isCounted;
    }

    /** Part of the transaction of a step forward, in front of its fence: the run's row first, as all do. */
    *forgetTakeovers(): Script<void> {
        const { runs } = this.env.tables;
        const { runId, token } = this.identity;
        yield* send(sql`
            UPDATE ${runs.name} SET ${runs.column('takeovers')} = 0
            WHERE ${runs.column('id')} = ${runId} AND ${runs.column('leaseToken')} = ${token}`);
    }

    /** That transaction has committed. */
    counted(): void {
        this.isCounted = true;
    }
}
