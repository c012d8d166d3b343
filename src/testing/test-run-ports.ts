import type { StatementProgram } from '../core/adapter/loader';
import { flowError } from '../core/errors/flow-error';
import type { LoadUnit, LoadOutcomes, RunPorts } from '../core/ports/ports';
import type { TestRun } from '../core/run/test-run';

/** Ports of a run whose loads use no database. */
export function testRunPorts(testRun: TestRun): RunPorts {
    const read = async <T>(script: () => StatementProgram<T>): Promise<T> => done(script());
    const ports = testRun.ports(read);
    /** The outcomes of batches that were sent to other systems, for those that are retried. */
    const delivered = new Map<string, LoadOutcomes>();
    const keyOf = ({ key }: Pick<LoadUnit, 'key'>): string => JSON.stringify(key);
    return {
        ...ports,
        loads: {
            ...ports.loads,
            commit: async ({ work }) => {
                const { verdicts: outcomes, rejects } = done(work({ isolate: false, savepoint: rejected }));
                for (const reject of rejects) testRun.rejects.push(reject);
                return { verdicts: outcomes, replayed: false };
            },
            storedVerdicts: async unit => delivered.get(keyOf(unit)),
            settle: async (unit, { verdicts: outcomes, rejects }) => {
                delivered.set(keyOf(unit), outcomes);
                testRun.rejects.push(...rejects);
            },
        },
    };
}

/** A script without statements. */
function done<T>(statementProgram: StatementProgram<T>): T {
    const next = statementProgram.next();
    if (next.done) return next.value;
    throw flowError('BUG', { problem: 'a test without a database needs one' });
}

// eslint-disable-next-line require-yield -- a script that ends before its first statement
function* rejected(): StatementProgram<never> {
    throw flowError('BUG', { problem: 'a test without a database needs a savepoint' });
}
