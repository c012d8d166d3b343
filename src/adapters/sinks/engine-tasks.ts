import type { AdapterContext } from '../../core/adapter/context';
import { flowError } from '../../core/errors/flow-error';

/** Work of an engine goes on behind its answers; it is asked so often whether it is done, and less often as time goes by. */
const FIRST_WAIT_MS = 50;
const MOST_WAIT_MS = 2_000;
/** A large index takes its time; beyond this the step fails, for a reason that may pass. */
const DEADLINE_MS = 60 * 60_000;

/** Waits until a task is done, as `isDone` says; it throws for one that has failed. Throws REMOTE_BUSY for one that comes to no end. */
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
