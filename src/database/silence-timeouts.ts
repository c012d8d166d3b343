/** No answer yet. */
export const SILENCE_TIMEOUTS: unique symbol = Symbol('no answer yet');

/** The result, or SILENCE if it is not there in time; then it is ignored. */
export async function withinTimeout<T>(answer: Promise<T>, ms: number): Promise<T | typeof SILENCE_TIMEOUTS> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof SILENCE_TIMEOUTS>(resolve => {
        timer = setTimeout(resolve, ms, SILENCE_TIMEOUTS);
    });
    try {
        return await Promise.race([answer, late]);
    } finally {
        clearTimeout(timer);
    }
}
