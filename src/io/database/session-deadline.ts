import { flowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import type { SqlLimits } from './session';

/** What is stopped at its deadline, and how that is reported. */
interface Breakable {
    readonly host: string;
    /** `did not end the query`. */
    readonly what: string;
    end(): void;
}

/**
 * Waits for an operation of a session until its deadline, or until its caller cancels it: then the session is ended.
 * The drivers' own limits would leave the connection open, with the query still running.
 */
export function withinLimits<T>(
    work: () => Promise<T>,
    { timeoutMs, signal }: SqlLimits,
    breakable: Breakable,
): Promise<T> {
    const { host } = breakable;
    return new Promise((resolve, reject) => {
        const fail = (reason: unknown): void => {
            reject(reason as Error);
            breakable.end();
        };
        if (signal.aborted) return fail(signal.reason);
        const settled = (): void => {
            clearTimeout(timer);
            leave();
        };
        // The operation itself may never end when its session is closed.
        const giveUp = (reason: unknown): void => {
            settled();
            fail(reason);
        };
        const late = (): void =>
            giveUp(flowError('OUTBOUND_TIMEOUT', { host, what: breakable.what, timeoutMs, attempts: 1 }));
        const timer = setTimeout(late, timeoutMs);
        const leave = onAbort(signal, () => giveUp(signal.reason));
        work().then(
            value => {
                settled();
                resolve(value);
            },
            (error: unknown) => {
                settled();
                reject(error as Error);
            },
        );
    });
}
