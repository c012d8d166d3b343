import { optionInvalid } from './joined';

/** The option `runtime`, all of it in milliseconds. */
export interface RuntimeOptions {
    /** How long a dead worker keeps its run: 1,000 to 600,000, default 30,000. */
    readonly leaseMs?: number;
    /** How often a living worker renews it: 100 to half of `leaseMs`, default a third of it. */
    readonly heartbeatMs?: number;
    /** How often Flow looks for runs without a worker: 500 to 600,000, default 15,000. */
    readonly sweepMs?: number;
    /** After how long a run gives its queue slot to others and queues itself again: 100 to 3,600,000, default 60,000. */
    readonly sliceMs?: number;
    /** How long a step test may take, default 60,000 (100 to 600,000). */
    readonly stepTestMs?: number;
    readonly scheduler?: {
        /** How often each worker looks for due schedules: 1,000 to 30,000, so that no minute is skipped. Default 30,000. */
        readonly checkIntervalMs?: number;
        /** The shortest interval of a schedule. Shorter ones are raised to it: 1,000 to 86,400,000, default 1,000. */
        readonly minIntervalMs?: number;
        /**
         * How often each process reads which triggers are active: 1,000 to 3,600,000, default 60,000. The process in which a pipeline is published, enabled,
         * disabled or archived updates them at once.
         */
        readonly refreshIntervalMs?: number;
    };
}

/** `RuntimeOptions` with all defaults. */
export interface RuntimeTimes extends Required<Omit<RuntimeOptions, 'scheduler'>> {
    readonly scheduler: Required<NonNullable<RuntimeOptions['scheduler']>>;
}

/** The option `runtime` with its defaults. Throws OPTION_INVALID for a heartbeat that is too slow for the lease. */
export function runtimeOf(said: RuntimeOptions): RuntimeTimes {
    const { leaseMs = 30_000, sweepMs = 15_000, sliceMs = 60_000, stepTestMs = 60_000 } = said;
    const { heartbeatMs = Math.floor(leaseMs / 3) } = said;
    if (heartbeatMs > leaseMs / 2) {
        const allowed = `at most half of runtime.leaseMs, ${Math.floor(leaseMs / 2)}`;
        throw optionInvalid([
            { path: 'runtime.heartbeatMs', message: `runtime.heartbeatMs is ${heartbeatMs}; allowed: ${allowed}` },
        ]);
    }
    const scheduler = { checkIntervalMs: 30_000, minIntervalMs: 1_000, refreshIntervalMs: 60_000, ...said.scheduler };
    return { leaseMs, heartbeatMs, sweepMs, sliceMs, stepTestMs, scheduler };
}

type Locking = 'database' | 'redis' | 'process';

/** The options `locking` and `redis` with their defaults. Throws OPTION_INVALID if one requires the other. */
export function lockingOf<R>({ locking = 'database', redis }: { readonly locking?: Locking; readonly redis?: R }): {
    readonly locking: Locking;
    readonly redis?: R;
} {
    if (locking === 'redis' && !redis) {
        const message = 'locking is "redis", and the option redis does not say which; allowed: redis: { url }';
        throw optionInvalid([{ path: 'locking', message }]);
    }
    return { locking, ...(redis && { redis }) };
}
