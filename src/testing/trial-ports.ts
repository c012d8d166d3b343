import type { Script } from '../core/adapter/loader';
import { flowError } from '../core/errors/flow-error';
import type { RunPorts } from '../core/ports/ports';
import type { Trial } from '../core/run/trial';

/** Ports of a run whose loads ask no database. */
export function trialPorts(trial: Trial): RunPorts {
    const read = async <T>(script: () => Script<T>): Promise<T> => done(script());
    const ports = trial.ports(read);
    return {
        ...ports,
        loads: {
            ...ports.loads,
            commit: async ({ work }) => {
                const { verdicts, rejects } = done(work({ isolate: false, savepoint: refused }));
                for (const reject of rejects) trial.rejects.push(reject);
                return { verdicts, replayed: false };
            },
        },
    };
}

/** A script that asks for nothing. */
function done<T>(script: Script<T>): T {
    const next = script.next();
    if (next.done) return next.value;
    throw flowError('BUG', { problem: 'a test without a database was asked for one' });
}

// eslint-disable-next-line require-yield -- a script that ends before it asks
function* refused(): Script<never> {
    throw flowError('BUG', { problem: 'a test without a database was asked for a savepoint' });
}
