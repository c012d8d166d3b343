/** The parts of a response that are used here. */
interface ClosingResponse {
    once(event: 'close', listener: () => void): unknown;
}

const signals = new WeakMap<ClosingResponse, AbortSignal>();

/**
 * Aborted when the client has closed the connection. All fields of a request share one signal, because each would add a listener to the
 * response.
 */
export function untilClosed(response: ClosingResponse | undefined): AbortSignal {
    const known = response && signals.get(response);
    if (known) return known;
    const gone = new AbortController();
    if (response) {
        signals.set(response, gone.signal);
        response.once('close', () => gone.abort());
    }
    return gone.signal;
}
