/** No answer yet. */
export const SILENCE_TIMEOUTS: unique symbol = Symbol('no answer yet');

/** The answer, or SILENCE when it does not come in time; then it is dropped. */
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
