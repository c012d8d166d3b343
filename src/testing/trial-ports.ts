import type { Script } from '../core/adapter/loader';
import { flowError } from '../core/errors/flow-error';
import type { LoadUnit, LoadVerdicts, RunPorts } from '../core/ports/ports';
import type { Trial } from '../core/run/trial';

/** Ports of a run whose loads ask no database. */
export function trialPorts(trial: Trial): RunPorts {
    const read = async <T>(script: () => Script<T>): Promise<T> => done(script());
    const ports = trial.ports(read);
    /** What became of batches that went to other systems, for those that are tried again. */
    const delivered = new Map<string, LoadVerdicts>();
    const keyOf = ({ key }: Pick<LoadUnit, 'key'>): string => JSON.stringify(key);
    return {
        ...ports,
        loads: {
            ...ports.loads,
            commit: async ({ work }) => {
                const { verdicts, rejects } = done(work({ isolate: false, savepoint: refused }));
                for (const reject of rejects) trial.rejects.push(reject);
                return { verdicts, replayed: false };
            },
            storedVerdicts: async unit => delivered.get(keyOf(unit)),
            settle: async (unit, { verdicts, rejects }) => {
                delivered.set(keyOf(unit), verdicts);
                trial.rejects.push(...rejects);
            },
        },
    };
}

/** A script without statements. */
function done<T>(script: Script<T>): T {
    const next = script.next();
    if (next.done) return next.value;
    throw flowError('BUG', { problem: 'a test without a database was asked for one' });
}

// eslint-disable-next-line require-yield -- a script that ends before its first statement
function* refused(): Script<never> {
    throw flowError('BUG', { problem: 'a test without a database was asked for a savepoint' });
}
