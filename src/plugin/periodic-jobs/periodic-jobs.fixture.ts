import type { FlowSetup } from '../setup';
import { type Leases, ProcessLeases } from '../leases/leases';
import { PeriodicJobs } from './periodic-jobs';

/** The periodic works of one process. */
export function periodicsOf({
    isWorkedHere = true,
    leases = new ProcessLeases(),
    leaseMs = 30_000,
}: {
    readonly isWorkedHere?: boolean | (() => boolean);
    readonly leases?: Leases;
    readonly leaseMs?: number;
} = {}): PeriodicJobs {
    const isHere = (): boolean => (typeof isWorkedHere === 'function' ? isWorkedHere() : isWorkedHere);
    const setup = { options: { runtime: { leaseMs } } } as FlowSetup;
    return new PeriodicJobs(() => Promise.resolve(isHere()), leases, setup, {
        exist: () => Promise.resolve(true),
    });
}
