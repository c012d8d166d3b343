import { flowError } from '../../core/errors/flow-error';

/** Does some work that somebody waits for. Its signal is aborted when that takes longer; throws STEP_TEST_TIMEOUT then, whatever the work throws. */
export async function withinTestTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(flowError('STEP_TEST_TIMEOUT', { ms })), ms);
    try {
        return await work(over.signal);
    } catch (thrown) {
        throw over.signal.aborted ? (over.signal.reason as Error) : thrown;
    } finally {
        clearTimeout(timer);
    }
}
