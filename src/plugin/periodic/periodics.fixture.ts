import type { FlowSetup } from '../setup';
import { type Leases, ProcessLeases } from '../leases/leases';
import { Periodics } from './periodics';

/** The periodic works of one process. */
export function periodicsOf({
    isWorkedHere = true,
    leases = new ProcessLeases(),
    leaseMs = 30_000,
}: {
    readonly isWorkedHere?: boolean | (() => boolean);
    readonly leases?: Leases;
    readonly leaseMs?: number;
} = {}): Periodics {
    const isHere = (): boolean => (typeof isWorkedHere === 'function' ? isWorkedHere() : isWorkedHere);
    const setup = { options: { runtime: { leaseMs } } } as FlowSetup;
    return new Periodics(() => Promise.resolve(isHere()), leases, setup, {
        exist: () => Promise.resolve(true),
    });
}
