import type { AdapterContext } from '../../core/adapter/context';
import { flowError } from '../../core/errors/flow-error';

/** An engine continues to work after its response. It is polled after this time at first, then at growing intervals. */
const FIRST_WAIT_MS = 50;
const MOST_WAIT_MS = 2_000;
/** A large index takes time. After this deadline the step fails, for a reason that may be temporary. */
const DEADLINE_MS = 60 * 60_000;

/**
 * Waits until `isDone` returns true for a task. `isDone` throws if the task has failed. Throws REMOTE_BUSY if the task
 * does not end.
 */
export async function untilDone(
    { clock, signal, host }: Pick<AdapterContext, 'clock' | 'signal'> & { readonly host: string },
    isDone: () => Promise<boolean>,
): Promise<void> {
    const since = clock.now();
    for (let waitMs = FIRST_WAIT_MS; !(await isDone()); waitMs = Math.min(waitMs * 2, MOST_WAIT_MS)) {
        signal.throwIfAborted();
        if (clock.now() - since > DEADLINE_MS)
            throw flowError('REMOTE_BUSY', { host, problem: 'has not come to the end of its tasks', attempts: 1 });
        await clock.sleep(waitMs, signal);
    }
}
