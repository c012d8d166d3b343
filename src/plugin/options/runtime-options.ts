import { optionInvalid } from './joined';

/** How long runs hold what they hold, and how often it is looked after them, in milliseconds. */
interface RuntimeTimes {
    readonly leaseMs: number;
    readonly heartbeatMs: number;
    readonly sweepMs: number;
    readonly sliceMs: number;
    readonly stepTestMs: number;
}

/** The option `runtime` with its defaults. Throws OPTION_INVALID for a heartbeat that comes too seldom for the lease. */
export function runtimeOf(said: Partial<RuntimeTimes>): RuntimeTimes {
    const { leaseMs = 30_000, sweepMs = 15_000, sliceMs = 60_000, stepTestMs = 60_000 } = said;
    const { heartbeatMs = Math.floor(leaseMs / 3) } = said;
    if (heartbeatMs > leaseMs / 2) {
        const allowed = `at most half of runtime.leaseMs, ${Math.floor(leaseMs / 2)}`;
        throw optionInvalid([
            { path: 'runtime.heartbeatMs', message: `runtime.heartbeatMs is ${heartbeatMs}; allowed: ${allowed}` },
        ]);
    }
    return { leaseMs, heartbeatMs, sweepMs, sliceMs, stepTestMs };
}
