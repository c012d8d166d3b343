import { flowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import type { SqlLimits } from './session';

/** What is broken off when its time is up, and how that is told. */
export interface Breakable {
    readonly host: string;
    /** `did not end the query`. */
    readonly what: string;
    end(): void;
}

/**
 * Waits for something of a session, until its time is up or nobody wants it any more: then the session is ended. Drivers have limits of their own, but
 * leave the connection to itself then, with the query going on.
 */
export function withinLimits<T>(
    work: () => Promise<T>,
    { timeoutMs, signal }: SqlLimits,
    breakable: Breakable,
): Promise<T> {
    const { host } = breakable;
    return new Promise((resolve, reject) => {
        const giveUp = (reason: unknown): void => {
            reject(reason as Error);
            breakable.end();
        };
        if (signal.aborted) return giveUp(signal.reason);
        const late = (): void =>
            giveUp(flowError('OUTBOUND_TIMEOUT', { host, what: breakable.what, timeoutMs, attempts: 1 }));
        const timer = setTimeout(late, timeoutMs);
        const leave = onAbort(signal, () => giveUp(signal.reason));
        const settled = (): void => {
            clearTimeout(timer);
            leave();
        };
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
